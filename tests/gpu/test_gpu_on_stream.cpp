/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort_on_stream() on the GPU: its workspace is there as long as the sort needs it and no longer, from CUDA's pool and from
 * an allocator, with another stream after it, on streams of every kind, captured and replayed; and what it refuses.
 */
#include "gpu_check.h"

#include <algorithm>
#include <cstring>

using namespace gpu_check;

namespace {

/* An allocator in a stream's order, and an account of it. */
struct Account {
  cudaStream_t stream;
  int allocations;
  int releases;
  size_t bytes;
  size_t shift;  /* bytes that memory is misaligned by */
  bool is_empty; /* there is none */
  void *host;    /* is given in the place of device memory */
};

void *allocate(size_t bytes, void *context) {
  Account *account = static_cast<Account *>(context);
  account->allocations++;
  account->bytes = bytes;
  if (account->is_empty)
    return nullptr;
  if (account->host != nullptr)
    return account->host;
  void *memory = nullptr;
  CHECK_CUDA(cudaMallocAsync(&memory, bytes + account->shift, account->stream));
  return static_cast<unsigned char *>(memory) + account->shift;
}

void release(void *memory, size_t bytes, void *context) {
  Account *account = static_cast<Account *>(context);
  account->releases++;
  ck_assert_uint_eq(bytes, account->bytes);
  if (account->host == nullptr)
    CHECK_CUDA(cudaFreeAsync(static_cast<unsigned char *>(memory) - account->shift, account->stream));
}

cudaStream_t own_stream = nullptr;   /* the sorts' */
cudaStream_t other_stream = nullptr; /* that of whoever writes to memory which they have given back */
cudaEvent_t turn = nullptr;          /* what one of them waits for, and the other does */
uint32_t *gate = nullptr;            /* of hold_stream(); pinned, as is the next one */
unsigned char *pattern = nullptr;
constexpr size_t PATTERN_BYTES = 1 << 20;

void make_streams() {
  CHECK_CUDA(cudaStreamCreateWithFlags(&own_stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&other_stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreateWithFlags(&turn, cudaEventDisableTiming));
  CHECK_CUDA(cudaMallocHost(&gate, 2 * sizeof *gate));
  CHECK_CUDA(cudaMallocHost(&pattern, PATTERN_BYTES));
  memset(pattern, 0xA5, PATTERN_BYTES);
}

void destroy_streams() {
  cudaFreeHost(pattern);
  cudaFreeHost(gate);
  cudaEventDestroy(turn);
  cudaStreamDestroy(other_stream);
  cudaStreamDestroy(own_stream);
  cudaGetLastError();
}

void let_wait(cudaStream_t waiting, cudaStream_t awaited) {
  CHECK_CUDA(cudaEventRecord(turn, awaited));
  CHECK_CUDA(cudaStreamWaitEvent(waiting, turn, 0));
}

cdp_status sort_on(const Subject &subject, const cdp_options &options, cudaStream_t stream) {
  return cdp_quicksort_on_stream(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options, stream);
}

size_t workspace_bytes(const Subject &subject, const cdp_options &options) {
  size_t bytes = 0;
  CHECK_SORT(cdp_quicksort_workspace(subject.keys.count, subject.keys.type, &options, &bytes));
  return bytes;
}

/* ---- A writer, on the other stream -------------------------------------------------------------------------------------- */

/* Whether there is work left on the sorts' stream. */
bool is_sorting() {
  const cudaError_t state = cudaStreamQuery(own_stream);
  if (state == cudaErrorNotReady) {
    cudaGetLastError(); // it is no error, and not to be taken for one of a later call
    return true;
  }
  CHECK_CUDA(state);
  return false;
}

/* Writes to all of some memory, by copies: a copy engine makes them while a sort's blocks have all registers of the device. A kernel,
   or cudaMemsetAsync(), would wait for those, and come too late to do harm. */
void write_all(void *memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += PATTERN_BYTES)
    CHECK_CUDA(cudaMemcpyAsync(static_cast<unsigned char *>(memory) + at, pattern, std::min(PATTERN_BYTES, bytes - at),
                               cudaMemcpyHostToDevice, other_stream));
}

/* Does so again and again, until the sort is done. */
void write_meanwhile(void *memory, size_t bytes) {
  while (is_sorting()) {
    write_all(memory, bytes);
    CHECK_CUDA(cudaStreamSynchronize(other_stream));
  }
}

/*
 * Takes memory of a workspace's size from CUDA's pool, and writes to it until the sort is done.
 *
 * The pool gives a stream what another one has freed, once that one has come to it. What a sort frees behind itself is out of reach
 * as long as it runs; had it freed its workspace ahead of itself, or on a stream without work, the writer would be given just that.
 */
void overwrite(size_t bytes) {
  void *memory = nullptr;
  CHECK_CUDA(cudaMallocAsync(&memory, bytes, other_stream));
  write_meanwhile(memory, bytes);
  CHECK_CUDA(cudaFreeAsync(memory, other_stream));
}

/*
 * An allocator of one block, which goes to the other stream as soon as stream order allows: when the sorts' stream has done what it
 * was given before release(). What a sort launched after that, or where its stream does not wait for it, would have a writer in its
 * workspace.
 */
void *lend(size_t bytes, void *context) {
  const Guarded *block = static_cast<Guarded *>(context);
  ck_assert_uint_le(bytes, block->bytes); // a captured sort may need less
  return block->d_memory;
}

void hand_over(void *, size_t, void *) {
  let_wait(other_stream, own_stream);
}

/* ---- Tests -------------------------------------------------------------------------------------------------------------- */

constexpr uint64_t ROUNDS = 4;

/* Both orders, in the default scheme and in the host's. */
cdp_options options_at(uint64_t round) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = static_cast<cdp_order>(round % 2);
  options.scheme = round / 2 % 2 == 0 ? CDP_SCHEME_DEFAULT : CDP_SCHEME_HOST;
  return options;
}

/* One sort behind the other without waiting: each has the memory that the one before has given back. _i: the type, here and in the
   next two. */
START_TEST(test_stream_order) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (const uint64_t count : {uint64_t{1000}, uint64_t{100003}, pick(6000011, 300007)}) {
    Subject subject = make_room(type, count, 1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
      const cdp_options options = options_at(round);
      fill(subject, distribution_at(round * 3), seed() + round, own_stream);
      CHECK_SORT(sort_on(subject, options, own_stream));
      judge(subject, options.order, own_stream);
    }
    conclude(subject, "on a stream, without a workspace", own_stream);
    gpu_check::release(subject);
  }
}
END_TEST

START_TEST(test_pool_keeps_memory) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (const uint64_t count : {uint64_t{100003}, pick(20000003, 300007)}) {
    Subject subject = make_room(type, count, 1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
      const cdp_options options = options_at(round);
      const size_t bytes = workspace_bytes(subject, options);
      fill(subject, distribution_at(round * 3), seed() + round, own_stream);
      CHECK_CUDA(cudaStreamSynchronize(own_stream)); // so that what is freed ahead of the sort is freed at once
      CHECK_SORT(sort_on(subject, options, own_stream));
      overwrite(bytes);
      judge(subject, options.order, own_stream);
    }
    conclude(subject, "with a writer that has memory from the pool", own_stream);
    gpu_check::release(subject);
  }
}
END_TEST

/* Sorts on a stream that is held until the writer, on the other one, has all it needs to begin as soon as it may. */
void sort_held(Subject &subject, const cdp_options &options, const Guarded &block) {
  gate[0] = gate[1] = 0;
  CHECK_CUDA(device_data::hold_stream(gate, own_stream));
  const cdp_status status = sort_on(subject, options, own_stream);
  write_all(block.d_memory, block.bytes);
  *static_cast<volatile uint32_t *>(gate) = 1;
  CHECK_SORT(status);
  write_meanwhile(block.d_memory, block.bytes);
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  ck_assert_msg(gate[1] == 0, "the call waited until the hold gave up");
}

START_TEST(test_memory_is_handed_over) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (const uint64_t count : {uint64_t{100003}, pick(20000003, 300007)}) {
    Subject subject = make_room(type, count, 1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
      cdp_options options = options_at(round);
      Guarded block = allocate_guarded(workspace_bytes(subject, options));
      options.allocator = {lend, hand_over, &block};
      CHECK_SORT(sort_on(subject, options, own_stream)); // so that everything is loaded: what loads may wait for the device
      fill(subject, distribution_at(round * 3), seed() + round, own_stream);
      sort_held(subject, options, block);
      judge(subject, options.order, own_stream);
      judge_guards(subject, block, own_stream);
    }
    conclude(subject, "with a writer that is handed the memory", own_stream);
    gpu_check::release(subject);
  }
}
END_TEST

START_TEST(test_kinds_of_streams) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cudaStream_t kinds[] = {nullptr, cudaStreamLegacy, cudaStreamPerThread};
  for (cudaStream_t stream : kinds) {
    Subject subject = make_room(CDP_F32, pick(3000017, 100003));
    fill(subject, Distribution::extremes, seed(), stream);
    CHECK_SORT(sort_on(subject, options, stream));
    judge(subject, CDP_ASCENDING, stream);
    conclude(subject, "on one of the kinds of streams", stream);
  }
}
END_TEST

/* It is asked once, for what cdp_quicksort_workspace() says, and given it back before the call returns. */
START_TEST(test_allocator) {
  Account account = {};
  account.stream = own_stream;
  cdp_options options = CDP_OPTIONS_INIT;
  options.allocator = {allocate, release, &account};
  for (const uint64_t count : {uint64_t{2}, uint64_t{70001}, pick(5000011, 300007)}) {
    Subject subject = make_room(CDP_I64, count);
    size_t bytes = 0;
    account.allocations = account.releases = 0;
    CHECK_SORT(cdp_quicksort_workspace(count, CDP_I64, &options, &bytes));
    fill(subject, Distribution::random, seed(), own_stream);
    CHECK_SORT(sort_on(subject, options, own_stream));
    ck_assert(account.allocations == 1 && account.releases == 1 && account.bytes == bytes);
    judge(subject, CDP_ASCENDING, own_stream);
    conclude(subject, "in an allocator's memory", own_stream);
    gpu_check::release(subject);
  }
}
END_TEST

/* By one block, as a short array, by a map; narrow keys. */
Subject make_captured_room(int index) {
  const struct {
    cdp_type type;
    uint64_t count;
  } sorts[] = {{CDP_U32, 5000}, {CDP_F64, 100003}, {CDP_I32, pick(4000037, 300007)}, {CDP_U16, 1000003}};
  return make_room(sorts[index].type, sorts[index].count, 1);
}
constexpr int CAPTURED_SORTS = 4;

/* The memory is a node of the graph, which keeps it: no pool gives it to anybody else. _i: the sort, here and in the next one. */
START_TEST(test_captured) {
  const cdp_options options = CDP_OPTIONS_INIT;
  Subject subject = make_captured_room(_i);
  const auto sort = [&] { return sort_on(subject, options, own_stream); };
  capture_and_replay(subject, own_stream, sort, [] {});
}
END_TEST

/* The writer is a branch of the graph: it begins behind what had been captured at release(). */
START_TEST(test_captured_memory_is_handed_over) {
  cdp_options options = CDP_OPTIONS_INIT;
  Subject subject = make_captured_room(_i);
  Guarded block = allocate_guarded(workspace_bytes(subject, options));
  options.allocator = {lend, hand_over, &block};
  const auto sort_and_write = [&] {
    const cdp_status status = sort_on(subject, options, own_stream);
    if (status == CDP_OK) {
      write_all(block.d_memory, block.bytes);
      let_wait(own_stream, other_stream); // a capture ends with all branches joined
    }
    return status;
  };
  capture_and_replay(subject, own_stream, sort_and_write, [&] { judge_guards(subject, block, own_stream); });
}
END_TEST

/* Each time the keys and everything around them stay as they were. */
START_TEST(test_refusals) {
  static uint32_t host_keys[1000];
  static unsigned char host_memory[1 << 20] __attribute__((aligned(CDP_WORKSPACE_ALIGNMENT)));
  Account account = {};
  account.stream = own_stream;
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = CDP_DESCENDING; // so that a sort would be seen
  options.allocator = {allocate, release, &account};
  Subject subject = make_room(CDP_U32, 10007);
  fill(subject, Distribution::sorted, seed(), own_stream);
  account.is_empty = true;
  CHECK_FAILS(CDP_ERROR_MEMORY, sort_on(subject, options, own_stream));
  ck_assert(account.allocations == 1 && account.releases == 0);
  account.is_empty = false;
  account.shift = CDP_WORKSPACE_ALIGNMENT / 2;
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort_on(subject, options, own_stream));
  account.shift = 0;
  account.host = host_memory;
  CHECK_FAILS(CDP_ERROR_POINTER, sort_on(subject, options, own_stream));
  ck_assert(account.allocations == 3 && account.releases == 2);
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_on_stream(host_keys, 1000, CDP_U32, &options, own_stream));
  CHECK_FAILS(CDP_ERROR_NULL, cdp_quicksort_on_stream(nullptr, 1000, CDP_U32, &options, own_stream));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, cdp_quicksort_on_stream(subject.memory.d_memory + 2, 1000, CDP_U32, &options, own_stream));
  CHECK_SORT(cdp_quicksort_on_stream(nullptr, 0, CDP_U32, &options, own_stream));
  CHECK_SORT(cdp_quicksort_on_stream(subject.keys.d_keys, 1, CDP_U32, &options, own_stream));
  ck_assert(account.allocations == 3 && account.releases == 2);
  judge(subject, CDP_ASCENDING, own_stream);
  conclude(subject, "after calls that were refused", own_stream);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_on_stream");
  TCase *test_case = add_case(suite, "streams");
  tcase_add_checked_fixture(test_case, make_streams, destroy_streams);
  tcase_add_loop_test(test_case, test_stream_order, 0, CDP_BF16);
  tcase_add_loop_test(test_case, test_pool_keeps_memory, 0, CDP_BF16);
  tcase_add_loop_test(test_case, test_memory_is_handed_over, 0, CDP_BF16);
  tcase_add_test(test_case, test_kinds_of_streams);
  tcase_add_test(test_case, test_allocator);
  tcase_add_loop_test(test_case, test_captured, 0, CAPTURED_SORTS);
  tcase_add_loop_test(test_case, test_captured_memory_is_handed_over, 0, CAPTURED_SORTS);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
