/* SPDX-License-Identifier: MIT */
/*
 * How the host side reports: every failure goes through cdp_fail() or cdp_report(), which keep the thread's message, and
 * travels upwards through TRY. Behind it is what cdp_last_message(), cdp_last_cuda_error() and cdp_last_device() return.
 *
 * A message says what was wrong and what to do about it.
 */
#ifndef CDPSORT_SRC_STATUS_H
#define CDPSORT_SRC_STATUS_H

#include "engine.h"

#include <cdpsort/cdpsort.h>

#if defined(__GNUC__)
#define CDP_PRINTF_FORMAT(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define CDP_PRINTF_FORMAT(format_index, first_argument)
#endif

/* How the simulated device is asked for: the end of every message that says no GPU can be used. */
#define CDP_ASK_FOR_SIMULATED                                                                                                  \
  "to sort on the CPU, set options.device = CDP_DEVICE_SIMULATED or the environment variable CDPSORT_DEVICE=simulated"

/* Goes to the function's cleanup label unless the call succeeds. The function has a `cdp_status status`. */
#define TRY(call)                                                                                                              \
  do {                                                                                                                         \
    status = (call);                                                                                                           \
    if (status != CDP_OK)                                                                                                      \
      goto cleanup;                                                                                                            \
  } while (0)

/* Forgets the thread's message and CUDA error: what every public call that returns a status does first. */
void cdp_message_clear(void);

/* Keeps the message and the cudaError_t (0: CUDA had no part in it) for this thread. Returns `status`. */
cdp_status cdp_fail(cdp_status status, int cuda_error, const char *format, ...) CDP_PRINTF_FORMAT(3, 4);

/*
 * Takes what a function of an engine returned: CDP_OK passes, anything else is kept with the engine's words, what was being
 * done ("allocating device memory") and the engine's advice, or what suits the status. Returns `status`.
 */
cdp_status cdp_report(cdp_status status, const cdp_fault *fault, const char *doing);

/*
 * What a call does last that has used a device and ends with CDP_OK. cdp_last_device() returns this name from now on in this thread;
 * the name must stay. Forgets the message of a call that the caller's allocator or comparison has made meanwhile.
 */
void cdp_call_succeeded(const char *device_name);

#endif
