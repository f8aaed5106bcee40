# SPDX-License-Identifier: MIT
"""The pictures of docs/performance.md that are drawn from the records of `bench` and `ncu` in docs/results.

cost      speed against the number of keys, beside CUB's sorts     from bench-N-sizes.json, bench-N-large.json
roofline  the stages of a sort with many children against what     from stages.csv (see its head for how it was made)
          limits an H200
"""
import csv
import json

from plot.page import BLUE, GREEN, ORANGE, VERMILION, SERIES, plt, save

# A marker each for print without colours.
STYLES = {
    "default": ("cdpsort", VERMILION, "o"),
    "classic": ("cdpsort, two children", ORANGE, "^"),
    "cub-radix": ("cub::DeviceRadixSort", BLUE, "s"),
    "cub-merge": ("cub::DeviceMergeSort", GREEN, "D"),
}

# What an H200 can do at most: 4.8 TB/s of HBM3e by its data sheet; 132 multiprocessors at 1.98 GHz, each with one wavefront of
# 128 bytes of shared memory, and four times half a warp through the integer pipe, a clock.
DRAM_GB_PER_S = 4800.0
CLOCKS_GHZ = 132 * 1.98
SHARED_GB_PER_S = CLOCKS_GHZ * 128
ALU_GINST_PER_S = CLOCKS_GHZ * 2


def newest(results, kind):
    """The rows of the newest record of a kind."""
    records = sorted(results.glob(f"bench-*-{kind}.json"), key=lambda path: int(path.name.split("-")[1]))
    return json.loads(records[-1].read_text())["rows"] if records else []


def draw_cost(results, out):
    rows = [row for kind in ("sizes", "large") for row in newest(results, kind) if row["distribution"] == "random"]
    if not rows:
        return
    figure, panels = plt.subplots(1, 2, figsize=(12, 4.6), sharey=True)
    for panel, key_type in zip(panels, ("u32", "u64")):
        for mode, (label, colour, marker) in STYLES.items():
            points = {row["count"]: row["gkeys_per_s"] for row in rows if row["type"] == key_type and row["mode"] == mode}
            if points:
                counts = sorted(points)
                panel.plot(counts, [points[count] for count in counts], label=label, color=colour, marker=marker, markersize=4)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_title(f"{key_type}, uniform random, H200")
        panel.set_xlabel("keys")
        panel.grid(True, which="major", alpha=0.3)
    panels[0].set_ylabel("10⁹ keys sorted per second")
    panels[0].legend()
    save(figure, out, "cost")


def draw_roofline(results, out):
    """Integer instructions and wavefronts of shared memory against time, for each byte that a stage moves in DRAM."""
    if not (results / "stages.csv").exists():
        return
    with open(results / "stages.csv", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        stages = [row for row in rows if row["stage"] != "prepare"]  # one block's, which waits for latency
    figure, panel = plt.subplots(figsize=(7.5, 5))
    intensity = [2.0 ** (exponent / 8) for exponent in range(-40, 17)]
    panel.plot(intensity, [min(DRAM_GB_PER_S * x, ALU_GINST_PER_S) for x in intensity], color="black", linewidth=1.5)
    panel.annotate("DRAM, 4.8 TB/s", (2.0**-5, DRAM_GB_PER_S * 2.0**-5), xytext=(4, -12), textcoords="offset points")
    pipe = "integer pipe, 2 warp instructions a clock"
    panel.annotate(pipe, (0.25, ALU_GINST_PER_S), xytext=(0, 6), textcoords="offset points")
    panel.set_ylim(2.0**6, 2.0**10)
    for index, stage in enumerate(stages):
        seconds = float(stage["ms"]) / 1000
        gigabytes = float(stage["dram_bytes"]) / 1e9
        alu = float(stage["alu_warp_instructions"]) / 1e9
        shared = float(stage["shared_wavefronts"]) * 128 / 1e9 / seconds / SHARED_GB_PER_S
        label = f'{stage["stage"]}: shared memory {shared:.0%} busy'
        panel.plot(alu / gigabytes, alu / seconds, "os^Dv*PX"[index % 8], color=SERIES[index % len(SERIES)], markersize=9,
                   label=label)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    panel.set_xlabel("integer warp instructions for each byte of DRAM traffic")
    panel.set_ylabel("10⁹ integer warp instructions per second")
    panel.set_title("Stages of a sort of 2²⁷ random keys, H200")
    panel.grid(True, which="major", alpha=0.3)
    panel.legend(loc="lower right")
    save(figure, out, "roofline")
