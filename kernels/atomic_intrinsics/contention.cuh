// Updates of slots that memory names, in every form that an add or a maximum can take.
#pragma once

#include "updates.cuh"

namespace scopemark::contention {

// A slot's value now. The intrinsics have no load: a volatile read is what stands in for one.
template <class Ref>
SCOPEMARK_INLINE int32 read(Ref ref) {
#if SCOPEMARK_GPU
  using Intrinsic = intrinsic<int32, cuda::thread_scope_device, cuda::std::memory_order_relaxed>;
  if constexpr (cuda::std::is_same_v<Ref, Intrinsic>) return *static_cast<volatile int32*>(ref.object);
  else
#endif
    return ref.load();
}

// Operations: the native one; what a loop would store in place of `seen`; and whether that would change anything.
struct add {
  template <class Ref>
  static SCOPEMARK_INLINE void native(Ref ref, int32) { ref.fetch_add(1); }
  static SCOPEMARK_INLINE int32 replacement(int32 seen, int32) { return seen + 1; }
  static SCOPEMARK_INLINE bool done(int32, int32) { return false; }
};
struct max {
  template <class Ref>
  static SCOPEMARK_INLINE void native(Ref ref, int32 value) { ref.fetch_max(value); }
  static SCOPEMARK_INLINE int32 replacement(int32 seen, int32 value) { return seen < value ? value : seen; }
  static SCOPEMARK_INLINE bool done(int32 seen, int32 value) { return seen >= value; }
};

struct native {
  template <class Operation, class Ref>
  static SCOPEMARK_INLINE void update(int32* slots, unsigned slot, int32 i) {
    Operation::native(Ref{slots + slot}, i);
  }
};

// The compiler sees that all lanes share one slot, whatever memory says: it may fold a warp into one atomic.
struct compiler_aggregated {
  template <class Operation, class Ref>
  static SCOPEMARK_INLINE void update(int32* slots, unsigned, int32 i) {
    Operation::native(Ref{slots}, i);
  }
};

#if SCOPEMARK_GPU
// The lanes of a warp that share a slot elect the first of them, which adds for all. Whole warps take part.
struct hand_aggregated {
  template <class Operation, class Ref>
  static SCOPEMARK_INLINE void update(int32* slots, unsigned slot, int32) {
    static_assert(cuda::std::is_same_v<Operation, add>, "only adds are counted by a vote");
    const unsigned peers = __match_any_sync(0xffffffffu, slot);
    if (thread_index() % 32 == unsigned(__ffs(peers) - 1)) Ref{slots + slot}.fetch_add(__popc(peers));
  }
};
#endif

// Compare-and-swap until it succeeds. With EarlyExit a thread leaves as soon as its update would change nothing.
template <bool Weak, bool EarlyExit>
struct loop {
  template <class Operation, class Ref>
  static SCOPEMARK_INLINE void update(int32* slots, unsigned slot, int32 i) {
    const Ref ref{slots + slot};
    int32 seen = read(ref);
    while (!(EarlyExit && Operation::done(seen, i))) {
      const int32 wanted = Operation::replacement(seen, i);
      if constexpr (Weak) {
        if (ref.compare_exchange_weak(seen, wanted)) return;
      } else {
        if (ref.compare_exchange(seen, wanted)) return;
      }
    }
  }
};
using loop_strong = loop<false, true>;
using loop_weak = loop<true, true>;
using loop_no_exit = loop<false, false>;

#if SCOPEMARK_GPU
// After a failure the thread sleeps, twice as long each time up to a cap, and looks again: what the failed exchange
// saw is old by then.
struct loop_backoff {
  static constexpr unsigned first_ns = 32, cap_ns = 8192;
  template <class Operation, class Ref>
  static SCOPEMARK_INLINE void update(int32* slots, unsigned slot, int32 i) {
    const Ref ref{slots + slot};
    unsigned sleep_ns = first_ns;
    int32 seen = read(ref);
    while (!Operation::done(seen, i) && !ref.compare_exchange(seen, Operation::replacement(seen, i))) {
      __nanosleep(sleep_ns);
      sleep_ns = sleep_ns < cap_ns ? 2 * sleep_ns : cap_ns;
      seen = read(ref);
    }
  }
};
#endif

template <class Operation, class Form, class Ref>
SCOPEMARK_INLINE void run(int32* slots, const unsigned* slot_of, unsigned updates) {
  for_each_update(updates, [&](unsigned i) {
    Form::template update<Operation, Ref>(slots, slot_of[i], static_cast<int32>(i));
  });
}

}  // namespace scopemark::contention
