/* SPDX-License-Identifier: MIT */
/*
 * See fake_cuda.h: the functions of that runtime whose answer is always the same.
 */
#include "fake_cuda.h"

#include <cuda_runtime_api.h>

#include <string.h>

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  (void)limit;
  *value = 2048;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  (void)limit;
  (void)value;
  return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t error) {
  (void)error;
  return "cudaErrorOfTheFake";
}

const char *cudaGetErrorString(cudaError_t error) {
  (void)error;
  return "as the fake was told";
}

cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  (void)stream;
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  (void)mode;
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  (void)begin;
  (void)end;
  *milliseconds = 1;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
  (void)kernel;
  memset(attributes, 0, sizeof *attributes);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
  (void)kernel;
  (void)attribute;
  (void)value;
  return cudaSuccess;
}

static int occupancy_questions;

int fake_occupancy_questions(void) {
  return occupancy_questions;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads, size_t bytes,
                                                                   unsigned int flags) {
  (void)kernel;
  (void)threads;
  (void)bytes;
  (void)flags;
  occupancy_questions++;
  *blocks = 1;
  return cudaSuccess;
}

/* What nvcc's code calls when the program begins, and instead of a launch. */
void **__cudaRegisterFatBinary(void *code);
void **__cudaRegisterFatBinary(void *code) {
  static void *handle;
  (void)code;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
  (void)handle;
}

void __cudaRegisterFunction(void);
void __cudaRegisterFunction(void) {}

void __cudaRegisterVar(void);
void __cudaRegisterVar(void) {}

cudaError_t __cudaPopCallConfiguration(void);
cudaError_t __cudaPopCallConfiguration(void) {
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(void);
cudaError_t __cudaGetKernel(void) {
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(void);
cudaError_t __cudaLaunchKernel(void) {
  return cudaSuccess;
}
