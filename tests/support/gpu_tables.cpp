/* SPDX-License-Identifier: MIT */
/*
 * See gpu_tables.h.
 */
#include "gpu_tables.h"

#include "device_rank.cuh"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace gpu_check;
using device_data::GUARD_BYTES;

namespace gpu_tables {

constexpr unsigned char GUARD = 0x5A;
static const char *const place_names[PLACES] = {"pageable", "pinned", "managed", "device"};
static const char *const call_names[CALLS] = {"blocking", "asynchronous", "on a stream"};

static cudaStream_t own_stream = nullptr;
static std::vector<Array> arrays;
static char label[256]; /* what is at work */

cudaStream_t stream() {
  return own_stream;
}

/* ---- Arrays in every kind of memory ------------------------------------------------------------------------------ */

Array make_array(Place place, const Bytes &contents, size_t shift) {
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

Bytes read_array(const Array &array, const char *when) {
  Bytes image(array.all_bytes());
  const auto begin = static_cast<std::ptrdiff_t>(GUARD_BYTES + array.shift);
  const auto end = begin + static_cast<std::ptrdiff_t>(array.bytes);
  CHECK_CUDA(cudaMemcpy(image.data(), array.base, image.size(), cudaMemcpyDefault));
  const bool whole = std::all_of(image.begin(), image.begin() + begin, [](unsigned char byte) { return byte == GUARD; }) &&
                     std::all_of(image.begin() + end, image.end(), [](unsigned char byte) { return byte == GUARD; });
  ck_assert_msg(whole, "%s: something was written outside an array of %zu bytes", when, array.bytes);
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

Bytes make_values(size_t count, size_t value_bytes, uint64_t column) {
  Bytes values(count * value_bytes);
  for (size_t index = 0; index < count; index++)
    for (size_t byte = 0; byte < value_bytes; byte++) {
      const uint64_t word = device_data::mix((column << 56 | uint64_t{byte / 8} << 48 | index) + 1);
      values[index * value_bytes + byte] = static_cast<unsigned char>(word >> (8 * (byte % 8)));
    }
  return values;
}

Bytes keys_of_ranks(cdp_type type, const std::vector<uint64_t> &ranks) {
  Bytes keys(ranks.size() * sizeof(uint64_t));
  for (size_t index = 0; index < ranks.size(); index++) {
    const uint64_t raw = device_data::raw_of<uint64_t>(ranks[index], device_data::form_of(type));
    memcpy(&keys[index * sizeof raw], &raw, sizeof raw);
  }
  return keys;
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
static uint64_t rank_of_key(const unsigned char *key, cdp_type type, cdp_ties ties) {
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

std::vector<uint64_t> ranks_of(cdp_type type, const Bytes &keys, cdp_ties ties) {
  const size_t key_bytes = host_key_bytes(type);
  const auto rank = key_bytes == 1   ? rank_of_key<uint8_t>
                    : key_bytes == 2 ? rank_of_key<uint16_t>
                    : key_bytes == 4 ? rank_of_key<uint32_t>
                                     : rank_of_key<uint64_t>;
  std::vector<uint64_t> ranks(keys.size() / key_bytes);
  for (size_t index = 0; index < ranks.size(); index++)
    ranks[index] = rank(&keys[index * key_bytes], type, ties);
  return ranks;
}

static std::vector<uint64_t> order_of(const std::vector<uint64_t> &ranks, cdp_order order) {
  std::vector<uint64_t> indices(ranks.size());
  std::iota(indices.begin(), indices.end(), uint64_t{0});
  std::stable_sort(indices.begin(), indices.end(), [&](uint64_t left, uint64_t right) {
    return order == CDP_DESCENDING ? ranks[left] > ranks[right] : ranks[left] < ranks[right];
  });
  return indices;
}

std::vector<uint64_t> stable_order(const Table &table, const cdp_options &options) {
  return order_of(ranks_of(table.type, table.keys, options.ties), options.order);
}

/* A key with its values. */
static std::string row_of(const Table &table, size_t index) {
  const size_t key_bytes = host_key_bytes(table.type);
  std::string row(reinterpret_cast<const char *>(&table.keys[index * key_bytes]), key_bytes);
  for (size_t column = 0; column < table.columns.size(); column++) {
    const size_t bytes = table.value_bytes[column];
    row.append(reinterpret_cast<const char *>(&table.columns[column][index * bytes]), bytes);
  }
  return row;
}

/* Ends the test unless `sorted` is what `table` must become. */
static void check_rows(const Table &table, const Table &sorted, const cdp_options &options) {
  const std::vector<uint64_t> ranks = ranks_of(table.type, table.keys, options.ties);
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

static void say(const Table &table, const cdp_options &options, const Way &way, const char *what) {
  snprintf(
      label, sizeof label, "%s: %zu %s, %s, ties %d, %zu columns, the first of %zu bytes, %zu past alignment; %s%s, %s and %s",
      what, table.count, host_type_name(table.type), options.order == CDP_DESCENDING ? "descending" : "ascending",
      static_cast<int>(options.ties), table.value_bytes.size(), table.value_bytes.empty() ? 0 : table.value_bytes[0], way.shift,
      way.is_captured ? "captured, " : "", call_name(way.call), place_name(way.keys_place), place_name(way.values_place));
  note("%s", label);
}

const char *call_name(Call call) {
  return call_names[static_cast<int>(call)];
}

const char *place_name(Place place) {
  return place_names[static_cast<int>(place)];
}

/* Of one column by the calls for pairs, of others by those for columns. */
static cdp_status sort_table(const Table &table, const cdp_options &options, const Way &way, void *keys,
                             const std::vector<cdp_column> &columns) {
  const bool is_pairs = columns.size() == 1;
  const size_t count = table.count;
  const cdp_type type = table.type;
  size_t bytes = 0;
  if (way.call == Call::blocking)
    return is_pairs ? cdp_quicksort_pairs(keys, columns[0].values, columns[0].value_bytes, count, type, &options)
                    : cdp_quicksort_columns(keys, columns.data(), columns.size(), count, type, &options);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return is_pairs
                 ? cdp_quicksort_pairs_on_stream(keys, columns[0].values, columns[0].value_bytes, count, type, &options,
                                                 own_stream)
                 : cdp_quicksort_columns_on_stream(keys, columns.data(), columns.size(), count, type, &options, own_stream);
    });
  CHECK_SORT(is_pairs ? cdp_quicksort_pairs_workspace(columns[0].value_bytes, count, type, &options, &bytes)
                      : cdp_quicksort_columns_workspace(columns.data(), columns.size(), count, type, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = perform(way, [&] {
    return is_pairs ? cdp_quicksort_pairs_async(keys, columns[0].values, columns[0].value_bytes, count, type, &options,
                                                workspace.memory(), bytes, own_stream)
                    : cdp_quicksort_columns_async(keys, columns.data(), columns.size(), count, type, &options,
                                                  workspace.memory(), bytes, own_stream);
  });
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  read_array(workspace, label);
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
  CHECK_SORT(sort_table(table, options, way, keys.memory(), columns));
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  Table sorted = {table.type, table.count, read_array(keys, label), table.value_bytes, {}};
  for (const Array &array : values)
    sorted.columns.push_back(read_array(array, label));
  check_rows(table, sorted, options);
  free_arrays();
}

static cdp_status argsort_table(const Table &table, const cdp_options &options, const Way &way, const Array &keys,
                                void *sorted_keys, const Array &indices, size_t index_bytes) {
  size_t bytes = 0;
  if (way.call == Call::blocking)
    return cdp_argsort(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count, table.type, &options);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return cdp_argsort_on_stream(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count, table.type, &options,
                                   own_stream);
    });
  CHECK_SORT(cdp_argsort_workspace(table.count, table.type, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = perform(way, [&] {
    return cdp_argsort_async(keys.memory(), sorted_keys, indices.memory(), index_bytes, table.count, table.type, &options,
                             workspace.memory(), bytes, own_stream);
  });
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  read_array(workspace, label);
  return status;
}

void check_argsort(const Table &table, const cdp_options &options, const Way &way, Keys wanted, size_t index_bytes) {
  say(table, options, way, index_bytes == 4 ? "argsort, 4 bytes" : "argsort, 8 bytes");
  const size_t key_bytes = host_key_bytes(table.type);
  const Array keys = make_array(way.keys_place, table.keys);
  const Array apart = make_array(way.values_place, Bytes(table.keys.size()));
  const Array indices = make_array(way.values_place, Bytes(table.count * index_bytes, 0xFF));
  void *sorted_keys = wanted == Keys::apart ? apart.memory() : wanted == Keys::in_place ? keys.memory() : nullptr;
  CHECK_SORT(argsort_table(table, options, way, keys, sorted_keys, indices, index_bytes));
  CHECK_CUDA(cudaStreamSynchronize(own_stream));
  const std::vector<uint64_t> order = stable_order(table, options);
  const Bytes found = read_array(indices, label);
  Bytes expected_keys;
  for (size_t index = 0; index < table.count; index++) {
    uint64_t place = 0;
    memcpy(&place, &found[index * index_bytes], index_bytes); // the machine is little-endian, as CUDA's are
    ck_assert_msg(place == order[index], "%s: index %zu is %" PRIu64 " and not %" PRIu64, label, index, place, order[index]);
    const unsigned char *key = &table.keys[place * key_bytes];
    expected_keys.insert(expected_keys.end(), key, key + key_bytes);
  }
  ck_assert_msg(read_array(keys, label) == (wanted == Keys::in_place ? expected_keys : table.keys), "%s: the keys", label);
  ck_assert_msg(read_array(apart, label) == (wanted == Keys::apart ? expected_keys : Bytes(table.keys.size())),
                "%s: the other array of keys", label);
  free_arrays();
}

cdp_options options_of(cdp_order order, cdp_ties ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  options.ties = ties;
  return options;
}

} // namespace gpu_tables
