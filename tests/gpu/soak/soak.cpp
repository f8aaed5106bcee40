/* SPDX-License-Identifier: MIT */
/*
 * soak: sorts of all kinds at random, by several host threads at once, until one is wrong, one does not end, or all are done.
 *
 * 1. A number makes a sort (random_sort.cpp): type, order, count, keys, scheme, fan-out, streams, pivot, what is done, who is called.
 * 2. Threads take number after number (worker.cpp). Keys are made and judged on the device.
 * 3. A thread of its own watches (board.cpp): a sort that has not ended in so many seconds is lost, and ends the program.
 *
 * Exit code 0: all sorted; 1: a wrong result, or a call failed; 2: the command line; 3: a sort was lost; 77: no GPU.
 */
#include "worker.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>
#include <unistd.h>

extern "C" {
#include "command_line.h"
}

namespace soak {

namespace {

constexpr uint64_t LOG2_MOST = 32;
constexpr uint64_t THREADS_MOST = 256;
constexpr uint64_t SORTS_BY_DEFAULT = 10000;

struct Command {
  Wanted wanted = {{1, 10, 24, Mode::mixed}, 0, 0, 0, 20, 1};
  bool sorts_given = false;
};

void help() {
  printf("Usage: soak [option...]\n"
         "Sorts of all kinds at random on the GPU, each checked, until one is wrong or does not end, or all are done.\n\n"
         "  --sorts N            how many (%" PRIu64 ", or no end if --seconds is given)\n"
         "  --seconds S          for how long (0: until all sorts are done)\n"
         "  --threads N          host threads at once (1)\n"
         "  --mode M             blocking, async or mixed (mixed)\n"
         "  --min-log2 N         the fewest keys, as a power of two (10)\n"
         "  --max-log2 N         the most (24)\n"
         "  --seed N             what all is drawn from (1)\n"
         "  --first N            number of the first sort (0): with --sorts 1 one sort alone\n"
         "  --limit-seconds S    a sort that has not ended after so long is lost (20)\n"
         "  --help               this text (-h)\n\n"
         "Exit code: 0 all sorted; 1 a wrong result or a failed call; 2 the command line; 3 a sort was lost; 77 no GPU.\n",
         SORTS_BY_DEFAULT);
}

bool take_mode(argument_list *list, const argument *found, Mode *mode) {
  const char *value = argument_value(list, found);
  if (value == nullptr)
    return false;
  for (const Mode one : {Mode::blocking, Mode::async, Mode::mixed})
    if (strcmp(value, mode_name(one)) == 0) {
      *mode = one;
      return true;
    }
  usage_error(list, "--mode: '%s' is none of blocking, async, mixed", value);
  return false;
}

/* Options that are numbers, with the least and the greatest that make sense. */
bool take(void *into, argument_list *list, const argument *found) {
  Command *command = static_cast<Command *>(into);
  Wanted &wanted = command->wanted;
  const struct {
    const char *name;
    uint64_t *number;
    uint64_t least;
    uint64_t most;
  } numbers[] = {
      {"--sorts", &wanted.sorts, 1, UINT64_MAX},
      {"--seconds", &wanted.seconds, 0, 1000000},
      {"--threads", &wanted.threads, 1, THREADS_MOST},
      {"--min-log2", &wanted.choice.log2_least, 1, LOG2_MOST},
      {"--max-log2", &wanted.choice.log2_most, 1, LOG2_MOST},
      {"--seed", &wanted.choice.seed, 0, UINT64_MAX},
      {"--first", &wanted.first, 0, UINT64_MAX},
      {"--limit-seconds", &wanted.limit_seconds, 1, 1000000},
  };
  if (strcmp(found->name, "--mode") == 0)
    return take_mode(list, found, &wanted.choice.mode);
  for (const auto &option : numbers) {
    if (strcmp(found->name, option.name) != 0)
      continue;
    const char *value = argument_value(list, found);
    if (value == nullptr)
      return false;
    command->sorts_given = command->sorts_given || option.number == &wanted.sorts;
    if (parse_count(value, option.number) && *option.number >= option.least && *option.number <= option.most)
      return true;
    usage_error(list, "%s wants a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option.name, option.least, option.most,
                value);
    return false;
  }
  usage_error(list, "nothing is known of '%s'", found->name[0] != '\0' ? found->name : found->value);
  return false;
}

bool gpu_is_there() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0)
    fprintf(stderr, "soak: no GPU can be used: %s\n", error == cudaSuccess ? "there is none" : cudaGetErrorString(error));
  return error == cudaSuccess && devices != 0;
}

/* What a thread throws ends the program: there is no sort to blame. */
void work(Worker *worker) {
  try {
    worker->run();
  } catch (const std::exception &failure) {
    fprintf(stderr, "soak: %s\n", failure.what());
    _exit(EXIT_WRONG); // others are at work
  }
}

int sort_all(const Wanted &wanted) {
  Board board(wanted);
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint64_t thread = 0; thread < wanted.threads; thread++)
    workers.push_back(std::make_unique<Worker>(&board, thread));
  std::thread watching(&Board::watch, &board);
  std::vector<std::thread> threads;
  for (const auto &worker : workers)
    threads.emplace_back(work, worker.get());
  for (std::thread &thread : threads)
    thread.join();
  board.stop();
  watching.join();
  const Totals &totals = board.totals;
  printf("soak: %" PRIu64 " sorts, none lost, all sorted; %" PRIu64 " blocking, %" PRIu64 " async, %" PRIu64
         " studied, %" PRIu64 " traced, %" PRIu64 " launches refused in these; %.1f s\n",
         totals.sorts.load(), totals.blocking.load(), totals.async.load(), totals.studied.load(), totals.traced.load(),
         totals.launches_refused.load(), board.seconds());
  return EXIT_SUCCESS;
}

int run(void *given) {
  Command &command = *static_cast<Command *>(given);
  Wanted &wanted = command.wanted;
  if (!command.sorts_given)
    wanted.sorts = wanted.seconds != 0 ? UINT64_MAX : SORTS_BY_DEFAULT;
  if (wanted.choice.log2_least > wanted.choice.log2_most) {
    fputs("soak: --min-log2 is greater than --max-log2\n", stderr);
    return EXIT_USAGE;
  }
  unsetenv("CDPSORT_DEVICE");
  if (!gpu_is_there())
    return EXIT_NO_GPU;
  try {
    return sort_all(wanted);
  } catch (const std::exception &failure) {
    fprintf(stderr, "soak: %s\n", failure.what());
    return EXIT_WRONG;
  }
}

} // namespace

} // namespace soak

int main(int count, char **words) {
  soak::Command command;
  const sample_program program = {"soak", soak::take, soak::help, soak::run};
  return run_program(&program, count, words, &command);
}
