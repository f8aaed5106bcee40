/* SPDX-License-Identifier: MIT */
/*
 * Choosing the device, by the table in device.h.
 */
#include "device.h"

#include "status.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "CDPSORT_DEVICE"

/* A decimal number, digits alone. */
static bool read_ordinal(const char *text, int *ordinal) {
  if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
    return false;
  errno = 0;
  const unsigned long value = strtoul(text, NULL, 10);
  if (errno != 0 || value > INT_MAX)
    return false;
  *ordinal = (int)value;
  return true;
}

cdp_status cdp_device_wish_read(int32_t option, cdp_device_wish *wish) {
  *wish = (cdp_device_wish){.kind = CDP_WISH_ANY_CUDA, .ordinal = 0, .source = "options.device"};
  if (option == CDP_DEVICE_SIMULATED) {
    wish->kind = CDP_WISH_SIMULATED;
    return CDP_OK;
  }
  if (option != CDP_DEVICE_AUTO) {
    wish->kind = CDP_WISH_ONE_CUDA;
    wish->ordinal = option - CDP_DEVICE_CUDA(0);
    return CDP_OK;
  }

  const char *value = secure_getenv(VARIABLE); // a set-uid program is not steered by its caller
  if (value == NULL || value[0] == '\0')
    return CDP_OK;
  wish->source = "the environment variable " VARIABLE;
  if (strcmp(value, "auto") == 0 || strcmp(value, "cuda") == 0)
    return CDP_OK;
  if (strcmp(value, "simulated") == 0) {
    wish->kind = CDP_WISH_SIMULATED;
    return CDP_OK;
  }
  static const char prefix[] = "cuda:";
  const size_t prefix_length = sizeof prefix - 1;
  if (strncmp(value, prefix, prefix_length) == 0 && read_ordinal(value + prefix_length, &wish->ordinal)) {
    wish->kind = CDP_WISH_ONE_CUDA;
    return CDP_OK;
  }
  return cdp_fail(CDP_ERROR_OPTION, 0,
                  "the environment variable " VARIABLE " is \"%.64s\": set it to auto, cuda, cuda:N (N a device number) or "
                  "simulated, or unset it",
                  value);
}

/* Where memory lies. */
static cdp_status locate(const cdp_device *device, const void *pointer, cdp_memory_place *place) {
  *place = (cdp_memory_place){.kind = CDP_MEMORY_HOST, .ordinal = -1};
  if (device->locator == NULL || pointer == NULL)
    return CDP_OK;
  cdp_fault fault = {0};
  return cdp_report(device->locator->locate(pointer, place, &fault), &fault, "finding out where memory lies");
}

static cdp_status choose_simulated(const cdp_device_wish *wish, const cdp_memory_place *place, cdp_device *device) {
  if (place->kind != CDP_MEMORY_HOST)
    return cdp_fail(CDP_ERROR_POINTER, 0,
                    "the keys are in %s memory, but %s asks for the simulated device, which sorts host memory: give it host "
                    "memory, or choose a CUDA device",
                    place->kind == CDP_MEMORY_DEVICE ? "device" : "managed", wish->source);
  device->engine = cdp_engine_simulated();
  device->ordinal = 0;
  return CDP_OK;
}

/* `devices`, at least 1, is how many there are. */
static cdp_status choose_cuda(const cdp_device_wish *wish, const cdp_memory_place *place, int devices, cdp_device *device) {
  if (wish->kind == CDP_WISH_ONE_CUDA) {
    if (wish->ordinal >= devices)
      return cdp_fail(
          CDP_ERROR_NO_DEVICE, 0,
          "%s asks for CUDA device %d, but the machine has %d, numbered from 0: choose one of them, or, " CDP_ASK_FOR_SIMULATED,
          wish->source, wish->ordinal, devices);
    if (place->kind == CDP_MEMORY_DEVICE && place->ordinal != wish->ordinal)
      return cdp_fail(
          CDP_ERROR_POINTER, 0,
          "the keys are in the memory of CUDA device %d, but %s asks for CUDA device %d: choose device %d, or leave "
          "the choice automatic",
          place->ordinal, wish->source, wish->ordinal, place->ordinal);
    device->ordinal = wish->ordinal;
    return CDP_OK;
  }
  if (place->kind == CDP_MEMORY_DEVICE) {
    device->ordinal = place->ordinal;
    return CDP_OK;
  }
  cdp_fault fault = {0};
  return cdp_report(device->engine->current(&device->ordinal, &fault), &fault, "asking for the current CUDA device");
}

/* The device is current meanwhile, and only then: what CUDA says of kernels, it says of the current device. */
static cdp_status describe(cdp_device *device) {
  cdp_fault fault = {0};
  cdp_previous previous;
  cdp_status status;
  TRY(cdp_report(device->engine->enter(device->ordinal, device->context, &previous, &fault), &fault,
                 "making the device current"));
  status =
      cdp_report(device->engine->describe(device->ordinal, &device->facts, &fault), &fault, "asking what the device is like");
  device->engine->leave(&previous);
cleanup:
  return status;
}

cdp_status cdp_device_choose(const cdp_device_wish *wish, const void *keys, cdp_device *device) {
  cdp_status status;
  *device = (cdp_device){.engine = cdp_engine_cuda(), .ordinal = 0, .keys_kind = CDP_MEMORY_HOST};
  cdp_fault fault = {0};
  const int devices = device->engine != NULL ? device->engine->device_count(&fault) : 0;
  if (devices > 0)
    device->locator = device->engine;
  else if (wish->kind != CDP_WISH_SIMULATED && device->engine == NULL)
    return cdp_fail(CDP_ERROR_NO_DEVICE, 0,
                    "no GPU can be used, because this cdpsort was built without the CUDA toolkit: build it with the toolkit; "
                    "or, " CDP_ASK_FOR_SIMULATED);
  else if (wish->kind != CDP_WISH_SIMULATED)
    return cdp_report(CDP_ERROR_NO_DEVICE, &fault, "no GPU can be used");

  cdp_memory_place place;
  TRY(locate(device, keys, &place));
  device->keys_kind = place.kind;
  device->context = place.context;
  if (wish->kind == CDP_WISH_SIMULATED)
    TRY(choose_simulated(wish, &place, device));
  else
    TRY(choose_cuda(wish, &place, devices, device));
  TRY(describe(device));
cleanup:
  return status;
}

cdp_status cdp_device_check_array(const cdp_device *device, const void *memory, const char *name, bool *is_copied) {
  cdp_status status;
  cdp_memory_place place;
  TRY(locate(device, memory, &place));
  *is_copied = place.kind == CDP_MEMORY_HOST && !device->engine->simulated;
  if (device->engine->simulated && place.kind != CDP_MEMORY_HOST)
    return cdp_fail(CDP_ERROR_POINTER, 0,
                    "%s is not in host memory: the simulated device works in host memory alone; give it that", name);
  if (place.kind == CDP_MEMORY_DEVICE && place.ordinal != device->ordinal)
    return cdp_fail(CDP_ERROR_POINTER, 0,
                    "%s is in the memory of CUDA device %d, but the sort runs on device %d: give it memory of that one", name,
                    place.ordinal, device->ordinal);
cleanup:
  return status;
}

cdp_status cdp_device_check_memory(const cdp_device *device, const void *memory, const char *name, const char *otherwise) {
  bool is_copied = false;
  cdp_status status;
  TRY(cdp_device_check_array(device, memory, name, &is_copied));
  if (is_copied)
    return cdp_fail(CDP_ERROR_POINTER, 0, "%s points to host memory: give it memory of CUDA device %d%s", name, device->ordinal,
                    otherwise);
cleanup:
  return status;
}

cdp_status cdp_device_check_stream(const cdp_device *device, const void *stream) {
  if (device->engine->simulated && stream != NULL)
    return cdp_fail(CDP_ERROR_POINTER, 0, "stream is not NULL: the simulated device has the default stream alone; give NULL");
  return CDP_OK;
}
