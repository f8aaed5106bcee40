# SPDX-License-Identifier: MIT
"""What distributions and distinct record: kinds of keys beside std::sort and beside random keys, and few distinct values."""
from page import (BLACK, BLUE, GREY, MARKERS, ORANGE, SERIES, VERMILION, PlotError, axis_of_counts, device_name, fan_out_words,
                  head, join, legend_below, listed, number, panels, plain, power, short)
from records import required

RATIO_TARGET = 1.25  # of random: distributions says of each size whether all are within it


# ---- Distributions ------------------------------------------------------------------------------------------------------

def bars_of(panel, rows, column, types, names):
    """Horizontal bars, a group for each distribution, a bar for each type; ratios' numbers in a column of their own, where no line
    crosses them."""
    height = 0.8 / len(types)
    for index, key_type in enumerate(types):
        values = {row["distribution"]: row[column] for row in rows if row["type"] == key_type and row[column] is not None}
        places = [names.index(name) + (index - (len(types) - 1) / 2) * height for name in values]
        panel.barh(places, list(values.values()), height * 0.92, color=SERIES[index], label=key_type)
        for place, value in zip(places, values.values()):
            if column == "ratio_to_random":
                panel.text(0.98, place, short(value), transform=panel.get_yaxis_transform(), ha="right", va="center")
            else:
                panel.annotate(short(value), (value, place), xytext=(3, 0), textcoords="offset points", va="center")
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.margins(x=0.25)
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


def draw_distributions(record, said=None):
    rows = record.rows
    types = list(dict.fromkeys(row["type"] for row in rows))
    names = list(dict.fromkeys(row["distribution"] for row in rows))
    parts = [(column, chosen) for column in ("speedup_whole", "ratio_to_random") if (chosen := largest(rows, column))]
    if parts and (worst := worst_size(rows)) and worst[0]["log2_count"] != parts[-1][1][0]["log2_count"]:
        parts.append(("ratio_to_random", worst))
    if not parts:
        raise PlotError(f"{record.path}: no number of keys has more than one distribution")
    figure, cells, _ = panels(len(parts), 3, 1.3 + len(names) * (0.16 + 0.16 * len(types)), sharey=True)
    for panel, (column, chosen) in zip(cells, parts):
        bars_of(panel, chosen, column, types, names)
        count = power(chosen[0]["log2_count"])
        if column == "speedup_whole":
            panel.xaxis.set_major_formatter(plain)
            panel.set_xlabel("times as fast as std::sort on one\ncore, with copies there and back")
            panel.set_title(f"{count} keys")
        else:
            panel.axvline(1, color=GREY, linewidth=1)
            panel.axvline(RATIO_TARGET, color=BLACK, linestyle="--", linewidth=1.2)
            panel.set_xlim(0, 1.35 * max(RATIO_TARGET, *(row[column] for row in chosen)))
            panel.set_xlabel(f"time, as a ratio to that of\nrandom keys (dashed: {RATIO_TARGET})")
            panel.set_title(f"{count} keys{', where one is slowest' if chosen is not parts[1][1] else ''}")
    figure.tight_layout()
    if len(types) > 1:
        legend_below(figure, *cells[0].get_legend_handles_labels(), columns=len(types))
    of_type = f" of {types[0]}" if len(types) == 1 else ""
    head(figure, said or f"Distributions: {listed(power(chosen[0]['log2_count']) for _, chosen in parts)} keys{of_type}, "
         f"{listed(device_name(row['device']) for row in rows)}")
    return [figure]


# ---- Speed-up against n -------------------------------------------------------------------------------------------------

def draw_curves(panel, rows):
    for index, key_type in enumerate(dict.fromkeys(row["type"] for row in rows)):
        for column, style, what in (("speedup_device", "-", "on the device"), ("speedup_whole", "--", "with copies")):
            points = sorted((row["log2_count"], row[column]) for row in rows if row["type"] == key_type and row[column])
            panel.plot([2.0**at for at, _ in points], [speed for _, speed in points], style, color=SERIES[index % len(SERIES)],
                       marker=MARKERS[index % len(MARKERS)], markersize=5, linewidth=1.8, label=f"{key_type}, {what}")


def draw_speedup(record, said=None):
    """Drawn if there are three sizes at least of a distribution beside std::sort; random and staggered if they are there."""
    rows = [row for row in record.rows if row["speedup_device"] is not None]
    sizes = {}
    for row in rows:
        sizes.setdefault(row["distribution"], set()).add(row["log2_count"])
    wide = [name for name in sizes if len(sizes[name]) >= 3]
    chosen = [name for name in ("random", "staggered") if name in wide] or wide[:2]
    if not chosen:
        return []
    figure, cells, _ = panels(len(chosen), 2, 4.2, sharey=True)
    for panel, name in zip(cells, chosen):
        members = [row for row in rows if row["distribution"] == name]
        draw_curves(panel, members)
        panel.axhline(1, color=BLACK, linewidth=1.2)
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter(plain)
        axis_of_counts(panel, {row["log2_count"] for row in members})
        panel.set_title(name)
        panel.grid(True, which="major", alpha=0.3)
    cells[0].set_ylabel("times as fast as std::sort on one core")
    figure.tight_layout()
    legend_below(figure, *cells[0].get_legend_handles_labels(), columns=2)
    head(figure, said or f"Speed-up over std::sort, {listed(device_name(row['device']) for row in rows)}")
    return [figure]


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
    panel.yaxis.set_major_formatter(plain)
    if against == "distinct":
        axis_of_counts(panel, {int(row["distinct"]).bit_length() - 1 for row in rows}, "distinct values")
        panel.set_title(f"{join([power(at) for at in sorted({row['log2_count'] for row in rows})])} keys")
    else:
        axis_of_counts(panel, {row["log2_count"] for row in rows})
        panel.set_title(f"{number(rows[0]['distinct'])} distinct values")
    panel.grid(True, which="major", alpha=0.3)


def draw_distinct(record, said=None):
    tables = {}
    for row in record.rows:
        required(record, row, "distinct")
        tables.setdefault(row["table"].partition("-")[0], []).append(row)
    figure, cells, _ = panels(len(tables), 2, 4.2)
    for panel, rows in zip(cells, tables.values()):
        draw_table(panel, rows)
    cells[0].set_ylabel("milliseconds (device time, without copies)")
    figure.tight_layout()
    entries = {}
    for panel in cells:
        entries.update({label: handle for handle, label in zip(*panel.get_legend_handles_labels())})
    legend_below(figure, list(entries.values()), list(entries), columns=2)
    head(figure, said or f"Few distinct values, {listed(device_name(row['device']) for row in record.rows)}")
    return [figure]
