/* SPDX-License-Identifier: MIT */
/*
 * See call_trial.h.
 */
#include "call_trial.h"

#include <pthread.h>
#include <thread>

namespace public_calls {

Trial::Trial(const Row &row, const Draw &draw, Form form, int32_t device, const cdp_allocator *allocator)
    : row_(row), draw_(draw), form_(form), job_(row.make(draw)), options_(job_.options) {
  options_.device = device;
  if (allocator != nullptr)
    options_.allocator = *allocator;
}

std::string Trial::name() const {
  return std::string(row_.name) + ", " + form_name(form_) + ", " + std::to_string(draw_.count) + " items of shape " +
         std::to_string(draw_.shape) + " and contents " + std::to_string(draw_.contents);
}

void Trial::make(const Given &given) {
  status_ = job_.call(given);
  message_ = cdp_last_message();
}

void Trial::must_have_succeeded() const {
  ck_assert_msg(status_ == CDP_OK, "%s: %s", name().c_str(), message_.c_str());
}

void Trial::must_be_right(const Job &job) const {
  std::vector<Bytes> after = contents();
  after.pop_back(); // the workspace
  must_have_succeeded();
  const std::string wrong = what_is_wrong(job, after);
  ck_assert_msg(wrong.empty(), "%s: %s", name().c_str(), wrong.c_str());
}

void Trial::check_failure(cdp_status status, const std::string &how) const {
  ck_assert_msg(status_ == status && !message_.empty(), "%s, %s: %s, not %s: %s", name().c_str(), how.c_str(),
                cdp_status_name(status_), cdp_status_name(status), message_.c_str());
}

void Trial::must_have_failed(cdp_status status, const std::string &how) const {
  const std::vector<Bytes> after = contents();
  check_failure(status, how);
  for (size_t array = 0; array < job_.arrays.size(); array++)
    ck_assert_msg(job_.arrays[array].is_written || after[array] == job_.arrays[array].before, "%s, %s: array %zu was written",
                  name().c_str(), how.c_str(), array);
}

void Trial::must_be_refused(cdp_status status, const std::string &how) const {
  const std::vector<Bytes> after = contents();
  check_failure(status, how);
  for (size_t array = 0; array < job_.arrays.size(); array++)
    ck_assert_msg(after[array] == job_.arrays[array].before, "%s, %s: array %zu was written", name().c_str(), how.c_str(),
                  array);
  ck_assert_msg(after.back() == Bytes(after.back().size(), UNUSED), "%s, %s: the workspace was written", name().c_str(),
                how.c_str());
}

void make_at_once(const std::vector<ThreadTrials> &of_threads, size_t together, const std::function<void(size_t)> &end) {
  std::vector<std::thread> threads;
  pthread_barrier_t meeting;
  ck_assert_int_eq(pthread_barrier_init(&meeting, nullptr, static_cast<unsigned>(of_threads.size())), 0);
  for (size_t thread = 0; thread < of_threads.size(); thread++)
    threads.emplace_back([&, thread] {
      for (size_t turn = 0; turn < of_threads[thread].size(); turn++) {
        if (turn < together)
          (void)pthread_barrier_wait(&meeting);
        of_threads[thread][turn]->make();
      }
      end(thread);
    });
  for (std::thread &thread : threads)
    thread.join();
  (void)pthread_barrier_destroy(&meeting);
}

size_t workspace_bytes(const Job &job, const cdp_options &options) {
  size_t bytes = 0;
  ck_assert_msg(!job.workspace || job.workspace(options, &bytes) == CDP_OK, "%s", cdp_last_message());
  return bytes;
}

void must_have_asked(const account &kept, size_t workspace_bytes, const std::string &name) {
  // Where a workspace of the caller's must not be NULL it has a size, which the call may have no use for.
  const bool is_needed = workspace_bytes > CDP_WORKSPACE_ALIGNMENT;
  const bool is_once = kept.allocations == 1 && kept.releases == 1 && kept.bytes == workspace_bytes;
  const bool is_never = kept.allocations == 0 && kept.releases == 0;
  ck_assert_msg(is_once || (is_never && !is_needed),
                "%s: its allocator was asked %d times, at last for %zu bytes of %zu, and given back %d", name.c_str(),
                kept.allocations, kept.bytes, workspace_bytes, kept.releases);
}

} // namespace public_calls
