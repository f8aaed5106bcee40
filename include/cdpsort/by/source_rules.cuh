/* SPDX-License-Identifier: MIT */
/*
 * Rules of all_kernels.cuh for a comparison that was given as source text. The runtime compiler reads this before that text, lest
 * a macro there changes what is here, and is told CDP_ITEM_BYTES; behind it, TheRules are made of less().
 */
#ifndef CDPSORT_BY_SOURCE_RULES_CUH
#define CDPSORT_BY_SOURCE_RULES_CUH

#include "cdpsort/by/all_kernels.cuh"

namespace cdp::by {

__device__ __forceinline__ const void *what_less_is_given(const Context &context) {
  return context.is_copied != 0 ? context.bytes : context.pointer;
}

/* Items that are moved. */
template <typename T, auto LESS, bool MOVED>
struct SourceRules {
  using Item = Words<sizeof(T), alignment_of_size(sizeof(T))>;
  using Context = by::Context;

  struct Comparison {
    const void *context;
    __device__ __forceinline__ bool operator()(const Item &a, const Item &b) const {
      const Copy<T> left(a);
      const Copy<T> right(b);
      return LESS(&left.item(), &right.item(), context) != 0;
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &, const Context &context) {
    return {what_less_is_given(context)};
  }
};

/* Indices. */
template <typename T, auto LESS>
struct SourceRules<T, LESS, false> {
  using Item = Index;
  using Context = by::Context;

  struct Comparison {
    const T *items;
    const void *context;
    __device__ __forceinline__ bool operator()(Index a, Index b) const {
      return LESS(items + a.number, items + b.number, context) != 0;
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &job, const Context &context) {
    return {static_cast<const T *>(job.base), what_less_is_given(context)};
  }
};

/* What a function compares: declared only. A function that throws nothing is of another type, and converts to this one. */
template <typename T, typename Result>
T *compared_by(Result (*less)(const T *, const T *, const void *));

template <typename Pointer>
struct Pointee;
template <typename T>
struct Pointee<T *> {
  using Type = T;
};
template <typename...>
using Void = void;

template <typename T, auto LESS>
struct SourceFunctionOf {
  static_assert(sizeof(T) == CDP_ITEM_BYTES, "less() compares items of another size than the call's item_bytes");
  static_assert(alignof(T) <= 16, "items are aligned to 16 bytes at most");
  using Rules = SourceRules<T, LESS, is_moved(sizeof(T))>;
};

template <auto LESS, typename = void>
struct SourceFunction {
  static_assert(LESS == nullptr, "less() must be a function of const T *, const T * and const void *");
};
template <auto LESS>
struct SourceFunction<LESS, Void<decltype(compared_by(LESS))>>
    : SourceFunctionOf<typename Pointee<decltype(compared_by(LESS))>::Type, LESS> {};

} // namespace cdp::by

#endif
