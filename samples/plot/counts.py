# SPDX-License-Identifier: MIT
"""What depth_study, schemes and distinct record on the simulated device, whose counts are exact, and whose times mean nothing."""
from page import (MARKERS, SERIES, PlotError, axis_of_counts, device_name, fan_out_words, head, legend_below, listed, panels, power,
                  scheme_words, short)

LINES_MOST = 8  # of a page: as many as there are colours


def is_simulated(record):
    return bool(record.rows) and all(row.get("device", "").startswith("simulated") for row in record.rows)


def refuse(record, _said=None):
    raise PlotError(f"{record.path}: its times are those of the simulated device and say nothing; record it on a GPU")


def note_of(rows, what):
    types = listed(row["type"] for row in rows if "type" in row)
    return f"{what}; counts of the simulated device, which are exact" + (f" ({types})" if types else "")


def start_at_zero(panel):
    panel.set_ylim(bottom=0)
    panel.grid(True, alpha=0.3)


# ---- Depth limits -------------------------------------------------------------------------------------------------------
KNOBS = ("fan_out", "scheme", "child_streams", "pivot", "leaf_items")
KNOB_WORDS = {"fan_out": fan_out_words, "scheme": scheme_words, "leaf_items": lambda items: f"leaf {items:,}" if items else "default leaf"}


def knobs_of(row):
    return tuple(row[knob] for knob in KNOBS)


def knob_words(knobs, varying):
    return ", ".join(KNOB_WORDS.get(knob, str)(value) for knob, value in zip(KNOBS, knobs) if knob in varying)


def limit_place(limit):
    """none is depth 0; the default, 0, is beyond all others."""
    return -1 if limit == "none" else 1 << 30 if limit == "0" else int(limit)


def draw_depth(record, said=None):
    """Bytes moved and grids launched against the depth limit: a line for each combination of the other knobs."""
    limits = sorted({row["depth_limit"] for row in record.rows}, key=limit_place)
    lines = {}
    for row in record.rows:
        lines.setdefault(knobs_of(row), []).append(row)
    varying = {knob for at, knob in enumerate(KNOBS) if len({knobs[at] for knobs in lines}) > 1}
    order = sorted(lines, key=lambda knobs: min(row["bytes_moved"] for row in lines[knobs]))
    figures = []
    for first in range(0, len(order), LINES_MOST):
        figure, cells, _ = panels(2, 2, 3.6)
        for at, knobs in enumerate(order[first:first + LINES_MOST]):
            points = sorted(lines[knobs], key=lambda row: limit_place(row["depth_limit"]))
            for panel, column, unit in zip(cells, ("bytes_moved", "children_launched"), (1e6, 1)):
                panel.plot([limits.index(row["depth_limit"]) for row in points], [row[column] / unit for row in points],
                           color=SERIES[at], marker=MARKERS[at], linewidth=1.8, label=knob_words(knobs, varying) or "all")
        for panel, label in zip(cells, ("keys moved, MB", "grids launched by the device")):
            panel.set_xticks(range(len(limits)), [{"0": "default"}.get(limit, limit) for limit in limits])
            panel.set_xlabel("depth limit")
            panel.set_ylabel(label)
            start_at_zero(panel)
        figure.tight_layout()
        if varying:
            legend_below(figure, *cells[0].get_legend_handles_labels(), columns=2)
        rows = record.rows
        head(figure, said or f"Depth limits: {listed(power(row['log2_count']) for row in rows)} keys, "
             f"{listed(row['distribution'] for row in rows)}", note_of(rows, knob_words(order[0], set(KNOBS) - varying)))
        figures.append(figure)
    return figures


# ---- Launch schemes -----------------------------------------------------------------------------------------------------
def draw_schemes(record, said=None):
    """Bars: grids, launches of the device, the most pending at once, bytes moved."""
    columns = (("grids", "grids", 1), ("launched", "launched by the device", 1), ("pending_most", "pending at once", 1),
               ("bytes_moved", "keys moved, MB", 1e6))
    rows = [row for row in record.rows if row["launched"] is not None]
    if not rows:
        raise PlotError(f"{record.path}: has no column launched: record it again")
    names = [f"{power(row['log2_count'])}, {fan_out_words(row['fan_out'])},\n{scheme_words(row['scheme'])}" for row in rows]
    figure, cells, _ = panels(len(columns), len(columns), 1.0 + 0.42 * len(rows), sharey=True)
    for panel, (column, label, unit) in zip(cells, columns):
        panel.barh(range(len(rows)), [row[column] / unit for row in rows], 0.7,
                   color=[SERIES[list(dict.fromkeys(one["scheme"] for one in rows)).index(row["scheme"])] for row in rows])
        for at, row in enumerate(rows):
            panel.annotate(short(row[column] / unit) if unit > 1 else f"{row[column]:,}", (row[column] / unit, at), xytext=(3, 0),
                           textcoords="offset points", va="center")
        panel.set_yticks(range(len(rows)), names, fontsize=9)
        panel.set_ylim(len(rows) - 0.4, -0.6)
        panel.set_xlabel(label)
        panel.margins(x=0.4)
        panel.set_xlim(left=0)
    figure.tight_layout()
    head(figure, said or "Launch schemes: who launches how many grids", note_of(rows, listed(device_name(row["device"]) for row in rows)))
    return [figure]


# ---- Distinct values ----------------------------------------------------------------------------------------------------
def draw_distinct(record, said=None):
    """What leaves the recursion as equal keys, and how deep it goes, against the number of distinct values or of keys."""
    rows = record.rows
    tables = [chosen for chosen in ([row for row in rows if row["table"] == "1"], [row for row in rows if row["table"] != "1"]) if chosen]
    figure, cells, _ = panels(2 * len(tables), 2, 3.2)
    for at, chosen in enumerate(tables):
        against = "log2_count" if len({row["distinct"] for row in chosen}) == 1 else "distinct"
        ways = dict.fromkeys((row["fan_out"], row["table"]) for row in chosen)
        for panel, column, label in ((cells[2 * at], "equal_items", "equal keys, % of all"),
                                     (cells[2 * at + 1], "greatest_depth", "greatest depth")):
            for index, way in enumerate(ways):
                points = sorted((row["distinct"] if against == "distinct" else 2.0 ** row["log2_count"],
                                 100 * row[column] / 2.0 ** row["log2_count"] if column == "equal_items" else row[column])
                                for row in chosen if (row["fan_out"], row["table"]) == way)
                panel.plot(*zip(*points), color=SERIES[index], marker=MARKERS[index], linewidth=1.8,
                           label=fan_out_words(way[0]) + (", a grid for every range" if way[1].endswith("grids") else ""))
            counts = [row["log2_count"] for row in chosen]
            if against == "log2_count":
                axis_of_counts(panel, counts)
            else:
                panel.set_xscale("log", base=2)
                panel.set_xlabel(f"distinct values, of {listed(map(power, counts))} keys")
            panel.set_ylabel(label)
            start_at_zero(panel)
    figure.tight_layout()
    legend_below(figure, *cells[-1].get_legend_handles_labels(), columns=2)
    head(figure, said or "Distinct values: what leaves the recursion", note_of(rows, "random keys"))
    return [figure]
