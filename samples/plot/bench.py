# SPDX-License-Identifier: MIT
"""Beside CUB: what bench --csv records, and the stages of a sort by a map.

A ratio is to the faster of CUB's two sorts, of the radix sort in its DoubleBuffer form and the merge sort, on the same keys in the
same process; where one alone was measured, to that.
"""
import math
import re

from page import (BLACK, BLUE, GREEN, GREY, ORANGE, PALE_RED, PURPLE, SKY, VERMILION, PlotError, axis_of_counts, head,
                  legend_below, panels, plain, power, short)
from records import required

TYPES_COLOURS = {"u32": BLUE, "u64": VERMILION}
SIZES_LEAST = 4                         # of a type whose speed is drawn against the number of keys
DISTRIBUTION_SIZES = (20, 24, 27)       # that are drawn, where they are there
SIZES_LOOKS = ((SKY, "o"), (BLUE, "s"), (VERMILION, "D"))

# Bytes that an H200 reads and writes in a nanosecond: what copies reach, of the 4,800 of its data sheet.
DRAM_BYTES_PER_NS = 4100.0

STAGES = {
    "look": ("look", GREY),
    "count": ("count", SKY),
    "scatter": ("scatter", ORANGE),
    "scatter_again": ("scatter from groups", PURPLE),
    "sort": ("sort on chip", GREEN),
}


def device_of(record):
    """The GPU that a record's first comment names, after a comma; bench's files have no column for it."""
    found = re.search(r"NVIDIA [\w ]+", record.comment)
    return f", {found.group()}" if found else ""


def beside_cub(record):
    """type -> distribution -> number of keys -> (10⁹ keys a second, ratio to the faster of CUB's two, which that is), of the
    first row of each."""
    found = {}
    for row in record.rows:
        ratios = {"radix": row["ratio_to_radix"], "merge": row["ratio_to_merge"]}
        ratios = {name: ratio for name, ratio in ratios.items() if ratio is not None}
        if row["mode"] == "default" and ratios:
            faster = min(ratios, key=ratios.get)
            sizes = found.setdefault(row["type"], {}).setdefault(row["distribution"], {})
            sizes.setdefault(required(record, row, "count"), (required(record, row, "gkeys_per_s"), ratios[faster], faster))
    if not found:
        raise PlotError(f"{record.path}: no row of the mode default has a ratio to a sort of CUB")
    return found


# ---- Speed against the number of keys ------------------------------------------------------------------------------------

def draw_type(speed, ratio, key_type, sizes, colour):
    counts = sorted(sizes)
    ours = [sizes[count][0] for count in counts]
    ratios = [sizes[count][1] for count in counts]
    theirs = [keys / times for keys, times in zip(ours, ratios)]
    speed.plot(counts, ours, color=colour, marker="o", markersize=5, linewidth=2.4)
    speed.plot(counts, theirs, color=colour, linewidth=1.4, linestyle="--")
    for name, marker, face in (("radix", "s", colour), ("merge", "D", "white")):
        chosen = [at for at, count in enumerate(counts) if sizes[count][2] == name]
        speed.plot([counts[at] for at in chosen], [theirs[at] for at in chosen], marker, color=colour, markersize=5,
                   markerfacecolor=face)
    for value, words in ((ours[-1], f"cdpsort, {key_type}"), (theirs[-1], f"CUB, {key_type}")):
        speed.annotate(words, (1, value), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
                       va="center", color=colour, fontweight="bold" if words.startswith("cdp") else "normal", fontsize=12)
    ratio.plot(counts, ratios, color=colour, marker="o", markersize=5, linewidth=2.4)
    best = ratios.index(max(ratios))
    above = key_type != "u32"  # whose line is the lower one
    ratio.annotate(f"{key_type}: up to {short(ratios[best])}", (counts[best], ratios[best]), xytext=(0, 7 if above else -38),
                   textcoords="offset points", ha="center", color=colour, fontweight="bold", fontsize=12)


def draw_speed(record, said=None):
    by_type = {key_type: names["random"] for key_type, names in beside_cub(record).items() if "random" in names}
    by_type = {key_type: sizes for key_type, sizes in by_type.items() if len(sizes) >= SIZES_LEAST}
    if not by_type:
        return []
    figure, (speed, ratio), _ = panels(2, 2, 3.7)
    for key_type, sizes in by_type.items():
        draw_type(speed, ratio, key_type, sizes, TYPES_COLOURS.get(key_type, BLACK))
    speed.set_ylabel("10⁹ keys a second", fontsize=12)
    ratio.set_ylabel("times as fast as CUB", fontsize=12)
    most = max(size[1] for sizes in by_type.values() for size in sizes.values())
    ratio.set_ylim(0, most * 1.2)
    ratio.axhline(1, color=BLACK, linewidth=1.4)
    ratio.axhspan(0, 1, color=PALE_RED, linewidth=0)
    ratio.text(0.99, 0.5, "CUB is faster", transform=ratio.get_yaxis_transform(), ha="right", va="center", fontsize=11)
    exponents = [int(math.log2(count)) for sizes in by_type.values() for count in sizes]
    for panel in (speed, ratio):
        axis_of_counts(panel, exponents)
        panel.set_xlabel("keys", fontsize=12)
        panel.set_xlim(2 ** (min(exponents) - 0.6), 2 ** (max(exponents) + 0.6))
        panel.set_ylim(bottom=0)
        panel.tick_params(labelsize=11)
        panel.grid(True, alpha=0.3)
    figure.subplots_adjust(left=0.055, right=0.995, bottom=0.14, top=1, wspace=0.55)
    head(figure, said or f"Random keys, beside CUB{device_of(record)}",
         "CUB: the faster of its two; squares: radix sort (DoubleBuffer), open diamonds: merge sort")
    return [figure]


# ---- Distributions -------------------------------------------------------------------------------------------------------

def draw_dots(panel, by_name, names, sizes):
    for at, name in enumerate(names):
        ratios = [by_name[name][size][1] for size in sizes if size in by_name.get(name, {})]
        if ratios:
            panel.plot([min(ratios), max(ratios)], [at, at], color=GREY, linewidth=1, zorder=1)
    for size, (colour, marker) in zip(sizes, SIZES_LOOKS):
        points = [(by_name[name][size][1], at) for at, name in enumerate(names) if size in by_name.get(name, {})]
        panel.plot([ratio for ratio, _ in points], [at for _, at in points], marker, color=colour, markersize=6,
                   markeredgecolor="white", markeredgewidth=0.5, label=f"{power(math.log2(size))} keys")
    panel.set_xscale("log")
    panel.axvline(1, color=BLACK, linewidth=1.4)
    panel.grid(True, alpha=0.3)


def draw_distributions(record, said=None):
    """All distributions, the slowest below; up to three numbers of keys."""
    found = {key_type: names for key_type, names in beside_cub(record).items() if len(names) > 1}
    if not found:
        return []
    many = {size for names in found.values() for name, by_size in names.items() if name != "random" for size in by_size}
    sizes = [1 << exponent for exponent in DISTRIBUTION_SIZES if 1 << exponent in many] or sorted(many)[-len(SIZES_LOOKS):]
    ratios = {}
    for by_name in found.values():
        for name, by_size in by_name.items():
            ratios.setdefault(name, []).extend(by_size[size][1] for size in sizes if size in by_size)
    names = sorted((name for name in ratios if ratios[name]), key=lambda name: min(ratios[name]), reverse=True)
    figure, cells, _ = panels(len(found), 2, 0.9 + 0.21 * len(names), sharex=True, sharey=True)
    for panel, (key_type, by_name) in zip(cells, found.items()):
        draw_dots(panel, by_name, names, sizes)
        panel.set_title(key_type)
        panel.set_xlabel("times as fast as the faster of CUB's two sorts")
    values = [ratio for name in names for ratio in ratios[name]]
    least, most = min(0.5, min(values)) / 1.2, max(2.0, max(values)) * 1.15
    for panel in cells:
        panel.set_xlim(least, most)
        panel.axvspan(least, 1, color=PALE_RED, linewidth=0, zorder=0)
        ticks = [tick for tick in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64) if least <= tick <= most]
        panel.set_xticks(ticks, [plain(tick) for tick in ticks])
        panel.minorticks_off()
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -1.5)
        panel.text(math.sqrt(least), -0.85, "CUB is faster", ha="center", va="center", fontsize=9.5)
    figure.tight_layout()
    legend_below(figure, *cells[0].get_legend_handles_labels(), columns=3)
    head(figure, said or f"Distributions of keys, beside CUB{device_of(record)}",
         "in the order of the least ratio; names as bench --distributions has them")
    return [figure]


# ---- Stages --------------------------------------------------------------------------------------------------------------

def draw_stages(record, said=None):
    rows = record.rows
    exponents = sorted({required(record, row, "log2_keys") for row in rows})
    figure, (panel,), _ = panels(1, 1, 4.6)
    right = 0.24  # end of a bar; numbers stand beside it, where they hide nothing
    bottoms = dict.fromkeys(exponents, 0.0)
    for stage, (label, colour) in STAGES.items():
        times = {row["log2_keys"]: required(record, row, "us") for row in rows if row["stage"] == stage}
        heights = [times.get(exponent, 0.0) * 1e6 / 2**exponent for exponent in exponents]
        panel.bar(range(len(exponents)), heights, 2 * right, list(bottoms.values()), label=label, color=colour)
        for place, (exponent, height) in enumerate(zip(exponents, heights)):
            if height > 0.6:
                panel.text(place + right + 0.03, bottoms[exponent] + height / 2, short(height), va="center")
            bottoms[exponent] += height
    if "H200" in record.comment:
        for place, exponent in enumerate(exponents):
            moved = sum(required(record, row, "bytes_per_key") for row in rows if row["log2_keys"] == exponent)
            panel.plot([place - right - 0.12, place + right - 0.06], [moved * 1000 / DRAM_BYTES_PER_NS] * 2, color=BLACK, linewidth=2.5,
                       label="device memory alone, 4.1 TB/s" if place == 0 else None)
    panel.set_xticks(range(len(exponents)), [power(exponent) for exponent in exponents])
    panel.set_xlabel("keys")
    panel.set_xlim(-0.6, len(exponents) - 0.4)
    panel.set_ylabel("picoseconds for each key")
    handles, labels = panel.get_legend_handles_labels()
    figure.tight_layout()
    legend_below(figure, handles, labels, columns=3)
    head(figure, said or f"Stages of a sort by a map: random keys of 32 bits{device_of(record)}")
    return [figure]
