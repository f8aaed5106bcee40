/* SPDX-License-Identifier: MIT */
/*
 * What holds for every public call, on the simulated device: it does what it says in each of its forms, alone and beside others in
 * several threads; asks an allocator once at most; and where a launch or memory is refused, or an argument is wrong, it says so,
 * keeps nothing, and writes nothing beside its arrays. What each makes of all kinds of keys is for the tests of its own.
 *
 * CDPSORT_TEST_FIRST_SEED: the first of the shapes that calls have.
 */
#include "call_trial.h"
#include "environment.h"
#include "host_tables.h"
#include "run_suite.h"
#include "simulated_rules.h"

using host_tables::Guarded;
using namespace public_calls;

namespace {

constexpr uint64_t SHAPES = FEW_ROUNDS ? 2 : 4;

int first_seed = 0;

/* The shape of that number in this run. */
uint64_t shape_at(uint64_t number) {
  return static_cast<uint64_t>(first_seed) + number;
}

/* A call with its arrays and its workspace in host memory, each between guards. */
class HostTrial : public Trial {
public:
  HostTrial(const Row &row, const Draw &draw, Form form, const cdp_allocator *allocator = nullptr)
      : Trial(row, draw, form, CDP_DEVICE_SIMULATED, allocator),
        workspace_(Bytes(form == Form::async ? workspace_bytes(job(), options()) : 0, UNUSED)) {
    for (const Array &array : job().arrays)
      arrays_.push_back(std::make_unique<Guarded>(array.before, array.shift));
  }

  Given given() const override {
    Given given = {form(), &options(), {}, workspace_.bytes(), workspace_.contents().size(), nullptr};
    for (const std::unique_ptr<Guarded> &array : arrays_)
      given.arrays.push_back(array->bytes());
    return given;
  }
  std::vector<Bytes> contents() const override {
    std::vector<Bytes> all;
    for (const std::unique_ptr<Guarded> &array : arrays_)
      all.push_back(array->contents());
    all.push_back(workspace_.contents());
    return all;
  }

private:
  Guarded workspace_;
  std::vector<std::unique_ptr<Guarded>> arrays_;
};

/* Calls `use` with each shape and form of a row, with so many items. */
template <typename Use>
void for_each_shape(const Row &row, size_t count, Use use) {
  for (uint64_t shape = 0; shape < SHAPES; shape++)
    for (const Form form : FORMS)
      if (row.has_form(form))
        use(Draw{shape_at(shape), shape + 1000 * count, count + shape}, form);
}

/* ---- Alone and at once ------------------------------------------------------------------------------------------------- */

/* _i: the row, as in all loop tests here. */
START_TEST(does_what_it_says) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for (const size_t count : {1, 40, 900, 3000})
    for_each_shape(row, count, [&](const Draw &draw, Form form) {
      HostTrial trial(row, draw, form);
      trial.make();
      trial.must_be_right();
      ck_assert_str_eq(trial.message().c_str(), "");
    });
}
END_TEST

/* One job's call does another one's work, which is what a graph relies on that is replayed. */
START_TEST(shape_says_all_but_contents) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, 600, [&](const Draw &draw, Form form) {
    const Job other = row.make({draw.shape, draw.contents + 1, draw.count});
    HostTrial trial(row, draw, form);
    const Given given = trial.given();
    ck_assert_uint_eq(other.arrays.size(), given.arrays.size());
    for (size_t array = 0; array < other.arrays.size(); array++) {
      ck_assert_uint_eq(other.arrays[array].before.size(), trial.job().arrays[array].before.size());
      memcpy(given.arrays[array], other.arrays[array].before.data(), other.arrays[array].before.size());
    }
    trial.make();
    trial.must_be_right(other);
  });
}
END_TEST

/* Every call in every thread, at first together with the others' and then mixed. _i: how many threads. */
START_TEST(calls_are_made_at_once) {
  std::vector<ThreadTrials> of_threads(static_cast<size_t>(_i));
  for (size_t thread = 0; thread < of_threads.size(); thread++)
    for (uint64_t turn = 0; turn < 3 * rows().size(); turn++) {
      const Row &row = row_in_turn(rows(), thread, turn);
      const Draw draw = {shape_at(turn + thread * 100), turn * 7 + thread, 500 + 37 * turn};
      const Form form = FORMS[(turn + thread) % 3];
      of_threads[thread].push_back(std::make_unique<HostTrial>(row, draw, row.has_form(form) ? form : Form::blocking));
    }
  make_at_once(of_threads, rows().size(), [](size_t) {});
  for (const ThreadTrials &own : of_threads)
    for (const std::unique_ptr<Trial> &trial : own) {
      trial->must_be_right();
      ck_assert_str_eq(trial->message().c_str(), "");
    }
}
END_TEST

/* ---- Launches that are refused ----------------------------------------------------------------------------------------- */

/* How many launches the host makes for a call. */
uint64_t launches_of(const Row &row, const Draw &draw, Form form) {
  HostTrial trial(row, draw, form);
  trial.make();
  trial.must_be_right();
  return simulated_counts_read().number;
}

/* Each launch of the host's in turn: the call says so, and keeps no memory. The next one is as good as ever. */
void refuse_each_launch(const Row &row, const Draw &draw, Form form) {
  const uint64_t launches = launches_of(row, draw, form);
  ck_assert_uint_gt(launches, 0);
  for (uint64_t number = 1; number <= launches; number++) {
    account kept = {};
    const cdp_allocator allocator = options_with_account(&kept).allocator;
    HostTrial trial(row, draw, form, number % 2 == 0 ? nullptr : &allocator);
    simulated_rules_refuse_launch(number);
    trial.make();
    simulated_rules_refuse_launch(0);
    trial.must_have_failed(CDP_ERROR_SIMULATED, "launch " + std::to_string(number) + " of " + std::to_string(launches));
    ck_assert_msg(kept.allocations == kept.releases && simulated_launches_taken() == 0,
                  "%s, launch %llu refused: memory or launches were not given back", trial.name().c_str(),
                  static_cast<unsigned long long>(number));
  }
  ck_assert_uint_eq(launches_of(row, draw, form), launches);
}

START_TEST(says_which_launch_was_refused) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for (uint64_t shape = 0; shape < SHAPES; shape++) {
    const Draw draw = {shape_at(shape), shape, shape % 2 == 0 ? size_t{900} : 2500};
    const Form form = FORMS[shape % 3];
    refuse_each_launch(row, draw, row.has_form(form) ? form : Form::blocking);
  }
}
END_TEST

/* ---- Allocators -------------------------------------------------------------------------------------------------------- */

/* It is asked once at most, for what the call would have its caller give; and where it has nothing, nothing is done. */
START_TEST(asks_an_allocator_once) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, 800, [&](const Draw &draw, Form form) {
    account kept = {};
    account empty = {};
    empty.is_empty = true;
    const cdp_allocator giving = options_with_account(&kept).allocator;
    const cdp_allocator refusing = options_with_account(&empty).allocator;
    HostTrial trial(row, draw, form, &giving);
    trial.make();
    trial.must_be_right();
    must_have_asked(kept, form == Form::async ? 0 : workspace_bytes(trial.job(), trial.options()), trial.name());
    HostTrial refused(row, draw, form, &refusing);
    refused.make();
    if (kept.allocations == 0)
      refused.must_be_right();
    else
      refused.must_be_refused(CDP_ERROR_MEMORY, "without memory");
    ck_assert(empty.allocations == kept.allocations && empty.releases == 0);
  });
}
END_TEST

/* ---- Wrong calls ------------------------------------------------------------------------------------------------------- */

START_TEST(refuses_wrong_arguments) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, 900, [&](const Draw &draw, Form form) {
    HostTrial trial(row, draw, form);
    for (const WrongCall &wrong : wrong_calls(trial.job(), trial.given())) {
      trial.make(wrong.given);
      trial.must_be_refused(wrong.status, wrong.what);
    }
    trial.make();
    trial.must_be_right();
  });
}
END_TEST

Suite *public_calls_suite() {
  const int row_count = static_cast<int>(rows().size());
  Suite *suite = suite_create("public_calls");
  TCase *calls = tcase_create("calls");
  tcase_set_timeout(calls, TEST_SECONDS);
  tcase_add_loop_test(calls, does_what_it_says, 0, row_count);
  tcase_add_loop_test(calls, shape_says_all_but_contents, 0, row_count);
  add_options_loop_test(calls, calls_are_made_at_once, 2, 5);
  suite_add_tcase(suite, calls);
  TCase *refused = tcase_create("refused");
  tcase_set_timeout(refused, TEST_SECONDS);
  tcase_add_loop_test(refused, says_which_launch_was_refused, 0, row_count);
  tcase_add_loop_test(refused, asks_an_allocator_once, 0, row_count);
  tcase_add_loop_test(refused, refuses_wrong_arguments, 0, row_count);
  suite_add_tcase(suite, refused);
  return suite;
}

} // namespace

int main() {
  first_seed = number_from_environment("CDPSORT_TEST_FIRST_SEED", 0);
  if (first_seed < 0)
    return EXIT_FAILURE;
  (void)printf("first seed %d (CDPSORT_TEST_FIRST_SEED)\n", first_seed);
  (void)fflush(stdout); // tests fork
  return run_suite(public_calls_suite());
}
