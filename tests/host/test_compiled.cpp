/* SPDX-License-Identifier: MIT */
/*
 * Comparisons given as source, as far as no GPU is needed: what the compiler is given, what it says, and that it is asked once.
 * Where there is no NVRTC, its absence alone is tested, and the program exits with 77: a skip.
 */
#include "run_suite.h"

#include "compare/compiled.h"
#include "engine.h"

#include <cdpsort/compare.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace cdp;

namespace {

constexpr const char *NUMBERS = "typedef unsigned int number;\n"
                                "__device__ int less(const number *a, const number *b, const void *context) {\n"
                                "  return *a < *b;\n"
                                "}\n";

/* Items of any size, compared by their first 4 bytes, by a function that is bool and has no word for where it runs. */
std::string source_of(size_t item_bytes) {
  return "struct row { unsigned char bytes[" + std::to_string(item_bytes) +
         "]; };\nbool less(const row *a, const row *b, const void *context) { return a->bytes[0] < b->bytes[0]; }";
}

void must_compile(const std::string &text, uint64_t item_bytes, int architecture) {
  const CompiledSource result = compile_source({text, item_bytes, architecture});
  ck_assert_msg(result.status == CDP_OK, "%s\n%.3000s", result.message.c_str(), result.log.c_str());
  ck_assert_msg(result.log.empty(), "%.2000s", result.log.c_str());
  ck_assert_uint_gt(result.code.size(), 1000);
  for (const std::string &name : result.kernel_names) {
    ck_assert_uint_gt(name.size(), 0);
    ck_assert_msg(result.code.find(name) != std::string::npos, "the code has no %s", name.c_str());
  }
}

START_TEST(compiles) {
  must_compile(NUMBERS, 4, 90);
  for (const size_t item_bytes : {3, 12, 100})
    must_compile(source_of(item_bytes), item_bytes, 90);
  must_compile("#define Item 17\n#define THREADS\nnamespace { struct alignas(16) pair { double x, y; }; }\n"
               "bool is_less(double a, double b) { return a < b; }\n"
               "int less(const pair *a, const pair *b, const void *context) { return is_less(a->x, b->x); } // the end",
               16, 90);
}
END_TEST

/* A device that the compiler does not know yet is given PTX of an older one. */
START_TEST(compiles_for_unknown_devices) {
  must_compile(NUMBERS, 4, 80);
  must_compile(NUMBERS, 4, 999);
  ck_assert(compile_source({NUMBERS, 4, 999}).code.find(".target") != std::string::npos);
  ck_assert_int_eq(compile_source({NUMBERS, 4, 10}).status, CDP_ERROR_UNSUPPORTED);
}
END_TEST

struct Wrong {
  const char *text;
  uint64_t item_bytes;
  const char *in_log;
};

START_TEST(says_what_is_wrong) {
  static const Wrong all[] = {
      {"typedef int row;\n\nint less(const row *a, const row *b, const void *context) {\n  return *a < *c;\n}\n", 4,
       "comparison(4): error"},
      {NUMBERS, 8, "another size than the call's item_bytes"},
      {"int more(const int *a, const int *b, const void *context) { return *a > *b; }", 4, "less"},
      {"int less(int a, int b) { return a < b; }", 4, "error"},
      {"#include <vector>\n", 4, "comparison(1)"},
      {"/* no end", 4, "error"},
      {"", 4, "less"},
  };
  for (const Wrong &wrong : all) {
    const CompiledSource result = compile_source({wrong.text, wrong.item_bytes, 90});
    ck_assert_int_eq(result.status, CDP_ERROR_SOURCE);
    ck_assert_msg(result.log.find(wrong.in_log) != std::string::npos, "\"%s\" is not in:\n%.3000s", wrong.in_log,
                  result.log.c_str());
    ck_assert_msg(result.message.find("error") != std::string::npos, "%s", result.message.c_str());
    ck_assert_uint_le(result.message.size(), 255); // all of it fits into a fault
  }
}
END_TEST

START_TEST(compiles_once) {
  const uint64_t before = compilations();
  std::vector<cdp_compiled *> found(6);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (cdp_compiled *&one : found)
    threads.emplace_back([&one] { one = find_compiled({NUMBERS, 4, 90}); });
  for (std::thread &thread : threads)
    thread.join();
  for (const cdp_compiled *one : found)
    ck_assert_ptr_eq(one, found[0]);
  ck_assert_uint_eq(compilations(), before + 1);
  const auto begun = std::chrono::steady_clock::now();
  for (int round = 0; round < 1000; round++)
    find_compiled({NUMBERS, 4, 90});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  ck_assert_msg(taken.count() < 1, "1000 look-ups took %g s", taken.count());
  ck_assert_ptr_ne(find_compiled({NUMBERS, 4, 80}), found[0]);
  ck_assert_ptr_ne(find_compiled({std::string(NUMBERS) + "\n", 4, 90}), found[0]);
  ck_assert_uint_eq(compilations(), before + 3);
  cdp_release_comparisons();
  find_compiled({NUMBERS, 4, 90});
  ck_assert_uint_eq(compilations(), before + 4);
}
END_TEST

/* What does not compile is remembered as well, with its log, which is the asking thread's. */
START_TEST(remembers_what_is_wrong) {
  ck_assert_str_eq(cdp_last_compiler_log(), "");
  const uint64_t before = compilations();
  for (int round = 0; round < 2; round++) {
    ck_assert_int_eq(find_compiled({"\n\nwrong", 4, 90})->result.status, CDP_ERROR_SOURCE);
    ck_assert_msg(strstr(cdp_last_compiler_log(), "comparison(3)") != nullptr, "%s", cdp_last_compiler_log());
    std::thread([] { ck_assert_str_eq(cdp_last_compiler_log(), ""); }).join();
  }
  ck_assert_uint_eq(compilations(), before + 1);
  find_compiled({NUMBERS, 4, 90});
  ck_assert_str_eq(cdp_last_compiler_log(), "");
}
END_TEST

/* So long at most on a machine that has nothing else to do: the processor's time is what is looked at. */
START_TEST(compiles_in_time) {
  const std::clock_t begun = std::clock();
  must_compile(NUMBERS, 4, 90);
  const double taken = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  printf("compiled in %.2f s\n", taken);
  ck_assert_msg(taken < (HOST_SANITIZED ? 60 : 10), "it took %g s", taken);
}
END_TEST

/* A missing compiler is told, and so is a library that is another one. */
START_TEST(says_that_there_is_no_compiler) {
  setenv("CDPSORT_NVRTC", "/nonexistent/libnvrtc.so", 1);
  const CompiledSource none = compile_source({NUMBERS, 4, 90});
  ck_assert_int_eq(none.status, CDP_ERROR_UNSUPPORTED);
  ck_assert_msg(none.message.find("/nonexistent/libnvrtc.so") != std::string::npos, "%s", none.message.c_str());
  setenv("CDPSORT_NVRTC", "libm.so.6", 1); // a library, and not that one
  ck_assert_int_eq(compile_source({NUMBERS, 4, 90}).status, CDP_ERROR_UNSUPPORTED);
  ck_assert_int_eq(find_compiled({NUMBERS, 4, 90})->result.status, CDP_ERROR_UNSUPPORTED);
}
END_TEST

/* It may be there the next time. */
START_TEST(looks_for_the_compiler_again) {
  setenv("CDPSORT_NVRTC", "/nonexistent/libnvrtc.so", 1);
  ck_assert_int_eq(find_compiled({NUMBERS, 4, 90})->result.status, CDP_ERROR_UNSUPPORTED);
  unsetenv("CDPSORT_NVRTC");
  ck_assert_int_eq(find_compiled({NUMBERS, 4, 90})->result.status, CDP_OK);
}
END_TEST

/* Asked in a process of its own, as each test is: this one remembers nothing of it. */
bool has_compiler() {
  const pid_t child = fork();
  if (child == 0)
    _exit(compile_source({NUMBERS, 4, 90}).status == CDP_ERROR_UNSUPPORTED ? 1 : 0);
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 0;
}

Suite *make_suite(bool compiles_here) {
  Suite *suite = suite_create("compiled");
  TCase *tests = tcase_create("compiled");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_test(tests, says_that_there_is_no_compiler);
  if (compiles_here) {
    tcase_add_test(tests, looks_for_the_compiler_again);
    tcase_add_test(tests, compiles);
    tcase_add_test(tests, compiles_for_unknown_devices);
    tcase_add_test(tests, says_what_is_wrong);
    tcase_add_test(tests, compiles_once);
    tcase_add_test(tests, remembers_what_is_wrong);
    tcase_add_test(tests, compiles_in_time);
  }
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  const bool compiles_here = has_compiler();
  const int code = run_suite(make_suite(compiles_here));
  if (code != EXIT_SUCCESS || compiles_here)
    return code;
  printf("SKIPPED: there is no NVRTC here\n");
  return 77;
}
