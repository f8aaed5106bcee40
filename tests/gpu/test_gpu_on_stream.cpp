/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort_on_stream() on the GPU: its workspace is there as long as the sort needs it and no longer, from CUDA's pool and from
 * an allocator, on streams of every kind, captured and replayed; and what it refuses.
 */
#include "gpu_check.h"

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

cudaStream_t own_stream = nullptr;

void make_stream() {
  CHECK_CUDA(cudaStreamCreateWithFlags(&own_stream, cudaStreamNonBlocking));
}

void destroy_stream() {
  cudaStreamDestroy(own_stream);
  cudaGetLastError();
}

cdp_status sort_on(const Subject &subject, const cdp_options &options, cudaStream_t stream) {
  return cdp_quicksort_on_stream(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options, stream);
}

/* Takes as much memory as a sort does, on the same stream, and writes all of it: whatever the pool has had back too soon. */
void overwrite(uint64_t bytes, cudaStream_t stream) {
  void *memory = nullptr;
  CHECK_CUDA(cudaMallocAsync(&memory, bytes, stream));
  CHECK_CUDA(cudaMemsetAsync(memory, 0xA5, bytes, stream));
  CHECK_CUDA(cudaFreeAsync(memory, stream));
}

/* One sort behind the other without waiting, with a writer of the same memory in between. _i: the type. */
START_TEST(test_stream_order) {
  cdp_options options = CDP_OPTIONS_INIT;
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (const uint64_t count : {uint64_t{1000}, uint64_t{100003}, pick(6000011, 300007)}) {
    Subject subject = make_room(type, count, 1);
    for (uint64_t round = 0; round < 4; round++) {
      options.order = static_cast<cdp_order>(round % 2);
      options.scheme = round == 3 ? CDP_SCHEME_HOST : CDP_SCHEME_DEFAULT;
      fill(subject, distribution_at(round * 3), seed() + round, own_stream);
      CHECK_SORT(sort_on(subject, options, own_stream));
      overwrite(2 * subject.memory.bytes, own_stream);
      judge(subject, options.order, own_stream);
    }
    conclude(subject, "on a stream, without a workspace", own_stream);
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
    overwrite(2 * subject.memory.bytes, own_stream);
    judge(subject, CDP_ASCENDING, own_stream);
    conclude(subject, "in an allocator's memory", own_stream);
    gpu_check::release(subject);
  }
}
END_TEST

/* The memory is a node of the graph. _i: by one block, as a short array, by a map; narrow keys. */
START_TEST(test_captured) {
  const struct {
    cdp_type type;
    uint64_t count;
  } sorts[] = {{CDP_U32, 5000}, {CDP_F64, 100003}, {CDP_I32, pick(4000037, 300007)}, {CDP_U16, 1000003}};
  const cdp_options options = CDP_OPTIONS_INIT;
  Subject subject = make_room(sorts[_i].type, sorts[_i].count, 1);
  const auto sort = [&] { return sort_on(subject, options, own_stream); };
  capture_and_replay(subject, own_stream, sort, [&] { overwrite(2 * subject.memory.bytes, own_stream); });
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
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_stream_order, 0, CDP_BF16);
  tcase_add_test(test_case, test_kinds_of_streams);
  tcase_add_test(test_case, test_allocator);
  tcase_add_loop_test(test_case, test_captured, 0, 4);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
