# SPDX-License-Identifier: MIT
"""The kinds of a trace's events (cdp_trace_kind in include/cdpsort/study.h): a colour each, and a hatch where two share one."""
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from page import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW, PlotError, number
from records import required

KINDS = {
    "root": (BLACK, None),
    "partition": (ORANGE, None),
    "controller": (YELLOW, None),
    "continuation": (PURPLE, None),
    "prepare": (YELLOW, "////"),
    "count": (SKY, None),
    "scatter": (BLUE, None),
    "sort": (GREY, None),
    "block": (GREEN, None),
    "fill": (PURPLE, "////"),
    "network": (VERMILION, None),
    "batch": (GREY, "////"),
    "look": (SKY, "////"),
    "reverse": (BLUE, "////"),
    "map": (BLUE, "...."),
    "buckets": (GREEN, "...."),
}
FORMER_NAMES = {"wave": "batch"}  # as records from before 0.3.0 have them

# More polygons than this make an SVG file too large: they are drawn as pixels then, text and axes stay as they are.
POLYGONS_MOST = 1500


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


def add_polygons(panel, kind, polygons, edge_width, rasterized):
    colour, hatch = KINDS[kind]
    edge = "white" if hatch else colour
    panel.add_collection(PolyCollection(polygons, facecolors=colour, edgecolors=edge, hatch=hatch,
                                        linewidths=0 if hatch else edge_width, rasterized=rasterized))


def legend_entries(kinds):
    return [Patch(facecolor=KINDS[kind][0], edgecolor="white" if KINDS[kind][1] else KINDS[kind][0], hatch=KINDS[kind][1],
                  label=kind) for kind in KINDS if kind in kinds]
