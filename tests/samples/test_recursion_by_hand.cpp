/* SPDX-License-Identifier: MIT */
/*
 * samples/02_recursion_by_hand/quicksort.cu on the simulated device: each scheme and stream kind, under many seeds, with launches
 * refused by chance and by the limit. The program compares each result with std::sort's, and its exit code is 0 if they agree.
 */
#include <sstream> /* first: Check has a macro fail() */

#include "run_suite.h"
#include "runtime/simulated_device.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <unistd.h>
#include <vector>

int quicksort_main(int words, char **word);

namespace {

using cdp::simulated::last_report;
using cdp::simulated::Rules;
using cdp::simulated::set_rules;

/* What the program did: its exit code, and the sums of its table. */
struct Outcome {
  int code;
  unsigned long long tasks, launches, refused, leaves, fallbacks;
};

/* Has what is written to a descriptor written to a file, while it lives. */
class Redirected {
public:
  Redirected(int number, FILE *file) : descriptor(number), kept(dup(number)) {
    ck_assert(kept >= 0 && dup2(fileno(file), descriptor) == descriptor);
  }
  ~Redirected() {
    fflush(stdout);
    dup2(kept, descriptor);
    close(kept);
  }
  Redirected(const Redirected &) = delete;
  Redirected &operator=(const Redirected &) = delete;

private:
  int descriptor;
  int kept;
};

/* Adds up the lines of numbers. */
void add_table(FILE *text, Outcome *sums) {
  char line[256];
  rewind(text);
  while (fgets(line, sizeof line, text) != nullptr) {
    std::istringstream words(line);
    unsigned long long depth = 0;
    unsigned long long keys = 0;
    Outcome row = {};
    if (words >> depth >> row.tasks >> keys >> row.launches >> row.refused >> row.leaves >> row.fallbacks) {
      sums->tasks += row.tasks;
      sums->launches += row.launches;
      sums->refused += row.refused;
      sums->leaves += row.leaves;
      sums->fallbacks += row.fallbacks;
    }
  }
}

/* Runs the program with these options under these rules. */
Outcome run(const Rules &rules, const std::vector<std::string> &options) {
  std::vector<std::string> words = {"quicksort"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char *> pointers(words.size());
  std::transform(words.begin(), words.end(), pointers.begin(), [](std::string &word) { return word.data(); });
  FILE *const text = tmpfile();
  ck_assert_ptr_nonnull(text);
  Outcome outcome = {};
  set_rules(rules);
  fflush(stdout);
  {
    const Redirected output(STDOUT_FILENO, text);
    const Redirected errors(STDERR_FILENO, text);
    outcome.code = quicksort_main(static_cast<int>(pointers.size()), pointers.data());
  }
  add_table(text, &outcome);
  fclose(text);
  return outcome;
}

using Check = void (*)(const Outcome &outcome, unsigned long long launches_of_task);

/* Each scheme with each stream kind sorts, under each of the seeds, and its table passes the check. */
void sort_all_ways(Rules rules, uint64_t seeds, const std::vector<std::string> &options, Check check) {
  for (rules.seed = 0; rules.seed < seeds; rules.seed += ROUND_STRIDE)
    for (const char *scheme : {"1", "2"})
      for (const char *streams : {"1", "2"}) {
        std::vector<std::string> all = {"--scheme", scheme, "--streams", streams};
        all.insert(all.end(), options.begin(), options.end());
        const Outcome outcome = run(rules, all);
        ck_assert_msg(outcome.code == 0, "scheme %s, streams %s, seed %llu: exit code %d: %s", scheme, streams,
                      static_cast<unsigned long long>(rules.seed), outcome.code, last_report().broken_rule);
        check(outcome, *scheme == '1' ? 1 : 3);
      }
}

/* Of a task: its workers, and in scheme 2 its controller and continuation; but the host launches the first controller. */
void check_whole_tree(const Outcome &outcome, unsigned long long launches_of_task) {
  ck_assert_uint_gt(outcome.tasks, 0);
  ck_assert_uint_eq(outcome.launches, launches_of_task * outcome.tasks - (launches_of_task > 1 ? 1 : 0));
  ck_assert_uint_eq(outcome.refused, 0);
  ck_assert_uint_eq(outcome.fallbacks, 0);
}

void check_cut_tree(const Outcome &outcome, unsigned long long) {
  ck_assert_uint_eq(outcome.refused, 0);
  ck_assert_uint_gt(outcome.fallbacks, 0);
}

void check_no_refusal(const Outcome &outcome, unsigned long long) {
  ck_assert_uint_eq(outcome.refused, 0);
}

void check_refusals(const Outcome &outcome, unsigned long long) {
  ck_assert_uint_gt(outcome.refused, 0);
  ck_assert_uint_gt(outcome.fallbacks, 0);
}

START_TEST(each_scheme_sorts_under_each_seed) {
  sort_all_ways(Rules(), 10, {"--count", "2^14", "--leaf", "512"}, check_whole_tree);
  sort_all_ways(Rules(), 3, {"--count", "2^17", "--leaf", "2^13"}, check_whole_tree); // 32 worker blocks at first
}
END_TEST

START_TEST(few_keys_are_sorted) {
  for (const char *count : {"1", "2", "3", "4", "5", "63", "64", "65"})
    sort_all_ways(Rules(), 1, {"--count", count, "--leaf", "1"}, check_no_refusal);
  for (const char *count : {"511", "512", "513", "4095", "4096", "4097", "8193"}) // around a block's threads and its tile
    sort_all_ways(Rules(), 1, {"--count", count, "--leaf", "500"}, check_whole_tree);
}
END_TEST

START_TEST(depth_limits_are_obeyed) {
  for (const char *limit : {"1", "2", "8"})
    sort_all_ways(Rules(), 3, {"--count", "2^12", "--leaf", "16", "--depth-limit", limit}, check_cut_tree);
  sort_all_ways(Rules(), 3, {"--count", "2^12", "--leaf", "64", "--depth-limit", "64"}, check_whole_tree);
}
END_TEST

START_TEST(ranges_without_a_task_are_sorted) {
  for (const char *tasks : {"1", "2", "7"})
    sort_all_ways(Rules(), 3, {"--count", "2^12", "--leaf", "64", "--tasks", tasks}, check_cut_tree);
}
END_TEST

START_TEST(refused_launches_are_made_good) {
  Rules by_chance;
  by_chance.refusal_chance = 256;
  sort_all_ways(by_chance, 10, {"--count", "2^13", "--leaf", "64"}, check_refusals);
  Rules always;
  always.refusal_chance = 1024;
  sort_all_ways(always, 1, {"--count", "2^13", "--leaf", "256"}, check_refusals);
  Rules by_limit;
  by_limit.pending_limit = 5;
  sort_all_ways(by_limit, 5, {"--count", "2^13", "--leaf", "256"}, check_refusals);
}
END_TEST

START_TEST(several_sorts_follow_one_another) {
  sort_all_ways(Rules(), 1, {"--count", "2^13", "--leaf", "256", "--times", "5"}, check_whole_tree);
}
END_TEST

START_TEST(wrong_options_are_refused) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--count"},       {"--count", "0"},   {"--count", "2^31"}, {"--count", "2^32"}, {"--count", "2^64"},
      {"--count", "2^"}, {"--count", "-1"},  {"--count", "x"},    {"--count", "10x"},  {"--scheme", "3"},
      {"--scheme", ""},  {"--streams", "0"}, {"--depth", "3"},    {"--tasks", "2^17"}, {"--depth-limit", "65"}};
  for (const std::vector<std::string> &options : wrong)
    ck_assert_msg(run(Rules(), options).code == 2, "%s", options.back().c_str());
  ck_assert_int_eq(run(Rules(), {"--help"}).code, 0);
}
END_TEST

} // namespace

int main() {
  Suite *const suite = suite_create("recursion_by_hand");
  TCase *const tests = tcase_create("recursion_by_hand");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test :
       {each_scheme_sorts_under_each_seed, few_keys_are_sorted, depth_limits_are_obeyed, ranges_without_a_task_are_sorted,
        refused_launches_are_made_good, several_sorts_follow_one_another, wrong_options_are_refused})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
