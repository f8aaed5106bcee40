# SPDX-License-Identifier: MIT
"""What all pictures share: colours, words for numbers, titles, and how a picture is written.

A figure is 10 inches wide and a picture 1,400 pixels, so that its text can be read in a page 800 pixels wide. The same record
gives the same file.
"""
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

INCHES_WIDE = 10.0
PIXELS_WIDE = 1400
PAD_INCHES = 0.1
COLOURS_MOST = 256  # of a picture: a palette takes a third of the bytes

# The colours of Okabe and Ito, which stay apart for colour-blind eyes.
BLACK, ORANGE, SKY, GREEN, YELLOW = "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#999999"
SERIES = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, YELLOW]
MARKERS = "osD^vPX*"
PALE_RED = "#F8D5C2"  # ground: where something is lost

# Every map of times has these colours: the darker, the longer.
TIME_COLOURS = "cividis_r"

plt.rcParams.update({
    "font.size": 10.5,
    "axes.titlesize": 11,
    "axes.axisbelow": True,
    "figure.titlesize": 13,
    "hatch.linewidth": 0.7,
})

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

SCHEMES = {"last-block": "last block", "controller": "controller", "host": "host",
           "host-loop": "host"}  # as records of 0.2.0 have it


class PlotError(Exception):
    """A record that cannot be drawn, and why."""


def power(exponent):
    """A number of keys by its logarithm: 2²⁴, or about 1,000,000 where that is no whole number."""
    if exponent != int(exponent):
        return f"about {2**exponent:,.0f}"
    return "2" + str(int(exponent)).translate(SUPERSCRIPTS)


def number(value):
    """2²⁴ for a power of two from 1,024 on, 1,000,000 for others."""
    value = int(value)
    if value >= 1024 and value & (value - 1) == 0:
        return power(value.bit_length() - 1)
    return f"{value:,}"


def short(value):
    """Three figures, without an exponent."""
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"


def plain(value, _position=None):
    """A number beside a tick of a logarithmic axis."""
    return f"{value:,g}"


def device_name(text):
    """The part of a device's description that stands before its bracket."""
    return text.split(" (")[0].strip() or "unknown device"


def join(values):
    """What several rows have in common or do not: '2²⁰', or '2¹⁰ to 2²⁴' by the first and the last."""
    seen = list(dict.fromkeys(values))
    return seen[0] if len(seen) == 1 else f"{seen[0]} to {seen[-1]}"


def listed(values):
    return ", ".join(dict.fromkeys(values))


def fan_out_words(fan_out):
    """A fan-out as the CSV files have it, in words."""
    if fan_out in ("2", "classic"):
        return "two children (classic)"
    if fan_out in ("0", "default"):
        return "default fan-out"
    return f"up to {int(fan_out):,} children" if fan_out.isdigit() else fan_out


def scheme_words(scheme):
    return SCHEMES.get(scheme, scheme.replace("-", " "))


def panels(count, columns_most, height, sharex=False, sharey=False):
    """A figure and `count` panels in rows of at most `columns_most`; `height` is a row's, or the rows' heights."""
    columns = min(count, columns_most)
    rows = (count + columns - 1) // columns
    heights = height if isinstance(height, list) else [height] * rows
    figure, grid = plt.subplots(rows, columns, figsize=(INCHES_WIDE, sum(heights)), squeeze=False, sharex=sharex, sharey=sharey,
                                gridspec_kw={"height_ratios": heights})
    cells = [cell for row in grid for cell in row]
    for cell in cells[count:]:
        cell.set_visible(False)
    return figure, cells[:count], columns


def axis_of_counts(panel, log2_counts, label="keys"):
    """A logarithmic horizontal axis with a tick at each number of keys, or at some if there are many."""
    ticks = sorted(set(log2_counts))
    step = (len(ticks) + 11) // 12
    panel.set_xscale("log", base=2)
    panel.set_xticks([2.0**tick for tick in ticks[::step]], [power(tick) for tick in ticks[::step]])
    panel.minorticks_off()
    panel.set_xlabel(label)


def head(figure, title, note=None):
    """The title of a picture above all its panels, and smaller text below it."""
    inch = 1 / figure.get_figheight()
    text = figure.suptitle(title, y=1.0 + 0.08 * inch, va="bottom", fontweight="bold")
    if note:
        text.set_y(1.0 + (0.18 + 0.18 * len(note.splitlines())) * inch)
        figure.text(0.5, 1.0 + 0.08 * inch, note, ha="center", va="bottom")


def legend_below(figure, handles, labels=None, columns=4):
    labels = labels or [handle.get_label() for handle in handles]
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.02 / figure.get_figheight()), ncol=columns,
                  frameon=False)


def save(figure, path):
    figure.canvas.draw()  # what is laid out when it is drawn has its place now
    wide = figure.get_tightbbox(figure.canvas.get_renderer()).width + 2 * PAD_INCHES
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight", pad_inches=PAD_INCHES, dpi=PIXELS_WIDE / wide)
    plt.close(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    palette = Image.open(drawn).convert("RGB").quantize(COLOURS_MOST, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette.save(path, optimize=True)
    print(path)
