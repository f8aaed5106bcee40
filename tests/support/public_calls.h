/* SPDX-License-Identifier: MIT */
/*
 * A table of the public calls, for tests of what holds for all of them: a row draws the arguments and the input of a call by seeds,
 * makes the call in any of its forms, on either runtime, and says what is wrong with what has become of its arrays. Where these
 * lie, in which device's memory, and how often and by how many threads the call is made, is the test's.
 *
 * A new call is one function more, in one of the files calls_of_*.cpp, and a line in public_calls.cpp.
 */
#ifndef CDPSORT_TESTS_PUBLIC_CALLS_H
#define CDPSORT_TESTS_PUBLIC_CALLS_H

#include "call_check.h"

#include <functional>
#include <string>
#include <vector>

namespace public_calls {

using Bytes = std::vector<unsigned char>;

enum class Form { blocking, async, on_stream };
constexpr Form FORMS[] = {Form::blocking, Form::async, Form::on_stream};
const char *form_name(Form form);

/* What a call is given, beside what its job has. The options are the job's, with what the test adds. */
struct Given {
  Form form;
  const cdp_options *options;
  std::vector<void *> arrays; /* in the order of Job::arrays */
  void *d_workspace;          /* of Form::async, as the next one */
  size_t workspace_bytes;
  void *stream; /* of all but Form::blocking */
};

/* An array of a call's. */
struct Array {
  Bytes before;
  bool is_written = false; /* otherwise it is only read */
  size_t shift = 0;        /* bytes that it lies past alignment */
  bool may_be_null = false;
};

/* A call with its arguments and its input. */
struct Job {
  cdp_options options = CDP_OPTIONS_INIT; /* all but device and allocator */
  std::vector<Array> arrays;
  std::function<cdp_status(const cdp_options &options, size_t *bytes)> workspace; /* empty: it has no use for one */
  std::function<cdp_status(const Given &given)> call;
  /* What is wrong with arrays that are written, if anything is. */
  std::function<std::string(const std::vector<Bytes> &after)> wrong;
};

/* What a job is drawn from. Of the same shape and count nothing differs but what is in the arrays, so that one job's call works on
   the other's. */
struct Draw {
  uint64_t shape;
  uint64_t contents;
  size_t count; /* of keys or items, at least 1 */
};

struct Row {
  const char *name;
  Job (*make)(const Draw &draw);
  bool has_blocking = true;
  bool has_workspace = true;
  bool has_on_stream = true;

  bool has_form(Form form) const {
    return form == Form::blocking ? has_blocking : form == Form::async ? has_workspace : has_on_stream;
  }
};

/* All of cdpsort's calls in C that bring items into an order, or tell of one. */
const std::vector<Row> &rows();

/* All rows again and again: at first the same for several threads, and then for each from another one on, and for half of them
   backwards. */
const Row &row_in_turn(const std::vector<Row> &all, size_t thread, size_t turn);

/* What is wrong with what has become of all arrays; empty if nothing is. */
std::string what_is_wrong(const Job &job, const std::vector<Bytes> &after);

/* A call that must be refused, and how. */
struct WrongCall {
  std::string what;
  cdp_status status;
  Given given;
};

/* What is wrong whatever the call: arrays that are NULL or overlap, and workspaces. `right` is the call without a fault. */
std::vector<WrongCall> wrong_calls(const Job &job, const Given &right);

} // namespace public_calls

#endif
