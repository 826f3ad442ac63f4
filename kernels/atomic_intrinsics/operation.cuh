// Every atomic intrinsic on every type it takes, in every memory a GPU thread can reach.
#pragma once

#include "../common/portable.cuh"

#if SCOPEMARK_GPU

#include "types.cuh"

namespace scopemark::operation {

enum class placement { global, shared, cluster };
enum class result { used, discarded };

// Operations. `step` is the iteration: the operands are such that what is left behind is known after any interleaving.
// `operand` is what a chain makes wait for the result before it, and `apply` does the operation with it.
struct atomic_add {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned) { return one<T>(); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicAdd(at, value); }
};
struct atomic_sub {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned) { return T(1); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicSub(at, value); }
};
struct atomic_exch {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(step); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicExch(at, value); }
};
struct atomic_min {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(1u << 30) - T(step); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicMin(at, value); }
};
struct atomic_max {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(step); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicMax(at, value); }
};
// Increment and decrement wrap around at a bound.
constexpr unsigned wrap_bound = 1000;
struct atomic_inc {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned) { return T(wrap_bound); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T bound, unsigned) { return atomicInc(at, bound); }
};
struct atomic_dec {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned) { return T(wrap_bound); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T bound, unsigned) { return atomicDec(at, bound); }
};
// From the step to the next: whoever comes first to a step moves the counter on, and no thread can be ahead of it.
struct atomic_cas {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(step); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T compare, unsigned step) {
    return atomicCAS(at, compare, T(step + 1));
  }
};
// The bit operations touch bit step mod 31: the sign bit of a 32-bit integer is left alone.
struct atomic_and {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return ~(T(1) << (step % 31)); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicAnd(at, value); }
};
struct atomic_or {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(1) << (step % 31); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicOr(at, value); }
};
struct atomic_xor {
  template <class T> static SCOPEMARK_INLINE T operand(unsigned step) { return T(1) << (step % 31); }
  template <class T> static SCOPEMARK_INLINE T apply(T* at, T value, unsigned) { return atomicXor(at, value); }
};

// The barrier and the address that reach the other block of a cluster of two.
template <placement Place>
SCOPEMARK_INLINE void group_barrier() {
#if __CUDA_ARCH__ >= 900
  if constexpr (Place == placement::cluster) {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    return;
  }
#endif
  block_barrier();
}

template <placement Place, class T>
SCOPEMARK_INLINE T* reached(T* mine) {
#if __CUDA_ARCH__ >= 900
  if constexpr (Place == placement::cluster) {
    return static_cast<T*>(__cluster_map_shared_rank(mine, __clusterRelativeBlockRank() ^ 1));
  }
#endif
  return mine;
}

SCOPEMARK_INLINE long long clock_now() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

// counters:   in `per_thread` places, `distance` elements apart, grid_blocks() * per_block elements that hold `initial`;
//             a block's own lie in its shared memory unless Place is global.
// observed:   what is left in each of them, place by place and lane by lane, as a double.
// cycles:     what the first thread's operations took.
// iterations: a thread's operations in each place: it goes from one to the next.
// zero:       0, which the compiler cannot know.
template <class Operation, class T, placement Place, result Result>
SCOPEMARK_INLINE void run(T* counters, double* observed, unsigned long long* cycles, long long initial,
                          unsigned per_block, unsigned iterations, unsigned per_thread, unsigned distance,
                          unsigned zero) {
  const unsigned first = block_index() * per_block;
  T* base = counters + first;
  if constexpr (Place != placement::global) {
    base = reinterpret_cast<T*>(block_memory());
    for (unsigned i = thread_index(); i < per_block; i += block_threads()) base[i] = of_integer<T>(initial);
  }
  group_barrier<Place>();

  T* at = reached<Place>(base + thread_index() % per_block);
  T before{};
  const long long start = clock_now();
  for (unsigned place = 0; place < per_thread; ++place, at += distance) {
    for (unsigned step = 0; step < iterations; ++step) {
      T operand = Operation::template operand<T>(step);
      if constexpr (Result == result::used) operand = chained(operand, before, zero);
      const T found = Operation::template apply<T>(at, operand, step);
      if constexpr (Result == result::used) before = found;
    }
  }
  // The clock is read behind a decision that needs the last result, and instructions issue in order.
  if constexpr (Result == result::used) {
    if ((low_bits(before) & zero) != 0) *cycles = zero;
  }
  const long long stop = clock_now();
  if (block_index() == 0 && thread_index() == 0) *cycles = static_cast<unsigned long long>(stop - start);

  group_barrier<Place>();
  for (unsigned place = 0; place < per_thread; ++place) {
    double* const seen = observed + (place * grid_blocks() * per_block + first) * lanes<T>;
    for (unsigned i = thread_index(); i < per_block; i += block_threads()) {
      const T left = read_now(base + place * distance + i);
      for (unsigned lane = 0; lane < lanes<T>; ++lane) seen[i * lanes<T> + lane] = to_double(left, lane);
    }
  }
}

}  // namespace scopemark::operation

#endif
