/* SPDX-License-Identifier: MIT */
/*
 * Rules of kernels.cuh for a comparison that was given as source text. The runtime compiler reads this behind that text, which declares
 * less(), and is told CDP_ITEM_BYTES.
 */
#ifndef CDPSORT_BY_SOURCE_RULES_CUH
#define CDPSORT_BY_SOURCE_RULES_CUH

#include "cdpsort/by/kernels.cuh"

namespace cdp::by {

/* The items that less() compares. */
template <typename T, typename Result>
T item_of(Result (*)(const T *, const T *, const void *));
using SourceItem = decltype(item_of(&::less));

static_assert(sizeof(SourceItem) == CDP_ITEM_BYTES, "less() compares items of another size than the call's item_bytes");
static_assert(alignof(SourceItem) <= 16, "items are aligned to 16 bytes at most");

template <bool MOVED>
struct SourceRules;

struct SourceContext {
  static __device__ __forceinline__ const void *of(const Context &context) {
    return context.is_copied != 0 ? context.bytes : context.pointer;
  }
};

template <>
struct SourceRules<true> {
  using Item = SourceItem;
  using Context = by::Context;

  struct Comparison {
    const void *context;
    __device__ __forceinline__ bool operator()(const Item &a, const Item &b) const {
      return ::less(&a, &b, context) != 0;
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &, const Context &context) {
    return {SourceContext::of(context)};
  }
};

template <>
struct SourceRules<false> {
  using Item = Index;
  using Context = by::Context;

  struct Comparison {
    const SourceItem *items;
    const void *context;
    __device__ __forceinline__ bool operator()(Index a, Index b) const {
      return ::less(items + a.number, items + b.number, context) != 0;
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &job, const Context &context) {
    return {static_cast<const SourceItem *>(job.base), SourceContext::of(context)};
  }
};

using TheRules = SourceRules<is_moved(sizeof(SourceItem))>;

} // namespace cdp::by

#endif
