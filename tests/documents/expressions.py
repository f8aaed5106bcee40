# SPDX-License-Identifier: MIT
"""What an expression in a document may call: functions over the records in docs/results, and over the sources.

figures.py calls them.
"""
import csv
import functools
import itertools
import math
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results"
TYPES = ("u32", "u64")


class Missing(Exception):
    """A record has no such row."""


@functools.lru_cache(maxsize=None)
def rows(name):
    with open(RESULTS / name, newline="", encoding="utf-8") as file:
        return tuple(csv.DictReader(line for line in file if not line.startswith("#")))


@functools.lru_cache(maxsize=None)
def table_of(name):
    """Rows by type, number of keys, distribution and mode; the first of those that are measured several times."""
    found = {}
    for row in rows(name):
        found.setdefault((row["type"], int(row["count"]), row["distribution"], row["mode"]), row)
    return found


def row_of(key_type, exponent, distribution="random", mode="default", record="map.csv"):
    key = (key_type, 2 ** int(exponent), distribution, mode)
    if key not in table_of(record):
        raise Missing(f"{record} has no row {key}")
    return table_of(record)[key]


# ---- What bench measured -----------------------------------------------------------------------------------------------------
def milliseconds(*words):
    return float(row_of(*words)["median_ms"])


def microseconds(*words):
    return milliseconds(*words) * 1000


def rate(*words):
    """Thousand millions of keys in a second."""
    return float(row_of(*words)["gkeys_per_s"])


def ratio(key_type, exponent, distribution="random", mode="default", record="map.csv"):
    """Times as fast as the faster of CUB's two sorts, on the same keys, in the same process."""
    row = row_of(key_type, exponent, distribution, mode, record)
    return min(float(row[name]) for name in ("ratio_to_radix", "ratio_to_merge") if row[name])


def faster(key_type, exponent, mode, peer, distribution="random", record="calls.csv"):
    """Times as fast as another mode of the same process, which may be none of CUB's."""
    return (milliseconds(key_type, exponent, distribution, peer, record) /
            milliseconds(key_type, exponent, distribution, mode, record))


def to_radix(*words):
    return float(row_of(*words)["ratio_to_radix"])


def to_merge(*words):
    return float(row_of(*words)["ratio_to_merge"])


def least_over_kinds(key_type, exponent, mode="default", record="map.csv"):
    """The least ratio of all kinds of keys that were measured."""
    return min(ratio(key_type, exponent, name, mode, record) for word, count, name, at in table_of(record)
               if (word, count, at) == (key_type, 2 ** int(exponent), mode))


def classic(key_type, exponent, record="map.csv"):
    """The classic recursion, times as fast as the faster of CUB's two sorts of the same record: its rows have no ratio of their own."""
    peer = min(milliseconds(key_type, exponent, "random", mode, record) for mode in ("cub-radix", "cub-merge"))
    return peer / milliseconds(key_type, exponent, "random", "classic", record)


def processes(key_type, exponent, records=("map.csv", "map-2.csv")):
    """The rows of random keys of every process that measured them: a record has some."""
    return [row for record in records for row in rows(record)
            if (row["type"], int(row["count"]), row["distribution"], row["mode"]) == (key_type, 2 ** int(exponent), "random", "default")]


def to_random(key_type, exponent, distribution, record="map.csv"):
    """Time relative to that of as many random keys."""
    return (milliseconds(key_type, exponent, distribution, "default", record) /
            milliseconds(key_type, exponent, "random", "default", record))


def over_unsigned(key_type, exponent):
    """Per cent by which a type takes longer than unsigned keys as wide, which the same process measured before it."""
    unsigned = None
    for row in rows("map.csv"):
        if row["count"] != str(2 ** int(exponent)) or row["distribution"] != "random" or row["mode"] != "default":
            continue
        if row["type"] == "u" + key_type[1:]:
            unsigned = float(row["median_ms"])
        elif row["type"] == key_type:
            return (float(row["median_ms"]) / unsigned - 1) * 100
    raise Missing(f"map.csv has no {key_type} 2^{exponent}")


def rate_below(key_type, exponent, reference):
    """Per cent by which fewer keys are sorted in a second than of an array of 2^reference keys."""
    return (1 - rate(key_type, exponent) / rate(key_type, reference)) * 100


def extra_percent(*words):
    """Memory beyond a second array of keys."""
    return float(row_of(*words)["extra_percent"])


def ratios(key_type, record="map.csv", distribution=None):
    """Every ratio of a record that there is, with the exponent and the distribution."""
    for (word, count, name, mode), row in table_of(record).items():
        if word == key_type and mode == "default" and (row["ratio_to_radix"] or row["ratio_to_merge"]) and \
                distribution in (None, name):
            yield ratio(word, count.bit_length() - 1, name, mode, record), count.bit_length() - 1, name


def least_ratio(key_type, first, last, distribution="random", record="map.csv"):
    return min(value for value, exponent, _ in ratios(key_type, record, distribution) if int(first) <= exponent <= int(last))


# ---- What the recursion's samples measured -------------------------------------------------------------------------------------
def number_in(row, column):
    if column not in row:
        raise Missing(f"there is no column {column}")
    return float(row[column])


@functools.lru_cache(maxsize=None)
def depth_table():
    """Rows of depth_study by children, depth limit, leaf size and scheme."""
    return {(int(row["fan_out"]), row["depth_limit"], int(row["leaf_items"]), row["scheme"]): row
            for row in rows("depth_study-h200.csv")}


def depth_study(column, fan_out, limit, leaf, scheme="last-block"):
    """The limit: a number, default, or none; bytes in thousand millions."""
    key = (int(fan_out), "0" if limit == "default" else limit, int(leaf), scheme)
    if key not in depth_table():
        raise Missing(f"depth_study-h200.csv has no row {key}")
    return number_in(depth_table()[key], column) / (1e9 if column == "bytes_moved" else 1)


def depth_ratio(fan_out, limit, leaf, scheme="last-block"):
    """Time relative to the least of the whole record, as the picture has it."""
    least = min(float(row["milliseconds"]) for row in depth_table().values())
    return depth_study("milliseconds", fan_out, limit, leaf, scheme) / least


def leaf_ratio(fan_out, leaf, other, limit="default"):
    """Time with leaves of one size relative to that with another."""
    return depth_study("milliseconds", fan_out, limit, leaf) / depth_study("milliseconds", fan_out, limit, other)


def last_limit_met(fan_out, leaf, scheme="last-block"):
    """The highest depth limit that ranges met."""
    return max(int(limit) for (children, limit, items, who), row in depth_table().items()
               if (children, items, who) == (int(fan_out), int(leaf), scheme) and limit.isdigit() and int(row["fallback_depth"]))


def schemes(column, scheme, exponent, fan_out):
    """Nanoseconds as microseconds."""
    for row in rows("schemes-h200.csv"):
        if (row["scheme"], row["log2_count"], row["fan_out"]) == (scheme, exponent, fan_out):
            return number_in(row, column) / (1000 if column.endswith("_ns") else 1)
    raise Missing(f"schemes-h200.csv has no {scheme} 2^{exponent}, {fan_out}")


def most_for_hooks(first):
    """Per cent by which hooks that nobody uses make sorts of 2^first keys and more longer, at most."""
    return max(float(row["with_ratio"]) - 1 for row in rows("hooks-cost.csv") if int(row["log2_count"]) >= int(first)) * 100


# ---- Traces ------------------------------------------------------------------------------------------------------------------
def events(name, kind="all"):
    """Events of a trace that ran, of one kind, or grids: all but blocks."""
    path = f"trace-{name}.csv"
    if not (RESULTS / path).exists():
        raise Missing(f"there is no {path}")
    found = [row for row in rows(path) if row["cuda_error"] == "0" and
             (kind in ("all", row["kind"]) or kind == "grids" and row["kind"] != "block")]
    if not found:
        raise Missing(f"{path} has no event {kind}")
    return found


def trace_count(name, kind):
    return len(events(name, kind))


def trace_us(name):
    """From the root's begin to the last end."""
    return max(int(row["end_ns"]) for row in events(name)) / 1000


def trace_median_us(name, kind, begin="begin_ns", end="end_ns"):
    return statistics.median(number_in(row, end) - number_in(row, begin) for row in events(name, kind)) / 1000


def trace_levels(name, kind):
    """Depths at which there are such events."""
    return len({row["depth"] for row in events(name, kind)})


def trace_deepest(name):
    return max(int(row["depth"]) for row in events(name))


def trace_at_once(name):
    """Grids that run at the same time, at most."""
    grids = events(name, "grids")
    changes = sorted([(int(row["end_ns"]), -1) for row in grids] + [(int(row["begin_ns"]), 1) for row in grids])
    return max(itertools.accumulate(change for _, change in changes))


def trace_step_ns(name):
    """What all times of a trace are multiples of."""
    return math.gcd(*(int(row[column]) for row in events(name) for column in ("launched_ns", "begin_ns", "end_ns")))


# ---- What the sources decide -----------------------------------------------------------------------------------------------
@functools.lru_cache(maxsize=None)
def constants():
    """What constants.cpp prints: numbers of 32-bit and of 64-bit keys, by name."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "constants"
        subprocess.run(["c++", "-std=c++17", "-w", f"-I{ROOT / 'device'}", f"-I{ROOT / 'include'}",
                        pathlib.Path(__file__).with_name("constants.cpp"), "-o", program], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: dict(zip(TYPES, map(int, numbers))) for name, *numbers in map(str.split, printed.splitlines())}


def constant(name, key_type):
    if name not in constants():
        raise Missing(f"constants.cpp prints no {name}")
    return constants()[name][key_type]


def exponent(name, key_type):
    """Of a constant that is a power of 2."""
    value = constant(name, key_type)
    if value & (value - 1):
        raise Missing(f"{name} is {value}, no power of 2")
    return value.bit_length() - 1


FUNCTIONS = {function.__name__: function
             for function in (milliseconds, microseconds, rate, ratio, faster, to_radix, to_merge, to_random, over_unsigned, rate_below,
                              extra_percent, least_ratio, depth_study, depth_ratio, leaf_ratio, last_limit_met, schemes,
                              most_for_hooks, least_over_kinds, classic, trace_count, trace_us, trace_median_us, trace_levels, trace_deepest, trace_at_once,
                              trace_step_ns, constant, exponent)}
