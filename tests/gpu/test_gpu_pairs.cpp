/* SPDX-License-Identifier: MIT */
/*
 * pairs.h on the GPU: values of every size and at every address, columns, argsort; all types, orders, ties and calls; arrays in
 * every kind of memory; keys of 8 bytes that agree in their upper bits; and what is refused. The host sorts rows of a key and its
 * values by itself, and compares. test_gpu_indices.cpp has more keys, and graphs.
 */
#include "gpu_check.h"

#include "agreeing_keys.h"
#include "device_rank.cuh"
#include "host_data.h"

#include <cdpsort/pairs.h>

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace gpu_check;
using device_data::GUARD_BYTES;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int ALL_TYPES = CDP_BF16;
constexpr cdp_order ORDERS[] = {CDP_ASCENDING, CDP_DESCENDING};
constexpr cdp_ties ALL_TIES[] = {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE};
constexpr size_t VALUE_SIZES[] = {1, 2, 3, 4, 5, 8, 12, 16, 24};
constexpr int VALUE_SIZE_COUNT = 9;

cudaStream_t own_stream = nullptr;
char label[256]; /* what is at work */

/* ---- Arrays in every kind of memory ------------------------------------------------------------------------------ */

constexpr unsigned char GUARD = 0x5A;

enum class Place { pageable, pinned, managed, device };
constexpr int PLACES = 4;
const char *const place_names[PLACES] = {"pageable", "pinned", "managed", "device"};

/* Memory between guard zones, `shift` bytes past alignment. */
struct Array {
  Place place;
  unsigned char *base;
  size_t shift;
  size_t bytes;

  unsigned char *memory() const {
    return base + GUARD_BYTES + shift;
  }
  size_t all_bytes() const {
    return shift + bytes + 2 * GUARD_BYTES;
  }
};

std::vector<Array> arrays;

Array make_array(Place place, const Bytes &contents, size_t shift = 0) {
  Array array = {place, nullptr, shift, contents.size()};
  void *base = nullptr;
  if (place == Place::pinned)
    CHECK_CUDA(cudaMallocHost(&base, array.all_bytes()));
  else if (place == Place::managed)
    CHECK_CUDA(cudaMallocManaged(&base, array.all_bytes(), cudaMemAttachGlobal));
  else if (place == Place::device)
    CHECK_CUDA(cudaMalloc(&base, array.all_bytes()));
  else
    base = aligned_alloc(GUARD_BYTES, (array.all_bytes() + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES);
  ck_assert_msg(base != nullptr, "no memory");
  array.base = static_cast<unsigned char *>(base);
  arrays.push_back(array);
  Bytes image(array.all_bytes(), GUARD);
  std::copy(contents.begin(), contents.end(), image.begin() + static_cast<std::ptrdiff_t>(GUARD_BYTES + shift));
  CHECK_CUDA(cudaMemcpy(base, image.data(), image.size(), cudaMemcpyDefault));
  CHECK_CUDA(cudaDeviceSynchronize());
  return array;
}

/* What an array has become, if nothing was written around it. */
Bytes read_array(const Array &array) {
  Bytes image(array.all_bytes());
  const auto begin = static_cast<std::ptrdiff_t>(GUARD_BYTES + array.shift);
  const auto end = begin + static_cast<std::ptrdiff_t>(array.bytes);
  CHECK_CUDA(cudaMemcpy(image.data(), array.base, image.size(), cudaMemcpyDefault));
  const bool whole = std::all_of(image.begin(), image.begin() + begin, [](unsigned char byte) { return byte == GUARD; }) &&
                     std::all_of(image.begin() + end, image.end(), [](unsigned char byte) { return byte == GUARD; });
  ck_assert_msg(whole, "%s: something was written outside an array of %zu bytes", label, array.bytes);
  return Bytes(image.begin() + begin, image.begin() + end);
}

void free_arrays() {
  cudaDeviceSynchronize();
  for (const Array &array : arrays) {
    if (array.place == Place::pageable)
      free(array.base);
    else if (array.place == Place::pinned)
      cudaFreeHost(array.base);
    else
      cudaFree(array.base);
  }
  arrays.clear();
}

void make_stream() {
  CHECK_CUDA(cudaStreamCreateWithFlags(&own_stream, cudaStreamNonBlocking));
}

void destroy_stream() {
  free_arrays();
  cudaStreamDestroy(own_stream);
  cudaGetLastError();
}

/* ---- The host's own sort ----------------------------------------------------------------------------------------- */

/* Keys, and arrays of values beside them. */
struct Table {
  cdp_type type;
  size_t count;
  Bytes keys;
  std::vector<size_t> value_bytes; /* of each column */
  std::vector<Bytes> columns;
};

/* Values that tell from which index they come, as far as they have room for it. */
Bytes make_values(size_t count, size_t value_bytes, uint64_t column) {
  Bytes values(count * value_bytes);
  for (size_t index = 0; index < count; index++)
    for (size_t byte = 0; byte < value_bytes; byte++) {
      const uint64_t word = device_data::mix((column << 56 | uint64_t{byte / 8} << 48 | index) + 1);
      values[index * value_bytes + byte] = static_cast<unsigned char>(word >> (8 * (byte % 8)));
    }
  return values;
}

Table make_table(cdp_type type, Bytes keys, const std::vector<size_t> &value_bytes) {
  Table table = {type, keys.size() / host_key_bytes(type), std::move(keys), value_bytes, {}};
  for (size_t column = 0; column < value_bytes.size(); column++)
    table.columns.push_back(make_values(table.count, value_bytes[column], column));
  return table;
}

Bytes make_keys(cdp_type type, size_t count, host_distribution distribution) {
  Bytes keys(count * host_key_bytes(type));
  host_fill(keys.data(), type, count, distribution, seed() + count);
  return keys;
}

/* A key's place in the order, which equal keys share. */
template <typename Bits>
uint64_t rank_of_key(const unsigned char *key, cdp_type type, cdp_ties ties) {
  const device_data::Form form = device_data::form_of(type);
  Bits raw;
  memcpy(&raw, key, sizeof raw);
  const uint64_t rank = device_data::rank_of<Bits>(raw, form);
  const bool is_floating = form == device_data::Form::floating || form == device_data::Form::brain_floating;
  if (ties != CDP_TIES_BY_VALUE || !is_floating)
    return rank;
  uint64_t infinite = 0; // so many numbers are before -0.0, which +0.0 is next to, and as many are behind that; then NaNs come
  if constexpr (sizeof(Bits) < 4)
    infinite = device_data::half_layout(form).infinite;
  else
    infinite = device_data::Word<Bits>::INFINITE;
  return rank == infinite ? rank + 1 : std::min(rank, 2 * (infinite + 1));
}

std::vector<uint64_t> ranks_of(const Table &table, cdp_ties ties) {
  const size_t key_bytes = host_key_bytes(table.type);
  const auto rank = key_bytes == 1   ? rank_of_key<uint8_t>
                    : key_bytes == 2 ? rank_of_key<uint16_t>
                    : key_bytes == 4 ? rank_of_key<uint32_t>
                                     : rank_of_key<uint64_t>;
  std::vector<uint64_t> ranks(table.count);
  for (size_t index = 0; index < table.count; index++)
    ranks[index] = rank(&table.keys[index * key_bytes], table.type, ties);
  return ranks;
}

std::vector<uint64_t> order_of(const std::vector<uint64_t> &ranks, cdp_order order) {
  std::vector<uint64_t> indices(ranks.size());
  std::iota(indices.begin(), indices.end(), uint64_t{0});
  std::stable_sort(indices.begin(), indices.end(), [&](uint64_t left, uint64_t right) {
    return order == CDP_DESCENDING ? ranks[left] > ranks[right] : ranks[left] < ranks[right];
  });
  return indices;
}

/* A key with its values. */
std::string row_of(const Table &table, size_t index) {
  const size_t key_bytes = host_key_bytes(table.type);
  std::string row(reinterpret_cast<const char *>(&table.keys[index * key_bytes]), key_bytes);
  for (size_t column = 0; column < table.columns.size(); column++) {
    const size_t bytes = table.value_bytes[column];
    row.append(reinterpret_cast<const char *>(&table.columns[column][index * bytes]), bytes);
  }
  return row;
}

/* Ends the test unless `sorted` is what `table` must become. */
void check_rows(const Table &table, const Table &sorted, const cdp_options &options) {
  const std::vector<uint64_t> ranks = ranks_of(table, options.ties);
  const std::vector<uint64_t> order = order_of(ranks, options.order);
  std::vector<std::string> expected;
  std::vector<std::string> found;
  for (size_t index = 0; index < table.count; index++) {
    expected.push_back(row_of(table, order[index]));
    found.push_back(row_of(sorted, index));
  }
  for (size_t begin = 0, end = 0; options.ties == CDP_TIES_ANY && begin < table.count; begin = end) {
    while (end < table.count && ranks[order[end]] == ranks[order[begin]])
      end++;
    std::sort(&expected[begin], &expected[begin] + (end - begin));
    std::sort(&found[begin], &found[begin] + (end - begin));
  }
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin());
  ck_assert_msg(differ.first == found.end(), "%s: key %td or what goes with it is wrong", label, differ.first - found.begin());
}

/* ---- One sort ---------------------------------------------------------------------------------------------------- */

enum class Call { blocking, async, on_stream };
constexpr int CALLS = 3;
const char *const call_names[CALLS] = {"blocking", "asynchronous", "on a stream"};

/* How a table is sorted. */
struct Way {
  Call call;
  Place keys_place;
  Place values_place;
  size_t shift; /* of the values, bytes past alignment */
};
constexpr Way ON_DEVICE = {Call::blocking, Place::device, Place::device, 0};

void say(const Table &table, const cdp_options &options, const Way &way, const char *what) {
  snprintf(label, sizeof label,
           "%s: %zu %s, %s, ties %d, %zu columns, the first of %zu bytes, %zu past alignment; %s, %s and %s", what, table.count,
           host_type_name(table.type), options.order == CDP_DESCENDING ? "descending" : "ascending",
           static_cast<int>(options.ties), table.value_bytes.size(), table.value_bytes.empty() ? 0 : table.value_bytes[0],
           way.shift, call_names[static_cast<int>(way.call)], place_names[static_cast<int>(way.keys_place)],
           place_names[static_cast<int>(way.values_place)]);
  note("%s", label);
}

/* Of one column by the calls for pairs, of others by those for columns. */
cdp_status sort_table(const Table &table, const cdp_options &options, Call call, void *keys,
                      const std::vector<cdp_column> &columns) {
  const bool is_pairs = columns.size() == 1;
  const size_t count = table.count;
  const cdp_type type = table.type;
  size_t bytes = 0;
  if (call == Call::blocking)
    return is_pairs ? cdp_quicksort_pairs(keys, columns[0].values, columns[0].value_bytes, count, type, &options)
                    : cdp_quicksort_columns(keys, columns.data(), columns.size(), count, type, &options);
  if (call == Call::on_stream)
    return is_pairs ? cdp_quicksort_pairs_on_stream(keys, columns[0].values, columns[0].value_bytes, count, type, &options,
                                                    own_stream)
                    : cdp_quicksort_columns_on_stream(keys, columns.data(), columns.size(), count, type, &options, own_stream);
  CHECK_SORT(is_pairs ? cdp_quicksort_pairs_workspace(columns[0].value_bytes, count, type, &options, &bytes)
                      : cdp_quicksort_columns_workspace(columns.data(), columns.size(), count, type, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = is_pairs ? cdp_quicksort_pairs_async(keys, columns[0].values, columns[0].value_bytes, count, type,
                                                                 &options, workspace.memory(), bytes, own_stream)
                                     : cdp_quicksort_columns_async(keys, columns.data(), columns.size(), count, type, &options,
                                                                   workspace.memory(), bytes, own_stream);
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  read_array(workspace);
  return status;
}

void check_pairs(const Table &table, const cdp_options &options, const Way &way, const char *what) {
  say(table, options, way, what);
  const Array keys = make_array(way.keys_place, table.keys);
  std::vector<Array> values;
  std::vector<cdp_column> columns;
  for (size_t column = 0; column < table.columns.size(); column++) {
    values.push_back(make_array(column % 2 == 0 ? way.values_place : way.keys_place, table.columns[column], way.shift));
    columns.push_back({values[column].memory(), table.value_bytes[column]});
  }
  CHECK_SORT(sort_table(table, options, way.call, keys.memory(), columns));
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  Table sorted = {table.type, table.count, read_array(keys), table.value_bytes, {}};
  for (const Array &array : values)
    sorted.columns.push_back(read_array(array));
  check_rows(table, sorted, options);
  free_arrays();
}

/* Where an argsort's keys go. */
enum class Keys { unwanted, in_place, apart };
constexpr int KEYS = 3;

cdp_status argsort_table(const Table &table, const cdp_options &options, Call call, const Array &keys, void *sorted_keys,
                         const Array &indices, size_t index_bytes) {
  size_t bytes = 0;
  if (call == Call::blocking)
    return cdp_argsort(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count, table.type, &options);
  if (call == Call::on_stream)
    return cdp_argsort_on_stream(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count, table.type, &options,
                                 own_stream);
  CHECK_SORT(cdp_argsort_workspace(table.count, table.type, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = cdp_argsort_async(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count,
                                              table.type, &options, workspace.memory(), bytes, own_stream);
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  read_array(workspace);
  return status;
}

void check_argsort(const Table &table, const cdp_options &options, const Way &way, Keys wanted, size_t index_bytes) {
  say(table, options, way, index_bytes == 4 ? "argsort, 4 bytes" : "argsort, 8 bytes");
  const size_t key_bytes = host_key_bytes(table.type);
  const Array keys = make_array(way.keys_place, table.keys);
  const Array apart = make_array(way.values_place, Bytes(table.keys.size()));
  const Array indices = make_array(way.values_place, Bytes(table.count * index_bytes, 0xFF));
  void *sorted_keys = wanted == Keys::apart ? apart.memory() : wanted == Keys::in_place ? keys.memory() : nullptr;
  CHECK_SORT(argsort_table(table, options, way.call, keys, sorted_keys, indices, index_bytes));
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  const std::vector<uint64_t> order = order_of(ranks_of(table, options.ties), options.order);
  const Bytes found = read_array(indices);
  Bytes expected_keys;
  for (size_t index = 0; index < table.count; index++) {
    uint64_t place = 0;
    memcpy(&place, &found[index * index_bytes], index_bytes); // the machine is little-endian, as CUDA's are
    ck_assert_msg(place == order[index], "%s: index %zu is %" PRIu64 " and not %" PRIu64, label, index, place, order[index]);
    const unsigned char *key = &table.keys[place * key_bytes];
    expected_keys.insert(expected_keys.end(), key, key + key_bytes);
  }
  ck_assert_msg(read_array(keys) == (wanted == Keys::in_place ? expected_keys : table.keys), "%s: the keys", label);
  ck_assert_msg(read_array(apart) == (wanted == Keys::apart ? expected_keys : Bytes(table.keys.size())),
                "%s: the other array of keys", label);
  free_arrays();
}

cdp_options options_of(cdp_order order, cdp_ties ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  options.ties = ties;
  return options;
}

/* Random keys, and such as are often equal, NaNs and zeros of both signs among them. */
host_distribution host_distribution_at(uint64_t turn) {
  static const host_distribution distributions[] = {HOST_EXTREMES, HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_LOST_PIVOT,
                                                    HOST_SORTED};
  return distributions[turn % 5];
}

std::vector<size_t> sizes() {
  const size_t block = one_block_items(CDP_U64);
  std::vector<size_t> all = {1, 2, 1000, block - 1, block, block + 1, 20011};
  if (!quick())
    all.push_back(100003);
  return all;
}

/* ---- Rows that the host sorts too -------------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_types) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = 0;
  for (const cdp_order order : ORDERS)
    for (const cdp_ties ties : ALL_TIES)
      for (const size_t count : sizes()) {
        const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, turn % 3};
        const Table table =
            make_table(type, make_keys(type, count, host_distribution_at(turn)), {VALUE_SIZES[turn % VALUE_SIZE_COUNT]});
        check_pairs(table, options_of(order, ties), way, "types");
        turn++;
      }
}
END_TEST

/* _i: the size of a value. */
START_TEST(test_values) {
  for (const cdp_type type : {CDP_I8, CDP_F16, CDP_F32, CDP_I64})
    for (const cdp_ties ties : {CDP_TIES_ANY, CDP_TIES_STABLE})
      for (const size_t shift : {0, 1, 2, 4, 8}) {
        const Table table = make_table(type, make_keys(type, 9973, HOST_FEW_DISTINCT), {VALUE_SIZES[_i]});
        Way way = ON_DEVICE;
        way.shift = shift;
        check_pairs(table, options_of(CDP_ASCENDING, ties), way, "values");
      }
}
END_TEST

/* _i: the kinds of memory of the keys and of the values. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  const size_t count = pick(100003, 20011);
  for (const cdp_type type : {CDP_F32, CDP_U64}) {
    check_pairs(make_table(type, make_keys(type, count, HOST_EXTREMES), {4}), options_of(CDP_ASCENDING, CDP_TIES_ANY), way,
                "places");
    check_pairs(make_table(type, make_keys(type, count, HOST_EXTREMES), {3, 16}), options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE),
                way, "places");
    check_argsort(make_table(type, make_keys(type, count, HOST_FEW_DISTINCT), {}), options_of(CDP_ASCENDING, CDP_TIES_ANY), way,
                  static_cast<Keys>(_i % KEYS), 4);
  }
}
END_TEST

/* _i: the call. */
START_TEST(test_columns) {
  const Way way = {static_cast<Call>(_i), Place::device, Place::managed, 0};
  const std::vector<size_t> most = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 100, 1, 8, 4, 2};
  ck_assert_uint_eq(most.size(), CDP_COLUMNS_MAX);
  for (const cdp_type type : {CDP_U8, CDP_BF16, CDP_F32, CDP_F64})
    for (const cdp_ties ties : ALL_TIES) {
      const Bytes keys = make_keys(type, 20011, HOST_EXTREMES);
      check_pairs(make_table(type, keys, most), options_of(CDP_ASCENDING, ties), way, "most columns");
      check_pairs(make_table(type, keys, {4, 4}), options_of(CDP_DESCENDING, ties), way, "two columns");
      check_pairs(make_table(type, keys, {}), options_of(CDP_ASCENDING, ties), way, "no columns");
    }
}
END_TEST

/* _i: the type. */
START_TEST(test_argsort) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = 0;
  for (const size_t count : sizes())
    for (int wanted = 0; wanted < KEYS; wanted++)
      for (const size_t index_bytes : {4, 8}) {
        const Way way = {static_cast<Call>(turn / 2 % CALLS), Place::device, Place::device, 0};
        const Table table = make_table(type, make_keys(type, count, host_distribution_at(turn)), {});
        check_argsort(table, options_of(ORDERS[turn / 3 % 2], ALL_TIES[turn % 3]), way, static_cast<Keys>(wanted), index_bytes);
        turn++;
      }
}
END_TEST

/* ---- Keys that agree in their upper bits ------------------------------------------------------------------------- */

Bytes keys_of_ranks(cdp_type type, const std::vector<uint64_t> &ranks) {
  Bytes keys(ranks.size() * sizeof(uint64_t));
  for (size_t index = 0; index < ranks.size(); index++) {
    const uint64_t raw = device_data::raw_of<uint64_t>(ranks[index], device_data::form_of(type));
    memcpy(&keys[index * sizeof raw], &raw, sizeof raw);
  }
  return keys;
}

/* _i: the type. */
START_TEST(test_agreeing) {
  const cdp_type type = _i == 0 ? CDP_U64 : _i == 1 ? CDP_I64 : CDP_F64;
  uint64_t turn = 0;
  for (const size_t count : {size_t{100}, static_cast<size_t>(pick(100003, 20011))})
    for (const std::vector<uint64_t> &ranks : make_agreeing(count, seed()))
      for (const cdp_order order : ORDERS) {
        const cdp_options options = options_of(order, ALL_TIES[turn % 3]);
        const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, 0};
        check_pairs(make_table(type, keys_of_ranks(type, ranks), {8}), options, way, "agreeing");
        check_argsort(make_table(type, keys_of_ranks(type, ranks), {}), options, way, static_cast<Keys>(turn % KEYS), 4);
        turn++;
      }
}
END_TEST

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 10007;
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_STABLE); // so that a sort would be seen
  const Bytes old_keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Bytes old_values = make_values(COUNT, 8, 0);
  const Array keys = make_array(Place::device, old_keys);
  const Array values = make_array(Place::device, old_values);
  const Array host_keys = make_array(Place::pageable, old_keys);
  const Array host_values = make_array(Place::pinned, old_values);
  size_t bytes = 0;
  size_t argsort_bytes = 0;
  CHECK_SORT(cdp_quicksort_pairs_workspace(8, COUNT, CDP_U32, &options, &bytes));
  CHECK_SORT(cdp_argsort_workspace(COUNT, CDP_U32, &options, &argsort_bytes));
  const Array workspace = make_array(Place::device, Bytes(std::max(bytes, argsort_bytes)));
  const Array host_workspace = make_array(Place::pageable, Bytes(bytes));
  snprintf(label, sizeof label, "after calls that were refused");

  const auto pairs = [&](void *d_keys, void *d_values, size_t value_bytes, void *d_workspace, size_t workspace_bytes) {
    return cdp_quicksort_pairs_async(d_keys, d_values, value_bytes, COUNT, CDP_U32, &options, d_workspace, workspace_bytes,
                                     own_stream);
  };
  unsigned char *room = workspace.memory();
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(host_keys.memory(), values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), host_values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), values.memory(), 8, host_workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), keys.memory(), 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(values.memory() + 4 * COUNT - 4, values.memory(), 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(keys.memory(), values.memory(), 8, room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, pairs(keys.memory(), values.memory(), 8, room + 128, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(room, values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(keys.memory(), room + bytes - 8 * COUNT, 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, pairs(keys.memory(), nullptr, 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, pairs(keys.memory(), values.memory(), 8, nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, pairs(keys.memory(), values.memory(), 0, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, pairs(keys.memory() + 1, values.memory(), 8, room, bytes));

  const auto on_stream = [&](void *d_keys, void *d_values) {
    return cdp_quicksort_pairs_on_stream(d_keys, d_values, 4, COUNT, CDP_U32, &options, own_stream);
  };
  CHECK_FAILS(CDP_ERROR_POINTER, on_stream(keys.memory(), host_values.memory()));
  CHECK_FAILS(CDP_ERROR_POINTER, on_stream(keys.memory(), keys.memory() + 4));

  const auto argsort = [&](void *d_keys, void *d_sorted, void *d_indices, size_t index_bytes, size_t workspace_bytes) {
    return cdp_argsort_async(d_keys, d_sorted, d_indices, index_bytes, COUNT, CDP_U32, &options, room, workspace_bytes,
                             own_stream);
  };
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(host_keys.memory(), nullptr, values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), nullptr, host_values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), host_keys.memory(), values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), nullptr, keys.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(values.memory(), values.memory() + 4, keys.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, argsort(keys.memory(), nullptr, values.memory(), 2, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, argsort(keys.memory(), nullptr, values.memory() + 4, 8, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, argsort(keys.memory(), nullptr, values.memory(), 4, argsort_bytes - 1));

  const cdp_column twice[] = {{values.memory(), 4}, {values.memory() + 4, 4}};
  const cdp_column many[CDP_COLUMNS_MAX + 1] = {};
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_columns(keys.memory(), twice, 2, COUNT, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_quicksort_columns(keys.memory(), many, CDP_COLUMNS_MAX + 1, COUNT, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_SIZE,
              cdp_quicksort_pairs(keys.memory(), values.memory(), 1, CDP_PAIRS_COUNT_MAX + 1, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_POINTER,
              cdp_quicksort_pairs(host_values.memory(), host_values.memory() + 4, 4, COUNT, CDP_U32, &options));
  CHECK_SORT(cdp_quicksort_pairs_on_stream(nullptr, nullptr, 8, 0, CDP_U32, &options, own_stream));

  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(keys) == old_keys && read_array(host_keys) == old_keys);
  ck_assert(read_array(values) == old_values && read_array(host_values) == old_values);
  ck_assert(read_array(workspace) == Bytes(workspace.bytes) && read_array(host_workspace) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_pairs");
  TCase *test_case = add_case(suite, "rows");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_types, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_values, 0, VALUE_SIZE_COUNT);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_loop_test(test_case, test_columns, 0, CALLS);
  tcase_add_loop_test(test_case, test_argsort, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_agreeing, 0, 3);
  test_case = add_case(suite, "refusals");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
