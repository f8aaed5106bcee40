# SPDX-License-Identifier: MIT
"""What depth_study and schemes record: how a recursion's time depends on where it ends, and on who launches."""
import math

from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from page import (BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, TIME_COLOURS, VERMILION, device_name, fan_out_words, head, join,
                  legend_below, listed, panels, power, scheme_words, short)
from records import required

# ---- Depth limit against leaf size --------------------------------------------------------------------------------------
# A panel for each combination of fan-out, scheme, streams and pivot in the file; where those are many, a page for each fan-out. A
# cell is the time as a ratio to the least of all panels of the same keys; a frame marks the least of its panel.

PANELS_MOST = 8
FEW_COLUMNS = 3
HEIGHT_LEAST = 1.9  # inches: with few rows, a picture still has room for its words
CELL_INCHES = (1.2, 0.28)  # of a panel with few columns: a cell stays a cell
RATIO_MOST = 8.0  # the colours end here, the numbers do not
TEXT = 12  # points: of all that is written in and beside these panels
KEYS = ("device", "type", "log2_count", "distribution")  # what pages have in common
KNOBS = ("fan_out", "scheme", "child_streams", "pivot")  # what panels differ by
STREAMS = {"fire-and-forget": "fire and forget", "named": "own streams"}


def limit_order(limit):
    """none first, which is depth 0; the default last, which is beyond all others."""
    if limit == "none":
        return 0.0
    return math.inf if limit == "0" else float(limit)


def limit_words(limit):
    return {"none": "none", "0": "default"}.get(limit, limit)


def knob_words(name, value):
    if name == "fan_out":
        return fan_out_words(value)
    if name == "scheme":
        return scheme_words(value)
    return STREAMS.get(value, value.replace("-", " "))


def panel_order(knobs):
    fan_out = knobs[0]
    return (int(fan_out) or 1 << 20 if fan_out.isdigit() else 1 << 20,) + knobs[1:]


def is_incomplete(rows):
    """Whether combinations are missing: the same sort as another, or no time for them. The file does not say which."""
    return len({(row["depth_limit"], row["leaf_items"]) for row in rows}) < (
        len({row["depth_limit"] for row in rows}) * len({row["leaf_items"] for row in rows}))


def draw_panel(panel, rows, best, varying, knobs):
    limits = sorted({row["depth_limit"] for row in rows}, key=limit_order)
    leaves = sorted({row["leaf_items"] for row in rows}, key=lambda leaf: leaf or math.inf)
    cells = [[math.nan] * len(leaves) for _ in limits]
    least = min(rows, key=lambda row: row["milliseconds"])
    for row in rows:
        cells[limits.index(row["depth_limit"])][leaves.index(row["leaf_items"])] = row["milliseconds"] / best
    image = panel.imshow(cells, cmap=TIME_COLOURS, norm=LogNorm(1.0, RATIO_MOST), aspect="auto")
    if len(leaves) < FEW_COLUMNS:
        panel.set_box_aspect(len(limits) * CELL_INCHES[1] / (len(leaves) * CELL_INCHES[0]))
    for row in rows:
        at, ratio = (leaves.index(row["leaf_items"]), limits.index(row["depth_limit"])), row["milliseconds"] / best
        marks = ("*" if row["fallback_depth"] else "") + ("!" if row["launches_refused"] else "")
        panel.text(at[0], at[1], short(ratio) + marks, ha="center", va="center", fontsize=TEXT,
                   color="white" if ratio > math.sqrt(RATIO_MOST) else "black")
        if row is least:
            panel.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, fill=False, edgecolor=VERMILION, linewidth=2.5))
    panel.set_facecolor("#DDDDDD")
    for down, line in enumerate(cells):
        for across, ratio in enumerate(line):
            if math.isnan(ratio):
                panel.text(across, down, "-", ha="center", va="center", fontsize=TEXT)
    panel.set_xticks(range(len(leaves)), [f"{leaf:,}" if leaf else "default" for leaf in leaves], fontsize=TEXT)
    panel.set_yticks(range(len(limits)), [limit_words(limit) for limit in limits], fontsize=TEXT)
    words = [knob_words(name, value) for name, value in zip(KNOBS, knobs) if name in varying]
    panel.set_title("\n".join([", ".join(words), f"best {short(least['milliseconds'])} ms"]).strip(), fontsize=TEXT)
    return image


def draw_scale(figure, cells, image, words):
    ticks = [1, 1.5, 2, 3, 4, 6, 8]
    bar = figure.colorbar(image, ax=cells, location="bottom", fraction=0.02, pad=0.02, aspect=60, extend="max", ticks=ticks)
    bar.ax.set_xticklabels([f"{tick:g}" for tick in ticks], fontsize=TEXT)
    bar.ax.minorticks_off()
    bar.set_label(words, fontsize=TEXT)


def draw_page(keys, chosen, best, varying, said):
    lines = [max(len({row["depth_limit"] for row in rows}) for _, rows in chosen[at:at + 2]) for at in range(0, len(chosen), 2)]
    figure, cells, columns = panels(len(chosen), 2, [max(HEIGHT_LEAST, 0.9 + 0.25 * count) for count in lines])
    figure.set_layout_engine("constrained")
    image = None
    for index, (panel, (knobs, rows)) in enumerate(zip(cells, chosen)):
        image = draw_panel(panel, rows, best, varying, knobs)
        if index % columns == 0:
            panel.set_ylabel("depth limit", fontsize=TEXT)
        if index + columns >= len(chosen):
            panel.set_xlabel("leaf size, keys", fontsize=TEXT)
    scale = f"times the least, {short(best)} ms"
    has_bar = any(len({row["leaf_items"] for row in rows}) >= FEW_COLUMNS for _, rows in chosen)
    if has_bar:
        draw_scale(figure, cells, image, scale)
    device, key_type, log2_count, distribution = keys
    rows = [row for _, members in chosen for row in members]
    common = [knob_words(knob, chosen[0][0][KNOBS.index(knob)]) for knob in KNOBS if knob not in varying]
    marks = [text for column, text in (("fallback_depth", "*: ranges met the depth limit"),
                                       ("launches_refused", "!: launches were refused")) if any(row[column] for row in rows)]
    what = f"{power(log2_count)} keys of {key_type}, {distribution}, {device_name(device)}"
    if any(is_incomplete(members) for _, members in chosen):
        marks.append("-: the same sort as another, or not measured")
    head(figure, said or f"Depth limit and leaf size: {what}",
         "\n".join(filter(None, [", ".join(common), "; ".join([*([] if has_bar else [scale]), *marks, "frame: the least of its panel"])])))
    return figure


def pages(order):
    """All panels on one page, if it has room; otherwise a page, or some, for each fan-out."""
    if len(order) <= PANELS_MOST:
        return [order]
    made = []
    for fan_out in dict.fromkeys(knobs[0] for knobs, _ in order):
        chosen = [item for item in order if item[0][0] == fan_out]
        made += [chosen[first:first + PANELS_MOST] for first in range(0, len(chosen), PANELS_MOST)]
    return made


def draw_depth(record, said=None):
    sets = {}
    for row in record.rows:
        required(record, row, "milliseconds")
        knobs = tuple(row[knob] for knob in KNOBS)
        sets.setdefault(tuple(row[key] for key in KEYS), {}).setdefault(knobs, []).append(row)
    figures = []
    for keys, by_knobs in sets.items():
        best = min(row["milliseconds"] for rows in by_knobs.values() for row in rows)
        order = sorted(by_knobs.items(), key=lambda item: panel_order(item[0]))
        varying = {knob for at, knob in enumerate(KNOBS) if len({knobs[at] for knobs in by_knobs}) > 1}
        figures += [draw_page(keys, chosen, best, varying, said) for chosen in pages(order)]
    return figures


# ---- Launch schemes -----------------------------------------------------------------------------------------------------

COLOURS = {"last-block": BLUE, "controller": ORANGE, "host": GREEN, "host-loop": GREEN}
MORE_COLOURS = (PURPLE, SKY, VERMILION)
HATCHES = {"last-block": None, "controller": "////", "host": "....", "host-loop": "...."}

TOTAL, LATENCY, IDLE = range(3)
CLIP = 1.5  # times the longest of a panel's median latencies: where lines are cut
LABELS = ("whole sort, ms", "from a launch to its first block, µs\n(bar: median; line: least to most,\nwith an arrow where it goes on)",
          "no grid runs, µs")


def value_of(row, column):
    """What a bar shows; None where there is nothing to show, such as the latency of device launches where the host launches."""
    if column == TOTAL:
        return row["milliseconds"]
    nanoseconds = row["latency_median_ns" if column == LATENCY else "idle_ns"]
    return nanoseconds / 1000 if nanoseconds or (nanoseconds == 0 and column == IDLE) else None


def draw_scheme(panel, column, row, at, height, look, longest):
    value = value_of(row, column)
    if value is None:
        return
    panel.barh(at, value, height * 0.92, edgecolor="white", linewidth=0.5, **look)
    end, text, gap = value, short(value), 5
    if column == LATENCY and row["latency_least_ns"] is not None and row["latency_most_ns"] is not None:
        most = row["latency_most_ns"] / 1000
        end = max(end, min(most, CLIP * longest))
        panel.plot([row["latency_least_ns"] / 1000, end], [at, at], color=BLACK, linewidth=1.2)
        if most > end:
            panel.plot(end, at, ">", color=BLACK, markersize=5)
            gap = 8
        text += f" (to {short(row['latency_most_ns'] / 1000)})"
    if column == IDLE and row["trace_ns"]:
        text += f" ({100 * row['idle_ns'] / row['trace_ns']:.0f} % of the traced sort)"
    panel.annotate(text, (end, at), xytext=(gap, 0), textcoords="offset points", va="center", fontsize=9.5)


def draw_schemes_panel(panel, column, rows, counts, names, looks):
    height = 0.84 / len(names)
    longest = max((value_of(row, LATENCY) or 0 for row in rows), default=0)
    for index, name in enumerate(names):
        for row in rows:
            if row["scheme"] == name:
                at = counts.index(row["log2_count"]) + (index - (len(names) - 1) / 2) * height
                draw_scheme(panel, column, row, at, height, looks[name], longest)
    panel.set_yticks(range(len(counts)), [power(count) for count in counts])
    panel.set_ylim(len(counts) - 0.5, -0.5)
    panel.margins(x=(0.25, 0.75, 0.65)[column])
    panel.set_xlim(left=0)
    panel.grid(True, axis="x", alpha=0.3)


def draw_schemes(record, said=None):
    rows = record.rows
    for row in rows:
        required(record, row, "milliseconds")
    names = list(dict.fromkeys(row["scheme"] for row in rows))
    more = iter(MORE_COLOURS)
    looks = {name: {"color": COLOURS.get(name) or next(more, GREY), "hatch": HATCHES.get(name), "label": scheme_words(name)}
             for name in names}
    fan_outs = list(dict.fromkeys(row["fan_out"] for row in rows))
    sizes = sorted({row["log2_count"] for row in rows})
    figure, cells, _ = panels(3 * len(fan_outs), 3, 0.9 + 0.2 * len(sizes) * len(names))
    for at, fan_out in enumerate(fan_outs):
        chosen = [row for row in rows if row["fan_out"] == fan_out]
        counts = sorted({row["log2_count"] for row in chosen})
        for column in (TOTAL, LATENCY, IDLE):
            panel = cells[3 * at + column]
            draw_schemes_panel(panel, column, chosen, counts, names, looks)
            if at == len(fan_outs) - 1:
                panel.set_xlabel(LABELS[column])
        cells[3 * at].set_ylabel("keys")
        cells[3 * at].set_title(fan_out_words(fan_out), loc="left")
    figure.tight_layout()
    host = any(scheme_words(name) == "host" for name in names)
    entries = {label: handle for handle, label in zip(*cells[0].get_legend_handles_labels())}
    legend_below(figure, list(entries.values()), list(entries), columns=len(names))
    notes = ["where the host launches, a launch's time is from the end of a grid to the next one's begin"] if host else []
    if not any(row["traces"] for row in rows):
        notes.append("of launches and of the time without a grid: a single trace each, in which a stall shows as it is")
    head(figure, said or f"Launch schemes: {join([power(count) for count in sizes])} keys of "
         f"{listed(row['type'] for row in rows)}, {listed(device_name(row['device']) for row in rows)}", "\n".join(notes) or None)
    return [figure]
