/* SPDX-License-Identifier: MIT */
/*
 * select.h on the GPU, against the host's own order: all types, orders, ties and calls, sizes around tiles and shares, ranks from end to
 * end, what goes with the top keys, arrays in every kind of memory, keys that agree in many bits; captured, one behind the other in
 * stream order, and several at once. test_gpu_select_refused.cpp has what is refused.
 */
#include "gpu_tables.h"

#include "agreeing_keys.h"

#include <cdpsort/select.h>

#include <algorithm>
#include <cstring>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

char label[256]; /* what is at work */

void say(const Table &table, const cdp_options &options, const Way &way, const char *what, uint64_t number) {
  snprintf(label, sizeof label, "%s %llu: %zu %s, %s, ties %d, call %d%s, in memory %d and %d, %zu past alignment", what,
           static_cast<unsigned long long>(number), table.count, host_type_name(table.type),
           options.order == CDP_DESCENDING ? "descending" : "ascending", static_cast<int>(options.ties),
           static_cast<int>(way.call), way.is_captured ? ", captured" : "", static_cast<int>(way.keys_place),
           static_cast<int>(way.values_place), way.shift);
  note("%s", label);
}

/* The three forms of a call. */
template <typename Blocking, typename Ask, typename Async, typename OnStream>
void make_call(const Way &way, Blocking blocking, Ask ask, Async async, OnStream on_stream) {
  size_t bytes = 0;
  if (way.call == Call::blocking) {
    CHECK_SORT(blocking());
  } else if (way.call == Call::on_stream) {
    CHECK_SORT(perform(way, on_stream));
  } else {
    CHECK_SORT(ask(&bytes));
    const Array workspace = make_array(Place::device, Bytes(bytes, 0xC3));
    CHECK_SORT(perform(way, [&] { return async(workspace.memory(), bytes); }));
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    read_array(workspace, label);
  }
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}

/* The first `most` items of an array in an order. */
Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order, size_t most) {
  Bytes found(most * item_bytes);
  for (size_t index = 0; index < most; index++)
    memcpy(&found[index * item_bytes], &items[order[index] * item_bytes], item_bytes);
  return found;
}

/* Keys in their order. */
Bytes sorted_keys(cdp_type type, const Bytes &keys, const cdp_options &options) {
  const Table table = make_table(type, keys, {});
  return in_order(keys, host_key_bytes(type), stable_order(table, options), table.count);
}

/* A shift that leaves keys aligned to their size. */
size_t keys_shift(cdp_type type, const Way &way) {
  return way.shift * host_key_bytes(type);
}

/* ---- In their place ---------------------------------------------------------------------------------------------- */

Bytes part(const Bytes &keys, size_t key_bytes, size_t begin, size_t end) {
  return Bytes(keys.begin() + static_cast<std::ptrdiff_t>(begin * key_bytes),
               keys.begin() + static_cast<std::ptrdiff_t>(end * key_bytes));
}

/* `sorted_items`: so many are to be in order. */
void check_partitioned(const Table &table, const cdp_options &options, const Way &way, size_t rank, bool sorts) {
  const cdp_type type = table.type;
  const size_t bytes = host_key_bytes(type);
  const size_t count = table.count;
  say(table, options, way, sorts ? "partial sort up to" : "key at rank", rank);
  const Array keys = make_array(way.keys_place, table.keys, keys_shift(type, way));
  void *k = keys.memory();
  if (sorts)
    make_call(
        way, [&] { return cdp_partial_sort(k, count, type, &options, rank + 1); },
        [&](size_t *needed) { return cdp_partial_sort_workspace(count, type, &options, rank + 1, needed); },
        [&](void *w, size_t given) { return cdp_partial_sort_async(k, count, type, &options, rank + 1, w, given, stream()); },
        [&] { return cdp_partial_sort_on_stream(k, count, type, &options, rank + 1, stream()); });
  else
    make_call(
        way, [&] { return cdp_nth_element(k, count, type, &options, rank); },
        [&](size_t *needed) { return cdp_nth_element_workspace(count, type, &options, rank, needed); },
        [&](void *w, size_t given) { return cdp_nth_element_async(k, count, type, &options, rank, w, given, stream()); },
        [&] { return cdp_nth_element_on_stream(k, count, type, &options, rank, stream()); });
  const Bytes found = read_array(keys, label);
  const Bytes sorted = sorted_keys(type, table.keys, options);
  const size_t in_order_items = sorts ? rank + 1 : 0;
  ck_assert_msg(part(found, bytes, rank, rank + 1) == part(sorted, bytes, rank, rank + 1), "%s: another key", label);
  ck_assert_msg(sorted_keys(type, part(found, bytes, 0, rank), options) == part(sorted, bytes, 0, rank), "%s: before it",
                label);
  ck_assert_msg(sorted_keys(type, part(found, bytes, rank, count), options) == part(sorted, bytes, rank, count),
                "%s: behind it", label);
  ck_assert_msg(part(found, bytes, 0, in_order_items) == part(sorted, bytes, 0, in_order_items), "%s: not in order", label);
  free_arrays();
}

/* ---- The first keys ---------------------------------------------------------------------------------------------- */

/* The columns of a table are what goes with its keys. */
void check_top(const Table &table, const cdp_options &options, const Way &way, size_t k, size_t index_bytes,
               cdp_top_order top_order) {
  const cdp_type type = table.type;
  const size_t bytes = host_key_bytes(type);
  say(table, options, way, top_order == CDP_TOP_SORTED ? "top" : "top, unsorted,", k);
  const Array keys = make_array(way.keys_place, table.keys, keys_shift(type, way));
  const Array top_keys = make_array(way.values_place, Bytes(k * bytes));
  const Array indices = make_array(way.values_place, Bytes(k * index_bytes));
  std::vector<Array> sources;
  std::vector<Array> targets;
  std::vector<cdp_top_column> columns;
  for (size_t column = 0; column < table.columns.size(); column++) {
    sources.push_back(make_array(way.values_place, table.columns[column], way.shift));
    targets.push_back(make_array(way.keys_place, Bytes(k * table.value_bytes[column]), way.shift));
    columns.push_back({sources[column].memory(), table.value_bytes[column], targets[column].memory()});
  }
  cdp_top top = CDP_TOP_INIT;
  top.order = top_order;
  top.indices = index_bytes != 0 ? indices.memory() : nullptr;
  top.index_bytes = index_bytes;
  top.columns = columns.data();
  top.column_count = columns.size();
  make_call(
      way, [&] { return cdp_top_k(keys.memory(), table.count, type, &options, k, top_keys.memory(), &top); },
      [&](size_t *needed) { return cdp_top_k_workspace(table.count, type, &options, k, &top, needed); },
      [&](void *w, size_t given) {
        return cdp_top_k_async(keys.memory(), table.count, type, &options, k, top_keys.memory(), &top, w, given, stream());
      },
      [&] { return cdp_top_k_on_stream(keys.memory(), table.count, type, &options, k, top_keys.memory(), &top, stream()); });

  ck_assert_msg(read_array(keys, label) == table.keys, "%s: the keys were changed", label);
  const std::vector<uint64_t> order = stable_order(table, options);
  const Bytes found = read_array(top_keys, label);
  const Bytes places = read_array(indices, label);
  std::vector<uint64_t> taken = order;
  for (size_t index = 0; index < k && index_bytes != 0; index++) {
    taken[index] = 0;
    memcpy(&taken[index], &places[index * index_bytes], index_bytes);
    ck_assert_msg(taken[index] < table.count, "%s: index %zu is none", label, index);
  }
  if (top_order == CDP_TOP_SORTED) {
    ck_assert_msg(std::equal(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), taken.begin()), "%s: indices",
                  label);
    ck_assert_msg(found == in_order(table.keys, bytes, order, k), "%s: keys", label);
  } else {
    ck_assert_msg(sorted_keys(type, found, options_of(options.order, CDP_TIES_ANY)) ==
                      sorted_keys(type, in_order(table.keys, bytes, order, k), options_of(options.order, CDP_TIES_ANY)),
                  "%s: keys", label);
    ck_assert_msg(index_bytes == 0 || found == in_order(table.keys, bytes, taken, k), "%s: keys and indices", label);
  }
  for (size_t column = 0; column < columns.size(); column++) {
    ck_assert_msg(read_array(sources[column], label) == table.columns[column], "%s: values were changed", label);
    ck_assert_msg(read_array(targets[column], label) == in_order(table.columns[column], table.value_bytes[column], taken, k),
                  "%s: values", label);
  }
  free_arrays();
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

void check_quantiles(const Table &table, const cdp_options &options, const Way &way, const std::vector<uint64_t> &ranks) {
  const cdp_type type = table.type;
  say(table, options, way, "ranks", ranks.size());
  const Array keys = make_array(way.keys_place, table.keys, keys_shift(type, way));
  const Array found = make_array(way.values_place, Bytes(ranks.size() * host_key_bytes(type)));
  const void *k = keys.memory();
  make_call(
      way, [&] { return cdp_quantiles(k, table.count, type, &options, ranks.data(), ranks.size(), found.memory()); },
      [&](size_t *needed) { return cdp_quantiles_workspace(table.count, type, &options, ranks.size(), needed); },
      [&](void *w, size_t given) {
        return cdp_quantiles_async(k, table.count, type, &options, ranks.data(), ranks.size(), found.memory(), w, given,
                                   stream());
      },
      [&] {
        return cdp_quantiles_on_stream(k, table.count, type, &options, ranks.data(), ranks.size(), found.memory(), stream());
      });
  ck_assert_msg(read_array(keys, label) == table.keys, "%s: the keys were changed", label);
  const std::vector<uint64_t> order = stable_order(table, options);
  std::vector<uint64_t> wanted;
  for (const uint64_t rank : ranks)
    wanted.push_back(order[rank]);
  ck_assert_msg(read_array(found, label) == in_order(table.keys, host_key_bytes(type), wanted, ranks.size()), "%s: other keys",
                label);
  free_arrays();
}

/* At both ends, in the middle, between, and in no order. */
std::vector<uint64_t> make_ranks(size_t rank_count, size_t count) {
  std::vector<uint64_t> ranks;
  uint64_t state = seed() + count;
  for (size_t index = 0; index < rank_count; index++)
    ranks.push_back(index == 0 ? count / 2 : index == 1 ? count - 1 : index == 2 ? 0 : host_random_below(&state, count));
  return ranks;
}

/* All calls, by one table. */
void check_all(const Table &table, const cdp_options &options, const Way &way, uint64_t turn) {
  const size_t count = table.count;
  const size_t ranks[] = {count / 2, 0, count - 1, count / 1000, count - 1 - count / 100};
  const size_t rank = ranks[turn % 5];
  cdp_options keys_alone = options;
  keys_alone.ties = CDP_TIES_ANY;
  const cdp_top_order top_order = turn % 3 == 0 ? CDP_TOP_UNSORTED : CDP_TOP_SORTED;
  check_partitioned(table, keys_alone, way, rank, turn % 2 == 0);
  check_top(make_table(table.type, table.keys, {}), keys_alone, way, rank + 1, 0, top_order);
  check_top(table, options, way, rank + 1, turn % 2 == 0 ? 4 : 8, top_order);
  const size_t rank_counts[] = {1, 5, 2, CDP_RANKS_MAX};
  check_quantiles(table, keys_alone, way, make_ranks(rank_counts[turn % 4], count));
}

constexpr host_distribution DISTRIBUTIONS[] = {HOST_UNIFORM,   HOST_EXTREMES, HOST_FEW_DISTINCT,
                                               HOST_ALL_EQUAL, HOST_SORTED,   HOST_LOST_PIVOT};

/* A tile is 8,192 keys of 4 bytes, or 16 of the narrower ones for each of 512 threads; there are 264 shares on an H200, of more than a
   tile only for some types, since the host's order takes long. _i: the type. */
START_TEST(test_types) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = static_cast<uint64_t>(_i);
  const size_t most = static_cast<size_t>(pick(_i % 3 == 0 ? 264 * 8192 + 5 : 300007, 100003));
  for (const size_t count : {size_t{1}, size_t{2}, size_t{33}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{8191},
                             size_t{8192}, size_t{8193}, most})
    for (const cdp_order order : ORDERS) {
      if (count > 100003 && order == CDP_DESCENDING)
        continue;
      const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, turn % 4};
      const Table table = make_table(type, make_keys(type, count, DISTRIBUTIONS[turn % 6]), {1 + turn % 9});
      check_all(table, options_of(order, ALL_TIES[turn % 3]), way, turn);
      turn++;
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(test_distributions) {
  uint64_t turn = 0;
  for (const cdp_type type : {CDP_U32, CDP_F32, CDP_U64, CDP_F64, CDP_U8, CDP_BF16})
    for (uint64_t ranks = 0; ranks < 5; ranks++, turn++) {
      const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, 0};
      const Table table = make_table(type, make_keys(type, 30011, static_cast<host_distribution>(_i)), {8});
      check_all(table, options_of(ORDERS[turn % 2], ALL_TIES[turn % 3]), way, ranks);
    }
}
END_TEST

/* _i: the type. */
START_TEST(test_agreeing) {
  const cdp_type type = _i == 0 ? CDP_U64 : _i == 1 ? CDP_I64 : CDP_F64;
  uint64_t turn = 0;
  for (const size_t count : {size_t{100}, static_cast<size_t>(pick(100003, 20011))})
    for (const std::vector<uint64_t> &ranks : make_agreeing(count, seed())) {
      const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, 0};
      check_all(make_table(type, keys_of_ranks(type, ranks), {4}), options_of(ORDERS[turn % 2], CDP_TIES_STABLE), way, turn);
      turn++;
    }
}
END_TEST

/* _i: the kinds of memory of the keys and of what is found. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  for (const cdp_type type : {CDP_F32, CDP_U64, CDP_U16})
    check_all(make_table(type, make_keys(type, 50021, HOST_EXTREMES), {3, 16}), options_of(CDP_ASCENDING, CDP_TIES_STABLE), way,
              static_cast<uint64_t>(_i));
}
END_TEST

/* _i: with a workspace, or without. */
START_TEST(test_captured) {
  const Way way = {_i == 0 ? Call::async : Call::on_stream, Place::device, Place::device, 0, true};
  uint64_t turn = 0;
  for (const cdp_type type : {CDP_U16, CDP_F32, CDP_U64})
    for (const size_t count : {size_t{2}, size_t{1000}, static_cast<size_t>(pick(300007, 20011))}) {
      check_all(make_table(type, make_keys(type, count, HOST_EXTREMES), {4, 1, 24}),
                options_of(ORDERS[turn % 2], CDP_TIES_BY_VALUE), way, turn);
      turn++;
    }
}
END_TEST

/* _i: the type. */
START_TEST(test_many_keys) {
  const cdp_type type = _i == 0 ? CDP_U32 : _i == 1 ? CDP_F64 : CDP_I16;
  const size_t count = static_cast<size_t>(pick(1 << 22, 1 << 18)) + 3;
  const Way way = {Call::async, Place::device, Place::device, 0};
  const cdp_options options = options_of(ORDERS[_i % 2], CDP_TIES_ANY);
  const Table table = make_table(type, make_keys(type, count, DISTRIBUTIONS[_i]), {});
  check_top(table, options, way, 1000, 4, CDP_TOP_SORTED);
  check_quantiles(table, options, way, make_ranks(5, count));
  check_quantiles(table, options, way, make_ranks(1, count));
  check_partitioned(make_table(type, make_keys(type, count / 4, HOST_GAUSSIAN), {}), options, way, count / 8, true);
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------- */

/* Behind work that has not begun: ranks are the caller's again when the call returns, keys are those of the stream. */
START_TEST(test_stream_order) {
  constexpr size_t COUNT = 200003;
  const Table table = make_table(CDP_U32, make_keys(CDP_U32, COUNT, HOST_UNIFORM), {});
  const Array source = make_array(Place::device, table.keys);
  const Array keys = make_array(Place::device, Bytes(table.keys.size()));
  const Array found = make_array(Place::device, Bytes(2 * sizeof(uint32_t)));
  const Array top = make_array(Place::device, Bytes(10 * sizeof(uint32_t)));
  uint64_t ranks[] = {COUNT / 3, 17};
  uint32_t *flag = nullptr;
  snprintf(label, sizeof label, "behind a stream that is held");
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&flag), 2 * sizeof *flag));
  flag[0] = flag[1] = 0;
  // Kernels are loaded before, which may wait for the device.
  CHECK_SORT(cdp_quantiles(keys.memory(), COUNT, CDP_U32, nullptr, ranks, 2, found.memory()));
  CHECK_SORT(cdp_top_k(keys.memory(), COUNT, CDP_U32, nullptr, 10, top.memory(), nullptr));
  CHECK_CUDA(device_data::hold_stream(flag, stream()));
  CHECK_CUDA(cudaMemcpyAsync(keys.memory(), source.memory(), table.keys.size(), cudaMemcpyDeviceToDevice, stream()));
  CHECK_SORT(cdp_quantiles_on_stream(keys.memory(), COUNT, CDP_U32, nullptr, ranks, 2, found.memory(), stream()));
  CHECK_SORT(cdp_top_k_on_stream(keys.memory(), COUNT, CDP_U32, nullptr, 10, top.memory(), nullptr, stream()));
  const std::vector<uint64_t> order = stable_order(table, options_of(CDP_ASCENDING, CDP_TIES_ANY));
  const std::vector<uint64_t> wanted = {order[ranks[0]], order[ranks[1]]};
  ranks[0] = ranks[1] = 0;
  *static_cast<volatile uint32_t *>(flag) = 1;
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  const bool was_held = flag[1] == 0;
  CHECK_CUDA(cudaFreeHost(flag));
  ck_assert_msg(was_held, "the calls waited for the stream");
  ck_assert(read_array(found, label) == in_order(table.keys, sizeof(uint32_t), wanted, 2));
  ck_assert(read_array(top, label) == in_order(table.keys, sizeof(uint32_t), order, 10));
}
END_TEST

/* On several streams, each again and again. */
START_TEST(test_several_at_once) {
  constexpr int STREAMS = 4;
  constexpr size_t COUNT = 500009;
  constexpr size_t K = 1000;
  cudaStream_t streams[STREAMS];
  std::vector<Table> tables;
  std::vector<Array> keys, found, workspaces;
  size_t bytes = 0;
  snprintf(label, sizeof label, "several at once");
  CHECK_SORT(cdp_top_k_workspace(COUNT, CDP_F32, nullptr, K, nullptr, &bytes));
  for (int which = 0; which < STREAMS; which++) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[which], cudaStreamNonBlocking));
    tables.push_back(make_table(CDP_F32, make_keys(CDP_F32, COUNT - static_cast<size_t>(which), DISTRIBUTIONS[which]), {}));
    keys.push_back(make_array(Place::device, tables.back().keys));
    found.push_back(make_array(Place::device, Bytes(K * sizeof(float))));
    workspaces.push_back(make_array(Place::device, Bytes(bytes)));
  }
  for (int repetition = 0; repetition < 10; repetition++)
    for (size_t which = 0; which < STREAMS; which++)
      CHECK_SORT(cdp_top_k_async(keys[which].memory(), tables[which].count, CDP_F32, nullptr, K, found[which].memory(), nullptr,
                                 workspaces[which].memory(), bytes, streams[which]));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < STREAMS; which++) {
    const std::vector<uint64_t> order = stable_order(tables[which], options_of(CDP_ASCENDING, CDP_TIES_ANY));
    ck_assert(read_array(found[which], label) == in_order(tables[which].keys, sizeof(float), order, K));
    ck_assert(read_array(keys[which], label) == tables[which].keys);
    read_array(workspaces[which], label);
    CHECK_CUDA(cudaStreamDestroy(streams[which]));
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_select");
  TCase *test_case = add_case(suite, "selections");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_types, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_distributions, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_agreeing, 0, 3);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_loop_test(test_case, test_captured, 0, 2);
  tcase_add_loop_test(test_case, test_many_keys, 0, 3);
  tcase_add_test(test_case, test_stream_order);
  tcase_add_test(test_case, test_several_at_once);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
