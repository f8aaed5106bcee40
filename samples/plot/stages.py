#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stages of sorts by a map, from traces: prints the CSV that plot.py and performance.md know as stages.csv.

usage: python3 samples/plot/stages.py DEVICE TRACE.csv...      traces of timeline --csv: of one number of keys, or of several

A stage is from its begin to the next one's; the last one to the root's end. Of traces of as many keys it is the median.

exit code: 0 all well, 1 a trace is none of a sort by a map of keys that are spread evenly, and it is named
"""
import collections
import csv
import statistics
import sys

STAGES = (("count", 4), ("scatter", 8), ("scatter_again", 8), ("sort", 8))  # bytes that each reads and writes for a key of 4


def stages_of(path):
    """The number of keys, and microseconds by stage."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        events = [row for row in rows if row["kind"] != "batch"]  # of long arrays: a grid beside the root's that finds nothing to do
    kinds = [event["kind"] for event in events]
    if kinds[:1] != ["root"] or kinds[-1:] != ["buckets"] or kinds[1:-1] not in (["map"] * 2, ["map"] * 3):
        raise ValueError(f"{path}: no sort by a map of evenly spread keys, but {', '.join(kinds[:6])}")
    begins = [float(event["begin_ns"]) for event in events]
    ends = begins[1:] + [float(events[0]["end_ns"])]
    names = ["look", "count", "scatter", "scatter_again", "sort"]
    if len(events) == 4:
        names.remove("scatter_again")
    return int(events[0]["range_end"]), dict(zip(names, [(end - begin) / 1000 for begin, end in zip(begins, ends)]))


def main(words):
    if len(words) < 2 or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if words[:1] in (["-h"], ["--help"]) else 2
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    try:
        for path in words[1:]:
            keys, stages = stages_of(path)
            for stage, microseconds in stages.items():
                times[keys][stage].append(microseconds)
    except (OSError, ValueError, KeyError) as error:
        print(f"stages.py: {error}", file=sys.stderr)
        return 1
    print(f"# The stages of sorts of random keys of 32 bits by a map, {words[0]}: medians of traces by build/bin/timeline "
          "--count 2^N --csv FILE. Kernels with hooks. bytes_per_key: what a stage reads and writes.")
    print("log2_keys,stage,us,bytes_per_key")
    for keys in sorted(times):
        for stage, found in times[keys].items():
            print(f"{keys.bit_length() - 1},{stage},{statistics.median(found):.1f},{dict(STAGES).get(stage, 0)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
