# SPDX-License-Identifier: MIT
"""Reads a CSV file and tells by its header what it records.

Lines that begin with '#' are comments. The first one becomes part of the title of a trace, which has no columns for the device
and the keys: "# NVIDIA H200, u32, random". Of bench and of stages it names the device.
"""
import csv

from page import PlotError

COLUMNS = {
    "bench": "type,count,distribution,mode,median_ms,gkeys_per_s,ratio_to_radix,ratio_to_merge",
    "stages": "log2_keys,stage,us,bytes_per_key",
    "trace": "launched_ns,begin_ns,end_ns,range_begin,range_end,kind,depth,blocks,multiprocessor,launcher,cuda_error,is_tail",
    "depth_study": "device,type,log2_count,distribution,scheme,child_streams,fan_out,pivot,depth_limit,leaf_items,milliseconds,"
                   "milliseconds_least,milliseconds_most,depth_count,tasks,children_launched,launches_refused,deferred,batches,"
                   "leaves,fallback_depth,equal_items,bytes_moved,balance,runs",
    "schemes": "device,type,log2_count,fan_out,scheme,milliseconds,grids,latency_median_ns,latency_least_ns,latency_most_ns,"
               "idle_ns,idle_longest_ns,pending_most,refused,runs",
    "distributions": "device,type,distribution,log2_count,std_sort_ms,device_ms,device_ms_least,device_ms_most,whole_ms,"
                     "speedup_device,speedup_whole,ratio_to_random,runs",
    "distinct": "device,table,fan_out,log2_count,distinct,std_sort_ms,device_ms,device_ms_least,device_ms_most,leaf32_ms,"
                "equal_items,greatest_depth,runs",
    "partition_kinds": "device,type,log2_count,kind,milliseconds,milliseconds_least,milliseconds_most,gigabytes_per_second,"
                       "identical,runs",
    "transfer": "device,type,log2_count,memory,mode,to_device_ms,sort_ms,to_host_ms,total_ms,gigabytes_per_second",
}

# Columns that older records lack: their entries are None there.
LATER_COLUMNS = {"schemes": ("trace_ns", "traces", "launched", "depth", "bytes_moved", "tasks")}

# Columns whose entries are words; all others are numbers, and an empty entry is None.
WORDS = {"device", "type", "distribution", "scheme", "child_streams", "fan_out", "pivot", "depth_limit", "kind", "table",
         "memory", "mode", "identical", "stage"}


class Record:
    """The rows of a file, what kind it is, and where it came from."""

    def __init__(self, path, kind, rows, comment):
        self.path = path
        self.name = path.stem
        self.kind = kind
        self.rows = rows
        self.comment = comment


def kind_of(path, names):
    """The kind whose columns are all there; otherwise says what is missing from the kind that is nearest."""
    missing = {kind: [name for name in columns.split(",") if name not in names] for kind, columns in COLUMNS.items()}
    for kind, absent in missing.items():
        if not absent:
            return kind
    nearest = min(missing, key=lambda kind: len(missing[kind]) / len(COLUMNS[kind].split(",")))
    if len(missing[nearest]) * 2 > len(COLUMNS[nearest].split(",")):
        raise PlotError(f"{path}: its header is of no kind that can be drawn ({', '.join(COLUMNS)})")
    raise PlotError(f"{path}: looks like a {nearest} file, but has no column {', '.join(missing[nearest])}")


def convert(path, line, name, text):
    if text is None:
        raise PlotError(f"{path}: line {line} has no entry for {name}")
    if name in WORDS:
        return text.strip()
    if text.strip() == "":
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise PlotError(f"{path}: line {line}: {name} is '{text}', not a number") from None


def read(path):
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PlotError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    comments = [line.lstrip("# ").strip() for line in lines if line.startswith("#")]
    numbered = [(at + 1, line) for at, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if not numbered:
        raise PlotError(f"{path}: is empty")
    table = csv.reader(line for _, line in numbered)
    names = [name.strip() for name in next(table)]
    kind = kind_of(path, names)
    columns = COLUMNS[kind].split(",")
    rows = []
    for (line, _), entries in zip(numbered[1:], table):
        given = dict(zip(names, entries))
        row = {name: convert(path, line, name, given.get(name)) for name in columns}
        row |= {name: convert(path, line, name, given.get(name, "")) for name in LATER_COLUMNS.get(kind, ())}
        rows.append(row)
    if not rows:
        raise PlotError(f"{path}: has a header and no rows")
    return Record(path, kind, rows, comments[0] if comments else "")


def required(record, row, name):
    """An entry that a picture cannot do without."""
    if row[name] is None:
        raise PlotError(f"{record.path}: {name} is empty in a row where it is needed")
    return row[name]
