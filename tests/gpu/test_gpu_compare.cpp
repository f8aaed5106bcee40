/* SPDX-License-Identifier: MIT */
/*
 * compare.h on the GPU: items of all kinds of sizes by comparisons that are given as source, in every kind of memory, by every
 * call, captured, several at a time, and compiled by several threads at once. And comparisons that contradict themselves, of which
 * all is asked but order.
 */
#include "compared.h"
#include "gpu_tables.h"

#include <cdpsort/copy.h>

#include <algorithm>
#include <string>
#include <thread>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

char label[256];

/* ---- Sources ----------------------------------------------------------------------------------------------------- */

/* What sources begin with: items of so many bytes, and their keys, as compared::key_of() has them. */
std::string beginning_of(size_t item_bytes) {
  const std::string bytes = std::to_string(item_bytes);
  return "struct item { unsigned char bytes[" + bytes +
         "]; };\n"
         "unsigned key_of(const item *one) {\n"
         "  unsigned key = 0;\n"
         "  for (int byte = 0; byte < 4 && byte < " +
         bytes +
         "; byte++)\n"
         "    key |= (unsigned)one->bytes[byte] << 8 * byte;\n"
         "  return key;\n"
         "}\n"
         "unsigned mixed(unsigned bits) { bits = (bits ^ bits >> 16) * 0x7feb352dU; return (bits ^ bits >> 15) * 0x846ca68bU; "
         "}\n"
         "int less(const item *a, const item *b, const void *context) {\n"
         "  const unsigned x = key_of(a), y = key_of(b);\n"
         "  return ";
}

std::string source_of(size_t item_bytes, const char *answer) {
  return beginning_of(item_bytes) + answer + ";\n}\n";
}

/* Either way round, as the context says, which is copied. To compile takes longer than to sort: one source does for both. */
std::string order_source_of(size_t item_bytes) {
  return source_of(item_bytes, "*(const unsigned *)context != 0 ? y < x : x < y");
}

struct Broken {
  const char *name;
  const char *answer;
};

const Broken broken[] = {{"always", "1"},
                         {"never", "0"},
                         {"by a hash of the pair", "mixed(x * 31 + mixed(y)) >> 31"},
                         {"by the clock", "mixed((unsigned)clock64()) >> 31"},
                         {"seldom", "mixed(x ^ (unsigned)clock64()) % 64 == 0"},
                         {"mostly", "mixed(x ^ (unsigned)clock64()) % 64 != 0"},
                         {"in a circle", "(x + 1) % 3 == y % 3"},
                         {"by key or equal", "x <= y"},
                         {"with mistakes", "(x < y) != (mixed((unsigned)clock64()) % 100 == 0)"},
                         {"near ones before", "(long long)x - (long long)y < 1000000"},
                         {"by a counter", "atomicAdd(numbers + 1, 1u) / 1000 % 2 == 0 ? x < y : y < x"}};
constexpr int BROKEN = sizeof broken / sizeof *broken;

/* All of them, as the first number says that the context points to; the second one is a counter. */
std::string broken_source_of(size_t item_bytes) {
  std::string cases;
  for (int which = 0; which < BROKEN; which++)
    cases += "  case " + std::to_string(which) + ": return " + broken[which].answer + ";\n";
  return "__noinline__ int answer(unsigned x, unsigned y, unsigned *numbers);\n" +
         source_of(item_bytes, "answer(x, y, (unsigned *)context)") +
         "int answer(unsigned x, unsigned y, unsigned *numbers) {\n  switch (numbers[0]) {\n" + cases +
         "  default: return 0;\n  }\n}\n";
}

cdp_comparison comparison_of(const std::string &source) {
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.source = source.c_str();
  return comparison;
}

bool key_before(const void *a, const void *b, size_t item_bytes) {
  return compared::key_of(a, item_bytes) < compared::key_of(b, item_bytes);
}

/* ---- One call ---------------------------------------------------------------------------------------------------- */

/* A call's arguments: in place where source and target are one. */
struct Given {
  const unsigned char *source;
  unsigned char *target;
  size_t count;
  size_t item_bytes;
  const cdp_comparison *comparison;
  const cdp_options *options;

  bool is_apart() const {
    return source != target;
  }
};

cdp_status sort_blocking(const Given &given) {
  return given.is_apart()
             ? cdp_quicksort_by_copy(given.source, given.target, given.count, given.item_bytes, given.comparison, given.options)
             : cdp_quicksort_by(given.target, given.count, given.item_bytes, given.comparison, given.options);
}

cdp_status sort_on_stream(const Given &given) {
  return given.is_apart() ? cdp_quicksort_by_copy_on_stream(given.source, given.target, given.count, given.item_bytes,
                                                            given.comparison, given.options, stream())
                          : cdp_quicksort_by_on_stream(given.target, given.count, given.item_bytes, given.comparison,
                                                       given.options, stream());
}

cdp_status ask_workspace(const Given &given, size_t *bytes) {
  return given.is_apart() ? cdp_quicksort_by_copy_workspace(given.count, given.item_bytes, given.options, bytes)
                          : cdp_quicksort_by_workspace(given.count, given.item_bytes, given.options, bytes);
}

cdp_status sort_in_workspace(const Given &given, void *workspace, size_t bytes) {
  return given.is_apart() ? cdp_quicksort_by_copy_async(given.source, given.target, given.count, given.item_bytes,
                                                        given.comparison, given.options, workspace, bytes, stream())
                          : cdp_quicksort_by_async(given.target, given.count, given.item_bytes, given.comparison, given.options,
                                                   workspace, bytes, stream());
}

/*
 * Sorts, in stream order in a workspace of exactly the size that is asked for, and looks whether all items are there. Every second
 * pair of numbers of items is sorted out of place, and one item is.
 */
Bytes sort(const Bytes &items, size_t item_bytes, const cdp_comparison &comparison, const Way &way) {
  const size_t count = items.size() / item_bytes;
  const bool is_apart = count == 1 || count / 2 % 2 == 1;
  cdp_options options = CDP_OPTIONS_INIT;
  size_t bytes = 0;
  options.seed = seed() + count;
  snprintf(label, sizeof label, "%zu items of %zu bytes%s; %s%s, %s", count, item_bytes, is_apart ? ", out of place" : "",
           way.is_captured ? "captured, " : "", call_name(way.call), place_name(way.keys_place));
  note("%s", label);
  const Array array = make_array(way.keys_place, items);
  const Array output = make_array(way.keys_place, Bytes(is_apart ? items.size() : 0));
  const Given given = {array.memory(), is_apart ? output.memory() : array.memory(), count, item_bytes, &comparison, &options};
  if (way.call == Call::blocking) {
    CHECK_SORT(sort_blocking(given));
  } else if (way.call == Call::on_stream) {
    CHECK_SORT(perform(way, [&] { return sort_on_stream(given); }));
  } else {
    CHECK_SORT(ask_workspace(given, &bytes));
    const Array workspace = make_array(Place::device, Bytes(bytes));
    CHECK_SORT(perform(way, [&] { return sort_in_workspace(given, workspace.memory(), bytes); }));
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    read_array(workspace, label);
  }
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  if (is_apart)
    ck_assert_msg(read_array(array, label) == items, "%s: the input has changed", label);
  Bytes sorted = read_array(is_apart ? output : array, label);
  free_arrays();
  compared::must_be_permutation(items, sorted, item_bytes);
  return sorted;
}

void check(size_t count, size_t item_bytes, uint32_t keys, bool is_falling, const Way &way) {
  const std::string source = order_source_of(item_bytes);
  uint32_t falls = is_falling ? 1 : 0;
  cdp_comparison comparison = comparison_of(source);
  comparison.context = &falls;
  comparison.context_bytes = sizeof falls;
  const Bytes sorted = sort(compared::random_items(count, item_bytes, keys, seed() + count), item_bytes, comparison, way);
  compared::must_be_in_order(sorted, item_bytes, [&](const void *a, const void *b) {
    return is_falling ? key_before(b, a, item_bytes) : key_before(a, b, item_bytes);
  });
}

Way way_at(uint64_t round) {
  const Call call = static_cast<Call>(round % CALLS);
  if (call == Call::blocking)
    return {call, static_cast<Place>(round / 3 % PLACES), Place::device, 0, false};
  return {call, round % 2 == 0 ? Place::device : Place::managed, Place::device, 0, round % 5 < 2};
}

/* ---- Orders ------------------------------------------------------------------------------------------------------ */

constexpr size_t ITEM_SIZES[] = {1, 2, 3, 4, 8, 12, 16, 20, 24, 32, 40, 100};
constexpr int SIZES = sizeof ITEM_SIZES / sizeof *ITEM_SIZES;

/* Every second size where it shall be quick: those are moved as bytes and words, and as indices. */
int size_step() {
  return quick() ? 2 : 1;
}

/* _i: the size. */
START_TEST(test_around_limits) {
  const size_t item_bytes = ITEM_SIZES[_i * size_step()];
  const uint32_t key_numbers[] = {0, 1, 3, 300};
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : compared::counts_around_limits(item_bytes, false)) {
    if (quick() && count > 5000)
      break;
    check(count, item_bytes, key_numbers[round / 3 % 4], round % 2 == 0, way_at(round));
    round++;
  }
}
END_TEST

START_TEST(test_places) {
  for (int place = 0; place < PLACES; place++)
    check(30011, 8, 0, false, {Call::blocking, static_cast<Place>(place), Place::device, 0});
}
END_TEST

/* Two and three levels. */
START_TEST(test_many_items) {
  check(pick(10000019, 100003), 4, 0, false, ON_DEVICE);
  check(pick(10000019, 100003), 4, 1000, true, ON_DEVICE);
  check(pick(3000017, 30011), 100, 0, true, ON_DEVICE);
  if (!quick())
    check(80000023, 4, 0, false, {Call::async, Place::device, Place::device, 0});
}
END_TEST

/* As it is given, and as a copy that may go when the call has returned. */
START_TEST(test_contexts) {
  constexpr size_t COUNT = 50021;
  const std::string source = "typedef unsigned char item;\n"
                             "int less(const item *a, const item *b, const void *context) {\n"
                             "  const unsigned short *ranks = (const unsigned short *)context;\n"
                             "  return ranks[*a] < ranks[*b];\n}\n";
  uint16_t ranks[256];
  for (uint32_t value = 0; value < 256; value++)
    ranks[value] = static_cast<uint16_t>(value * 77 % 256);
  const Array d_ranks = make_array(Place::device, Bytes(sizeof ranks));
  const Bytes items = compared::random_items(COUNT, 1, 0, seed());
  CHECK_CUDA(cudaMemcpy(d_ranks.memory(), ranks, sizeof ranks, cudaMemcpyHostToDevice));
  for (const bool is_copied : {false, true}) {
    uint16_t given[256];
    memcpy(given, ranks, sizeof ranks);
    cdp_comparison comparison = comparison_of(source);
    comparison.context = is_copied ? static_cast<void *>(given) : d_ranks.memory();
    comparison.context_bytes = is_copied ? sizeof given : 0;
    snprintf(label, sizeof label, "by a table");
    const Array array = make_array(Place::device, items);
    CHECK_SORT(cdp_quicksort_by_on_stream(array.memory(), COUNT, 1, &comparison, nullptr, stream()));
    memset(given, 0, sizeof given);
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    const Bytes sorted = read_array(array, label);
    compared::must_be_permutation(items, sorted, 1);
    compared::must_be_in_order(sorted, 1,
                               [&](const unsigned char *a, const unsigned char *b) { return ranks[*a] < ranks[*b]; });
  }
}
END_TEST

/* A type that only its own constructor makes, and a function that throws nothing, which C++17 counts to its type. */
START_TEST(test_awkward_types) {
  const Bytes items = compared::random_items(50021, 4, 0, seed());
  const std::string source =
      "struct item { item(unsigned number) : key(number) {} const unsigned key; };\n"
      "inline bool less(const item *a, const item *b, const void *) noexcept { return a->key < b->key; }\n";
  const Bytes sorted = sort(items, 4, comparison_of(source), ON_DEVICE);
  compared::must_be_in_order(sorted, 4, [](const void *a, const void *b) { return key_before(a, b, 4); });
}
END_TEST

/* ---- Broken comparisons ------------------------------------------------------------------------------------------ */

/* _i: which. */
START_TEST(test_broken) {
  const uint32_t which = static_cast<uint32_t>(_i);
  uint32_t *numbers = nullptr;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&numbers), 2 * sizeof *numbers));
  CHECK_CUDA(cudaMemset(numbers, 0, 2 * sizeof *numbers));
  CHECK_CUDA(cudaMemcpy(numbers, &which, sizeof which, cudaMemcpyHostToDevice));
  for (const size_t item_bytes : {size_t{4}, size_t{20}, size_t{8}, size_t{24}}) {
    if (quick() && item_bytes != 4 && item_bytes != 20)
      break; // to compile takes longer than to sort
    const std::string source = broken_source_of(item_bytes);
    cdp_comparison comparison = comparison_of(source);
    comparison.context = numbers;
    for (const size_t count : compared::counts_around_limits(item_bytes, false))
      if (!quick() || count < 5000)
        sort(compared::random_items(count, item_bytes, count % 2 == 0 ? 0 : 3, seed() + count), item_bytes, comparison,
             {Call::async, Place::device, Place::device, 0});
  }
  CHECK_CUDA(cudaFree(numbers));
}
END_TEST

/* One block sorts all of it in the end. */
START_TEST(test_always_true_of_many) {
  const std::string source = source_of(4, "1");
  sort(compared::random_items(pick(1 << 24, 1 << 14), 4, 0, seed()), 4, comparison_of(source), ON_DEVICE);
}
END_TEST

/* ---- Several at once --------------------------------------------------------------------------------------------- */

START_TEST(test_several_at_once) {
  constexpr size_t STREAMS = 4;
  constexpr size_t COUNT = 300007;
  cudaStream_t streams[STREAMS];
  const std::string sources[] = {source_of(8, "x < y"), source_of(8, "x > y")};
  const Bytes items = compared::random_items(COUNT, 8, 0, seed());
  std::vector<Array> arrays, workspaces;
  size_t bytes = 0;
  snprintf(label, sizeof label, "several at once");
  note("%s", label);
  CHECK_SORT(cdp_quicksort_by_workspace(COUNT, 8, nullptr, &bytes));
  for (cudaStream_t &one : streams) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    arrays.push_back(make_array(Place::device, items));
    workspaces.push_back(make_array(Place::device, Bytes(bytes)));
  }
  for (int repetition = 0; repetition < 10; repetition++)
    for (size_t which = 0; which < STREAMS; which++) {
      const cdp_comparison comparison = comparison_of(sources[(which + static_cast<size_t>(repetition)) % 2]);
      CHECK_SORT(cdp_quicksort_by_async(arrays[which].memory(), COUNT, 8, &comparison, nullptr, workspaces[which].memory(),
                                        bytes, streams[which]));
    }
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < STREAMS; which++) {
    const Bytes sorted = read_array(arrays[which], label);
    compared::must_be_permutation(items, sorted, 8);
    compared::must_be_in_order(sorted, 8, [&](const void *a, const void *b) {
      return which % 2 == 0 ? key_before(b, a, 8) : key_before(a, b, 8); // the last of ten
    });
    read_array(workspaces[which], label);
    CHECK_CUDA(cudaStreamDestroy(streams[which]));
  }
}
END_TEST

/* All of them compile the same, or wait for it; and again once all was forgotten. */
START_TEST(test_several_threads) {
  constexpr size_t THREADS = 4;
  constexpr size_t COUNT = 5003;
  const std::string source = source_of(4, "x < y || false");
  const Bytes items = compared::random_items(COUNT, 4, 0, seed());
  for (int round = 0; round < 2; round++) {
    std::vector<Bytes> sorted(THREADS, items);
    std::vector<cdp_status> statuses(THREADS, CDP_ERROR_SIMULATED);
    std::vector<std::thread> threads;
    threads.reserve(THREADS);
    for (size_t thread = 0; thread < THREADS; thread++)
      threads.emplace_back([&, thread] {
        const cdp_comparison comparison = comparison_of(source);
        statuses[thread] = cdp_quicksort_by(sorted[thread].data(), COUNT, 4, &comparison, nullptr);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (size_t thread = 0; thread < THREADS; thread++) {
      ck_assert_int_eq(statuses[thread], CDP_OK);
      compared::must_be_permutation(items, sorted[thread], 4);
      compared::must_be_in_order(sorted[thread], 4, [](const void *a, const void *b) { return key_before(a, b, 4); });
    }
    cdp_release_comparisons();
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_compare");
  TCase *test_case = add_case(suite, "compare");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_around_limits, 0, SIZES / size_step());
  tcase_add_test(test_case, test_places);
  tcase_add_test(test_case, test_many_items);
  tcase_add_test(test_case, test_contexts);
  tcase_add_test(test_case, test_awkward_types);
  tcase_add_loop_test(test_case, test_broken, 0, BROKEN);
  tcase_add_test(test_case, test_always_true_of_many);
  tcase_add_test(test_case, test_several_at_once);
  tcase_add_test(test_case, test_several_threads);
  suite_add_tcase(suite, test_case);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
