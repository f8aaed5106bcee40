#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws pictures from records, as PNG and SVG. Needs matplotlib (Debian: python3-matplotlib).

usage: python3 samples/plot/plot.py            every record in docs/results, into docs/pictures
       python3 samples/plot/plot.py FILE.csv... [--out DIRECTORY] [--title TEXT]
                                                              these, into DIRECTORY (the current one)

What a CSV file records is known by its header, whatever its name:
  a trace (timeline --csv)      NAME-timeline, NAME-tree     partition_kinds   NAME
  depth_study                   NAME-depth                   transfer          NAME
  schemes, distinct             NAME                         distributions     NAME, NAME-speedup
In docs/results such files are called trace-*.csv, depth_study-*.csv and so on. From map.csv and stages.csv there come cost and
stages.

exit code: 0 all drawn; 1 a record is at fault, and a message says how; 2 the command line is.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # a checkout stays as it is
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def parse(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "), add_help=False)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--title")
    parser.add_argument("-h", "--help", action="store_true")
    return parser.parse_args(words)


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
    import draw
    if wanted.files:
        return draw.files(wanted.files, wanted.out or pathlib.Path("."), wanted.title)
    return draw.everything(DOCS / "results", wanted.out or DOCS / "pictures")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
