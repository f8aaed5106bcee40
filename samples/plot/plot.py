#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws pictures, as PNG, of what the samples write with --csv. Needs matplotlib (Debian: python3-matplotlib).

usage: python3 samples/plot/plot.py FILE.csv... [--out DIRECTORY] [--title TEXT]
                                             these, into DIRECTORY (the current one)
       python3 samples/plot/plot.py          the pictures of the documents, from docs/results into docs/pictures

What a CSV file records is known by its header, whatever its name:
  timeline       NAME-timeline, NAME-tree        bench              NAME-speed, NAME-distributions
  depth_study    NAME-depth                      distributions      NAME, NAME-speedup
  schemes, distinct, partition_kinds, transfer   NAME
A drawing that has too little to show is left out: of bench, speed without several numbers of random keys.
Of the simulated device depth_study, schemes and distinct show counts, which are exact there. The others' times mean nothing: exit code 1.

exit code: 0 all drawn; 1 a record is at fault, and a message says how; 2 the command line is.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # a checkout stays as it is
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"

# The pictures of the documents: the record in docs/results, and which of its drawings.
PICTURES = {
    "speed": ("map", "-speed"),
    "distributions": ("map", "-distributions"),
    "stages": ("stages", ""),
    "trace-classic-2p24-timeline": ("trace-classic-2p24", "-timeline"),
    "trace-classic-2p24-tree": ("trace-classic-2p24", "-tree"),
    "trace-default-2p24-timeline": ("trace-default-2p24", "-timeline"),
    "trace-splitters-2p24-timeline": ("trace-splitters-2p24", "-timeline"),
    "trace-advanced-2p20-timeline": ("trace-advanced-2p20", "-timeline"),
    "depth_study-h200-depth": ("depth_study-h200", "-depth"),
    "schemes-h200": ("schemes-h200", ""),
    "distinct-h200": ("distinct-h200", ""),
    "distributions-h200": ("distributions-h200", ""),
    "distributions-h200-speedup": ("distributions-h200", "-speedup"),
    "partition_kinds-h200": ("partition_kinds-h200", ""),
    "transfer-h200": ("transfer-h200", ""),
}


def parse(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "), add_help=False)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--title")
    parser.add_argument("-h", "--help", action="store_true")
    return parser.parse_args(words)


def drawings():
    """Kind of record -> what is added to its name -> the function that returns the figures."""
    import bench
    import memory
    import studies
    import tables
    import timeline
    import tree
    return {
        "bench": {"-speed": bench.draw_speed, "-distributions": bench.draw_distributions},
        "stages": {"": bench.draw_stages},
        "trace": {"-timeline": timeline.draw_timeline, "-tree": tree.draw_tree},
        "depth_study": {"-depth": studies.draw_depth},
        "schemes": {"": studies.draw_schemes},
        "distributions": {"": tables.draw_distributions, "-speedup": tables.draw_speedup},
        "distinct": {"": tables.draw_distinct},
        "partition_kinds": {"": memory.draw_partition_kinds},
        "transfer": {"": memory.draw_transfer},
    }


def drawings_of(record):
    """The drawings of a record. Those of the simulated device show what is exact there; where that is nothing, they say so."""
    import counts
    if not counts.is_simulated(record) or record.kind in ("bench", "stages", "trace"):
        return drawings()[record.kind]
    return {"depth_study": {"-depth": counts.draw_depth}, "schemes": {"": counts.draw_schemes},
            "distinct": {"": counts.draw_distinct}}.get(record.kind, {"": counts.refuse})


def main(words):
    wanted = parse(words)
    if wanted.help:
        print(__doc__.strip())
        return 0
    try:
        import matplotlib  # noqa: F401, to say what is missing
    except ImportError:
        print("plot.py: matplotlib is missing (Debian: python3-matplotlib)", file=sys.stderr)
        return 1
    import page
    import records
    if wanted.files:
        out = wanted.out or pathlib.Path(".")
        chosen = [(path, None, path.stem) for path in wanted.files]
    else:
        out = wanted.out or DOCS / "pictures"
        chosen = [(DOCS / "results" / f"{record}.csv", which, name) for name, (record, which) in PICTURES.items()]
    code = 0
    for path, which, name in chosen:
        try:
            record = records.read(path)
            for more, draw in drawings_of(record).items():
                if which in (None, more):
                    for at, figure in enumerate(draw(record, wanted.title)):
                        page.save(figure, out / (name + (more if which is None else "") + (f"-{at + 1}" if at else "") + ".png"))
        except (page.PlotError, OSError) as error:
            print(f"plot.py: {error}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
