# SPDX-License-Identifier: MIT
"""What the keys are like: distributions beside std::sort and beside random keys, speed-up against n, distinct values."""
import csv
import pathlib

from page import (BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SERIES, SKY, VERMILION, PlotError, axis_of_counts,
                       device_name, fan_out_words, head, join, listed, number, panels, power, save, short)
from records import required

RATIO_AIM = 1.25  # of random, which no distribution should exceed

# The thesis' tables 5.2 and 5.3: columns of published_speedup.csv, and how they are drawn.
PUBLISHED = pathlib.Path(__file__).resolve().parent / "published_speedup.csv"
PUBLISHED_STYLES = {
    "tnl_quicksort": ("TNL quicksort", GREEN, "s"),
    "manca": ("CUDA-Quicksort (Manca)", PURPLE, "D"),
    "nvidia_cdp": ("NVIDIA cdpAdvancedQuicksort", ORANGE, "^"),
    "thrust": ("thrust::sort", SKY, "v"),
}


# ---- Distributions ------------------------------------------------------------------------------------------------------

def bars_of(panel, rows, column, types, names):
    """Horizontal bars, a group for each distribution, a bar for each type."""
    height = 0.8 / len(types)
    for index, key_type in enumerate(types):
        values = {row["distribution"]: row[column] for row in rows if row["type"] == key_type and row[column] is not None}
        places = [names.index(name) + (index - (len(types) - 1) / 2) * height for name in values]
        panel.barh(places, list(values.values()), height * 0.92, color=SERIES[index], label=key_type)
        for place, value in zip(places, values.values()):
            panel.annotate(short(value), (value, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8.5)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.margins(x=0.14)
    panel.grid(True, axis="x", alpha=0.3)


def largest(rows, column):
    """The rows of the greatest number of keys for which the column is there for more than one distribution."""
    for log2_count in sorted({row["log2_count"] for row in rows}, reverse=True):
        chosen = [row for row in rows if row["log2_count"] == log2_count and row[column] is not None]
        if len({row["distribution"] for row in chosen}) > 1:
            return chosen
    return []


def worst_size(rows):
    """The rows of the number of keys at which some distribution takes longest beside random ones."""
    known = [row for row in rows if row["ratio_to_random"] is not None]
    if not known:
        return []
    at = max(known, key=lambda row: row["ratio_to_random"])["log2_count"]
    return [row for row in known if row["log2_count"] == at]


def draw_distributions(record, out, said=None):
    rows = record.rows
    types = list(dict.fromkeys(row["type"] for row in rows))
    names = list(dict.fromkeys(row["distribution"] for row in rows))
    parts = [(column, chosen) for column in ("speedup_device", "ratio_to_random") if (chosen := largest(rows, column))]
    if parts and (worst := worst_size(rows)) and worst[0]["log2_count"] != parts[-1][1][0]["log2_count"]:
        parts.append(("ratio_to_random", worst))
    if not parts:
        raise PlotError(f"{record.path}: no number of keys has more than one distribution")
    figure, cells, _ = panels(len(parts), 3, 4 + 3.5 * len(parts), 0.6 + len(names) * (0.16 + 0.16 * len(types)) + 0.9, sharey=True)
    for panel, (column, chosen) in zip(cells, parts):
        bars_of(panel, chosen, column, types, names)
        count = power(chosen[0]["log2_count"])
        if column == "speedup_device":
            panel.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
            panel.set_xlabel("times as fast as std::sort on one core (device time, without copies)")
            panel.set_title(f"{count} keys")
        else:
            panel.axvline(1, color=GREY, linewidth=1)
            panel.axvline(RATIO_AIM, color=BLACK, linestyle="--", linewidth=1.2)
            panel.annotate(f"{RATIO_AIM}", (RATIO_AIM, 1), xycoords=("data", "axes fraction"), xytext=(0, 2),
                           textcoords="offset points", ha="center", va="bottom", fontsize=9)
            panel.set_xlabel("time, as a ratio to that of random keys (dashed: the aim)")
            panel.set_title(f"{count} keys{', where some is slowest' if chosen is not parts[1][1] else ''}", pad=14)
    figure.tight_layout()
    if len(types) > 1:
        figure.legend(*cells[0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=len(types),
                      frameon=False)
    of_type = f" of {types[0]}" if len(types) == 1 else ""
    head(figure, said or f"Distributions: {listed(power(chosen[0]['log2_count']) for _, chosen in parts)} keys{of_type}, "
         f"{listed(device_name(row['device']) for row in rows)}")
    save(figure, out, record.name)


# ---- Speed-up against n -------------------------------------------------------------------------------------------------

def published(distribution):
    """name -> (log2 of n, speed-up) of the thesis for a distribution; empty where it prints none."""
    with open(PUBLISHED, newline="") as file:
        table = [row for row in csv.DictReader(line for line in file if not line.startswith("#"))
                 if row["distribution"] == distribution]
    return {name: [(int(row["log2_count"]), float(row[name])) for row in table if float(row[name]) > 0]
            for name in PUBLISHED_STYLES} if table else {}


def draw_curves(panel, rows, distribution):
    for name, points in published(distribution).items():
        label, colour, marker = PUBLISHED_STYLES[name]
        panel.plot([2.0**at for at, _ in points], [speed for _, speed in points], color=colour, marker=marker, markersize=3.5,
                   linewidth=1.1, linestyle=":", label=f"{label}, published")
    for index, key_type in enumerate(dict.fromkeys(row["type"] for row in rows)):
        for column, style, what in (("speedup_device", "-", "on the device"), ("speedup_whole", "--", "with copies")):
            points = sorted((row["log2_count"], row[column]) for row in rows if row["type"] == key_type and row[column])
            panel.plot([2.0**at for at, _ in points], [speed for _, speed in points], style,
                       color=(BLUE, VERMILION, BLACK)[index % 3], marker=MARKERS[index], markersize=4, linewidth=1.8,
                       label=f"cdpsort, {key_type}, {what}")


def draw_speedup(record, out, said=None):
    """Drawn if there are three sizes at least of a distribution beside std::sort; random and staggered if they are there."""
    rows = [row for row in record.rows if row["speedup_device"] is not None]
    sizes = {}
    for row in rows:
        sizes.setdefault(row["distribution"], set()).add(row["log2_count"])
    wide = [name for name in sizes if len(sizes[name]) >= 3]
    chosen = [name for name in ("random", "staggered") if name in wide] or wide[:2]
    if not chosen:
        return
    figure, cells, _ = panels(len(chosen), 2, 11 if len(chosen) > 1 else 7.5, 4.6, sharey=True)
    for panel, name in zip(cells, chosen):
        draw_curves(panel, [row for row in rows if row["distribution"] == name], name)
        panel.axhline(1, color=GREY, linewidth=1)
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        ticks = {row["log2_count"] for row in rows if row["distribution"] == name}
        ticks |= {at for points in published(name).values() for at, _ in points}
        axis_of_counts(panel, ticks)
        panel.set_title(name)
        panel.grid(True, which="major", alpha=0.3)
    cells[0].set_ylabel("times as fast as std::sort on one core")
    figure.tight_layout()
    handles, labels = cells[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=3, frameon=False, fontsize=9.5)
    note = None
    if any(published(name) for name in chosen):
        note = "published: tables 5.2 and 5.3 of the TNL thesis, on a Quadro P6000, beside that machine's std::sort"
    head(figure, said or f"Speed-up over std::sort, {listed(device_name(row['device']) for row in rows)}", note)
    save(figure, out, f"{record.name}-speedup")


# ---- Distinct values ----------------------------------------------------------------------------------------------------

def way_of(row):
    """How the keys were sorted: the fan-out, and what the table's name says behind its number ("2-grids")."""
    return row["fan_out"], row["table"].partition("-")[2]


def look_of(way):
    fan_out, more = way
    if more:
        words = "a grid for every range" if more == "grids" else more
        return f"{fan_out_words(fan_out)}, {words}", ORANGE, "^"
    return (fan_out_words(fan_out), VERMILION, "s") if fan_out == "2" else (fan_out_words(fan_out), BLUE, "o")


def draw_table(panel, rows):
    """One table: against the number of distinct values, or, where that is one, against the number of keys."""
    against = "distinct" if len({row["distinct"] for row in rows}) > 1 else "log2_count"

    def place(row):
        return row["distinct"] if against == "distinct" else 2.0 ** row["log2_count"]

    def line(chosen, column, **style):
        points = sorted((place(row), row[column]) for row in chosen if row[column] is not None)
        if points:
            panel.plot([at for at, _ in points], [value for _, value in points], **style)

    line(rows, "std_sort_ms", color=GREY, marker="X", linewidth=1.2, linestyle=":", label="std::sort on one core")
    for way in dict.fromkeys(way_of(row) for row in rows):
        chosen = [row for row in rows if way_of(row) == way]
        words, colour, marker = look_of(way)
        line(chosen, "device_ms", color=colour, marker=marker, linewidth=1.8, label=words)
        line(chosen, "leaf32_ms", color=colour, marker=marker, linewidth=1.2, linestyle="--", markerfacecolor="white",
             label=f"{words}, leaves of 32 keys")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    if against == "distinct":
        axis_of_counts(panel, {int(row["distinct"]).bit_length() - 1 for row in rows}, "distinct values")
        panel.set_title(f"{join([power(at) for at in sorted({row['log2_count'] for row in rows})])} keys")
    else:
        axis_of_counts(panel, {row["log2_count"] for row in rows})
        panel.set_title(f"{number(rows[0]['distinct'])} distinct values")
    panel.grid(True, which="major", alpha=0.3)


def draw_distinct(record, out, said=None):
    tables = {}
    for row in record.rows:
        required(record, row, "distinct")
        tables.setdefault(row["table"].partition("-")[0], []).append(row)
    figure, cells, _ = panels(len(tables), 2, 11 if len(tables) > 1 else 7.5, 4.4)
    for panel, rows in zip(cells, tables.values()):
        draw_table(panel, rows)
    cells[0].set_ylabel("milliseconds (device time, without copies)")
    figure.tight_layout()
    entries = {}
    for panel in cells:
        entries.update({label: handle for handle, label in zip(*panel.get_legend_handles_labels())})
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=2, frameon=False)
    head(figure, said or f"Few distinct values, {listed(device_name(row['device']) for row in record.rows)}")
    save(figure, out, record.name)
