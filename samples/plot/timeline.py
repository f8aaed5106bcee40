# SPDX-License-Identifier: MIT
"""The timeline of a trace: when each grid ran, how long it waited, and how many ran at once; and the kinds of a trace's events.

Time goes to the right. Each depth has a group of lanes for the grids that divide its ranges, one for grids that sort, and one
for the blocks of those; an event takes the lowest lane that is free. A bar is as long as its grid ran, and the higher in its
lane the more keys it had, where lanes are high enough for that to be seen; the line before it is the launch: from its
launcher's call to its first block. Stages of a grid stand below it: nobody launches them, and none is a grid that runs beside
others. Where nothing runs at all the ground is red.
"""
import heapq
import math

from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from page import (BLACK, BLUE, GREEN, INCHES_WIDE, ORANGE, PALE_RED, PURPLE, SKY, VERMILION, YELLOW, PlotError, head, number, plain,
                  plt, short)
from records import required

# ---- Kinds of events: cdp_trace_kind in include/cdpsort/study.h -------------------------------------------------------------

WINE = "#882255"

# A colour each, and a hatch where two share one.
KINDS = {
    "root": (BLACK, None),
    "partition": (ORANGE, None),
    "controller": (YELLOW, None),
    "continuation": (PURPLE, None),
    "prepare": (YELLOW, "////"),
    "count": (SKY, None),
    "scatter": (BLUE, None),
    "sort": (WINE, None),
    "block": (GREEN, None),
    "fill": (PURPLE, "////"),
    "network": (VERMILION, None),
    "batch": (BLACK, "////"),
    "look": (SKY, "////"),
    "reverse": (BLUE, "////"),
    "map": (BLUE, "...."),
    "buckets": (GREEN, "...."),
}
STAGES = {"map", "buckets"}  # of the root's grid
FORMER_NAMES = {"wave": "batch"}  # as records from before 0.3.0 have them


def events(record):
    """The events of a trace, checked; a grid's `keys` are at least 1."""
    for row in record.rows:
        for name in ("launched_ns", "begin_ns", "end_ns", "range_begin", "range_end", "depth"):
            required(record, row, name)
        row["kind"] = FORMER_NAMES.get(row["kind"], row["kind"])
        if row["kind"] not in KINDS:
            raise PlotError(f"{record.path}: there is no kind '{row['kind']}' ({', '.join(KINDS)})")
        if row["end_ns"] < row["begin_ns"] or row["range_end"] < row["range_begin"]:
            raise PlotError(f"{record.path}: an event that ends before it begins")
        row["keys"] = max(1, row["range_end"] - row["range_begin"])
        row["refused"] = bool(row["cuda_error"])
        row["is_stage"] = row["kind"] in STAGES
        row["waited"] = row["kind"] != "block" and not row["is_stage"] and row["launched_ns"] < row["begin_ns"]
    if not any(not row["refused"] for row in record.rows):
        raise PlotError(f"{record.path}: nothing ran")
    return record.rows


def keys_of_all(rows):
    return max(row["range_end"] for row in rows)


def title(record, rows, what):
    """What was run: the comment at the file's head if there is one, otherwise its name."""
    said = record.comment or record.name.removeprefix("trace-")
    return f"{what} of a sort of {number(keys_of_all(rows))} keys: {said}"


def rectangle(left, right, bottom, top):
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def add_polygons(panel, kind, polygons, edge_width):
    colour, hatch = KINDS[kind]
    edge = "white" if hatch else colour
    panel.add_collection(PolyCollection(polygons, facecolors=colour, edgecolors=edge, hatch=hatch,
                                        linewidths=0 if hatch else edge_width))


def legend_entries(kinds):
    return [Patch(facecolor=KINDS[kind][0], edgecolor="white" if KINDS[kind][1] else KINDS[kind][0], hatch=KINDS[kind][1],
                  label=kind) for kind in KINDS if kind in kinds]


# ---- The picture ---------------------------------------------------------------------------------------------------------

GROUPS_INCHES_MOST = 5.8
GROUP_INCHES_LEAST = 0.26
LABEL_INCHES = 0.2        # of a group, at least: what its label takes
LANE_INCHES_MOST = 0.26
BLOCKS_INCHES_MOST = 2.6  # of a group of blocks: there are some 130 lanes of them, a multiprocessor each
BAR_INCHES_LEAST = 0.02
TAIL_STYLE = (0, (1, 1.6))
LAUNCH = "#7F7F7F"  # no kind has it; black ones, many side by side, would be a black area


def begin_of(row):
    """Where an event's place in its lane begins: at the launch. A tail waits for long, so it takes a place when it runs."""
    return row["launched_ns"] if row["waited"] and not row["is_tail"] else row["begin_ns"]


def assign_lanes(rows):
    """Gives each row the lowest free lane; returns how many lanes that takes."""
    free, busy, lanes = [], [], 0
    for row in sorted(rows, key=lambda row: (begin_of(row), row["end_ns"])):
        while busy and busy[0][0] <= begin_of(row):
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            row["lane"] = heapq.heappop(free)
        else:
            row["lane"] = lanes
            lanes += 1
        heapq.heappush(busy, (row["end_ns"], row["lane"]))
    return lanes


CLASSES = ("grid", "sorting grid", "block")


def class_of(row):
    return {"sort": 1, "block": 2}.get(row["kind"], 0)


def group(rows):
    """Groups in the order in which they are drawn, from above: (depth, class, rows, lanes)."""
    groups = {}
    for row in rows:
        if not row["refused"]:
            groups.setdefault((row["depth"], class_of(row)), []).append(row)
    return [(depth, which, members, assign_lanes(members)) for (depth, which), members in sorted(groups.items())]


def group_inches(groups):
    """How high each group is drawn: lanes of one height, less where that would be too high for a page; more than a page where
    labels want it."""
    most = max(GROUPS_INCHES_MOST, LABEL_INCHES * 1.25 * len(groups))
    least = min(GROUP_INCHES_LEAST, most * 0.8 / len(groups))
    wanted = [max(least, min(lanes * LANE_INCHES_MOST / 2, BLOCKS_INCHES_MOST) if which == 2 else lanes * LANE_INCHES_MOST)
              for _, which, _, lanes in groups]
    if sum(wanted) <= most:
        return wanted
    # Square roots keep one group of many lanes from taking all the room.
    extra = [math.sqrt(inches - least) for inches in wanted]
    room = most - least * len(wanted)
    return [min(inches, least + room * share / sum(extra)) for inches, share in zip(wanted, extra)]


def running(rows):
    """Steps of how many grids run at once: times in ns, and the count from each on."""
    changes = {}
    for row in rows:
        if not row["refused"] and row["kind"] != "block" and not row["is_stage"]:
            changes[row["begin_ns"]] = changes.get(row["begin_ns"], 0) + 1
            changes[row["end_ns"]] = changes.get(row["end_ns"], 0) - 1
    times, counts, count = [], [], 0
    for time in sorted(changes):
        count += changes[time]
        times.append(time)
        counts.append(count)
    return times, counts


def idle_spans(times, counts):
    return [(begin, end) for begin, end, count in zip(times, times[1:], counts) if count == 0 and end > begin]


def draw_group(panel, rows, lanes, top, inches, scale):
    """Bars and launches of one group, downwards from `top`; one unit of the axis is one inch."""
    pitch = inches * 0.92 / lanes
    bars, launches, tails = {}, [], []
    for row in rows:
        height = max(pitch * 0.92 * scale(row["keys"]), min(pitch, BAR_INCHES_LEAST))
        bottom = top - (row["lane"] + 1) * pitch + pitch * 0.04
        bars.setdefault(row["kind"], []).append(
            rectangle(row["begin_ns"] / 1000, row["end_ns"] / 1000, bottom, bottom + height))
        if row["waited"]:
            middle = bottom + height / 2
            line = [(row["launched_ns"] / 1000, middle), (row["begin_ns"] / 1000, middle)]
            (tails if row["is_tail"] else launches).append(line)
    width = 0.9 if pitch > 0.05 else 0.45
    for lines, style in ((launches, "solid"), (tails, TAIL_STYLE)):
        panel.add_collection(LineCollection(lines, colors=LAUNCH, linewidths=width, linestyles=style))
    for kind in KINDS:
        if kind in bars:
            add_polygons(panel, kind, bars[kind], 0.4 if pitch > 0.03 else 0.15)


def draw_groups(panel, rows, groups, inches, idle):
    """All groups; returns where they end."""
    keys = [row["keys"] for row in rows if not row["refused"]]
    least, most = math.log2(min(keys)), math.log2(max(keys))

    def scale(count):
        return 0.25 + 0.75 * ((math.log2(count) - least) / (most - least) if most > least else 1)

    for begin, end in idle:
        panel.axvspan(begin / 1000, end / 1000, color=PALE_RED, linewidth=0)
    top, middles, labels, depth_tops = 0.0, [], [], {}
    for (depth, which, members, lanes), height in zip(groups, inches):
        panel.axhspan(top - height, top, color="black" if depth % 2 else "white", alpha=0.05 if depth % 2 else 0, linewidth=0)
        draw_group(panel, members, lanes, top - height * 0.04, height, scale)
        depth_tops.setdefault(depth, top)
        middles.append(top - height / 2)
        stages = sum(row["is_stage"] for row in members)
        parts = ((len(members) - stages, CLASSES[which]), (stages, "stage"))
        labels.append(f"depth {depth}: " + ", ".join(f"{many:,} {what}{'' if many == 1 else 's'}" for many, what in parts if many))
        top -= height
    refused = [row for row in rows if row["refused"]]
    last_top = min(depth_tops.values())
    panel.plot([row["launched_ns"] / 1000 for row in refused],
               [depth_tops.get(row["depth"], last_top) - 0.1 for row in refused], "x", color=VERMILION, markersize=7,
               markeredgewidth=1.8)
    panel.set_ylim(top, 0)
    panel.set_yticks(middles, labels)
    panel.tick_params(axis="y", length=0)


def legend(figure, rows, idle):
    entries = legend_entries({row["kind"] for row in rows if not row["refused"]})
    ran = [row for row in rows if not row["refused"]]
    if any(row["waited"] and not row["is_tail"] for row in ran):
        entries.append(Line2D([], [], color=LAUNCH, linewidth=0.9, label="launch, to the first block"))
    if any(row["is_tail"] for row in ran):
        entries.append(Line2D([], [], color=LAUNCH, linewidth=0.9, linestyle=TAIL_STYLE, label="the same, of a tail"))
    if any(row["refused"] for row in rows):
        entries.append(Line2D([], [], color=VERMILION, marker="x", linestyle="none", markeredgewidth=1.8,
                              label="launch refused"))
    if idle:
        entries.append(Patch(facecolor=PALE_RED, label="no grid runs"))
    lines = (len(entries) + 4) // 5
    figure.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.5 / figure.get_figheight()),
                  ncol=(len(entries) + lines - 1) // lines, frameon=False)


def draw_timeline(record, said=None):
    rows = events(record)
    groups = group(rows)
    inches = group_inches(groups)
    times, counts = running(rows)
    idle = idle_spans(times, counts)
    end = max(row["end_ns"] for row in rows) / 1000
    high = sum(inches)
    figure, (panel, strip) = plt.subplots(2, 1, figsize=(INCHES_WIDE, high + 1.0), sharex=True,
                                          gridspec_kw={"height_ratios": [high, 0.75], "hspace": 0.12 / max(high, 1)})
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
    draw_groups(panel, rows, groups, inches, idle)
    for begin, stop in idle:
        strip.axvspan(begin / 1000, stop / 1000, color=PALE_RED, linewidth=0)
    strip.fill_between([time / 1000 for time in times], counts, step="post", color=BLACK, alpha=0.6, linewidth=0)
    strip.set_ylim(0, max(1, *counts) * 1.1)
    strip.set_ylabel("grids\nat once")
    strip.set_xlim(0, max(end, 0.001) * 1.005)
    strip.set_xlabel("microseconds since the root began")
    strip.xaxis.set_major_formatter(plain)
    panel.grid(True, axis="x", alpha=0.3)
    strip.grid(True, axis="x", alpha=0.3)
    legend(figure, rows, idle)
    idle_us = sum(stop - begin for begin, stop in idle) / 1000
    keys = sorted(row["keys"] for row in rows if not row["refused"])
    share = 100 * idle_us / end if end else 0
    head(figure, said or title(record, rows, "Timeline"),
         f"{short(end)} µs, no grid runs in {short(idle_us)} of them ({share:.0f} %)" + (
             f"; the more keys, the higher the bar, by the logarithm: {number(keys[0])} to {number(keys[-1])}"
             if keys[0] < keys[-1] else ""))
    return [figure]
