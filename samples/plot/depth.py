# SPDX-License-Identifier: MIT
"""Depth limit against leaf size: how a recursion's time depends on where it ends.

A panel for each combination of fan-out, scheme, streams and pivot in the file; where those are many, a page for each fan-out. A
cell is the time as a ratio to the least of all panels of the same keys; a frame marks the least of its panel.
"""
import math

from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from page import device_name, fan_out_words, head, panels, power, save, scheme_words, short
from records import required

PANELS_MOST = 9
RATIO_MOST = 8.0  # the colours end here, the numbers do not
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
    image = panel.imshow(cells, cmap="cividis_r", norm=LogNorm(1.0, RATIO_MOST), aspect="auto")
    for row in rows:
        at, ratio = (leaves.index(row["leaf_items"]), limits.index(row["depth_limit"])), row["milliseconds"] / best
        marks = ("*" if row["fallback_depth"] else "") + ("!" if row["launches_refused"] else "")
        panel.text(at[0], at[1], short(ratio) + marks, ha="center", va="center", fontsize=8.5,
                   color="white" if ratio > math.sqrt(RATIO_MOST) else "black")
        if row is least:
            panel.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, fill=False, edgecolor="#D55E00", linewidth=2.5))
    panel.set_facecolor("#DDDDDD")
    for down, line in enumerate(cells):
        for across, ratio in enumerate(line):
            if math.isnan(ratio):
                panel.text(across, down, "-", ha="center", va="center", fontsize=8.5)
    panel.set_xticks(range(len(leaves)), [f"{leaf:,}" if leaf else "default" for leaf in leaves])
    panel.set_yticks(range(len(limits)), [limit_words(limit) for limit in limits])
    words = [knob_words(name, value) for name, value in zip(KNOBS, knobs) if name in varying]
    lines = words if len(words) < 3 else [words[0], ", ".join(words[1:])]
    panel.set_title("\n".join(lines + [f"best {short(least['milliseconds'])} ms"]), fontsize=10)
    return image


def draw_page(name, keys, chosen, best, varying, out, said):
    figure, cells, columns = panels(len(chosen), 3 if len(chosen) > 4 else 2, 11.5 if len(chosen) > 4 else 10.5, 3.6)
    figure.set_layout_engine("constrained")
    image = None
    for index, (panel, (knobs, rows)) in enumerate(zip(cells, chosen)):
        image = draw_panel(panel, rows, best, varying, knobs)
        if index % columns == 0:
            panel.set_ylabel("depth limit")
        if index + columns >= len(chosen):
            panel.set_xlabel("leaf size, keys")
    ticks = [1, 1.5, 2, 3, 4, 6, 8]
    bar = figure.colorbar(image, ax=cells, location="right", fraction=0.03, pad=0.02, aspect=40, extend="max", ticks=ticks)
    bar.ax.set_yticklabels([f"{tick:g}" for tick in ticks])
    bar.ax.minorticks_off()
    bar.set_label(f"time, as a ratio to the least of all ({short(best)} ms)")
    device, key_type, log2_count, distribution = keys
    rows = [row for _, members in chosen for row in members]
    common = [knob_words(knob, chosen[0][0][KNOBS.index(knob)]) for knob in KNOBS if knob not in varying]
    marks = [text for column, text in (("fallback_depth", "*: ranges met the depth limit"),
                                       ("launches_refused", "!: launches were refused")) if any(row[column] for row in rows)]
    what = f"{power(log2_count)} keys of {key_type}, {distribution}, {device_name(device)}"
    if any(is_incomplete(members) for _, members in chosen):
        marks.append("-: the same sort as another, or not measured")
    head(figure, said or f"Depth limit and leaf size: {what}",
         "; ".join(filter(None, [", ".join(common), *marks, "frame: the least of its panel"])))
    save(figure, out, name)


def pages(order):
    """All panels on one page, if it has room; otherwise a page, or some, for each fan-out."""
    if len(order) <= PANELS_MOST:
        return [order]
    made = []
    for fan_out in dict.fromkeys(knobs[0] for knobs, _ in order):
        chosen = [item for item in order if item[0][0] == fan_out]
        made += [chosen[first:first + PANELS_MOST] for first in range(0, len(chosen), PANELS_MOST)]
    return made


def draw(record, out, said=None):
    sets = {}
    for row in record.rows:
        required(record, row, "milliseconds")
        knobs = tuple(row[knob] for knob in KNOBS)
        sets.setdefault(tuple(row[key] for key in KEYS), {}).setdefault(knobs, []).append(row)
    page = 0
    for keys, by_knobs in sets.items():
        best = min(row["milliseconds"] for rows in by_knobs.values() for row in rows)
        order = sorted(by_knobs.items(), key=lambda item: panel_order(item[0]))
        varying = {knob for at, knob in enumerate(KNOBS) if len({knobs[at] for knobs in by_knobs}) > 1}
        for chosen in pages(order):
            page += 1
            name = f"{record.name}-depth" + ("" if page == 1 else f"-{page}")
            draw_page(name, keys, chosen, best, varying, out, said)
