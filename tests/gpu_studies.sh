#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the records of a GPU that the guide's pictures, docs/studies.md and the notes are made of: what the samples measure, traces,
# the stages of a sort. (What the tests found is gpu_run.sh's to say, and how fast the library is, bench's.)
# usage: sh tests/gpu_studies.sh PROGRAMS FOLDER      PROGRAMS: a build's bin; FOLDER: where to write, such as docs/results
#
# python3 samples/plot/plot.py draws the pictures.
set -eu
case ${1:-} in
-h | --help)
  sed -n '3,7s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
if [ $# -ne 2 ] || [ ! -x "$1/timeline" ]; then
  echo "error: usage: gpu_studies.sh PROGRAMS FOLDER, and PROGRAMS has the samples" >&2
  exit 2
fi
programs=$1
folder=$2
plot=$(cd "$(dirname "$0")/../samples/plot" && pwd)
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
export CDPSORT_DEVICE=cuda
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# trace NAME WORDS OPTION...: a traced sort, with a comment in front that says of what.
trace() {
  name=$1 said=$2
  shift 2
  "$programs/timeline" "$@" --csv "$work/trace.csv" --json "$work/$name.json" >/dev/null
  { echo "# $device, u32, random, $said"; cat "$work/trace.csv"; } >"$folder/trace-$name.csv"
}

# rows FILE SAMPLE OPTION...: a sample's rows, behind those that the file has.
rows() {
  file=$1 sample=$2
  shift 2
  "$programs/$sample" "$@" --csv "$work/rows.csv" >/dev/null
  if [ -s "$file" ]; then tail -n +2 "$work/rows.csv" >>"$file"; else cp "$work/rows.csv" "$file"; fi
}

trace classic-2p24 "two children" --count 2^24 --fan-out 2
trace default-2p24 "by a map (default)" --count 2^24
trace splitters-2p24 "many children by splitters" --count 2^24 --fan-out 1024
trace advanced-2p20 "as NVIDIA's sample" --count 2^20 --preset advanced-quicksort

for log2 in 22 24 25 26 27; do
  for run in 1 2 3; do
    "$programs/timeline" --count "2^$log2" --csv "$work/stages-$log2-$run.csv" >/dev/null
  done
done
python3 "$plot/stages.py" "$device" "$work"/stages-*.csv >"$folder/stages.csv"

# The suffix of files is of the device that the documents speak of.
for sample in distinct distributions partition_kinds transfer; do
  "$programs/$sample" --csv "$folder/$sample-h200.csv" >/dev/null
done
rm -f "$folder/schemes-h200.csv"
rows "$folder/schemes-h200.csv" schemes --count 2^24
rows "$folder/schemes-h200.csv" schemes --count 2^20 --short none
"$programs/depth_study" --count 2^24 --fan-outs 2,8,64,1024 --schemes last-block,controller --leaves 32,64,128,256,512,1024 \
  --depth-limits none,1,2,3,4,5,6,7,8,10,12,0 --csv "$folder/depth_study-h200.csv" >/dev/null
"$programs/resident_blocks" >"$folder/resident_blocks.txt"
echo "records of $device written to $folder"
