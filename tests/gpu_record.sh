# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What tests/gpu_run.sh writes down, as lines of JSON in files of a folder. To be sourced, after samples/setup.sh, by a script
# that has set `work` to the folder:
#     $work/tests        outcomes of tests, samples, benchmarks, the soak and the graphs, {"suite", "case", "name", "outcome",
#                        "message"}
#     $work/programs     how long each program took, {"program", "exit_code", "seconds"}
#     $work/memcheck     {"tool", "program", "outcome", "summary"}
#     $work/benchmarks   rows of tests/bench
#     $work/graph_replays  rows of tests/gpu/graph_replays

: "${work:?tests/gpu_record.sh needs work}"
started=$(date +%s)

# Says what comes now, and how many seconds after the start.
say() {
  cdpsort_say "$(($(date +%s) - started)) s: $*"
}

# Standard input as a JSON string.
quoted() {
  tr '\000-\010\013-\037\177' ' ' |
    awk 'BEGIN { ORS = ""; print "\"" } { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t")
      print (NR > 1 ? "\\n" : "") $0 } END { print "\"" }'
}

# outcome SUITE CASE NAME OUTCOME [MESSAGE]: a line of the tests' list. Outcomes: passed, failed, error, skipped.
outcome() {
  printf '{"suite": %s, "case": %s, "name": %s, "outcome": "%s"%s}\n' "$(printf %s "$1" | quoted)" \
    "$(printf %s "$2" | quoted)" "$(printf %s "$3" | quoted)" "$4" \
    "${5:+, \"message\": $(printf %s "$5" | quoted)}" >>"$work/tests"
  [ "$4" = passed ] || say "$4: $1 / $2 / $3${5:+: $5}"
}

# Check's XML log, one element a line, as lines of the tests' list.
outcomes_of_log() {
  awk -v fallback="$2" '
    function value(line) { sub(/^[^>]*>/, "", line); sub(/<\/[a-z]*>[^>]*$/, "", line); return plain(line) }
    function plain(text) {
      gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
      gsub(/&#x[0-9A-Fa-f]+;/, " ", text); gsub(/&amp;/, "\\&", text); return text
    }
    function json(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/[\001-\037]/, " ", text); return "\"" text "\"" }
    /<title>/ { suite = value($0) }
    /<test result=/ { split($0, parts, "\""); result = parts[2]; id = ""; iteration = ""; kase = ""; message = "" }
    /<id>/ { id = value($0) }
    /<iteration>/ { iteration = value($0) }
    /<description>/ { kase = value($0) }
    /<message>/ { message = value($0) }
    /<\/test>/ {
      word = result == "success" ? "passed" : result == "failure" ? "failed" : "error"
      printf "{\"suite\": %s, \"case\": %s, \"name\": %s, \"outcome\": \"%s\"", json(suite == "" ? fallback : suite), json(kase), \
        json(id (iteration > 0 ? "[" iteration "]" : "")), word
      if (word != "passed") printf ", \"message\": %s", json(message)
      print "}"
    }' "$1"
}

# The rows of a CSV file, whose first line has the names and in which nothing is quoted, as lines of JSON.
objects_of_csv() {
  awk -F, 'NR == 1 { for (field = 1; field <= NF; field++) name[field] = $field; next } {
      printf "{"
      for (field = 1; field <= NF; field++)
        printf "%s\"%s\": %s", (field > 1 ? ", " : ""), name[field], \
          ($field ~ /^-?[0-9][0-9.e+-]*$/ ? $field : "\"" $field "\"")
      print "}"
    }' "$1"
}

# duration PROGRAM EXIT_CODE SECONDS: a line of the programs' list, and of the log.
duration() {
  printf '{"program": %s, "exit_code": %s, "seconds": %s}\n' "$(printf %s "$1" | quoted)" "$2" "$3" >>"$work/programs"
  say "$1 took $3 s"
}

# Whether an exit code is that of timeout(1).
out_of_time() {
  [ "$1" -eq 124 ] || [ "$1" -eq 137 ]
}

# The lines of a file as the elements of a JSON array.
elements() {
  awk '{ printf "%s\n    %s", (NR > 1 ? "," : ""), $0 } END { if (NR) printf "\n  " }' "$1"
}

# count OUTCOME FILE: how many of the file's lines have it.
count() {
  grep -c "\"outcome\": \"$1\"" "$2" || true
}

# bad_outcomes FILE: how many of its lines have another outcome than passed.
bad_outcomes() {
  grep -c '"outcome": "\(failed\|error\|skipped\)"' "$1" || true
}
