/* SPDX-License-Identifier: MIT */
/*
 * How a sort is measured.
 *
 * 1. Keys are made once for all modes, and digested.
 * 2. The modes take turns: the first repetition of each, the second of each, and so on. If the card's clock drifts, it drifts
 *    for all of them.
 * 3. Before a repetition the unsorted keys are copied to where they are sorted, and the guards are painted: before and behind
 *    the keys, before and behind the workspace. Values, where a mode has some, are guarded too: they are
 *    numbers from 0 on, or, where the mode is to find these, none of them. A mode that divides is given its splitters.
 * 4. The time is that between two events around the sort alone. As nobody waits before it, the host goes ahead while the device
 *    still copies, so that for large arrays the launch is not part of the time; for the smallest it is, for all modes alike.
 * 5. Order, permutation and guards are judged on the device after every repetition.
 *
 * What finds some keys instead of sorting all is compared with the keys at the same ranks of a copy that is sorted beforehand.
 *
 * There is one workspace, as large as the largest that any mode wants: each is given as much of it as it asked for, with a
 * guard behind just that. So it is with the values.
 */
#include "measure.h"

#include "found.h"

#include <cdpsort/pairs.h>

#include <algorithm>
#include <cstdio>

namespace bench {

using device_data::GUARD_BYTES;

namespace {

/* Device memory that is left to CUDA: local memory, and what launches from the device need. */
constexpr size_t BYTES_LEFT_TO_CUDA = size_t{512} << 20;

/* A destructor cannot throw, but nothing is to go unseen. */
void note(cudaError_t error, const char *call) {
  if (error != cudaSuccess)
    fprintf(stderr, "bench: %s: CUDA error %d, %s\n", call, static_cast<int>(error), cudaGetErrorString(error));
}

std::string gibibytes(size_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1u << 30));
  return text;
}

/* Device memory between two guards. */
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes) {
    const cudaError_t error = cudaMalloc(reinterpret_cast<void **>(&d_base_), bytes + 2 * GUARD_BYTES);
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError()); /* it has been told, and must not be told of the next call */
      throw DoesNotFit(gibibytes(bytes) + " of device memory cannot be had in one piece");
    }
    require(error, "cudaMalloc");
  }
  ~GuardedMemory() {
    note(cudaFree(d_base_), "cudaFree");
  }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /* GUARD_BYTES are a multiple of every alignment that is asked for. */
  char *begin() const {
    return d_base_ + GUARD_BYTES;
  }

  /* The guards of the first `bytes` of it. */
  void paint(size_t bytes, cudaStream_t stream) const {
    REQUIRE(device_data::guard_fill(d_base_, GUARD_BYTES, stream));
    REQUIRE(device_data::guard_fill(begin() + bytes, GUARD_BYTES, stream));
  }
  void judge(size_t bytes, const device_data::Oracle &oracle, cudaStream_t stream) const {
    REQUIRE(device_data::guard_check(oracle, d_base_, GUARD_BYTES, stream));
    REQUIRE(device_data::guard_check(oracle, begin() + bytes, GUARD_BYTES, stream));
  }

private:
  char *d_base_ = nullptr;
};

/* A mode that takes part. */
struct Contender {
  const Mode *mode;
  size_t workspace_bytes;
  size_t values_bytes;
};

size_t free_device_bytes() {
  size_t free_bytes = 0;
  size_t all_bytes = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &all_bytes));
  return free_bytes > BYTES_LEFT_TO_CUDA ? free_bytes - BYTES_LEFT_TO_CUDA : 0;
}

} // namespace

/* ---- The memory ---------------------------------------------------------------------------------------------------------- */

struct Bench::Inside {
  cdp_type type;
  uint64_t count;
  uint64_t seed;
  size_t keys_bytes;
  std::vector<Contender> contenders;
  size_t shared_workspace_bytes = 0;
  size_t shared_values_bytes = 0;
  std::unique_ptr<GuardedMemory> in_order; /* the keys, for modes that find some of them; NULL: there is no such mode */
  std::vector<std::string> left_out;
  std::unique_ptr<GuardedMemory> unsorted;
  std::unique_ptr<GuardedMemory> keys;
  std::unique_ptr<GuardedMemory> workspace;
  std::unique_ptr<GuardedMemory> values;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  device_data::Oracle oracle = {nullptr, nullptr, nullptr};
  device_data::Findings before = {}; /* the oracle's, at the end of the latest judgement */

  Inside(cdp_type keys_type, uint64_t keys_count, uint64_t keys_seed)
      : type(keys_type), count(keys_count), seed(keys_seed), keys_bytes(keys_count * device_data::key_bytes(keys_type)) {}
  ~Inside();

  void allocate(const std::vector<Chosen> &chosen);
  void choose_contenders(const std::vector<Chosen> &chosen);
  void take_in(const Chosen &one, size_t room_bytes);

  KeySpan span_of(void *d_keys) const {
    return {d_keys, count, type};
  }
  device_data::Indexed indexed_by(const Contender &contender, void *d_values) const {
    const Moved &moved = contender.mode->moved;
    return {d_values, moved.value_bytes, unsorted->begin(), moved.keys_stay, moved.is_stable};
  }
  cudaError_t judge_order(const Contender &contender, const Sorted &sorted);
  void prepare(const Contender &contender);
  double sort_once(const Contender &contender, std::string *fault);
  std::string judge(const Contender &contender, const Sorted &sorted);
  void put_in_order();
  void repeat(const Contender &contender, bool counts, Row *row);
};

Bench::Inside::~Inside() {
  if (oracle.d_before != nullptr)
    note(cudaFree(oracle.d_before), "cudaFree");
  if (begin != nullptr)
    note(cudaEventDestroy(begin), "cudaEventDestroy");
  if (end != nullptr)
    note(cudaEventDestroy(end), "cudaEventDestroy");
  if (stream != nullptr)
    note(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

/* Has a mode take part, or says why it does not. */
void Bench::Inside::take_in(const Chosen &one, size_t room_bytes) {
  const Mode &mode = *one.mode;
  const std::string name = mode.name;
  if (!one.named && mode.keys_most != 0 && count > mode.keys_most) {
    left_out.push_back(name + " (slow; to have it measured, name it)");
    return;
  }
  if (mode.type != 0 && mode.type != type) {
    if (one.named)
      left_out.push_back(name + " (takes keys of type " + device_data::type_name(static_cast<cdp_type>(mode.type)) + " alone)");
    return;
  }
  if ((mode.moved.value_bytes != 0 || mode.moved.other_bytes != 0 || mode.moved.splitters != 0) &&
      count > CDP_PAIRS_COUNT_MAX) {
    left_out.push_back(name + " (takes 2^32 keys at most)");
    return;
  }
  const size_t found_bytes = mode.found.keys_of(count) * device_data::key_bytes(type);
  const Contender contender = {&mode, mode.workspace_bytes(span_of(keys->begin())),
                               mode.found.keys != 0 ? found_bytes : count * mode.moved.value_bytes};
  const size_t workspace_bytes = std::max(shared_workspace_bytes, contender.workspace_bytes);
  const size_t values_bytes = std::max(shared_values_bytes, contender.values_bytes);
  if (workspace_bytes + values_bytes > room_bytes) {
    left_out.push_back(name + " (wants " + gibibytes(contender.workspace_bytes + contender.values_bytes) +
                       " of device memory beside the keys, of which " + gibibytes(room_bytes) + " are free)");
    return;
  }
  shared_workspace_bytes = workspace_bytes;
  shared_values_bytes = values_bytes;
  contenders.push_back(contender);
}

void Bench::Inside::choose_contenders(const std::vector<Chosen> &chosen) {
  const size_t room_bytes = free_device_bytes();
  for (const Chosen &one : chosen)
    take_in(one, room_bytes);
  /* They take turns in the order of the list. */
  std::sort(contenders.begin(), contenders.end(), [](const Contender &a, const Contender &b) { return a.mode < b.mode; });
}

void Bench::Inside::allocate(const std::vector<Chosen> &chosen) {
  const auto finds = [](const Chosen &one) { return one.mode->found.keys != 0; };
  const bool needs_order = std::any_of(chosen.begin(), chosen.end(), finds);
  const size_t needed = (needs_order ? 3 : 2) * (keys_bytes + 2 * GUARD_BYTES);
  const size_t free_bytes = free_device_bytes();
  if (needed > free_bytes)
    throw DoesNotFit("the keys, twice, or three times where some are to be found, need " + gibibytes(needed) +
                     " of device memory, of which " + gibibytes(free_bytes) + " are free");
  unsorted = std::make_unique<GuardedMemory>(keys_bytes);
  keys = std::make_unique<GuardedMemory>(keys_bytes);
  if (needs_order)
    in_order = std::make_unique<GuardedMemory>(keys_bytes);
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  REQUIRE(cudaEventCreate(&begin));
  REQUIRE(cudaEventCreate(&end));
  REQUIRE(device_data::oracle_create(&oracle));
  REQUIRE(device_data::oracle_read(oracle, &before, stream));
  choose_contenders(chosen);
  workspace = std::make_unique<GuardedMemory>(shared_workspace_bytes);
  values = std::make_unique<GuardedMemory>(shared_values_bytes);
}

/* ---- A repetition -------------------------------------------------------------------------------------------------------- */

void Bench::Inside::prepare(const Contender &contender) {
  REQUIRE(cudaMemcpyAsync(keys->begin(), unsorted->begin(), keys_bytes, cudaMemcpyDeviceToDevice, stream));
  keys->paint(keys_bytes, stream);
  workspace->paint(contender.workspace_bytes, stream);
  if (contender.mode->moved.splitters != 0)
    choose_splitters(span_of(keys->begin()), workspace->begin(), contender.mode->moved.splitters, stream);
  if (contender.values_bytes == 0)
    return;
  values->paint(contender.values_bytes, stream);
  if (contender.mode->moved.is_argsort || contender.mode->found.keys != 0)
    REQUIRE(cudaMemsetAsync(values->begin(), 0xFF, contender.values_bytes, stream));
  else
    REQUIRE(device_data::number(indexed_by(contender, values->begin()), count, stream));
}

/* Has the oracle look at a result: in order, or in the order of its buckets, each key with its value. */
cudaError_t Bench::Inside::judge_order(const Contender &contender, const Sorted &sorted) {
  const KeySpan found = span_of(sorted.d_keys);
  const uint32_t splitters = contender.mode->moved.splitters;
  void *d_moved = sorted.d_values != nullptr ? sorted.d_values : values->begin();
  void *d_values = contender.values_bytes != 0 ? d_moved : nullptr;
  if (splitters != 0) {
    const Divided parts = divided_parts(workspace->begin(), splitters);
    return device_data::oracle_judge_buckets(oracle, found, CDP_ASCENDING, {parts.d_splitters, splitters, parts.d_begins},
                                             indexed_by(contender, d_values), stream);
  }
  if (d_values == nullptr)
    return device_data::oracle_judge(oracle, found, CDP_ASCENDING, stream);
  return device_data::oracle_judge_indices(oracle, found, CDP_ASCENDING, indexed_by(contender, d_values), stream);
}

/* The keys in their order, which the oracle has judged, for modes that find some of them. */
void Bench::Inside::put_in_order() {
  REQUIRE(cudaMemcpyAsync(in_order->begin(), unsorted->begin(), keys_bytes, cudaMemcpyDeviceToDevice, stream));
  REQUIRE(cdp_quicksort_on_stream(in_order->begin(), count, type, nullptr, stream));
  REQUIRE(device_data::oracle_judge(oracle, span_of(in_order->begin()), CDP_ASCENDING, stream));
  const device_data::Findings earlier = before;
  REQUIRE(device_data::oracle_read(oracle, &before, stream));
  if (before.disorders != earlier.disorders || before.wrong_digests != earlier.wrong_digests)
    throw Failure("the keys in their order, which others are compared with, are wrong");
}

/* What is wrong with a result; "" if nothing is. */
std::string Bench::Inside::judge(const Contender &contender, const Sorted &sorted) {
  device_data::Findings after;
  const bool finds = contender.mode->found.keys != 0;
  void *d_found = values->begin();
  const uint64_t wrong = finds ? count_wrong_keys(*contender.mode, span_of(in_order->begin()), d_found, stream) : 0;
  REQUIRE(finds ? device_data::oracle_judge(oracle, span_of(sorted.d_keys), CDP_ASCENDING, stream)
                : judge_order(contender, sorted));
  if (contender.values_bytes != 0)
    values->judge(contender.values_bytes, oracle, stream);
  keys->judge(keys_bytes, oracle, stream);
  workspace->judge(contender.workspace_bytes, oracle, stream);
  REQUIRE(device_data::oracle_read(oracle, &after, stream));
  const auto disorders = finds ? 0 : after.disorders - before.disorders; // keys stay where they are
  const auto wrong_digests = after.wrong_digests - before.wrong_digests;
  const auto damaged = after.damaged_guard_bytes - before.damaged_guard_bytes;
  const auto strays = after.strays - before.strays;
  const auto overtakings = after.overtakings - before.overtakings;
  const bool lost = after.index_hashes != before.index_hashes;
  const bool judged = after.judgements == before.judgements + 1;
  before = after;
  if (judged && wrong == 0 && disorders == 0 && wrong_digests == 0 && damaged == 0 && strays == 0 && overtakings == 0 && !lost)
    return "";
  std::string fault = "a wrong result: " + std::to_string(disorders) + " neighbours out of order, " +
                      (wrong_digests != 0 ? "other keys than before" : "the same keys as before") + ", " +
                      std::to_string(damaged) + " bytes written outside";
  if (finds)
    fault += ", " + std::to_string(wrong) + " keys that were not to be found";
  else if (contender.values_bytes != 0)
    fault += ", " + std::to_string(strays) + " values of other keys, " + std::to_string(overtakings) +
             " equal keys not as they came, " + (lost ? "other values than before" : "the same values as before");
  return fault;
}

/* The time of a sort, in milliseconds. */
double Bench::Inside::sort_once(const Contender &contender, std::string *fault) {
  void *d_workspace = contender.workspace_bytes != 0 ? workspace->begin() : nullptr;
  void *d_values = contender.values_bytes != 0 ? values->begin() : nullptr;
  const Workplace place = {span_of(keys->begin()), d_values, d_workspace, contender.workspace_bytes, stream};
  REQUIRE(cudaEventRecord(begin, stream));
  const Sorted sorted = contender.mode->sort(place);
  REQUIRE(cudaEventRecord(end, stream));
  REQUIRE(cudaEventSynchronize(end));
  float elapsed = 0;
  REQUIRE(cudaEventElapsedTime(&elapsed, begin, end));
  *fault = judge(contender, sorted);
  return sorted.milliseconds == BY_EVENTS ? static_cast<double>(elapsed) : sorted.milliseconds;
}

/* What fails while a mode sorts is its own fault; what fails before ends the program. A mode at fault is out. */
void Bench::Inside::repeat(const Contender &contender, bool counts, Row *row) {
  if (!row->fault.empty())
    return;
  prepare(contender);
  try {
    const double milliseconds = sort_once(contender, &row->fault);
    if (counts && row->fault.empty())
      row->milliseconds.push_back(milliseconds);
  } catch (const std::exception &failure) {
    row->fault = failure.what();
    static_cast<void>(cudaGetLastError()); /* it has been told, and must not be told of the next call */
  }
  if (!row->fault.empty())
    fprintf(stderr, "bench: %s, %llu %s, %s: %s\n", contender.mode->name, static_cast<unsigned long long>(count),
            device_data::type_name(type), device_data::distribution_name(row->distribution), row->fault.c_str());
}

/* ---- All of them --------------------------------------------------------------------------------------------------------- */

Bench::Bench(cdp_type type, uint64_t count, const std::vector<Chosen> &chosen, uint64_t seed)
    : inside_(std::make_unique<Inside>(type, count, seed)) {
  inside_->allocate(chosen);
}

Bench::~Bench() = default;

const std::vector<std::string> &Bench::left_out() const {
  return inside_->left_out;
}

/* Fills in how fast all sorts with values as large are, a certain one being 1. What divides or moves more has no peer. */
static void compare_with(const char *name, double Row::*ratio, std::vector<Row> *rows) {
  const auto is_it = [name](const Row &row) { return std::string(row.mode->name) == name; };
  const auto peer = std::find_if(rows->begin(), rows->end(), is_it);
  if (peer == rows->end())
    return;
  for (Row &row : *rows)
    if (row.median() > 0 && row.mode->moved.splitters == 0 && row.mode->found.keys == 0 && row.mode->moved.other_bytes == 0 &&
        row.mode->moved.value_bytes == peer->mode->moved.value_bytes)
      row.*ratio = peer->median() / row.median();
}

std::vector<Row> Bench::measure(Distribution distribution, uint32_t runs) {
  Inside &inside = *inside_;
  const KeySpan unsorted = inside.span_of(inside.unsorted->begin());
  REQUIRE(device_data::generate(unsorted, distribution, inside.seed, inside.stream, device_data::Values::ordinary));
  REQUIRE(device_data::oracle_note(inside.oracle, unsorted, inside.stream));
  if (inside.in_order != nullptr)
    inside.put_in_order();
  std::vector<Row> rows;
  for (const Contender &contender : inside.contenders)
    rows.push_back({inside.type, inside.count, distribution, contender.mode, contender.workspace_bytes, {}, "", 0, 0});
  for (uint32_t run = 0; run < WARM_UPS + runs; run++)
    for (size_t which = 0; which < rows.size(); which++)
      inside.repeat(inside.contenders[which], run >= WARM_UPS, &rows[which]);
  for (Row &row : rows)
    std::sort(row.milliseconds.begin(), row.milliseconds.end());
  for (const char *radix : {"cub-radix", "cub-pairs4", "cub-pairs8"})
    compare_with(radix, &Row::ratio_to_radix, &rows);
  compare_with("cub-merge", &Row::ratio_to_merge, &rows);
  return rows;
}

} // namespace bench
