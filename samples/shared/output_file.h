/* SPDX-License-Identifier: MIT */
/*
 * Files that the samples write. What had the name before keeps it until there is something to put in its place: what is written
 * goes to a new file beside it, which takes the name in the end, or as soon as output_publish() says so. Where anything fails,
 * or the program is interrupted before, the new file is removed. Pipes and devices are written as they are.
 *
 *     output_prepare(&out, "program", path);   before the work: finds out whether the file can be written
 *     output_begin(&out);                      opens out.file; or somebody else writes to output_path(&out)
 *     output_close(&out, good);                gives the file its name
 *
 * Everything here says what is wrong on stderr itself.
 */
#ifndef CDPSORT_SAMPLES_OUTPUT_FILE_H
#define CDPSORT_SAMPLES_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file {
  const char *program; /* opens every message */
  const char *name;    /* for messages */
  char *target;        /* what the file shall be called in the end; NULL is standard output */
  char *unfinished;    /* what it is called until then; NULL where the target itself is written */
  FILE *file;
} output_file;

/* `path` NULL is standard output. False, and a message, where it cannot be written; then there is nothing to close. */
bool output_prepare(output_file *out, const char *program, const char *path);

/* The path that is to be written to. */
const char *output_path(const output_file *out);

/* Opens it. False, and a message, on failure. */
bool output_begin(output_file *out);

/* Gives the file its name, though more may be written to it. False, and a message, on failure. */
bool output_publish(output_file *out);

/* Says on stderr that the file cannot be written, and why errno says so. Returns false. */
bool output_complain(const output_file *out);

/* Closes the file and, where it is good and nobody has yet, publishes it. False, and perhaps a message, where it is not good. */
bool output_close(output_file *out, bool good);

#endif
