/* SPDX-License-Identifier: MIT */
/*
 * Sorts by a comparison on the simulated device: the kernels of by/, and rules that call the caller's C function.
 */
#include "compare/by_plan.h"
#include "compare/sort_compared.h"

#include <cdpsort/by/all_kernels.cuh>

#include <cstdio>

namespace cdp::simulated {

namespace {

/* What is called, and with what. */
struct Function {
  int (*compare)(const void *a, const void *b, void *context);
  void *context;

  /* The comparison may need more stack than a simulated thread has, and may throw. */
  bool comes_before(const void *a, const void *b) const {
    Call call = {this, a, b, 0};
    machine::call_on_host(&Function::answer, &call);
    return call.result < 0;
  }

private:
  struct Call {
    const Function *function;
    const void *a;
    const void *b;
    int result;
  };

  static void answer(void *argument) {
    Call &call = *static_cast<Call *>(argument);
    call.result = call.function->compare(call.a, call.b, call.function->context);
  }
};

/* See by/all_kernels.cuh. */
template <uint32_t BYTES>
struct ItemRules {
  using Item = by::Words<BYTES, by::alignment_of_size(BYTES)>;
  using Context = Function;

  struct Comparison {
    Function function;
    bool operator()(const Item &a, const Item &b) const {
      return function.comes_before(&a, &b);
    }
  };
  static Comparison comparison(const by::Job &, const Context &context) {
    return {context};
  }
};

struct IndexRules {
  using Item = by::Index;
  using Context = Function;

  struct Comparison {
    Function function;
    const unsigned char *items;
    uint64_t item_bytes;
    bool operator()(by::Index a, by::Index b) const {
      return function.comes_before(items + a.number * item_bytes, items + b.number * item_bytes);
    }
  };
  static Comparison comparison(const by::Job &job, const Context &context) {
    return {context, static_cast<const unsigned char *>(job.base), job.item_bytes};
  }
};

template <typename Rules>
struct Launcher {
  Function function;
  void *stream;

  using KernelFunction = void (*)(by::Job, Function);

  static KernelFunction kernel_function(by::Kernel kernel) {
    constexpr KernelFunction FUNCTIONS[by::KERNELS] = {
        by::number_kernel<Rules>,     by::choose_kernel<Rules>, by::count_kernel<Rules>,       by::scan_kernel<Rules>,
        by::move_kernel<Rules>,       by::whole_kernel<Rules>,  by::short_piece_kernel<Rules>, by::piece_kernel<Rules>,
        by::long_piece_kernel<Rules>, by::gather_kernel<Rules>};
    return FUNCTIONS[static_cast<uint32_t>(kernel)];
  }

  int launch(by::Kernel kernel, uint32_t blocks, uint32_t threads, uint32_t shared_bytes, const by::Job &job) const {
    return launch_from_host({blocks, threads, shared_bytes}, stream, kernel_function(kernel), job, function);
  }
  int copy(void *target, const void *source, uint64_t bytes) const {
    return copy_memory(target, source, bytes, stream);
  }
};

template <typename Rules>
int launch_rules(const cdp_compare_plan &plan, const by::Plan &whole, void *stream) {
  const cdp_comparison &comparison = plan.asked.comparison;
  Launcher<Rules> launcher = {{comparison.compare, comparison.context}, stream};
  return by::Launches<Launcher<Rules>>(whole, plan.asked.d_source, plan.asked.d_target, plan.d_workspace, launcher)
      .launch_all();
}

} // namespace

int launch_compare(const cdp_compare_plan &plan, void *stream) {
  by::Plan whole;
  make_by_plan(plan, &whole);
  if (!by::is_moved(plan.asked.item_bytes))
    return launch_rules<IndexRules>(plan, whole, stream);
  switch (plan.asked.item_bytes) {
  case 1:
    return launch_rules<ItemRules<1>>(plan, whole, stream);
  case 2:
    return launch_rules<ItemRules<2>>(plan, whole, stream);
  case 4:
    return launch_rules<ItemRules<4>>(plan, whole, stream);
  case 8:
    return launch_rules<ItemRules<8>>(plan, whole, stream);
  case 12:
    return launch_rules<ItemRules<12>>(plan, whole, stream);
  case 16:
    return launch_rules<ItemRules<16>>(plan, whole, stream);
  case 24:
    return launch_rules<ItemRules<24>>(plan, whole, stream);
  default:
    return launch_rules<ItemRules<32>>(plan, whole, stream);
  }
}

cdp_status prepare_comparison(cdp_compare_plan *plan, int, cdp_fault *fault) {
  if (plan->asked.comparison.compare != nullptr)
    return CDP_OK;
  fault->cuda_error = 0;
  snprintf(fault->text, sizeof fault->text,
           "comparison->compare is NULL: the simulated device runs on the CPU, and compares by a C function");
  return CDP_ERROR_NULL;
}

} // namespace cdp::simulated
