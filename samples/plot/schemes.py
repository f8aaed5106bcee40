# SPDX-License-Identifier: MIT
"""Launch schemes side by side: the whole sort, how long a launch takes to begin, how long nothing runs."""
from page import (BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, device_name, fan_out_words, head, join, listed,
                       panels, power, save, scheme_words, short)
from records import required

COLOURS = {"last-block": BLUE, "controller": ORANGE, "host": GREEN, "host-loop": GREEN}
MORE_COLOURS = (PURPLE, SKY, VERMILION)
HATCHES = {"last-block": None, "controller": "////", "host": "....", "host-loop": "...."}

TOTAL, LATENCY, IDLE = range(3)
LABELS = ("whole sort, ms",
          "from a launch to its first block, µs; launched by the host\nfrom a grid to the next (median; line: least to most)",
          "no grid runs, µs (and as a share of the\nsort untraced)")


def value_of(row, column):
    """What a bar shows; None where there is nothing to show, such as the latency of device launches where the host launches."""
    if column == TOTAL:
        return row["milliseconds"]
    nanoseconds = row["latency_median_ns" if column == LATENCY else "idle_ns"]
    return nanoseconds / 1000 if nanoseconds or (nanoseconds == 0 and column == IDLE) else None


def draw_bar(panel, column, row, at, height, look):
    value = value_of(row, column)
    if value is None:
        return
    panel.barh(at, value, height * 0.92, edgecolor="white", linewidth=0.5, **look)
    end, text = value, short(value)
    if column == LATENCY and row["latency_least_ns"] is not None and row["latency_most_ns"] is not None:
        end = max(end, row["latency_most_ns"] / 1000)
        panel.plot([row["latency_least_ns"] / 1000, end], [at, at], color=BLACK, linewidth=1.2)
        text += f" (at most {short(row['latency_most_ns'] / 1000)})"
    if column == IDLE:
        text += f" ({value / 10 / row['milliseconds']:.0f} %)"
    panel.annotate(text, (end, at), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8.5)


def draw_panel(panel, column, rows, counts, names, looks):
    height = 0.84 / len(names)
    for index, name in enumerate(names):
        for row in rows:
            if row["scheme"] == name:
                at = counts.index(row["log2_count"]) + (index - (len(names) - 1) / 2) * height
                draw_bar(panel, column, row, at, height, looks[name])
    panel.set_yticks(range(len(counts)), [power(count) for count in counts])
    panel.set_ylim(len(counts) - 0.5, -0.5)
    panel.margins(x=(0.18, 0.75, 0.4)[column])
    panel.set_xlim(left=0)
    panel.grid(True, axis="x", alpha=0.3)


def draw(record, out, said=None):
    rows = record.rows
    for row in rows:
        required(record, row, "milliseconds")
    names = list(dict.fromkeys(row["scheme"] for row in rows))
    more = iter(MORE_COLOURS)
    looks = {name: {"color": COLOURS.get(name) or next(more, GREY), "hatch": HATCHES.get(name), "label": scheme_words(name)}
             for name in names}
    fan_outs = list(dict.fromkeys(row["fan_out"] for row in rows))
    sizes = sorted({row["log2_count"] for row in rows})
    figure, cells, _ = panels(3 * len(fan_outs), 3, 11, 0.9 + 0.2 * len(sizes) * len(names))
    for at, fan_out in enumerate(fan_outs):
        chosen = [row for row in rows if row["fan_out"] == fan_out]
        counts = sorted({row["log2_count"] for row in chosen})
        for column in (TOTAL, LATENCY, IDLE):
            panel = cells[3 * at + column]
            draw_panel(panel, column, chosen, counts, names, looks)
            if at == len(fan_outs) - 1:
                panel.set_xlabel(LABELS[column])
        cells[3 * at].set_ylabel("keys")
        cells[3 * at].set_title(fan_out_words(fan_out), loc="left")
    figure.tight_layout()
    entries = {label: handle for handle, label in zip(*cells[0].get_legend_handles_labels())}
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=len(names),
                  frameon=False)
    head(figure, said or f"Launch schemes: {join([power(count) for count in sizes])} keys of "
         f"{listed(row['type'] for row in rows)}, {listed(device_name(row['device']) for row in rows)}")
    save(figure, out, record.name)
