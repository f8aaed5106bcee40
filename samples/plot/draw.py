# SPDX-License-Identifier: MIT
"""From a record to the modules that draw it."""
import sys

import depth, inputs, memory, peers, schemes, timeline, tree
from page import PlotError
from records import COLUMNS, read

DRAWERS = {
    "trace": (timeline.draw, tree.draw),
    "depth_study": (depth.draw,),
    "schemes": (schemes.draw,),
    "distributions": (inputs.draw_distributions, inputs.draw_speedup),
    "distinct": (inputs.draw_distinct,),
    "partition_kinds": (memory.draw_partition_kinds,),
    "transfer": (memory.draw_transfer,),
}


def files(paths, out, title=None):
    """Draws these; returns the exit code."""
    code = 0
    for path in paths:
        try:
            record = read(path)
            for drawer in DRAWERS[record.kind]:
                drawer(record, out, title)
        except (PlotError, OSError) as error:
            print(f"plot.py: {error}", file=sys.stderr)
            code = 1
    return code


def everything(results, out):
    """Draws whatever is in docs/results; returns the exit code."""
    code = 0
    try:
        peers.draw_cost(results, out)
        peers.draw_stages(results, out)
    except (KeyError, ValueError, OSError) as error:
        print(f"plot.py: {results}: map.csv or stages.csv is incomplete: {error!r}", file=sys.stderr)
        code = 1
    paths = sorted(path for kind in COLUMNS for path in results.glob(f"{kind}-*.csv"))
    return max(code, files(paths, out))
