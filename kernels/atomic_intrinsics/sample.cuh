// The twelve kernels of the sample: three operations, each written in four ways.
#pragma once

#include "updates.cuh"

namespace scopemark::sample {

using cuda::thread_scope;
using cuda::std::memory_order;

// Every way of writing it: how to add, how to take the maximum, how to increment by compare-and-swap.

// No atomics. On a GPU a thread touches its slot once, and the compiler has nothing to keep in a register; a CPU
// thread comes back to it, so there the accesses are volatile.
template <thread_scope, memory_order>
struct plain {
#if SCOPEMARK_GPU
  using access = int32;
#else
  using access = volatile int32;
#endif
  static SCOPEMARK_INLINE void add(access* slot, int32) { *slot = *slot + 1; }
  static SCOPEMARK_INLINE void max(access* slot, int32 value) {
    if (*slot < value) *slot = value;
  }
  static SCOPEMARK_INLINE void cas(access* slot, int32) {
    const int32 expected = *slot;
    if (*slot == expected) *slot = expected + 1;
  }
};

// What the two refs and the CPU's builtins share: none of them is asked for a maximum of its own.
template <template <class, thread_scope, memory_order> class Api, thread_scope Scope, memory_order Order>
struct exchanging {
  using Ref = Api<int32, Scope, Order>;
  static SCOPEMARK_INLINE int32 load(int32* slot) { return Api<int32, Scope, load_order<Order>>{slot}.load(); }
  static SCOPEMARK_INLINE void add(int32* slot, int32) { Ref{slot}.fetch_add(1); }
  static SCOPEMARK_INLINE void max(int32* slot, int32 value) {
    int32 seen = load(slot);
    while (seen < value && !Ref{slot}.compare_exchange_weak(seen, value)) {
    }
  }
  static SCOPEMARK_INLINE void cas(int32* slot, int32) {
    int32 seen = load(slot);
    while (!Ref{slot}.compare_exchange_weak(seen, seen + 1)) {
    }
  }
};

template <thread_scope Scope, memory_order Order>
struct std_atomic_ref : exchanging<scopemark::std_atomic_ref, Scope, Order> {};

template <thread_scope Scope, memory_order Order>
struct atomic_ref : exchanging<scopemark::atomic_ref, Scope, Order> {};

#if SCOPEMARK_GPU
template <thread_scope Scope, memory_order Order>
struct intrinsic {
  using Ref = scopemark::intrinsic<int32, Scope, Order>;
  static SCOPEMARK_INLINE void add(int32* slot, int32) { Ref{slot}.fetch_add(1); }
  static SCOPEMARK_INLINE void max(int32* slot, int32 value) { Ref{slot}.fetch_max(value); }
  static SCOPEMARK_INLINE void cas(int32* slot, int32) {
    int32 seen = *slot;
    while (!Ref{slot}.compare_exchange(seen, seen + 1)) {
    }
  }
};
#else
template <thread_scope Scope, memory_order Order>
struct builtin : exchanging<scopemark::builtin, Scope, Order> {};
#endif

struct add {
  template <class Way, class Slot>
  static SCOPEMARK_INLINE void update(Slot* slot, int32 i) { Way::add(slot, i); }
};
struct max {
  template <class Way, class Slot>
  static SCOPEMARK_INLINE void update(Slot* slot, int32 i) { Way::max(slot, i); }
};
struct cas {
  template <class Way, class Slot>
  static SCOPEMARK_INLINE void update(Slot* slot, int32 i) { Way::cas(slot, i); }
};

// The numbers of slots and of updates are known to the compiler and have a sign, as in the sample: the comparison and the
// division are part of what a short kernel costs.
template <class Operation, template <thread_scope, memory_order> class Way, thread_scope Scope, memory_order Order,
          int32 Slots, int32 Updates>
SCOPEMARK_INLINE void run(int32* slots) {
  for_each_update(Updates, [&](int32 i) { Operation::template update<Way<Scope, Order>>(slots + i % Slots, i); });
}

}  // namespace scopemark::sample
