# SPDX-License-Identifier: MIT
"""Bytes: what copying to the device and back adds to a sort, and how fast the two partitions are."""
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

from page import (BLACK, BLUE, GREEN, MARKERS, ORANGE, SERIES, axis_of_counts, device_name, head, join, legend_below, listed,
                  panels, plain, power, short)
from records import required

DRAM_GB_PER_S = 4800.0  # of an H200, by its data sheet
STAGES = (("to_device_ms", "to the device", BLUE, None), ("sort_ms", "sort", ORANGE, None),
          ("to_host_ms", "back to the host", GREEN, "////"))
REST = "#DDDDDD"
MODES = {"gpu": "the GPU sorts", "gpu-partition-cpu-sort": "the GPU partitions,\nthe CPU sorts", "cpu": "the CPU sorts"}


# ---- Transfer -----------------------------------------------------------------------------------------------------------

def draw_shares(panel, rows):
    """A bar for each way to do it and kind of memory: the shares of the whole call. Times would hide the copies: a sort by the CPU
    takes a hundred times as long as they do."""
    for at, row in enumerate(rows):
        end = 0.0
        for column, _, colour, hatch in STAGES:
            part = 100 * (row[column] or 0.0) / row["total_ms"]
            panel.barh(at, part, 0.8, left=end, color=colour, hatch=hatch, edgecolor="white", linewidth=0.5)
            end += part
        if end < 100:
            panel.barh(at, 100 - end, 0.8, left=end, color=REST)
        rate = f", {short(row['gigabytes_per_second'])} GB/s" if row["gigabytes_per_second"] is not None else ""
        panel.annotate(f"{short(row['total_ms'])} ms{rate}", (100, at), xytext=(5, 0), textcoords="offset points", va="center",
                       fontsize=9.5, annotation_clip=False)
    panel.set_yticks(range(len(rows)), [row["memory"] for row in rows])
    panel.tick_params(axis="y", length=0)
    modes = [row["mode"] for row in rows]
    for mode in dict.fromkeys(modes):
        first, last = modes.index(mode), len(modes) - 1 - modes[::-1].index(mode)
        panel.text(-0.15, (first + last) / 2, MODES.get(mode, mode), transform=panel.get_yaxis_transform(), ha="right",
                   va="center")
        if last + 1 < len(rows):
            panel.axhline(last + 0.5, color=BLACK, linewidth=0.8)
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_xlim(0, 100)


def draw_transfer(record, said=None):
    groups = {}
    for row in record.rows:
        required(record, row, "total_ms")
        groups.setdefault((row["type"], row["log2_count"]), []).append(row)
    modes = list(dict.fromkeys(row["mode"] for row in record.rows))
    # Three sizes tell it: between them nothing turns round.
    sizes = sorted(groups, key=lambda key: key[1])
    shown = list(dict.fromkeys((sizes[0], sizes[len(sizes) // 2], sizes[-1])))
    most = max(len(rows) for rows in groups.values())
    bars, gap = 0.26 * most, 0.42  # inches
    figure, cells, _ = panels(len(shown), 1, bars + gap, sharex=True)
    for panel, (key_type, log2_count) in zip(cells, shown):
        draw_shares(panel, sorted(groups[key_type, log2_count], key=lambda row: modes.index(row["mode"])))
        panel.set_title(f"{power(log2_count)} keys of {key_type}")
    cells[-1].set_xlabel("share of the whole call, % (beside it: how long that takes)")
    inch = 1 / figure.get_figheight()
    figure.subplots_adjust(left=0.29, right=0.86, bottom=0.45 * inch, top=1 - 0.25 * inch, hspace=gap / bars)
    entries = [Patch(facecolor=colour, hatch=hatch, edgecolor="white", label=label) for _, label, colour, hatch in STAGES]
    legend_below(figure, entries + [Patch(facecolor=REST, label="the rest (a partition, too)")])
    head(figure, said or f"Copies and the sort, {listed(device_name(row['device']) for row in record.rows)}",
         "managed memory is not copied to the device: its pages move while the sort runs")
    return [figure]


# ---- Partition ----------------------------------------------------------------------------------------------------------

SAME = ("yes", "true", "1")  # what `identical` says where every run gave the same result


def draw_partition_kinds(record, said=None):
    types = list(dict.fromkeys(row["type"] for row in record.rows))
    kinds = list(dict.fromkeys(row["kind"] for row in record.rows))
    figure, cells, columns = panels(len(types), 2, 4.0, sharey=True)
    for index, (panel, key_type) in enumerate(zip(cells, types)):
        rows = [row for row in record.rows if row["type"] == key_type]
        for number, kind in enumerate(kinds):
            chosen = [row for row in rows if row["kind"] == kind]
            points = sorted((row["log2_count"], required(record, row, "gigabytes_per_second")) for row in chosen)
            same = all(row["identical"] in SAME for row in chosen)
            panel.plot([2.0**at for at, _ in points], [rate for _, rate in points], color=SERIES[number],
                       marker=MARKERS[number], markersize=5, linewidth=1.8, label=kind + (", every run the same" if same else ""))
        fastest = max(row["gigabytes_per_second"] for row in rows)
        if any("H200" in row["device"] for row in rows) and fastest > DRAM_GB_PER_S / 4:
            panel.axhline(DRAM_GB_PER_S, color=BLACK, linestyle="--", linewidth=1)
            panel.annotate("DRAM of an H200, by its data sheet", (0, DRAM_GB_PER_S), xycoords=("axes fraction", "data"),
                           xytext=(4, -4), textcoords="offset points", va="top")
        axis_of_counts(panel, [row["log2_count"] for row in rows])
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(plain)
        panel.yaxis.set_minor_locator(NullLocator())
        panel.set_title(key_type)
        panel.grid(True, alpha=0.3)
        if index % columns == 0:
            panel.set_ylabel("GB/s (keys read once and written once)")
    figure.tight_layout()
    legend_below(figure, *cells[0].get_legend_handles_labels())
    sizes = join([power(at) for at in sorted({row["log2_count"] for row in record.rows})])
    head(figure, said or f"Partition: {sizes} keys of {listed(types)}, "
         f"{listed(device_name(row['device']) for row in record.rows)}")
    return [figure]
