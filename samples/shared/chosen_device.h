/* SPDX-License-Identifier: MIT */
/* On which device a sample runs: the GPU, or where there is none and nobody asked for one, the simulated device. */
#ifndef CDPSORT_SAMPLES_CHOSEN_DEVICE_H
#define CDPSORT_SAMPLES_CHOSEN_DEVICE_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether keys of this type can be sorted so at all, and which device does it: sorts two keys. Returns an exit code; where it is
 * not EXIT_SORTED, there was a message.
 *
 * Where there is no GPU and nobody named a device, neither by --device nor in the environment, `options` ask for the simulated
 * device from then on, and that is said on `stream` before anything else is printed, in one line. The caller of a library call must
 * never get the simulated device unasked; whoever runs a sample is told.
 */
int settle_device_telling(FILE *stream, const char *program, cdp_type type, cdp_options *options);

/* The same, telling on standard output. */
int settle_device(const char *program, cdp_type type, cdp_options *options);

/* Whether the last sort ran on the simulated device. */
bool was_simulated(void);

/* Says on standard output, after an empty line, what times are worth, if it did, and in a sentence what follows from that. Before any
   figure is printed. */
void print_simulated_times_notice(const char *follows);

/* What the last sort ran on, in a few words, such as "NVIDIA H200": cdp_last_device() up to the bracket. */
typedef struct device_text {
  char text[80];
} device_text;
device_text short_device(void);

/* cdp_last_message() with the options and values named as a command line names them; good until the next call of this. */
const char *library_message(void);

/* Exit code for a status that is not CDP_OK. */
int exit_code(cdp_status status);

/* Exit code for any status of the library's last call, after its message where that is not CDP_OK. */
int report_status(const char *program, cdp_status status);

#endif
