/* SPDX-License-Identifier: MIT */
/*
 * bench --check: what counts as a ratio that has fallen, what is compared at all, which files are refused.
 */
#include "guard.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "run_suite.h" // Check's fail() is a macro: behind the standard library

using namespace bench;

static const std::vector<Speed> kept = {
    {"u32", 1024, "random", "default", 1.0, 2.0},   {"u32", 1024, "random", "classic", 0.5, 0.4},
    {"u32", 1024, "random", "cub-merge", 0.5, 1.0}, {"u32", 1024, "random", "cub-pairs4", 1.0, 0},
    {"u32", 1024, "random", "pairs4", 1.0, 0},      {"u64", 1024, "zipf", "default", 0, 2.0}};

static void must_fall(const Speed &now, size_t compared, size_t falls) {
  const Verdict verdict = compare(kept, {now});
  ck_assert_uint_eq(verdict.compared, compared);
  ck_assert_uint_eq(verdict.falls.size(), falls);
}

START_TEST(falls_by_more_than_a_tenth) {
  must_fall({"u32", 1024, "random", "default", 1.0, 2.0}, 1, 0);
  must_fall({"u32", 1024, "random", "default", 0.901, 2.0}, 1, 0);
  must_fall({"u32", 1024, "random", "default", 0.899, 2.0}, 1, 1);
  must_fall({"u32", 1024, "random", "default", 5.0, 5.0}, 1, 0);
}
END_TEST

START_TEST(faster_of_the_two_counts) {
  must_fall({"u32", 1024, "random", "classic", 0.37, 0.37}, 1, 0); // it was 0.4 of the merge sort's
  must_fall({"u32", 1024, "random", "classic", 0.5, 0.35}, 1, 1);
  const Verdict verdict = compare(kept, {{"u32", 1024, "random", "default", 3.0, 0.8}});
  ck_assert_uint_eq(verdict.falls.size(), 1);
  ck_assert_double_eq(verdict.falls[0].kept_ratio, 1.0);
  ck_assert_double_eq(verdict.falls[0].ratio, 0.8);
}
END_TEST

START_TEST(only_what_both_know_is_compared) {
  must_fall({"u32", 1024, "random", "default", 0, 1.0}, 1, 1); // 2.0 of the merge sort's, which alone both have
  must_fall({"u32", 1024, "random", "default", 0, 1.9}, 1, 0);
  must_fall({"u64", 1024, "zipf", "default", 0.1, 2.0}, 1, 0);
  must_fall({"u64", 1024, "zipf", "default", 0.1, 0}, 0, 0);
  must_fall({"u32", 1024, "random", "pairs4", 0.8, 0}, 1, 1); // no merge sort has values
  must_fall({"u32", 1024, "random", "default", 0, 0}, 0, 0);
}
END_TEST

START_TEST(other_keys_and_peers_are_not_compared) {
  must_fall({"i32", 1024, "random", "default", 0.1, 0.1}, 0, 0);
  must_fall({"u32", 1025, "random", "default", 0.1, 0.1}, 0, 0);
  must_fall({"u32", 1024, "sorted", "default", 0.1, 0.1}, 0, 0);
  must_fall({"u32", 1024, "random", "bitonic", 0.1, 0.1}, 0, 0);
  must_fall({"u32", 1024, "random", "cub-merge", 0.1, 1.0}, 0, 0);
  must_fall({"u32", 1024, "random", "cub-pairs4", 0.1, 0}, 0, 0);
}
END_TEST

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

static std::string path;

/* A name of the test's own process. */
static void make_path() {
  path = std::filesystem::temp_directory_path() / ("cdpsort-bench-guard-" + std::to_string(getpid()) + ".csv");
}

static void remove_path() {
  std::filesystem::remove(path);
}

static std::vector<Speed> read_text(const std::string &text) {
  std::ofstream(path) << text;
  return read_speeds(path);
}

static const std::string head = "type,count,distribution,mode,correct,median_ms,ratio_to_radix,ratio_to_merge,extra_percent\n";

START_TEST(reads_what_csv_wrote) {
  const std::vector<Speed> speeds = read_text("# on some device\n" + head + "u32,1024,random,default,true,0.01,1.25,2.5,1.2\n" +
                                              "u64,4096,zipf,std,true,0.01,0.5,,\n" + "u32,64,random,classic,false,,,,\n");
  ck_assert_uint_eq(speeds.size(), 2); // not the one that was wrong
  ck_assert_str_eq(speeds[0].type.c_str(), "u32");
  ck_assert_uint_eq(speeds[0].count, 1024);
  ck_assert_str_eq(speeds[0].distribution.c_str(), "random");
  ck_assert_str_eq(speeds[0].mode.c_str(), "default");
  ck_assert_double_eq(speeds[0].ratio_to_radix, 1.25);
  ck_assert_double_eq(speeds[0].ratio_to_merge, 2.5);
  ck_assert_double_eq(speeds[1].ratio_to_merge, 0);
}
END_TEST

static const char *const bad_files[] = {
    "",
    "# nothing but a comment\n",
    "type,count,mode\nu32,1024,default\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,1024,random\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,many,random,default,true,1,1\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,,random,default,true,1,1\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,1024,random,default,true,fast,1\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,1024,random,default,true,-1,1\n",
    "type,count,distribution,mode,correct,ratio_to_radix,ratio_to_merge\nu32,1024,random,default,true,nan,1\n",
};

static std::string refusal(const std::string &text) {
  try {
    read_text(text);
  } catch (const std::runtime_error &refused) {
    return refused.what();
  }
  return "";
}

START_TEST(refuses_other_files) {
  const std::string why = refusal(bad_files[_i]);
  ck_assert_msg(why.find(path) == 0, "file %d: '%s'", _i, why.c_str());
}
END_TEST

START_TEST(refuses_a_missing_file) {
  std::string why;
  try {
    read_speeds("/nonexistent/kept.csv");
  } catch (const std::runtime_error &refused) {
    why = refused.what();
  }
  ck_assert_msg(why.find("/nonexistent/kept.csv: cannot be read: ") == 0, "%s", why.c_str());
}
END_TEST

static Suite *bench_guard_suite(void) {
  Suite *suite = suite_create("bench_guard");
  TCase *comparing = tcase_create("comparing");
  tcase_add_test(comparing, falls_by_more_than_a_tenth);
  tcase_add_test(comparing, faster_of_the_two_counts);
  tcase_add_test(comparing, only_what_both_know_is_compared);
  tcase_add_test(comparing, other_keys_and_peers_are_not_compared);
  suite_add_tcase(suite, comparing);
  TCase *files = tcase_create("files");
  tcase_add_checked_fixture(files, make_path, remove_path);
  tcase_add_test(files, reads_what_csv_wrote);
  tcase_add_loop_test(files, refuses_other_files, 0, static_cast<int>(sizeof bad_files / sizeof *bad_files));
  tcase_add_test(files, refuses_a_missing_file);
  suite_add_tcase(suite, files);
  return suite;
}

int main() {
  return run_suite(bench_guard_suite());
}
