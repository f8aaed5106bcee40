/* SPDX-License-Identifier: MIT */
/*
 * A call of a row's (public_calls.h), made once or more, and what must have come of it. Where its arrays lie is the runtime's to
 * say.
 */
#ifndef CDPSORT_TESTS_CALL_TRIAL_H
#define CDPSORT_TESTS_CALL_TRIAL_H

#include "public_calls.h"

#include <memory>

namespace public_calls {

/* What is in a workspace before the call. */
constexpr unsigned char UNUSED = 0xC3;

class Trial {
public:
  Trial(const Row &row, const Draw &draw, Form form, int32_t device, const cdp_allocator *allocator);
  virtual ~Trial() = default;

  /* The call without a fault. */
  virtual Given given() const = 0;

  /* What all arrays have become, and at last the workspace; ends the test if anything beside them was written. */
  virtual std::vector<Bytes> contents() const = 0;

  const Job &job() const {
    return job_;
  }
  const cdp_options &options() const {
    return options_;
  }
  Form form() const {
    return form_;
  }
  std::string name() const;

  /* Makes the call, in any thread. */
  void make() {
    make(given());
  }
  void make(const Given &given);

  /* What cdp_last_message() said then. */
  const std::string &message() const {
    return message_;
  }

  /* End the test unless it is so: it was made; it was done, with what is in the arrays of this job or of another one of its shape; it
     failed like that, and what is only read is as it was; it did, and so is everything. */
  void must_have_succeeded() const;
  void must_be_right() const {
    must_be_right(job_);
  }
  void must_be_right(const Job &job) const;
  void must_have_failed(cdp_status status, const std::string &how) const;
  void must_be_refused(cdp_status status, const std::string &how) const;

private:
  void check_failure(cdp_status status, const std::string &how) const;

  const Row &row_;
  Draw draw_;
  Form form_;
  Job job_;
  cdp_options options_;
  cdp_status status_ = CDP_OK;
  std::string message_;
};

/* Makes calls by several threads at once. Of the first `together` of each, none begins before all threads have come to it, so that they
   meet in the same code. Each thread at last calls `end` with its number. */
using ThreadTrials = std::vector<std::unique_ptr<Trial>>;
void make_at_once(const std::vector<ThreadTrials> &of_threads, size_t together, const std::function<void(size_t)> &end);

/* Bytes of the workspace that a call asks for; 0 if it has no use for one. Ends the test if it cannot tell. */
size_t workspace_bytes(const Job &job, const cdp_options &options);

/* Ends the test unless a call, by its allocator's account, asked once for such a workspace, and gave it back. */
void must_have_asked(const account &kept, size_t workspace_bytes, const std::string &name);

} // namespace public_calls

#endif
