/* SPDX-License-Identifier: MIT */
/*
 * The pending-launch limit of the whole process, which the library never changes and has to take as it finds it:
 *
 *     below 1,536      the host launches sorts of more keys than a block sorts, blocking and asynchronous ones
 *     1,536 and above  sorts launch from the device, and no launch of theirs is refused. CUDA's default is 2,048
 *
 * CUDA forbids to change the limit once a kernel has run: every limit has a process of its own. This one starts itself again
 * for each, with the limit in the environment, and never touches CUDA.
 */
#include "gpu_check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

using namespace gpu_check;

namespace {

constexpr char LIMIT_VARIABLE[] = "CDPSORT_TEST_PENDING_LIMIT"; /* a limit; 0: only look for a GPU */
constexpr unsigned LEAST_LIMIT = 1536;                          /* with which the device launches */
constexpr unsigned LIMITS[] = {4, 256, 1024, 1536, 2048, 4096};
constexpr uint64_t MAX_BLOCK_KEYS = 16384; /* one block sorts no more, whatever the options (cdpsort.h) */

/* ---- In a process of the limit's own --------------------------------------------------------------------------- */

unsigned limit_asked_for = 0;

constexpr uint64_t SIZES[] = {1000, 20011, 1 << 17, (1 << 20) + 7, 1 << 22};
constexpr uint64_t LAUNCHING_ITEMS = 1 << 17; /* so many keys certainly are a task with grids, if an option asks for tasks */

uint64_t size_at(size_t index) {
  return SIZES[index] > pick(UINT64_MAX, 1 << 17) ? 0 : SIZES[index];
}

/* Scheme, fan-out and leaf size by the number of the test. The least leaves make many tasks. */
cdp_options options_at(int index) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(index % SCHEMES);
  options.fan_out = fan_out_at(index / SCHEMES % FAN_OUT_KINDS);
  options.leaf_items = index / SCHEMES / FAN_OUT_KINDS == 0 ? 0 : CDP_LEAF_MIN;
  return options;
}
constexpr int COMBINATIONS = SCHEMES * FAN_OUT_KINDS * 2;

START_TEST(test_limit_is_as_asked_for) {
  size_t limit = 0;
  CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  const bool in_class = (limit < LEAST_LIMIT) == (limit_asked_for < LEAST_LIMIT); // CUDA may round it up
  ck_assert_msg(limit >= limit_asked_for && in_class, "the pending-launch limit is %zu, not %u", limit, limit_asked_for);
}
END_TEST

/* Every distribution in turn, of types of both sizes; what study_and_check() asks is that no launch is refused. */
template <typename Judge>
void sort_all_sizes(const cdp_options &options, Judge judge_study) {
  uint64_t round = 0;
  for (size_t index = 0; index < sizeof SIZES / sizeof *SIZES; index++) {
    const uint64_t count = size_at(index);
    if (count == 0)
      break;
    for (const Distribution distribution : {Distribution::random, distribution_at(++round)}) {
      const Subject subject = make_subject(round % 2 == 0 ? CDP_F64 : CDP_U32, count, distribution, 1);
      const cdp_study study = study_and_check(subject, options, "in all sizes");
      judge_study(subject, study, distribution);
      release(subject);
    }
  }
}

START_TEST(test_host_launches) {
  sort_all_sizes(options_at(_i), [](const Subject &subject, const cdp_study &study, Distribution) {
    const cdp_study_depth sum = totals(study);
    CHECK_STUDY(sum.children_launched == 0 && study.first_fault == 0, study, subject, "launched by the host");
    CHECK_STUDY(subject.keys.count <= MAX_BLOCK_KEYS || study.scheme == CDP_SCHEME_HOST, study, subject,
                "launched by the host");
  });
}
END_TEST

/* Whether the options rule out that one grid does it all. */
bool has_asked(const cdp_options &options) {
  return options.fan_out != 0 || options.leaf_items != 0;
}

START_TEST(test_device_launches) {
  const cdp_options options = options_at(_i);
  sort_all_sizes(options, [&](const Subject &subject, const cdp_study &study, Distribution distribution) {
    const cdp_study_depth sum = totals(study);
    const bool has_tasks =
        options.scheme == CDP_SCHEME_CONTROLLER || (options.scheme == CDP_SCHEME_LAST_BLOCK && has_asked(options));
    const bool must_launch = has_tasks && subject.keys.count >= LAUNCHING_ITEMS && distribution == Distribution::random;
    CHECK_STUDY(sum.launches_refused == 0 && study.first_fault == 0, study, subject, "launched by the device");
    CHECK_STUDY(!must_launch || sum.children_launched > 0, study, subject, "launched by the device");
    CHECK_STUDY(study.scheme == static_cast<uint32_t>(options.scheme), study, subject, "launched by the device");
  });
}
END_TEST

/* The caller need not know who launches. */
START_TEST(test_async_sorts) {
  const cdp_options options = options_at(_i);
  for (size_t index = 0; index < sizeof SIZES / sizeof *SIZES && size_at(index) != 0; index++) {
    const Subject subject = make_subject(CDP_I64, size_at(index), Distribution::random);
    sort_async_and_check(subject, options, "asynchronously");
    release(subject);
  }
}
END_TEST

Suite *make_suite_of_a_limit() {
  Suite *suite = suite_create("gpu_pending_limit, a process of its own");
  TCase *test_case = add_case(suite, "limit");
  tcase_add_test(test_case, test_limit_is_as_asked_for);
  tcase_add_loop_test(test_case, test_async_sorts, 0, COMBINATIONS);
  if (limit_asked_for < LEAST_LIMIT)
    tcase_add_loop_test(test_case, test_host_launches, 0, COMBINATIONS);
  else
    tcase_add_loop_test(test_case, test_device_launches, 0, COMBINATIONS);
  return suite;
}

int run_limit(const char *value) {
  limit_asked_for = static_cast<unsigned>(strtoul(value, nullptr, 10));
  const int code = find_gpu();
  if (code != EXIT_SUCCESS || limit_asked_for == 0)
    return code;
  const cudaError_t error = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit_asked_for);
  if (error != cudaSuccess) {
    fprintf(stderr, "the pending-launch limit cannot be %u: %s\n", limit_asked_for, cudaGetErrorString(error));
    return EXIT_FAILURE;
  }
  return run_tests(make_suite_of_a_limit);
}

/* ---- In the process that starts them --------------------------------------------------------------------------- */

/* The environment for a limit. Check's log is this process's. */
std::vector<std::string> environment_for(unsigned limit) {
  std::vector<std::string> words;
  for (char **variable = environ; *variable != nullptr; variable++)
    if (strncmp(*variable, "CK_XML_LOG", strlen("CK_XML_LOG")) != 0)
      words.emplace_back(*variable);
  words.push_back(std::string(LIMIT_VARIABLE) + "=" + std::to_string(limit));
  return words;
}

/* Starts this program again with its output, both streams, in a file. 0 if it cannot be started. */
pid_t start(unsigned limit, int output) {
  std::vector<std::string> words = environment_for(limit);
  std::vector<char *> environment;
  for (std::string &word : words)
    environment.push_back(word.data());
  environment.push_back(nullptr);
  char path[] = "/proc/self/exe";
  char *arguments[] = {path, nullptr};
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return 0;
  const bool started = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
                       posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO) == 0 &&
                       posix_spawn(&child, path, &actions, nullptr, arguments, environment.data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started ? child : 0;
}

/* The exit code of the process; 128 and the signal that ended it; -1 if it could not be started. */
int wait_for(pid_t child) {
  int state = 0;
  if (child <= 0 || waitpid(child, &state, 0) != child)
    return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* Runs the tests under a limit; *said receives the end of what they print. */
int run_again(unsigned limit, std::string *said) {
  FILE *output = tmpfile();
  if (output == nullptr)
    return -1;
  const int code = wait_for(start(limit, fileno(output)));
  char text[3000];
  fseek(output, 0, SEEK_END);
  const long length = ftell(output);
  fseek(output, length > static_cast<long>(sizeof text) ? length - static_cast<long>(sizeof text) : 0, SEEK_SET);
  said->assign(text, fread(text, 1, sizeof text, output));
  fclose(output);
  return code;
}

START_TEST(test_limit) {
  std::string said;
  note("a process with the limit %u", LIMITS[_i]);
  const int code = run_again(LIMITS[_i], &said);
  ck_assert_msg(code == EXIT_SUCCESS, "under a limit of %u it ended with %d: %s", LIMITS[_i], code, said.c_str());
}
END_TEST

/* No add_case(): what it does after a test is CUDA's. */
Suite *make_suite() {
  Suite *suite = suite_create("gpu_pending_limit");
  TCase *test_case = tcase_create("limits");
  tcase_set_timeout(test_case, 0);
  tcase_add_loop_test(test_case, test_limit, 0, sizeof LIMITS / sizeof *LIMITS);
  suite_add_tcase(suite, test_case);
  return suite;
}

} // namespace

int main() {
  const char *limit = getenv(LIMIT_VARIABLE);
  if (limit != nullptr)
    return run_limit(limit);
  std::string said;
  const int code = run_again(0, &said);
  if (code == EXIT_SUCCESS)
    return run_tests(make_suite);
  fputs(said.c_str(), stderr);
  return code < 0 ? EXIT_FAILURE : code;
}
