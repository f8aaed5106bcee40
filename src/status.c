/* SPDX-License-Identifier: MIT */
/*
 * Status names and texts, and what a thread remembers of its last call: message, CUDA error, device.
 */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for an engine's sentence (cdp_fault), what was being done, and the advice. */
#define MESSAGE_BYTES 640

static _Thread_local char last_message[MESSAGE_BYTES];
static _Thread_local int last_cuda_error;
static _Thread_local const char *last_device = "";

typedef struct status_words {
  cdp_status status;
  const char *name;
  const char *text;
} status_words;

static const status_words known_statuses[] = {
    {CDP_OK, "CDP_OK", "success"},
    {CDP_ERROR_NULL, "CDP_ERROR_NULL", "a pointer that must not be NULL is NULL"},
    {CDP_ERROR_TYPE, "CDP_ERROR_TYPE", "key type unknown, or not for this call"},
    {CDP_ERROR_OPTION, "CDP_ERROR_OPTION", "an option is unknown or out of its range"},
    {CDP_ERROR_SIZE, "CDP_ERROR_SIZE",
     "more keys or columns than the call takes or can be addressed, or a size that there is not"},
    {CDP_ERROR_ALIGNMENT, "CDP_ERROR_ALIGNMENT", "keys, indices or workspace are misaligned"},
    {CDP_ERROR_WORKSPACE, "CDP_ERROR_WORKSPACE", "the workspace is too small or overlaps an array"},
    {CDP_ERROR_POINTER, "CDP_ERROR_POINTER",
     "memory of a kind, or on a device, that the call cannot use, or arrays that overlap"},
    {CDP_ERROR_FILE, "CDP_ERROR_FILE", "a file cannot be opened or written"},
    {CDP_ERROR_ORDER, "CDP_ERROR_ORDER", "what must be in order is not"},
    {CDP_ERROR_SOURCE, "CDP_ERROR_SOURCE", "the source of a comparison does not compile"},
    {CDP_ERROR_NO_DEVICE, "CDP_ERROR_NO_DEVICE", "no such device, or no usable GPU"},
    {CDP_ERROR_MEMORY, "CDP_ERROR_MEMORY", "host or device memory is exhausted"},
    {CDP_ERROR_UNSUPPORTED, "CDP_ERROR_UNSUPPORTED", "this combination of options cannot work"},
    {CDP_ERROR_CUDA, "CDP_ERROR_CUDA", "a CUDA call or kernel failed"},
    {CDP_ERROR_SIMULATED, "CDP_ERROR_SIMULATED",
     "the simulated device stopped: a kernel broke a rule, or memory was exhausted"},
};

/* NULL for a value outside the enumeration. */
static const status_words *words_of(cdp_status status) {
  for (size_t i = 0; i < sizeof known_statuses / sizeof known_statuses[0]; i++) {
    if (known_statuses[i].status == status)
      return &known_statuses[i];
  }
  return NULL;
}

const char *cdp_status_name(cdp_status status) {
  const status_words *words = words_of(status);
  return words ? words->name : "unknown status";
}

const char *cdp_status_text(cdp_status status) {
  const status_words *words = words_of(status);
  return words ? words->text : "unknown status";
}

const char *cdp_last_message(void) {
  return last_message;
}

int cdp_last_cuda_error(void) {
  return last_cuda_error;
}

const char *cdp_last_device(void) {
  return last_device;
}

int cdp_version(void) {
  return CDP_VERSION;
}

void cdp_message_clear(void) {
  last_message[0] = '\0';
  last_cuda_error = 0;
}

cdp_status cdp_fail(cdp_status status, int cuda_error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  // A negative length means a bad format string, which the compiler has ruled out; a cut message is still a message.
  if (vsnprintf(last_message, sizeof last_message, format, arguments) < 0)
    last_message[0] = '\0';
  va_end(arguments);
  last_cuda_error = cuda_error;
  return status;
}

/* What a caller can do about a failure that an engine reported. */
static const char *advice_for(cdp_status status) {
  switch (status) {
  case CDP_ERROR_NO_DEVICE:
    return CDP_ASK_FOR_SIMULATED;
  case CDP_ERROR_MEMORY:
    return "free some memory there, or sort fewer keys at a time";
  case CDP_ERROR_CUDA:
    return "look up cdp_last_cuda_error() in CUDA's documentation; the cause may be earlier work of this process on the device";
  case CDP_ERROR_SIMULATED:
    return "unless memory was exhausted, the fault is the library's: report it with the count, the options and the seed";
  default:
    return "choose another device or other options";
  }
}

cdp_status cdp_report(cdp_status status, const cdp_fault *fault, const char *doing) {
  if (status == CDP_OK)
    return CDP_OK;
  // The engine's sentence goes on here, so a full stop at its end goes.
  size_t length = strlen(fault->text);
  while (length > 0 && (fault->text[length - 1] == '.' || fault->text[length - 1] == '\n'))
    length--;
  const char *advice = fault->advice != NULL ? fault->advice : advice_for(status);
  if (length == 0)
    return cdp_fail(status, fault->cuda_error, "%s: %s; %s", doing, cdp_status_text(status), advice);
  return cdp_fail(status, fault->cuda_error, "%s: %.*s; %s", doing, (int)length, fault->text, advice);
}

void cdp_call_succeeded(const char *device_name) {
  cdp_message_clear();
  last_device = device_name;
}
