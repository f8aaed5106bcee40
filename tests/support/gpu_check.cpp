/* SPDX-License-Identifier: MIT */
/*
 * See gpu_check.h.
 */
#include "gpu_check.h"

#include "../../device/tuning.h"

#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace gpu_check {

using device_data::Findings;
using device_data::GUARD_BYTES;

namespace {

constexpr int EXIT_SKIP = 77;
constexpr unsigned char POISON = 0xCD;

std::vector<void *> to_release;

/* What is said when the program is ended. The last byte stays 0, whatever the signal cuts short. */
char doing[1024];
volatile sig_atomic_t tests_begun = 0;

/* The following three may run in a signal handler: write() alone, and no memory of others. */
void say(const char *text) {
  size_t length = strlen(text);
  while (length != 0) {
    const ssize_t written = write(STDERR_FILENO, text, length);
    if (written <= 0)
      return;
    text += written;
    length -= static_cast<size_t>(written);
  }
}

void say_number(unsigned number) {
  char digits[16] = "";
  char *first = digits + sizeof digits - 1;
  do
    *--first = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  say(first);
}

void say_and_end(int signal_number) {
  const char *test = tcase_name();
  say("\nended by signal ");
  say_number(static_cast<unsigned>(signal_number));
  say(" in ");
  say(test != nullptr ? test : "no test");
  say(", which is test ");
  say_number(static_cast<unsigned>(tests_begun));
  say(" of the program, at: ");
  say(doing[0] != '\0' ? doing : "nothing that was noted");
  say("\n");
  _exit(128 + signal_number);
}

void begin_test() {
  tests_begun = tests_begun + 1;
  doing[0] = '\0';
}

bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value != nullptr && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* What a failed test left running is waited for, so that it writes to no memory of the next one. */
void release_all() {
  cudaDeviceSynchronize();
  for (void *d_memory : to_release)
    cudaFree(d_memory);
  to_release.clear();
  cudaGetLastError();
}

void *allocate(size_t bytes) {
  void *d_memory = nullptr;
  CHECK_CUDA(cudaMalloc(&d_memory, bytes));
  to_release.push_back(d_memory);
  return d_memory;
}

void release_memory(void *d_memory) {
  to_release.erase(std::remove(to_release.begin(), to_release.end(), d_memory), to_release.end());
  CHECK_CUDA(cudaFree(d_memory));
}

void check_guards(const device_data::Oracle &oracle, const Guarded &memory, cudaStream_t stream) {
  CHECK_CUDA(device_data::guard_check(oracle, memory.d_base, GUARD_BYTES + memory.ahead_bytes, stream));
  CHECK_CUDA(device_data::guard_check(oracle, memory.d_memory + memory.bytes, GUARD_BYTES, stream));
}

} // namespace

int find_gpu() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    fprintf(stderr, "no GPU can be used: %s\n", error == cudaSuccess ? "there is none" : cudaGetErrorString(error));
    return is_set("CDPSORT_TEST_REQUIRE_GPU") ? EXIT_FAILURE : EXIT_SKIP;
  }
  return EXIT_SUCCESS;
}

int run_tests(Suite *(*make_suite)()) {
  unsetenv("CDPSORT_DEVICE");
  signal(SIGTERM, say_and_end);
  signal(SIGALRM, say_and_end);
  printf("seed %" PRIu64 " (CDPSORT_TEST_SEED)%s\n", seed(), quick() ? ", quick" : "");
  fflush(stdout);
  SRunner *runner = srunner_create(make_suite());
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_ENV);
  const bool passed = srunner_ntests_run(runner) > 0 && srunner_ntests_failed(runner) == 0;
  srunner_free(runner);
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run(Suite *(*make_suite)()) {
  const int code = find_gpu();
  return code != EXIT_SUCCESS ? code : run_tests(make_suite);
}

namespace {

/* That the library is made for: of the device's own architecture, or the one that the build forces. */
cdp::DeviceKind device_kind() {
  int ordinal = 0;
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDevice(&ordinal));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, ordinal));
  return cdp::device_kind_of(static_cast<uint32_t>(properties.major * 100 + properties.minor * 10));
}

} // namespace

uint64_t one_block_items(cdp_type type) {
  return cdp::multiway_tile_items(cdp::multiway_row(device_kind(), device_data::key_bytes(type)));
}

uint64_t one_scatter_items(cdp_type type) {
  const cdp::DeviceKind kind = device_kind();
  const uint32_t key_bytes = device_data::key_bytes(type);
  const uint64_t room = cdp::on_chip_items(cdp::multiway_row(kind, key_bytes), cdp::on_chip_row(kind, key_bytes));
  return cdp::max_one_scatter_buckets(kind) * (room * cdp::STRAIGHT_BUCKET_SHARE / 16);
}

bool quick() {
  return is_set("CDPSORT_TEST_QUICK");
}

uint64_t seed() {
  const char *value = getenv("CDPSORT_TEST_SEED");
  return value != nullptr && value[0] != '\0' ? strtoull(value, nullptr, 0) : 1;
}

TCase *add_case(Suite *suite, const char *name) {
  TCase *test_case = tcase_create(name);
  tcase_add_checked_fixture(test_case, begin_test, release_all);
  tcase_set_timeout(test_case, 0);
  suite_add_tcase(suite, test_case);
  return test_case;
}

void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(doing, sizeof doing - 1, format, arguments);
  va_end(arguments);
}

void note_sort(const Subject &subject, const cdp_options &options, const char *how) {
  note("%s; %s, %s, child streams %d, fan-out %" PRIu32 ", %s, leaves of %" PRIu32 ", block items %" PRIu32
       ", depth limit %" PRIu32 ", options.seed %" PRIu64 "; %s",
       subject.label, options.order == CDP_DESCENDING ? "descending" : "ascending", scheme_name(options.scheme),
       static_cast<int>(options.child_streams), options.fan_out, pivot_name(options.pivot), options.leaf_items,
       options.tuning != nullptr ? options.tuning->block_items : 0, options.depth_limit, options.seed, how);
}

void require_cuda(cudaError_t error, const char *call, const char *file, int line) {
  if (error != cudaSuccess)
    ck_abort_msg("%s:%d: %s: CUDA error %d, %s", file, line, call, static_cast<int>(error), cudaGetErrorString(error));
}

void require_status(cdp_status status, cdp_status wanted, const char *call, const char *file, int line) {
  if (status != wanted)
    ck_abort_msg("%s:%d: %s: %s instead of %s; CUDA error %d; \"%s\"", file, line, call, cdp_status_name(status),
                 cdp_status_name(wanted), cdp_last_cuda_error(), cdp_last_message());
  if (status != CDP_OK && cdp_last_message()[0] == '\0')
    ck_abort_msg("%s:%d: %s: %s without a message", file, line, call, cdp_status_name(status));
}

Guarded allocate_guarded(size_t bytes, size_t ahead_bytes) {
  Guarded memory = {nullptr, nullptr, bytes, ahead_bytes};
  memory.d_base = static_cast<unsigned char *>(allocate(2 * GUARD_BYTES + ahead_bytes + bytes));
  memory.d_memory = memory.d_base + GUARD_BYTES + ahead_bytes;
  CHECK_CUDA(device_data::guard_fill(memory.d_base, GUARD_BYTES + ahead_bytes, nullptr));
  CHECK_CUDA(device_data::guard_fill(memory.d_memory + bytes, GUARD_BYTES, nullptr));
  if (bytes != 0)
    CHECK_CUDA(cudaMemset(memory.d_memory, POISON, bytes));
  CHECK_CUDA(cudaDeviceSynchronize()); // whatever stream comes next
  return memory;
}

Subject make_room(cdp_type type, uint64_t count, uint64_t ahead_items) {
  const uint64_t bytes_each = device_data::key_bytes(type);
  Subject subject;
  subject.memory = allocate_guarded(count * bytes_each, ahead_items * bytes_each);
  subject.keys = {subject.memory.d_memory, count, type};
  CHECK_CUDA(device_data::oracle_create(&subject.oracle));
  to_release.push_back(subject.oracle.d_before);
  snprintf(subject.label, sizeof subject.label, "%" PRIu64 " %s", count, device_data::type_name(type));
  return subject;
}

void fill(Subject &subject, Distribution distribution, uint64_t key_seed, cudaStream_t stream) {
  const device_data::KeySpan &keys = subject.keys;
  snprintf(subject.label, sizeof subject.label, "%" PRIu64 " %s, %s, seed %" PRIu64 ", %zu bytes past alignment", keys.count,
           device_data::type_name(keys.type), device_data::distribution_name(distribution), key_seed,
           subject.memory.ahead_bytes);
  note("%s", subject.label);
  CHECK_CUDA(device_data::generate(keys, distribution, key_seed, stream));
  CHECK_CUDA(device_data::oracle_note(subject.oracle, keys, stream));
}

Subject make_subject(cdp_type type, uint64_t count, Distribution distribution, uint64_t ahead_items) {
  Subject subject = make_room(type, count, ahead_items);
  fill(subject, distribution, seed());
  return subject;
}

void release(const Subject &subject) {
  release_memory(subject.memory.d_base);
  release_memory(subject.oracle.d_before);
}

void judge(const Subject &subject, cdp_order order, cudaStream_t stream) {
  CHECK_CUDA(device_data::oracle_judge(subject.oracle, subject.keys, order, stream));
  check_guards(subject.oracle, subject.memory, stream);
}

void judge_guards(const Subject &subject, const Guarded &workspace, cudaStream_t stream) {
  check_guards(subject.oracle, workspace, stream);
}

void conclude(const Subject &subject, const char *how, cudaStream_t stream) {
  Findings findings;
  memset(&findings, 0xFF, sizeof findings);
  CHECK_CUDA(device_data::oracle_read(subject.oracle, &findings, stream));
  if (findings.disorders == 0 && findings.wrong_digests == 0 && findings.damaged_guard_bytes == 0 && findings.strays == 0 &&
      findings.overtakings == 0 && findings.index_hashes == 0 && findings.judgements != 0)
    return;
  ck_abort_msg("%s; %s: in %llu judgements (the first is number 0): %llu neighbours out of order (least index %lld, first in "
               "judgement %lld), %llu times other keys than before (first in judgement %lld), %llu bytes of the guard zones "
               "overwritten (first after judgement %lld), %llu indices of other keys, %llu equal keys not as they came%s",
               subject.label, how, findings.judgements, findings.disorders, static_cast<long long>(findings.first_disorder),
               static_cast<long long>(findings.first_disordered), findings.wrong_digests,
               static_cast<long long>(findings.first_wrong_digest), findings.damaged_guard_bytes,
               static_cast<long long>(findings.first_damaged_guards), findings.strays, findings.overtakings,
               findings.index_hashes != 0 ? ", other indices than there must be" : "");
}

void check_sorted(const Subject &subject, cdp_order order, const char *how) {
  judge(subject, order);
  conclude(subject, how);
}

void require_study(bool condition, const char *text, const cdp_study &study, const Subject &subject, const char *how) {
  if (condition)
    return;
  const cdp_study_depth sum = totals(study);
  ck_abort_msg("%s; %s: not so: %s. %u depths, %u tasks in a batch, %u of %u slots, first fault %d, %u batches, %.3f ms; tasks "
               "%" PRIu64 " of %" PRIu64 " items, block partitions %" PRIu64 ", equal items %" PRIu64 ", leaves %" PRIu64
               " of %" PRIu64 " items, collected %" PRIu64 ", children %" PRIu64 ", refused %" PRIu64 ", deferred %" PRIu64
               ", fallbacks: depth %" PRIu64 ", refused %" PRIu64 ", pool %" PRIu64,
               subject.label, how, text, study.depth_count, study.tasks_in_batch, study.tasks_allocated, study.task_capacity,
               study.first_fault, study.batches, study.milliseconds, sum.tasks, sum.task_items, sum.block_partitions,
               sum.equal_items, sum.leaves, sum.leaf_items, sum.collected, sum.children_launched, sum.launches_refused,
               sum.deferred, sum.fallback_depth, sum.fallback_refused, sum.fallback_pool);
}

cdp_status sort_both_ways(const Subject &subject, const cdp_options &options, cdp_study *study) {
  const device_data::KeySpan &keys = subject.keys;
  const size_t bytes = keys.count * device_data::key_bytes(keys.type);
  void *d_before = allocate(bytes);
  CHECK_CUDA(cudaMemcpy(d_before, keys.d_keys, bytes, cudaMemcpyDeviceToDevice));
  note_sort(subject, options, "without a study");
  cdp_status status = cdp_quicksort(keys.d_keys, keys.count, keys.type, &options);
  judge(subject, options.order);
  CHECK_CUDA(cudaMemcpy(keys.d_keys, d_before, bytes, cudaMemcpyDeviceToDevice));
  note_sort(subject, options, "with a study");
  if (status == CDP_OK)
    status = cdp_study_quicksort(keys.d_keys, keys.count, keys.type, &options, study);
  release_memory(d_before);
  return status;
}

cdp_study study_and_check(const Subject &subject, const cdp_options &options, const char *how) {
  const device_data::KeySpan &keys = subject.keys;
  cdp_study study;
  CHECK_SORT(sort_both_ways(subject, options, &study));
  check_sorted(subject, options.order, how);

  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(study.first_fault == 0 && sum.launches_refused == 0 && sum.fallback_refused == 0, study, subject, how);
  CHECK_STUDY(sum.fallback_pool == 0 && study.tasks_allocated <= study.task_capacity, study, subject, how);
  // Every item ends once: equal to a pivot, or in a leaf, or at the depth limit; unless, with many children, the array came in
  // order and was left so or reversed.
  const bool came_in_order = options.fan_out != CDP_FAN_OUT_CLASSIC && sum.tasks + sum.leaves == 0;
  const uint64_t ended = sum.equal_items + sum.leaf_items;
  CHECK_STUDY(sum.fallback_depth != 0 || came_in_order || ended == keys.count, study, subject, how);
  CHECK_STUDY(options.scheme != CDP_SCHEME_HOST || sum.children_launched == 0, study, subject, how);
  return study;
}

void sort_async_and_check(const Subject &subject, const cdp_options &options, const char *how) {
  const device_data::KeySpan &keys = subject.keys;
  size_t bytes = 0;
  CHECK_SORT(cdp_quicksort_workspace(keys.count, keys.type, &options, &bytes));
  const Guarded workspace = allocate_guarded(bytes);
  note_sort(subject, options, how);
  CHECK_SORT(cdp_quicksort_async(keys.d_keys, keys.count, keys.type, &options, workspace.d_memory, bytes, nullptr));
  judge(subject, options.order);
  judge_guards(subject, workspace);
  conclude(subject, how);
  release_memory(workspace.d_base);
}

const char *scheme_name(cdp_scheme scheme) {
  static const char *const names[] = {"default scheme", "last block", "controller", "host"};
  return names[scheme];
}

const char *fan_out_name(uint32_t fan_out) {
  return fan_out == CDP_FAN_OUT_CLASSIC ? "two children" : "many children";
}

const char *pivot_name(cdp_pivot pivot) {
  static const char *const names[] = {"default pivot",  "middle", "median of three", "random",
                                      "sampled median", "first",  "ninther",         "mean"};
  return names[pivot];
}

} // namespace gpu_check
