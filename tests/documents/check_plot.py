#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a small example of each kind of record with samples/plot/plot.py, and has it refuse records that are at fault.

An example is a few rows of a record in docs/results. A picture must be there under its name, as wide as all are, and not empty.
Needs matplotlib.

usage: python3 tests/documents/check_plot.py
       exit code: 0 all well, 1 something is not, and it is named; 2 the command line is at fault
"""
import contextlib
import io
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from command_line import operands  # noqa: E402, no bytecode of it

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "samples" / "plot"))

operands(__doc__, 0, 0)
try:
    import page
    import plot
    import records
    from PIL import Image
except ImportError as error:
    sys.exit(f"check_plot.py: {error.name} is missing (Debian: python3-matplotlib)")

ROWS = 40  # of a record
# Kind -> a record, and what is added to its name.
EXAMPLES = {
    "bench": ("map", ("-speed", "-distributions")),
    "stages": ("stages", ("",)),
    "trace": ("trace-classic-2p24", ("-timeline", "-tree")),
    "depth_study": ("depth_study-h200", ("-depth",)),
    "schemes": ("schemes-h200", ("",)),
    "distributions": ("distributions-h200", ("", "-speedup")),
    "distinct": ("distinct-h200", ("",)),
    "partition_kinds": ("partition_kinds-h200", ("",)),
    "transfer": ("transfer-h200", ("",)),
}
BYTES_MOST = 200_000
COLOURED_LEAST = 500  # pixels that are not grey: text and axes are


def cut(kind, lines):
    """The comment, the header and a few rows; of bench those of short arrays, which have several sizes and distributions."""
    comments = [line for line in lines if line.startswith("#")]
    header, *rows = [line for line in lines if not line.startswith("#")]
    if kind == "bench":
        rows = [row for row in rows if row.startswith("u32,") and int(row.split(",")[1]) <= 1 << 15]
    elif kind == "distributions":
        rows = [row for row in rows if ",random," in row or ",staggered," in row]
    else:
        rows = rows[:ROWS]
    return comments + [header] + rows


def draw(arguments):
    """What plot.py returns, and what it says."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = plot.main([str(argument) for argument in arguments])
    return code, said.getvalue()


def picture_faults(path):
    if not path.exists():
        yield f"{path.name}: not drawn"
        return
    if path.stat().st_size > BYTES_MOST:
        yield f"{path.name}: {path.stat().st_size} bytes"
    with Image.open(path) as picture:
        if abs(picture.width - page.PIXELS_WIDE) > 20:
            yield f"{path.name}: {picture.width} pixels wide"
        colours = picture.convert("RGB").getcolors(1 << 24)
        if sum(count for count, colour in colours if max(colour) - min(colour) > 40) < COLOURED_LEAST:
            yield f"{path.name}: is empty"


def example_faults(folder):
    """What is wrong with the pictures of all kinds."""
    yield from (f"no example of the kind {kind}" for kind in records.COLUMNS if kind not in EXAMPLES)
    files = []
    for kind, (record, _) in EXAMPLES.items():
        lines = (ROOT / "docs" / "results" / f"{record}.csv").read_text(encoding="utf-8").splitlines()
        files.append(folder / f"{kind}.csv")
        files[-1].write_text("\n".join(cut(kind, lines)) + "\n", encoding="utf-8")
    code, said = draw([*files, "--out", folder / "pictures"])
    if code != 0:
        yield f"plot.py returns {code}: {said.strip()}"
    wanted = {f"{kind}{more}.png" for kind, (_, added) in EXAMPLES.items() for more in added}
    for name in sorted(wanted):
        yield from picture_faults(folder / "pictures" / name)
    yield from (f"{path.name}: not asked for" for path in folder.glob("pictures/*") if path.name not in wanted)


def simulated_faults(folder):
    """What is wrong with the pictures of records of the simulated device, and of records of few rows."""
    wanted = []
    for kind, more in (("depth_study", "-depth"), ("schemes", ""), ("distinct", "")):
        lines = (ROOT / "docs" / "results" / f"{EXAMPLES[kind][0]}.csv").read_text(encoding="utf-8").splitlines()
        rows = cut(kind, lines)
        if kind == "schemes":  # which the record of a GPU lacks
            rows = [line + (",trace_ns,traces,launched,depth,bytes_moved,tasks" if line.startswith("device") else ",9,1,3,2,4096,7")
                    for line in rows]
        for name, chosen in (("simulated", [line.replace("NVIDIA H200", "simulated device") for line in rows]), ("few", rows[:4])):
            path = folder / f"{kind}-{name}.csv"
            path.write_text("\n".join(chosen) + "\n", encoding="utf-8")
            wanted.append((path, f"{kind}-{name}{more}.png"))
    code, said = draw([*(path for path, _ in wanted), "--out", folder / "counts"])
    if code != 0:
        yield f"plot.py returns {code}: {said.strip()}"
    for _, name in wanted:
        yield from picture_faults(folder / "counts" / name)


def refusal_faults(folder):
    """Records that must not be drawn, and the words that say why."""
    header = records.COLUMNS["transfer"]
    row = "NVIDIA H200,u32,16,pinned,gpu,0.02,0.04,0.01,0.09,2.9"
    for name, lines, words in (
            ("nothing", [], "is empty"),
            ("headless", ["keys,price", "1,2"], "of no kind"),
            ("narrow", [header.replace(",total_ms", ""), row], "no column total_ms"),
            ("rowless", [header], "no rows"),
            ("wordy", [header, row.replace("0.09", "soon")], "'soon', not a number"),
            ("lacking", [header, row.replace("0.09", "")], "total_ms is empty"),
            ("timed", [header, row.replace("NVIDIA H200", "simulated device")], "record it on a GPU"),
            ("ownless", [records.COLUMNS["bench"], "u32,1024,random,cub-radix,0.01,0.1,,"], "no row of the mode default"),
    ):
        path = folder / f"{name}.csv"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        code, said = draw([path, "--out", folder / "refused"])
        if code != 1 or words not in said:
            yield f"{name}.csv: plot.py returns {code} and does not say \"{words}\": {said.strip()}"
    yield from (f"{path.name}: drawn of a record at fault" for path in folder.glob("refused/*"))


def main():
    with tempfile.TemporaryDirectory() as name:
        faults = [*example_faults(pathlib.Path(name)), *simulated_faults(pathlib.Path(name)), *refusal_faults(pathlib.Path(name))]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
