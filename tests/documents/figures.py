#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derives the figures of documents from the records in docs/results and from the sources, and holds the documents against them.

A document has two kinds of derived figures, in comments that a reader does not see:
  <!-- derived: NAME -->            a table: all lines up to <!-- /derived --> are what table NAME of this file says
  1.9<!-- = ratio(u32, 27) -->      a figure: the number in front is what the expression gives, rounded to as many places;
                                   expressions.py has what it may call
  16,384<!-- = constant(tile, u32) -->   the same of a number that the sources decide: constants.cpp prints it

usage: python3 tests/documents/figures.py            says what differs
       python3 tests/documents/figures.py --write    writes it into the documents

exit code: 0 all well, 1 something differs (or, with --write, cannot be derived), and it is named
"""
import argparse
import math
import re
import statistics
import sys

sys.dont_write_bytecode = True  # a checkout stays as it is

from expressions import FUNCTIONS, ROOT, TYPES, Missing, classic, milliseconds, processes, rate, ratio, ratios, rows, table_of  # noqa: E402

DOCUMENTS = [ROOT / "README.md"] + sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "notes").glob("*.md"))

# The record of each device and each kind of kernels, and what the table of devices calls it.
DEVICES = {
    "map.csv": "H200",
    "h100.csv": "H100",
    "kind-medium.csv": "H200, kernels of the medium kind",
    "kind-small.csv": "H200, kernels of the small kind",
}

# What the project aims at, times as fast as the faster of CUB's two sorts, random keys: exponents of 2, and the aims of TYPES.
AIMS = (
    ((10, 11, 12), (1.05, 1.05)),
    ((13,), (1.2, 1.0)),
    ((14,), (1.2, 1.2)),
    ((15,), (1.2, 1.3)),
    ((16, 17, 18, 19), (1.5, 1.6)),
    ((20,), (1.4, 1.9)),
    ((21,), (1.5, 2.1)),
    ((22, 23, 24, 25), (1.75, 2.4)),
    ((26,), (1.7, 2.3)),
    ((27,), (1.8, 2.6)),
    ((28, 29, 30, 31, 32), (1.0, 1.0)),
)

# Samples' keys by their names in bench, in the order of the table.
KINDS = (
    ("sorted", "reversed", "all-equal"),
    ("gaussian", "exponential", "staggered", "bucket", "organ-pipe", "almost-sorted"),
    ("shared-upper", "shared-lower", "distinct-2", "distinct-256", "distinct-16384", "zipf", "words"),
    ("mixed", "extremes", "unit", "timestamps", "k-mers"),
    ("letters", "digits", "small-numbers", "clusters", "wide-clusters", "neighbours", "sparse-bits", "log-normal", "normal-floats",
     "outlier", "runs"),
    ("killer",),
)


# Keys of 8 and 16 bits have a record of their own, and fewer kinds: most are random in so few bits.
NARROW = "narrow.csv"
NARROW_TYPES = ("u8", "u16")
NARROW_KINDS = ("sorted", "reversed", "all-equal", "distinct-2", "distinct-256", "zipf", "mixed", "gaussian", "exponential",
                "small-numbers")


# What goes with keys has a record of its own: modes, what they sort beside u32 and u64 keys, and the exponents of a table.
PAIRS = "pairs.csv"
PAIRS_MODES = (("pairs4", "values of 4 bytes"), ("stable4", "the same, stable"), ("pairs8", "of 8 bytes, stable or not"),
               ("argsort", "indices of 4 bytes, stable"))
PAIRS_EXPONENTS = (10, 12, 14, 16, 18, 20, 22, 24, 26, 27)


# ---- Tables ----------------------------------------------------------------------------------------------------------------
def power(exponent):
    return f"2^{exponent}"


def time_text(key_type, exponent, record="map.csv"):
    return duration(milliseconds(key_type, exponent, "random", "default", record))


def rate_text(value):
    """Three digits, and no exponent: 0.0679, 12.2, 164, 1,320."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.{max(0, 2 - math.floor(math.log10(rounded)))}f} G"


def speed_lines(exponents, types=TYPES, record="map.csv"):
    yield "| random keys | " + " | ".join(f"{key_type}: time | keys a second | x CUB" for key_type in types) + " |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for exponent in exponents:
        cells = [power(exponent)]
        for key_type in types:
            where = (key_type, exponent, "random", "default", record)
            cells += [time_text(key_type, exponent, record), rate_text(rate(*where)), f"**{ratio(*where):.2f}**"]
        yield "| " + " | ".join(cells) + " |"


def duration(value):
    return f"{value * 1000:.1f} us" if value < 0.1 else f"{value * 1000:.0f} us" if value < 1 else f"{value:.2f} ms"


def spread_text(values, text):
    """The median, and from the least to the greatest."""
    return f"{text(statistics.median(values))} ({text(min(values))} to {text(max(values))})"


def headline_lines():
    """Medians over processes, with the spread: what one process measures differs from the next."""
    yield "| random keys | processes | " + " | ".join(f"{key_type}: time | x CUB" for key_type in TYPES) + " |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    for exponent in (14, 20, 24, 27):
        cells, counts = [power(exponent)], []
        for key_type in TYPES:
            measured = processes(key_type, exponent)
            beside = [min(float(row[name]) for name in ("ratio_to_radix", "ratio_to_merge") if row[name]) for row in measured
                      if row["ratio_to_radix"] or row["ratio_to_merge"]]
            counts.append(len(measured))
            cells += [spread_text([float(row["median_ms"]) for row in measured], duration),
                      f"**{statistics.median(beside):.2f}** ({min(beside):.2f} to {max(beside):.2f})"]
        yield f"| {cells[0]} | {min(counts)} | " + " | ".join(cells[1:]) + " |"


def classic_lines():
    """The classic recursion beside CUB."""
    exponents = range(20, 28)
    yield "| classic recursion | " + " | ".join(map(power, exponents)) + " |"
    yield "| --- |" + " ---: |" * len(exponents)
    for key_type in TYPES:
        times = [duration(milliseconds(key_type, exponent, "random", "classic")) for exponent in exponents]
        yield f"| {key_type}: time | " + " | ".join(times) + " |"
        yield "| x CUB | " + " | ".join(f"**{classic(key_type, exponent):.2f}**" for exponent in exponents) + " |"


PAIRS_KINDS = (("u32", "stable4", "4 and 4 bytes, stable"), ("u64", "pairs8", "8 and 8 bytes"))
PAIRS_KIND_EXPONENTS = (12, 20, 24, 26)


def pairs_kind_lines():
    """Every kind of keys that was sorted with values: nothing is left out."""
    names = {key_type: {name for word, _, name, at in table_of(PAIRS) if (word, at) == (key_type, mode)}
             for key_type, mode, _ in PAIRS_KINDS}
    yield "| keys | " + " | ".join(f"{text}: {power(exponent)}" for _, _, text in PAIRS_KINDS for exponent in PAIRS_KIND_EXPONENTS) + " |"
    yield "| --- |" + " ---: |" * (len(PAIRS_KINDS) * len(PAIRS_KIND_EXPONENTS))
    for name in sorted(set.union(*names.values())):
        cells = []
        for key_type, mode, _ in PAIRS_KINDS:
            for exponent in PAIRS_KIND_EXPONENTS:
                value = ratio(key_type, exponent, name, mode, PAIRS) if (key_type, 2**exponent, name, mode) in table_of(PAIRS) else None
                cells.append("" if value is None else f"**{value:.2f}**" if value < 1 else f"{value:.2f}")
        yield f"| {name} | " + " | ".join(cells) + " |"


def aim_lines():
    yield "| random keys | u32: aim | least measured | u64: aim | least measured |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for exponents, aims in AIMS:
        cells = [", ".join(map(power, exponents)) if len(exponents) < 3 else f"{power(exponents[0])} to {power(exponents[-1])}"]
        for key_type, aim in zip(TYPES, aims):
            value = min(ratio(key_type, exponent) for exponent in exponents)
            cells += [f"{aim:g}", f"{value:.2f}" + ("" if value >= aim else ", **missed**")]
        yield "| " + " | ".join(cells) + " |"


def distribution_lines():
    exponents = (14, 20, 21, 24, 27)
    heads = [f"{key_type} {power(exponent)}" for key_type in TYPES for exponent in exponents]
    yield "| keys | " + " | ".join(heads) + " |"
    yield "| --- |" + " ---: |" * len(heads)
    for group in KINDS:
        for name in group:
            values = [ratio(key_type, exponent, name) for key_type in TYPES for exponent in exponents]
            yield f"| {name} | " + " | ".join(f"**{value:.2f}**" if value < 1 else f"{value:.2f}" for value in values) + " |"


def narrow_kind_lines():
    """Keys of 8 and 16 bits that are not random."""
    exponents = (16, 20, 24, 28)
    heads = [f"{key_type} {power(exponent)}" for key_type in NARROW_TYPES for exponent in exponents]
    yield "| keys | " + " | ".join(heads) + " |"
    yield "| --- |" + " ---: |" * len(heads)
    for name in NARROW_KINDS:
        values = [ratio(key_type, exponent, name, "default", NARROW) for key_type in NARROW_TYPES for exponent in exponents]
        yield f"| {name} | " + " | ".join(f"**{value:.2f}**" if value < 1 else f"{value:.2f}" for value in values) + " |"


def pairs_lines():
    """What goes with random keys: times as fast as CUB's radix sort of pairs."""
    yield "| keys | with | " + " | ".join(map(power, PAIRS_EXPONENTS)) + " |"
    yield "| --- | --- |" + " ---: |" * len(PAIRS_EXPONENTS)
    for key_type in TYPES:
        for mode, text in PAIRS_MODES:
            values = [ratio(key_type, exponent, "random", mode, PAIRS) for exponent in PAIRS_EXPONENTS]
            yield f"| {key_type} | {text} | " + " | ".join(f"**{value:.2f}**" if value < 1 else f"{value:.2f}"
                                                            for value in values) + " |"


def stage_lines():
    """Stages of a sort by a map, u32."""
    times = {(int(row["log2_keys"]), row["stage"]): float(row["us"]) for row in rows("stages.csv")}
    exponents = sorted({exponent for exponent, _ in times})
    yield "| us | " + " | ".join(map(power, exponents)) + " |"
    yield "| --- |" + " ---: |" * len(exponents)
    for stage in ("look", "count", "scatter", "scatter_again", "sort"):
        cells = [f"{times[exponent, stage]:.0f}" if (exponent, stage) in times else "" for exponent in exponents]
        yield f"| {stage.replace('_', ' ')} | " + " | ".join(cells) + " |"
    sums = [sum(value for (at, _), value in times.items() if at == exponent) for exponent in exponents]
    yield "| together | " + " | ".join(f"{value:.0f}" for value in sums) + " |"
    moved = [sum(float(row["bytes_per_key"]) for row in rows("stages.csv") if int(row["log2_keys"]) == exponent)
             for exponent in exponents]
    yield "| device memory alone, 4.1 TB/s | " + " | ".join(
        f"{bytes_of_key * 2**exponent / 4.1e6:.0f}" for bytes_of_key, exponent in zip(moved, exponents)) + " |"


def device_lines():
    spans = ((10, 13), (14, 14), (15, 19), (20, 21), (22, 25), (26, 28))
    yield "| device | type | " + " | ".join(
        power(first) if first == last else f"{power(first)} to {power(last)}" for first, last in spans) + " |"
    yield "| --- | --- |" + " ---: |" * len(spans)
    for record, device in DEVICES.items():
        for key_type in TYPES:
            cells = []
            for first, last in spans:
                values = [value for value, exponent, _ in ratios(key_type, record, "random") if first <= exponent <= last]
                span = f"{min(values):.2f} to {max(values):.2f}" if first != last else f"{values[0]:.2f}"
                cells.append(span if min(values) >= 1 else f"**{span}**")
            yield f"| {device} | {key_type} | " + " | ".join(cells) + " |"


def host_lines():
    exponents = (20, 22, 24, 26, 27)
    yield "| launched by | " + " | ".join(f"{key_type} {power(exponent)}" for key_type in TYPES for exponent in exponents) + " |"
    yield "| --- |" + " ---: |" * (len(TYPES) * len(exponents))
    for mode, who in (("default", "the device"), ("host", "the host")):
        yield f"| {who} | " + " | ".join(f"{milliseconds(key_type, exponent, 'random', mode):.3f}" for key_type in TYPES
                                         for exponent in exponents) + " |"


TABLES = {
    "host": host_lines,
    "speed": lambda: speed_lines(range(10, 33)),
    "headline": headline_lines,
    "pairs-kinds": pairs_kind_lines,
    "classic": classic_lines,
    "narrow": lambda: speed_lines((10, 12, 14, 15, 16, 18, 20, 22, 24, 26, 28), NARROW_TYPES, NARROW),
    "narrow-kinds": narrow_kind_lines,
    "pairs": pairs_lines,
    "aims": aim_lines,
    "distributions": distribution_lines,
    "stages": stage_lines,
    "devices": device_lines,
}


# ---- Documents -------------------------------------------------------------------------------------------------------------
BLOCK = re.compile(r"(<!-- derived: ([\w-]+) -->\n).*?(<!-- /derived -->)", re.DOTALL)
FIGURE = re.compile(r"(-?\d[\d,]*(?:\.\d+)?)(<!-- = (\w+)\(([^)]*)\) -->)")


def derived(text, faults):
    """The text as the records would have it; what cannot be derived stays, and is told."""
    def block(match):
        if match.group(2) not in TABLES:
            faults.append(f"no table {match.group(2)}")
            return match.group()
        return match.group(1) + "\n".join(TABLES[match.group(2)]()) + "\n" + match.group(3)

    def figure(match):
        number, comment, name, words = match.groups()
        if name not in FUNCTIONS:
            faults.append(f"no function {name}()")
            return match.group()
        places = len(number.partition(".")[2])
        try:
            return f"{FUNCTIONS[name](*(word.strip() for word in words.split(','))):,.{places}f}{comment}"
        except (Missing, TypeError, ValueError) as error:
            faults.append(f"{comment}: {error}")
            return match.group()

    return FIGURE.sub(figure, BLOCK.sub(block, text))


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[2].removeprefix("usage: "), add_help=False)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    wanted = parser.parse_args(words)
    if wanted.help:
        print(__doc__.strip())
        return 0
    faults = []
    count = 0
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        count += len(BLOCK.findall(text)) + len(FIGURE.findall(text))
        own = []
        right = derived(text, own)
        faults += [f"{document.name}: {fault}" for fault in own]
        if right != text and wanted.write:
            document.write_text(right, encoding="utf-8")
        elif right != text:
            faults += [f"{document.name}: not as the records have it: {line}"
                       for line, other in zip(text.splitlines(), right.splitlines()) if line != other][:5] or \
                      [f"{document.name}: a table has not as many lines as the records give"]
    if not count:
        faults.append("no derived figure in any document")
    for fault in faults:
        print(f"figures.py: {fault}", file=sys.stderr)
    if not faults:
        print(f"figures.py: {count} derived tables and figures, all as docs/results has them")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
