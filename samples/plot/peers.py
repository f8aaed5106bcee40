# SPDX-License-Identifier: MIT
"""The pictures of docs/performance.md that are drawn from map.csv and stages.csv in docs/results.

cost    speed against the number of keys, beside CUB's sorts, and how many times as fast as the faster of them     map.csv
stages  what the time of a key goes to, by stages of a map, beside what device memory takes alone                  stages.csv
"""
import csv

from page import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, plt, power, save

# A marker each for print without colours.
STYLES = {
    "default": ("cdpsort", VERMILION, "o"),
    "cub-radix": ("cub::DeviceRadixSort", BLUE, "s"),
    "cub-merge": ("cub::DeviceMergeSort", GREEN, "D"),
}

# Bytes that an H200 reads and writes in a nanosecond: what copies reach, of the 4,800 of its data sheet.
DRAM_BYTES_PER_NS = 4100.0

STAGES = {
    "look": ("look", GREY),
    "count": ("count", SKY),
    "scatter": ("scatter", ORANGE),
    "scatter_again": ("scatter from groups", PURPLE),
    "sort": ("sort on chip", BLUE),
}


def rows_of(path):
    with open(path, newline="") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def random_times(results, key_type):
    """Milliseconds by mode and number of keys, of the first record of each."""
    times = {mode: {} for mode in STYLES}
    for row in rows_of(results / "map.csv"):
        if row["type"] == key_type and row["distribution"] == "random" and row["mode"] in times:
            times[row["mode"]].setdefault(int(row["count"]), float(row["median_ms"]))
    return times


def draw_cost(results, out):
    if not (results / "map.csv").exists():
        return
    figure, panels = plt.subplots(2, 2, figsize=(12, 7.5), sharex=True, sharey="row")
    for (speed, ratio), key_type in zip(panels.T, ("u32", "u64")):
        times = random_times(results, key_type)
        for mode, (label, colour, marker) in STYLES.items():
            counts = sorted(times[mode])
            speed.plot(counts, [count / times[mode][count] / 1e6 for count in counts], label=label, color=colour,
                       marker=marker, markersize=4)
        counts = [count for count in sorted(times["default"]) if count in times["cub-radix"]]
        fastest = [min(times[mode][count] for mode in ("cub-radix", "cub-merge") if count in times[mode]) for count in counts]
        ratio.plot(counts, [peer / times["default"][count] for count, peer in zip(counts, fastest)], color=VERMILION, marker="o",
                   markersize=4)
        ratio.axhline(1, color="black", linewidth=1)
        ratio.set_xscale("log", base=2)
        ratio.set_xlabel("keys")
        speed.set_title(f"{key_type}, uniform random, H200")
        for panel in (speed, ratio):
            panel.grid(True, which="major", alpha=0.3)
    panels[0][0].set_ylabel("10⁹ keys sorted per second")
    panels[1][0].set_ylabel("times as fast as the faster of CUB's two")
    panels[0][0].legend()
    panels[1][0].set_ylim(bottom=0)
    save(figure, out, "cost")


def draw_stages(results, out):
    if not (results / "stages.csv").exists():
        return
    rows = list(rows_of(results / "stages.csv"))
    exponents = sorted({int(row["log2_keys"]) for row in rows})
    figure, panel = plt.subplots(figsize=(8, 5))
    bottoms = dict.fromkeys(exponents, 0.0)
    for stage, (label, colour) in STAGES.items():
        times = {int(row["log2_keys"]): float(row["us"]) for row in rows if row["stage"] == stage}
        heights = [times.get(exponent, 0.0) * 1e6 / 2**exponent for exponent in exponents]
        panel.bar([str(exponent) for exponent in exponents], heights, 0.6, [bottoms[exponent] for exponent in exponents],
                  label=label, color=colour)
        for exponent, height in zip(exponents, heights):
            bottoms[exponent] += height
    for place, exponent in enumerate(exponents):
        moved = sum(float(row["bytes_per_key"]) for row in rows if int(row["log2_keys"]) == exponent)
        panel.plot([place - 0.4, place + 0.4], [moved * 1000 / DRAM_BYTES_PER_NS] * 2, color="black", linewidth=2,
                   label="device memory alone, 4.1 TB/s" if place == 0 else None)
    panel.set_xticks(range(len(exponents)), [power(exponent) for exponent in exponents])
    panel.set_xlabel("keys")
    panel.set_ylabel("picoseconds for each key")
    panel.set_title("Stages of a sort by a map, u32, uniform random, H200")
    panel.grid(True, axis="y", alpha=0.3)
    panel.legend()
    save(figure, out, "stages")
