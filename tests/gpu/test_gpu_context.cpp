/* SPDX-License-Identifier: MIT */
/*
 * A thread with a context of its own, made through the driver and not the primary one of its device: after a sort it is current
 * again, whether its device has sorted or another one.
 */
#include "gpu_check.h"

#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace gpu_check;

namespace {

/* The driver's functions, asked for by name, since the tests do not link with libcuda either. */
struct Driver {
  CUresult (*get_device)(CUdevice *, int);
#if CUDA_VERSION >= 13000
  CUresult (*create)(CUcontext *, CUctxCreateParams *, unsigned int, CUdevice);
#else
  CUresult (*create)(CUcontext *, unsigned int, CUdevice);
#endif
  CUresult (*destroy)(CUcontext);
  CUresult (*get_current)(CUcontext *);
  CUresult (*set_current)(CUcontext);
};

Driver driver;
CUcontext own_context;

/* Ends the test unless there is such a function, as this CUDA_VERSION declares it. */
template <typename Function>
void find(const char *name, Function *function) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  CHECK_CUDA(cudaGetDriverEntryPointByVersion(name, &entry, CUDA_VERSION, cudaEnableDefault, &found));
#else
  CHECK_CUDA(cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found));
#endif
  ck_assert_msg(found == cudaDriverEntryPointSuccess && entry != nullptr, "the driver has no %s", name);
  *function = reinterpret_cast<Function>(entry);
}

void require_driver(CUresult result, const char *call) {
  ck_assert_msg(result == CUDA_SUCCESS, "%s: driver error %d", call, static_cast<int>(result));
}
#define CHECK_DRIVER(call) require_driver((call), #call)

/* Makes the context, which is then current. */
void make_context() {
  CUdevice device = 0;
  find("cuDeviceGet", &driver.get_device);
  find("cuCtxCreate", &driver.create);
  find("cuCtxDestroy", &driver.destroy);
  find("cuCtxGetCurrent", &driver.get_current);
  find("cuCtxSetCurrent", &driver.set_current);
  CHECK_DRIVER(driver.get_device(&device, 0));
#if CUDA_VERSION >= 13000
  CHECK_DRIVER(driver.create(&own_context, nullptr, 0, device));
#else
  CHECK_DRIVER(driver.create(&own_context, 0, device));
#endif
}

/* Whatever the test has left current; the tests that follow have the primary context. */
void drop_context() {
  if (own_context != nullptr)
    driver.destroy(own_context);
  own_context = nullptr;
  cudaSetDevice(0);
  cudaGetLastError();
}

void must_be_current(const char *when) {
  CUcontext current = nullptr;
  int ordinal = -1;
  CHECK_DRIVER(driver.get_current(&current));
  CHECK_CUDA(cudaGetDevice(&ordinal));
  ck_assert_msg(current == own_context, "%s: another context is current", when);
  ck_assert_msg(ordinal == 0, "%s: device %d is current", when, ordinal);
}

std::vector<uint32_t> make_keys() {
  std::vector<uint32_t> keys(pick(1 << 20, 20011));
  uint32_t state = static_cast<uint32_t>(seed());
  for (uint32_t &key : keys)
    key = state = 1664525u * state + 1013904223u;
  return keys;
}

/* _i: the device that sorts. The context is the first one's. */
START_TEST(test_own_context_stays_current) {
  const std::string name = "CUDA device " + std::to_string(_i);
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_CUDA(_i);
  must_be_current("before the sort");
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    options.scheme = scheme_at(scheme);
    std::vector<uint32_t> keys = make_keys();
    std::vector<uint32_t> wanted = keys;
    std::sort(wanted.begin(), wanted.end());
    CHECK_SORT(cdp_quicksort(keys.data(), keys.size(), CDP_U32, &options));
    must_be_current("after the sort");
    ck_assert_msg(keys == wanted, "%s: not sorted, or not the same keys", scheme_name(options.scheme));
    ck_assert_msg(strstr(cdp_last_device(), name.c_str()) != nullptr, "sorted on \"%s\"", cdp_last_device());
    size_t bytes = 0;
    CHECK_SORT(cdp_quicksort_workspace(1 << 20, CDP_U32, &options, &bytes));
    must_be_current("after the question about the workspace");
  }
}
END_TEST

/* A call that fails leaves it current, too. */
START_TEST(test_own_context_stays_current_after_a_failure) {
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  uint32_t keys[] = {2, 1};
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_CUDA(devices);
  CHECK_FAILS(CDP_ERROR_NO_DEVICE, cdp_quicksort(keys, 2, CDP_U32, &options));
  must_be_current("after a sort on a device that there is not");
}
END_TEST

/* One where they can't be counted: the test on the first then says why. */
int count_devices() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? devices : 1;
}

/* Another device than the context's is tested where there is one. */
Suite *make_suite() {
  Suite *suite = suite_create("gpu_context");
  TCase *test_case = add_case(suite, "a context of one's own");
  tcase_add_checked_fixture(test_case, make_context, drop_context);
  tcase_add_loop_test(test_case, test_own_context_stays_current, 0, std::min(count_devices(), 2));
  tcase_add_test(test_case, test_own_context_stays_current_after_a_failure);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
