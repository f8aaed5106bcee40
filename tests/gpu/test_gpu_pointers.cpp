/* SPDX-License-Identifier: MIT */
/*
 * Keys wherever they may lie: pageable, pinned, registered, managed and device memory, found out by the library; which device
 * it chooses; memory of the caller's allocator; and what happens when the device's memory is exhausted.
 */
#include "gpu_check.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace gpu_check;
using device_data::GUARD_BYTES;

namespace {

constexpr unsigned char HOST_PATTERN = 0x5A;

enum class Place { pageable, pinned, registered, managed };
constexpr int PLACES = 4;
const char *const place_names[PLACES] = {"pageable", "pinned", "registered", "managed"};

/* Memory that the host reaches, between guard zones. */
struct HostMemory {
  Place place;
  unsigned char *base;
  size_t bytes;

  unsigned char *memory() const {
    return base + GUARD_BYTES;
  }
};

HostMemory allocate_host(Place place, size_t bytes) {
  HostMemory host = {place, nullptr, bytes};
  const size_t all = bytes + 2 * GUARD_BYTES;
  void *base = nullptr;
  if (place == Place::pinned) {
    CHECK_CUDA(cudaMallocHost(&base, all));
  } else if (place == Place::managed) {
    CHECK_CUDA(cudaMallocManaged(&base, all, cudaMemAttachGlobal));
  } else {
    base = aligned_alloc(GUARD_BYTES, (all + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES);
    ck_assert_msg(base != nullptr, "no host memory");
    if (place == Place::registered)
      CHECK_CUDA(cudaHostRegister(base, all, cudaHostRegisterDefault));
  }
  host.base = static_cast<unsigned char *>(base);
  memset(base, HOST_PATTERN, all);
  return host;
}

void free_host(const HostMemory &host) {
  if (host.place == Place::pinned) {
    CHECK_CUDA(cudaFreeHost(host.base));
  } else if (host.place == Place::managed) {
    CHECK_CUDA(cudaFree(host.base));
  } else {
    if (host.place == Place::registered)
      CHECK_CUDA(cudaHostUnregister(host.base));
    free(host.base);
  }
}

void check_host_guards(const HostMemory &host, const char *how) {
  for (size_t index = 0; index < GUARD_BYTES; index++)
    if (host.base[index] != HOST_PATTERN || host.memory()[host.bytes + index] != HOST_PATTERN)
      ck_abort_msg("%s: a guard zone of the host memory was overwritten, %zu bytes into it", how, index);
}

/* Brings a subject's keys to the host, leaving the device's copy worthless. */
void take_to_host(const Subject &subject, const HostMemory &host) {
  CHECK_CUDA(cudaMemcpy(host.memory(), subject.keys.d_keys, host.bytes, cudaMemcpyDefault));
  CHECK_CUDA(cudaMemset(subject.keys.d_keys, 0, host.bytes));
  CHECK_CUDA(cudaDeviceSynchronize());
}

/* Brings sorted keys back, and has them judged. */
void check_on_device(const Subject &subject, const HostMemory &host, cdp_order order, const char *how) {
  check_host_guards(host, how);
  CHECK_CUDA(cudaMemcpy(subject.keys.d_keys, host.memory(), host.bytes, cudaMemcpyDefault));
  check_sorted(subject, order, how);
}

/* Every kind of memory, in every scheme, with two types. */
START_TEST(test_place) {
  const Place place = static_cast<Place>(_i);
  const char *how = place_names[_i];
  // Managed memory stays small: the device pages it in.
  const uint64_t count = place == Place::managed ? pick((1 << 20) + 3, 20011) : pick((1 << 23) + 3, 65539);
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    cdp_options options = CDP_OPTIONS_INIT;
    options.scheme = scheme_at(scheme);
    options.order = static_cast<cdp_order>(scheme % 2);
    const cdp_type type = scheme % 2 == 0 ? CDP_U32 : CDP_F64;
    const Subject subject = make_subject(type, count, scheme % 2 == 0 ? Distribution::random : Distribution::extremes);
    const HostMemory host = allocate_host(place, subject.memory.bytes);
    take_to_host(subject, host);
    CHECK_SORT(cdp_quicksort(host.memory(), count, type, &options));
    ck_assert_msg(strstr(cdp_last_device(), "CUDA device") != nullptr, "sorted on \"%s\"", cdp_last_device());
    check_on_device(subject, host, options.order, how);
    free_host(host);
    release(subject);
  }
}
END_TEST

/* Managed memory for the asynchronous call too. */
START_TEST(test_managed_async) {
  const Subject subject = make_subject(CDP_I32, pick((1 << 20) + 1, 20011), Distribution::random);
  const HostMemory host = allocate_host(Place::managed, subject.memory.bytes);
  take_to_host(subject, host);
  size_t bytes = 0;
  CHECK_SORT(cdp_quicksort_workspace(subject.keys.count, CDP_I32, nullptr, &bytes));
  const Guarded workspace = allocate_guarded(bytes);
  CHECK_SORT(cdp_quicksort_async(host.memory(), subject.keys.count, CDP_I32, nullptr, workspace.d_memory, bytes, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  judge_guards(subject, workspace);
  check_on_device(subject, host, CDP_ASCENDING, "managed, asynchronous");
  free_host(host);
}
END_TEST

/* A blocking call waits for the work of every stream of the device, so that keys may still be on their way. */
START_TEST(test_waits_for_earlier_work) {
  Subject subject = make_room(CDP_U64, pick(1 << 24, 1 << 15));
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (uint64_t round = 0; round < 10; round++)
    fill(subject, distribution_at(round), seed() + round, stream);
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U64, nullptr));
  check_sorted(subject, CDP_ASCENDING, "behind a stream's work");
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* The current device stays as it was, with keys on any device; and the name says which one sorted. */
START_TEST(test_current_device) {
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  for (int ordinal = 0; ordinal < devices; ordinal++) {
    CHECK_CUDA(cudaSetDevice(ordinal));
    const Subject subject = make_subject(CDP_U32, 100003, Distribution::random);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, nullptr));
    const std::string name = cdp_last_device();
    int current = -1;
    CHECK_CUDA(cudaGetDevice(&current));
    ck_assert_msg(current == 0, "the current device was 0, and is %d", current);
    const std::string wanted = "CUDA device " + std::to_string(ordinal);
    ck_assert_msg(name.find(wanted) != std::string::npos, "device %d sorted on \"%s\"", ordinal, name.c_str());
    CHECK_CUDA(cudaSetDevice(ordinal));
    check_sorted(subject, CDP_ASCENDING, "device memory");
    CHECK_CUDA(cudaSetDevice(0));
  }
}
END_TEST

/* Devices by option and by environment, such as there are and such as there are not. */
START_TEST(test_choice_of_device) {
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  const Subject subject = make_subject(CDP_U32, 5000, Distribution::random);
  void *d_keys = subject.keys.d_keys;
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_CUDA(devices);
  CHECK_FAILS(CDP_ERROR_NO_DEVICE, cdp_quicksort(d_keys, 5000, CDP_U32, &options));
  options.device = CDP_DEVICE_SIMULATED;
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort(d_keys, 5000, CDP_U32, &options));

  setenv("CDPSORT_DEVICE", "cuda:9999", 1);
  const cdp_status far_away = cdp_quicksort(d_keys, 5000, CDP_U32, nullptr);
  setenv("CDPSORT_DEVICE", "simulated", 1);
  const cdp_status simulated = cdp_quicksort(d_keys, 5000, CDP_U32, nullptr);
  setenv("CDPSORT_DEVICE", "quantum", 1);
  const cdp_status unknown = cdp_quicksort(d_keys, 5000, CDP_U32, nullptr);
  setenv("CDPSORT_DEVICE", "cuda:0", 1);
  const cdp_status first = cdp_quicksort(d_keys, 5000, CDP_U32, nullptr);
  unsetenv("CDPSORT_DEVICE");
  ck_assert_msg(far_away == CDP_ERROR_NO_DEVICE, "cuda:9999: %s", cdp_status_name(far_away));
  ck_assert_msg(simulated == CDP_ERROR_POINTER, "simulated: %s", cdp_status_name(simulated));
  ck_assert_msg(unknown == CDP_ERROR_OPTION, "quantum: %s", cdp_status_name(unknown));
  ck_assert_msg(first == CDP_OK, "cuda:0: %s", cdp_status_name(first));
  check_sorted(subject, CDP_ASCENDING, "on the first device");
}
END_TEST

/* The rest of the device's memory, to the last mebibyte. */
std::vector<void *> hoard;

void take_all_memory() {
  size_t free_bytes = 0;
  size_t all_bytes = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  for (size_t piece = free_bytes; piece >= 1 << 20;) {
    void *d_memory = nullptr;
    const cudaError_t error = cudaMalloc(&d_memory, piece);
    if (error == cudaSuccess) {
      hoard.push_back(d_memory);
    } else {
      ck_assert_msg(error == cudaErrorMemoryAllocation, "%s", cudaGetErrorString(error));
      cudaGetLastError();
      piece /= 2;
    }
  }
}

void free_hoard() {
  for (void *d_memory : hoard)
    cudaFree(d_memory);
  hoard.clear();
  cudaGetLastError();
}

/* Memory exhausted: keys in host and in device memory stay as they were, and are sorted when there is memory again. */
START_TEST(test_memory_exhausted) {
  const uint64_t host_count = uint64_t{1} << 27;
  const Subject subject = make_subject(CDP_U32, 1 << 23, Distribution::random);
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, nullptr)); // so that everything is loaded
  check_sorted(subject, CDP_ASCENDING, "before");
  const HostMemory host = allocate_host(Place::pageable, host_count * sizeof(uint32_t));
  const HostMemory before = allocate_host(Place::pageable, host.bytes);
  uint32_t *keys = reinterpret_cast<uint32_t *>(host.memory());
  uint32_t state = static_cast<uint32_t>(seed()) | 1u;
  for (uint64_t index = 0; index < host_count; index++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    keys[index] = state;
  }
  memcpy(before.memory(), host.memory(), host.bytes);

  CHECK_SORT(cdp_trim_memory()); // what the library keeps would be enough
  take_all_memory();
  CHECK_FAILS(CDP_ERROR_MEMORY, cdp_quicksort(keys, host_count, CDP_U32, nullptr));
  ck_assert_msg(cdp_last_cuda_error() == cudaErrorMemoryAllocation, "the CUDA error is %d", cdp_last_cuda_error());
  ck_assert_msg(memcmp(host.memory(), before.memory(), host.bytes) == 0, "keys in host memory have changed");
  check_host_guards(host, "memory exhausted");
  cdp_options backwards = CDP_OPTIONS_INIT;
  backwards.order = CDP_DESCENDING; // so that a sort would be seen
  CHECK_FAILS(CDP_ERROR_MEMORY, cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, &backwards));
  check_sorted(subject, CDP_ASCENDING, "refused for want of memory");

  free_hoard();
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, &backwards));
  check_sorted(subject, CDP_DESCENDING, "with memory again");
  CHECK_SORT(cdp_quicksort(keys, host_count, CDP_U32, nullptr));
  const uint32_t *fault = std::is_sorted_until(keys, keys + host_count);
  ck_assert_msg(fault == keys + host_count, "key %td is less than the one before it", fault - keys);
  free_host(before);
  free_host(host);
}
END_TEST

/* ---- Memory of the caller -------------------------------------------------------------------------------------- */

/* What an allocator returns, and an account of it. */
struct Account {
  enum class Kind { device, managed, pinned } kind;
  size_t shift; /* bytes that memory is misaligned by */
  size_t bytes;
  int allocations;
  int releases;
};

void *allocate_for(size_t bytes, void *context) {
  Account *own = static_cast<Account *>(context);
  void *piece = nullptr;
  const size_t all = bytes + own->shift;
  const cudaError_t error = own->kind == Account::Kind::device    ? cudaMalloc(&piece, all)
                            : own->kind == Account::Kind::managed ? cudaMallocManaged(&piece, all, cudaMemAttachGlobal)
                                                                  : cudaMallocHost(&piece, all);
  own->allocations++;
  own->bytes = bytes;
  return error == cudaSuccess ? static_cast<unsigned char *>(piece) + own->shift : nullptr;
}

void release_from(void *memory, size_t bytes, void *context) {
  Account *own = static_cast<Account *>(context);
  void *const piece = static_cast<unsigned char *>(memory) - own->shift;
  own->releases += bytes == own->bytes ? 1 : 1000;
  if ((own->kind == Account::Kind::pinned ? cudaFreeHost(piece) : cudaFree(piece)) != cudaSuccess)
    own->releases += 1000;
}

void must_have_asked_once(const Account &own) {
  ck_assert_int_eq(own.allocations, 1);
  ck_assert_int_eq(own.releases, 1);
}

/* Keys in device memory and in host memory, which are copied in front of the workspace. */
START_TEST(test_allocator) {
  for (Account::Kind kind : {Account::Kind::device, Account::Kind::managed}) {
    Account own = {kind, 0, 0, 0, 0};
    cdp_options options = CDP_OPTIONS_INIT;
    options.allocator = {allocate_for, release_from, &own};
    const Subject subject = make_subject(CDP_U64, pick(1000001, 100001), Distribution::random);
    const HostMemory host = allocate_host(Place::pageable, subject.keys.count * sizeof(uint64_t));
    CHECK_CUDA(cudaMemcpy(host.memory(), subject.keys.d_keys, host.bytes, cudaMemcpyDefault));
    CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U64, &options));
    must_have_asked_once(own);
    check_sorted(subject, CDP_ASCENDING, "allocator, device memory");
    const size_t device_bytes = own.bytes;
    own = {kind, 0, 0, 0, 0};
    CHECK_SORT(cdp_quicksort(host.memory(), subject.keys.count, CDP_U64, &options));
    must_have_asked_once(own);
    ck_assert_uint_ge(own.bytes, device_bytes + host.bytes);
    CHECK_CUDA(cudaMemcpy(subject.keys.d_keys, host.memory(), host.bytes, cudaMemcpyDefault));
    check_sorted(subject, CDP_ASCENDING, "allocator, host memory");
    check_host_guards(host, "allocator");
    free_host(host);
    release(subject);
  }
}
END_TEST

/* Memory that kernels cannot work in is given back, and the keys are as they were. */
START_TEST(test_allocator_of_useless_memory) {
  uint32_t keys[] = {3, 1, 2};
  cdp_options options = CDP_OPTIONS_INIT;
  Account own = {Account::Kind::pinned, 0, 0, 0, 0};
  options.allocator = {allocate_for, release_from, &own};
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort(keys, 3, CDP_U32, &options));
  must_have_asked_once(own);
  own = {Account::Kind::device, CDP_WORKSPACE_ALIGNMENT / 2, 0, 0, 0};
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, cdp_quicksort(keys, 3, CDP_U32, &options));
  must_have_asked_once(own);
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_pointers");
  TCase *test_case = add_case(suite, "places");
  tcase_add_loop_test(test_case, test_place, 0, PLACES);
  tcase_add_test(test_case, test_managed_async);
  tcase_add_test(test_case, test_waits_for_earlier_work);
  test_case = add_case(suite, "devices");
  tcase_add_test(test_case, test_current_device);
  tcase_add_test(test_case, test_choice_of_device);
  test_case = add_case(suite, "allocator");
  tcase_add_test(test_case, test_allocator);
  tcase_add_test(test_case, test_allocator_of_useless_memory);
  if (!quick()) {
    test_case = add_case(suite, "memory");
    tcase_add_checked_fixture(test_case, nullptr, free_hoard);
    tcase_add_test(test_case, test_memory_exhausted);
  }
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
