# SPDX-License-Identifier: MIT
"""The recursion tree of a trace: where in the array each range lies, at which depth, what was done with it and for how long.

Every range is a box as wide as it is, under the range that it is a part of; where boxes are many, every other one is paler. The
same boxes twice: by the kind of work, and by the time from the first begin to the last end of the events that worked on that
very range.
"""
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, to_rgba
from matplotlib.ticker import LogLocator

from page import INCHES_WIDE, TIME_COLOURS, head, number, plain, plt
from timeline import KINDS, events, keys_of_all, legend_entries, rectangle, title

# Of the events on one range the box has the colour of the first of these that is among them.
BOX_KINDS = ("network", "block", "partition", "scatter", "count", "buckets", "map", "reverse", "look", "fill", "prepare",
             "controller", "continuation", "sort", "root")
BOXES_APART_MOST = 400  # more boxes of a depth, and narrower ones than this part of the array, have no white edges


def boxes(rows):
    """(depth, begin, end) -> the kind of the box and its nanoseconds."""
    found = {}
    for row in rows:
        if row["refused"] or row["kind"] == "batch" or row["range_end"] == row["range_begin"]:
            continue
        found.setdefault((row["depth"], row["range_begin"], row["range_end"]), []).append(row)
    has_blocks = any(row["kind"] == "block" for row in rows)
    made = {}
    for place, members in found.items():
        present = {row["kind"] for row in members} - ({"sort"} if has_blocks else set())
        if present:
            kind = min(present, key=BOX_KINDS.index)
            spent = [row for row in members if row["kind"] in present]
            made[place] = (kind, max(row["end_ns"] for row in spent) - min(row["begin_ns"] for row in spent))
    return made


def box_polygon(place):
    depth, begin, end = place
    return rectangle(begin, end, depth + 0.03, depth + 0.97)


def draw_kinds(panel, tree, count):
    in_depth = {}
    for place in sorted(tree):
        in_depth.setdefault(place[0], []).append(place)
    looks = {}  # kind, opacity, width of edges -> boxes
    for places in in_depth.values():
        for index, place in enumerate(places):
            apart = len(places) <= BOXES_APART_MOST and (place[2] - place[1]) * BOXES_APART_MOST > count
            look = (tree[place][0], 1.0 if apart or index % 2 == 0 else 0.6, 0.4 if apart else 0)
            looks.setdefault(look, []).append(box_polygon(place))
    for (kind, opacity, edge), polygons in looks.items():
        colour, hatch = KINDS[kind]
        panel.add_collection(PolyCollection(polygons, facecolors=to_rgba(colour, opacity), hatch=hatch, edgecolors="white",
                                            linewidths=edge))
    present = {kind for kind, _ in tree.values()}
    panel.legend(handles=legend_entries(present), loc="lower left", bbox_to_anchor=(0, 1.0), ncol=8, frameon=False,
                 borderaxespad=0.2)


def draw_times(figure, panel, tree):
    micro = [max(spent, 1) / 1000 for _, spent in tree.values()]
    norm = LogNorm(min(micro), max(max(micro), min(micro) * 1.01))
    collection = PolyCollection([box_polygon(place) for place in tree], array=micro, cmap=TIME_COLOURS, norm=norm, linewidths=0)
    panel.add_collection(collection)
    bar = figure.colorbar(collection, ax=panel, location="top", aspect=100, fraction=0.06, pad=0.03)
    bar.ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    bar.ax.xaxis.set_major_formatter(plain)
    bar.ax.minorticks_off()
    bar.set_label("microseconds that a range took")


def draw_tree(record, said=None):
    rows = events(record)
    tree = boxes(rows)
    count = keys_of_all(rows)
    depths = max(depth for depth, _, _ in tree) + 1
    high = min(max(0.28 * depths, 0.9), 4.2)
    figure, (above, below) = plt.subplots(2, 1, figsize=(INCHES_WIDE, 2 * high + 1.6), sharex=True,
                                          gridspec_kw={"height_ratios": [high, high + 0.5]}, constrained_layout=True)
    draw_kinds(above, tree, count)
    draw_times(figure, below, tree)
    for panel in (above, below):
        panel.set_xlim(0, count)
        panel.set_ylim(depths, 0)
        step = (depths + 15) // 16
        panel.set_yticks([depth + 0.5 for depth in range(0, depths, step)], range(0, depths, step))
        panel.set_ylabel("depth")
        panel.tick_params(axis="y", length=0)
        panel.set_facecolor("#F0F0F0")
    below.set_xticks([count * quarter / 4 for quarter in range(5)], ["0", "¼", "½", "¾", "1"])
    below.set_xlabel(f"position in the array, of {number(count)} keys")
    head(figure, said or title(record, rows, "Recursion tree"),
         f"{len(tree):,} ranges; light ground: keys that are in place")
    return [figure]
