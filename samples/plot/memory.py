# SPDX-License-Identifier: MIT
"""Bytes: what copying to the device and back adds to a sort, and how fast the two partitions are."""
from page import (BLACK, BLUE, GREEN, MARKERS, ORANGE, SERIES, axis_of_counts, device_name, head, join, listed, panels,
                       power, save, short)
from records import required

DRAM_GB_PER_S = 4800.0  # of an H200, by its data sheet
STAGES = (("to_device_ms", "to the device", BLUE, None), ("sort_ms", "sort", ORANGE, None),
          ("to_host_ms", "back to the host", GREEN, "////"))


# ---- Transfer -----------------------------------------------------------------------------------------------------------

def draw_stack(panel, rows):
    """A bar for each kind of memory and way to do it; a line where the whole ended, if that is not the sum."""
    names = []
    for at, row in enumerate(rows):
        names.append(f"{row['memory']}, {row['mode']}" if row["mode"] else row["memory"])
        end = 0.0
        for column, label, colour, hatch in STAGES:
            part = row[column] or 0.0
            panel.barh(at, part, 0.7, left=end, color=colour, hatch=hatch, edgecolor="white", linewidth=0.5,
                       label=label if at == 0 else None)
            end += part
        total = row["total_ms"]
        panel.plot([total, total], [at - 0.4, at + 0.4], color=BLACK, linewidth=2, label="whole call" if at == 0 else None)
        rate = f", {short(row['gigabytes_per_second'])} GB/s" if row["gigabytes_per_second"] is not None else ""
        panel.annotate(f"{short(total)} ms{rate}", (max(total, end), at), xytext=(4, 0), textcoords="offset points",
                       va="center", fontsize=8.5)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.set_xlim(0, 1.55 * max(max(row["total_ms"], sum(row[column] or 0 for column, *_ in STAGES)) for row in rows))
    panel.set_xlabel("milliseconds")
    panel.grid(True, axis="x", alpha=0.3)


def draw_transfer(record, out, said=None):
    groups = {}
    for row in record.rows:
        required(record, row, "total_ms")
        groups.setdefault((row["type"], row["log2_count"]), []).append(row)
    # Three sizes tell it: between them nothing turns round.
    sizes = sorted(groups, key=lambda key: key[1])
    shown = list(dict.fromkeys((sizes[0], sizes[len(sizes) // 2], sizes[-1])))
    most = max(len(rows) for rows in groups.values())
    figure, cells, _ = panels(len(shown), 1, 9, 0.34 * most + 1.1)
    for panel, (key_type, log2_count) in zip(cells, shown):
        rows = groups[key_type, log2_count]
        draw_stack(panel, rows)
        panel.set_title(f"{power(log2_count)} keys of {key_type}")
    figure.tight_layout()
    figure.legend(*cells[0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=4, frameon=False)
    head(figure, said or f"Copies and the sort, {listed(device_name(row['device']) for row in record.rows)}")
    save(figure, out, record.name)


SAME = ("yes", "true", "1")  # what `identical` says where every run gave the same result


# ---- Partition ----------------------------------------------------------------------------------------------------------

def draw_partition_kinds(record, out, said=None):
    types = list(dict.fromkeys(row["type"] for row in record.rows))
    kinds = list(dict.fromkeys(row["kind"] for row in record.rows))
    figure, cells, columns = panels(len(types), 2, 11 if len(types) > 1 else 7.5, 4.0, sharey=True)
    for index, (panel, key_type) in enumerate(zip(cells, types)):
        rows = [row for row in record.rows if row["type"] == key_type]
        for number, kind in enumerate(kinds):
            chosen = [row for row in rows if row["kind"] == kind]
            points = sorted((row["log2_count"], required(record, row, "gigabytes_per_second")) for row in chosen)
            same = all(row["identical"] in SAME for row in chosen)
            panel.plot([2.0**at for at, _ in points], [rate for _, rate in points], color=SERIES[number],
                       marker=MARKERS[number], markersize=4.5, label=kind + (", every run the same" if same else ""))
        fastest = max(row["gigabytes_per_second"] for row in rows)
        if any("H200" in row["device"] for row in rows) and fastest > DRAM_GB_PER_S / 4:
            panel.axhline(DRAM_GB_PER_S, color=BLACK, linestyle="--", linewidth=1)
            panel.annotate("DRAM of an H200, by its data sheet", (0, DRAM_GB_PER_S), xycoords=("axes fraction", "data"),
                           xytext=(4, -4), textcoords="offset points", va="top", fontsize=9)
        axis_of_counts(panel, [row["log2_count"] for row in rows])
        panel.set_ylim(bottom=0)
        panel.set_title(key_type)
        panel.grid(True, alpha=0.3)
        if index % columns == 0:
            panel.set_ylabel("GB/s (keys read once and written once)")
    figure.tight_layout()
    cells[0].legend(loc="center left")
    sizes = join([power(at) for at in sorted({row["log2_count"] for row in record.rows})])
    head(figure, said or f"Partition: {sizes} keys of {listed(types)}, "
         f"{listed(device_name(row['device']) for row in record.rows)}")
    save(figure, out, record.name)
