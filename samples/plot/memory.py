# SPDX-License-Identifier: MIT
"""Bytes: what copying to the device and back adds to a sort, and how fast the two partitions are."""
from matplotlib.patches import Patch

from page import (BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, SERIES, axis_of_counts, device_name, head, join, legend_below, listed,
                  panels, plain, power, short)
from records import required

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


def draw_rates(panel, rates, rows, kinds):
    """GB/s of each kind against the number of keys; the last number beside its line."""
    for at, kind in enumerate(kinds):
        points = sorted((log2_count, rate) for (name, log2_count), rate in rates.items() if name == kind)
        same = all(row["identical"] in SAME for row in rows if row["kind"] == kind)
        panel.plot([2.0**log2_count for log2_count, _ in points], [rate for _, rate in points], color=SERIES[at % len(SERIES)],
                   marker=MARKERS[at % len(MARKERS)], markersize=5, linewidth=1.8,
                   label=kind + (", every run the same" if same else ""))
        if points:
            panel.annotate(short(points[-1][1]), (1, points[-1][1]), xycoords=("axes fraction", "data"), xytext=(4, 0),
                           textcoords="offset points", va="center", color=SERIES[at % len(SERIES)])
    panel.set_ylim(bottom=0)
    panel.yaxis.set_major_formatter(plain)
    panel.set_ylabel("GB/s (keys read once and written once)")


def draw_ratios(panel, rates, kinds):
    """The first kind's rate as a ratio to each other one's."""
    for at, kind in enumerate(kinds[1:], 1):
        points = sorted((log2_count, rates[kinds[0], log2_count] / rate) for (name, log2_count), rate in rates.items()
                        if name == kind and (kinds[0], log2_count) in rates)
        panel.plot([2.0**log2_count for log2_count, _ in points], [ratio for _, ratio in points], color=BLACK,
                   marker=MARKERS[at % len(MARKERS)], markersize=5, linewidth=1.8)
        for log2_count, ratio in points[::max(1, len(points) - 1)]:
            panel.annotate(short(ratio), (2.0**log2_count, ratio), xytext=(0, 7), textcoords="offset points", ha="center")
    panel.axhline(1, color=GREY, linewidth=1.2)
    panel.margins(y=0.12)
    panel.set_ylim(bottom=0)
    panel.set_ylabel(f"times as fast as {' and '.join(kinds[1:])}")


def draw_partition_kinds(record, said=None):
    """A line of panels for each type: how fast, and how the kinds compare, which a range from 10 to 1,000 GB/s would hide."""
    types = list(dict.fromkeys(row["type"] for row in record.rows))
    kinds = list(dict.fromkeys(row["kind"] for row in record.rows))
    each = 2 if len(kinds) > 1 else 1
    figure, cells, _ = panels(each * len(types), 2, 4.0)
    for index, key_type in enumerate(types):
        rows = [row for row in record.rows if row["type"] == key_type]
        rates = {(row["kind"], row["log2_count"]): required(record, row, "gigabytes_per_second") for row in rows}
        mine = cells[each * index:each * (index + 1)]
        draw_rates(mine[0], rates, rows, kinds)
        mine[0].set_title(f"{key_type}: how fast")
        if each > 1:
            draw_ratios(mine[1], rates, kinds)
            mine[1].set_title(f"{key_type}: {kinds[0]}, beside {' and '.join(kinds[1:])}")
        for panel in mine:
            axis_of_counts(panel, [row["log2_count"] for row in rows])
            panel.grid(True, alpha=0.3)
    figure.tight_layout()
    legend_below(figure, *cells[0].get_legend_handles_labels())
    sizes = join([power(at) for at in sorted({row["log2_count"] for row in record.rows})])
    head(figure, said or f"Partition: {sizes} keys of {listed(types)}, "
         f"{listed(device_name(row['device']) for row in record.rows)}",
         "device memory of an H200: 4,800 GB/s by its data sheet" if any("H200" in row["device"] for row in record.rows) else None)
    return [figure]
