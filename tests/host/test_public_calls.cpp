/* SPDX-License-Identifier: MIT */
/*
 * What holds for every public call, on the simulated device: it does what it says in each of its forms, alone and beside others in
 * several threads; asks an allocator once at most; and where a launch or memory is refused, or an argument is wrong, it says so,
 * keeps nothing, and writes nothing beside its arrays. What each makes of all kinds of keys is for the tests of its own.
 */
#include "call_check.h"
#include "host_tables.h"
#include "public_calls.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include <memory>
#include <thread>

using host_tables::Guarded;
using namespace public_calls;

namespace {

constexpr uint64_t SHAPES = HOST_SANITIZED ? 2 : 6;

/* A call, its arrays and its workspace, each between guards, and what it answered. */
class Trial {
public:
  Trial(const Row &row, const Draw &draw, Form form, const cdp_allocator *allocator = nullptr)
      : row_(row), draw_(draw), form_(form), job_(row.make(draw)), options_(job_.options) {
    size_t bytes = 0;
    options_.device = CDP_DEVICE_SIMULATED;
    if (allocator != nullptr)
      options_.allocator = *allocator;
    for (const Array &array : job_.arrays)
      arrays_.push_back(std::make_unique<Guarded>(array.before, array.shift));
    if (form == Form::async)
      ck_assert_msg(job_.workspace(options_, &bytes) == CDP_OK, "%s: %s", name().c_str(), cdp_last_message());
    workspace_ = std::make_unique<Guarded>(Bytes(bytes, 0xC3));
  }

  static bool is_possible(const Row &row, const Draw &draw, Form form) {
    return has_form(row, row.make(draw), form);
  }

  std::string name() const {
    return std::string(row_.name) + ", " + form_name(form_) + ", " + std::to_string(draw_.count) + " items of shape " +
           std::to_string(draw_.shape) + " and contents " + std::to_string(draw_.contents);
  }
  const Job &job() const {
    return job_;
  }
  const cdp_options &options() const {
    return options_;
  }

  Given given() const {
    Given given = {form_, &options_, {}, workspace_->bytes(), workspace_->contents().size(), nullptr};
    for (const std::unique_ptr<Guarded> &array : arrays_)
      given.arrays.push_back(array->bytes());
    return given;
  }
  void make() {
    make(given());
  }
  void make(const Given &given) {
    status_ = job_.call(given);
    message_ = cdp_last_message();
  }

  /* What all arrays have become; ends the test if anything beside them was written. */
  std::vector<Bytes> contents() const {
    std::vector<Bytes> all;
    workspace_->contents();
    for (const std::unique_ptr<Guarded> &array : arrays_)
      all.push_back(array->contents());
    return all;
  }

  /* End the test unless it is so. */
  void must_be_right() const {
    ck_assert_msg(status_ == CDP_OK && message_.empty(), "%s: %s", name().c_str(), message_.c_str());
    const std::string wrong = what_is_wrong(job_, contents());
    ck_assert_msg(wrong.empty(), "%s: %s", name().c_str(), wrong.c_str());
  }
  void must_have_failed(cdp_status status, const std::string &how) const {
    const std::vector<Bytes> after = contents();
    ck_assert_msg(status_ == status && !message_.empty(), "%s, %s: %s, not %s: %s", name().c_str(), how.c_str(),
                  cdp_status_name(status_), cdp_status_name(status), message_.c_str());
    for (size_t array = 0; array < after.size(); array++)
      if (!job_.arrays[array].is_written)
        ck_assert_msg(after[array] == job_.arrays[array].before, "%s, %s: array %zu was written", name().c_str(), how.c_str(),
                      array);
  }
  void must_be_untouched(const std::string &how) const {
    const std::vector<Bytes> after = contents();
    for (size_t array = 0; array < after.size(); array++)
      ck_assert_msg(after[array] == job_.arrays[array].before, "%s, %s: array %zu was written", name().c_str(), how.c_str(),
                    array);
    ck_assert_msg(workspace_->contents() == Bytes(workspace_->contents().size(), 0xC3), "%s, %s: the workspace was written",
                  name().c_str(), how.c_str());
  }

private:
  const Row &row_;
  Draw draw_;
  Form form_;
  Job job_;
  cdp_options options_;
  std::vector<std::unique_ptr<Guarded>> arrays_;
  std::unique_ptr<Guarded> workspace_;
  cdp_status status_ = CDP_OK;
  std::string message_;
};

/* Calls `use` with each shape and form of a row, with so many items. */
template <typename Use>
void for_each_shape(const Row &row, size_t count, Use use) {
  for (uint64_t shape = 0; shape < SHAPES; shape++)
    for (const Form form : FORMS) {
      const Draw draw = {shape, shape + 1000 * count, count + shape};
      if (Trial::is_possible(row, draw, form))
        use(draw, form);
    }
}

/* ---- Alone and at once ------------------------------------------------------------------------------------------------- */

/* _i: the row, as in all loop tests here. */
START_TEST(does_what_it_says) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for (const size_t count : {1, 40, 900, 3000})
    for_each_shape(row, count, [&](const Draw &draw, Form form) {
      Trial trial(row, draw, form);
      trial.make();
      trial.must_be_right();
    });
}
END_TEST

/* One job's call does another one's work, which is what a graph relies on that is replayed. */
START_TEST(shape_says_all_but_contents) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, 600, [&](const Draw &draw, Form form) {
    const Job other = row.make({draw.shape, draw.contents + 1, draw.count});
    Trial trial(row, draw, form);
    const Given given = trial.given();
    ck_assert_uint_eq(other.arrays.size(), given.arrays.size());
    for (size_t array = 0; array < other.arrays.size(); array++) {
      ck_assert_uint_eq(other.arrays[array].before.size(), trial.job().arrays[array].before.size());
      memcpy(given.arrays[array], other.arrays[array].before.data(), other.arrays[array].before.size());
    }
    trial.make();
    const std::string wrong = what_is_wrong(other, trial.contents());
    ck_assert_msg(wrong.empty(), "%s, of other contents: %s", trial.name().c_str(), wrong.c_str());
  });
}
END_TEST

/* Every call in every thread, each in a row of its own. _i: how many threads. */
START_TEST(calls_are_made_at_once) {
  std::vector<std::vector<std::unique_ptr<Trial>>> of_threads(static_cast<size_t>(_i));
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < of_threads.size(); thread++)
    for (uint64_t turn = 0; turn < 3 * rows().size(); turn++) {
      const Row &row = rows()[(turn * (2 * thread + 1) + thread * 5) % rows().size()];
      const Draw draw = {turn + thread * 100, turn * 7 + thread, 500 + 37 * turn};
      const Form form = FORMS[(turn + thread) % 3];
      of_threads[thread].push_back(
          std::make_unique<Trial>(row, draw, Trial::is_possible(row, draw, form) ? form : Form::blocking));
    }
  for (std::vector<std::unique_ptr<Trial>> &own : of_threads)
    threads.emplace_back([&own] {
      for (const std::unique_ptr<Trial> &trial : own)
        trial->make();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<std::unique_ptr<Trial>> &own : of_threads)
    for (const std::unique_ptr<Trial> &trial : own)
      trial->must_be_right();
}
END_TEST

/* ---- Launches that are refused ----------------------------------------------------------------------------------------- */

/* How many launches the host makes for a call. */
uint64_t launches_of(const Row &row, const Draw &draw, Form form) {
  Trial trial(row, draw, form);
  trial.make();
  trial.must_be_right();
  return simulated_counts_read().number;
}

/* Each launch of the host's in turn: the call says so, and keeps no memory. The next one is as good as ever. */
START_TEST(says_which_launch_was_refused) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  uint64_t most = 0;
  for_each_shape(row, HOST_SANITIZED ? 500 : 900, [&](const Draw &draw, Form form) {
    const uint64_t launches = launches_of(row, draw, form);
    ck_assert_uint_gt(launches, 0);
    most = std::max(most, launches);
    for (uint64_t number = 1; number <= launches; number++) {
      account kept = {};
      const cdp_allocator allocator = options_with_account(&kept).allocator;
      Trial trial(row, draw, form, number % 2 == 0 ? nullptr : &allocator);
      simulated_rules_refuse_launch(number);
      trial.make();
      simulated_rules_refuse_launch(0);
      trial.must_have_failed(CDP_ERROR_SIMULATED, "launch " + std::to_string(number) + " of " + std::to_string(launches));
      ck_assert_int_eq(kept.allocations, kept.releases);
      ck_assert_uint_eq(simulated_launches_taken(), 0);
    }
    ck_assert_uint_eq(launches_of(row, draw, form), launches);
  });
  (void)printf("%s: at most %llu launches\n", row.name, static_cast<unsigned long long>(most));
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
    Trial trial(row, draw, form, &giving);
    size_t bytes = 0;
    if (trial.job().workspace)
      ck_assert_int_eq(trial.job().workspace(trial.options(), &bytes), CDP_OK);
    trial.make();
    trial.must_be_right();
    const int asked = form != Form::async && bytes != 0 ? 1 : 0;
    // Where a workspace of the caller's must not be NULL it has a size that the call does not need.
    ck_assert_msg(kept.allocations == asked || (kept.allocations == 0 && bytes <= CDP_WORKSPACE_ALIGNMENT),
                  "%s: it was asked %d times", trial.name().c_str(), kept.allocations);
    ck_assert_int_eq(kept.releases, kept.allocations);
    ck_assert_msg(kept.allocations == 0 || kept.bytes == bytes, "%s: asked for %zu bytes, not %zu", trial.name().c_str(),
                  kept.bytes, bytes);
    Trial refused(row, draw, form, &refusing);
    refused.make();
    if (kept.allocations == 0)
      refused.must_be_right();
    else {
      refused.must_have_failed(CDP_ERROR_MEMORY, "without memory");
      refused.must_be_untouched("without memory");
    }
    ck_assert(empty.allocations == kept.allocations && empty.releases == 0);
  });
}
END_TEST

/* ---- Wrong calls ------------------------------------------------------------------------------------------------------- */

START_TEST(refuses_wrong_arguments) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, 900, [&](const Draw &draw, Form form) {
    Trial trial(row, draw, form);
    for (const WrongCall &wrong : wrong_calls(trial.job(), trial.given())) {
      trial.make(wrong.given);
      trial.must_have_failed(wrong.status, wrong.what);
      trial.must_be_untouched(wrong.what);
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
  tcase_add_loop_test(calls, calls_are_made_at_once, 2, 5);
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
  return run_suite(public_calls_suite());
}
