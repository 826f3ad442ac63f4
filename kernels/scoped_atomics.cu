// What the scope of an atomic operation costs.
//
// counter: every block updates counters of its own, `per_block` of them, as often as its threads can.
//   Comparing two instances that differ in one word isolates that word:
//     scope      who must agree: the block, the device, the system (same placement, same instructions around it);
//     placement  where the counter lives: the SM's shared memory or global memory (same scope);
//     order      the fences that acquire, release and seq_cst add to the relaxed operation;
//     api        what the library form compiles to, against the intrinsic of the same scope and order;
//     address    uniform: the compiler sees that all lanes of a warp use one counter and may fold 32 updates into
//                one. opaque: the counter depends on the thread at run time, so every lane issues its own;
//     result     whether the old value is wanted, which decides between a reduction and an atomic that returns.
//   Stride and counters per block are run-time arguments: they change contention and nothing in the code.
//
// match_count: counts the elements equal to a key.
//     per_match        one device-scope add for every match;
//     two_level        a block-scope subtotal in block memory, folded with one device-scope add per block;
//     warp_aggregated  one device-scope add per warp and step, by ballot.
//   Comparing them over the density of matches shows what keeping the traffic inside the block is worth.
#include "common/atomics.cuh"
#include "common/portable.cuh"

namespace scopemark {

enum class placement { shared, global };
enum class address { uniform, opaque };
enum class result { used, discarded };

// Operations. `step` is the iteration, so that the value left behind after any interleaving is known: the last store
// in a counter's modification order is some thread's last step, the maximum is the last step, and so on.
// Each returns the old value, or the new one where there is none, for the instances that use the result.
struct fetch_add {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned, T&, T&) const { return ref.fetch_add(T(1)); }
};
struct load {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned, T&, T&) const { return ref.load(); }
};
struct store {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const {
    ref.store(T(step));
    return T(step);
  }
};
struct exchange {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.exchange(T(step)); }
};
// One attempt per step to add 1. What was added is tallied, because only the threads know how often they won.
struct compare_exchange {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned, T& seen, T& won) const {
    if (ref.compare_exchange(seen, seen + T(1))) {
      won += T(1);
      seen += T(1);
    }
    return seen;
  }
};
struct fetch_min {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.fetch_min(T(1u << 30) - T(step)); }
};
struct fetch_max {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.fetch_max(T(step)); }
};
// The bit operations touch bit step mod 31: the sign bit of a 32-bit integer is left alone.
struct fetch_and {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.fetch_and(~(T(1) << (step % 31))); }
};
struct fetch_or {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.fetch_or(T(1) << (step % 31)); }
};
struct fetch_xor {
  template <class Ref, class T>
  SCOPEMARK_INLINE T operator()(Ref ref, unsigned step, T&, T&) const { return ref.fetch_xor(T(1) << (step % 31)); }
};

// counters: blocks * per_block elements, `stride` elements apart, holding `initial`.
// tally:    one element per counter, zero; compare_exchange adds what its threads won.
template <class T, class Ref, class Operation, placement Place, address Address, result Result>
SCOPEMARK_INLINE void run_counter(T* counters, T* tally, long long initial, unsigned per_block, unsigned stride,
                                  unsigned iterations) {
  const unsigned first = block_index() * per_block;
  T* base = counters + cuda::std::size_t(first) * stride;
  if constexpr (Place == placement::shared) {
    base = reinterpret_cast<T*>(block_memory());
    for (unsigned i = thread_index(); i < per_block; i += block_threads()) base[i * stride] = T(initial);
    block_barrier();
  }
  const unsigned mine = Address == address::opaque ? thread_index() % per_block : 0;
  const Ref ref{base + mine * stride};

  T seen = T(initial);
  T won = T(0);
  T checksum = T(0);
  for (unsigned step = 0; step < iterations; ++step) {
    const T value = Operation{}(ref, step, seen, won);
    if constexpr (Result == result::used) checksum += value;
  }
  // Never true for any input we launch, which the compiler cannot know: the results have to be computed.
  if constexpr (Result == result::used) {
    if (checksum == T(-7) && iterations == 0xffffffffu) tally[0] = checksum;
  }
  if constexpr (cuda::std::is_same_v<Operation, compare_exchange>) {
    using Tally = cuda::atomic_ref<T, cuda::thread_scope_device>;
    Tally(tally[first + mine]).fetch_add(won, cuda::std::memory_order_relaxed);
  }
  if constexpr (Place == placement::shared) {
    block_barrier();
    for (unsigned i = thread_index(); i < per_block; i += block_threads()) {
      counters[cuda::std::size_t(first + i) * stride] = base[i * stride];
    }
  }
}

// Adding 1 to the grid's total per match.
struct per_match {
  template <class BlockRef, class DeviceRef>
  static SCOPEMARK_INLINE void count(const int32* data, unsigned long long n, int32 key, int32* total) {
    const auto step = static_cast<unsigned long long>(block_threads()) * grid_blocks();
    for (auto i = static_cast<unsigned long long>(block_index()) * block_threads() + thread_index(); i < n; i += step) {
      if (data[i] == key) DeviceRef{total}.fetch_add(1);
    }
  }
};

// A subtotal that only the block agrees on; one add per block leaves it.
struct two_level {
  template <class BlockRef, class DeviceRef>
  static SCOPEMARK_INLINE void count(const int32* data, unsigned long long n, int32 key, int32* total) {
    int32* subtotal = reinterpret_cast<int32*>(block_memory());
    if (thread_index() == 0) *subtotal = 0;
    block_barrier();
    const auto step = static_cast<unsigned long long>(block_threads()) * grid_blocks();
    for (auto i = static_cast<unsigned long long>(block_index()) * block_threads() + thread_index(); i < n; i += step) {
      if (data[i] == key) BlockRef{subtotal}.fetch_add(1);
    }
    block_barrier();
    if (thread_index() == 0) DeviceRef{total}.fetch_add(*subtotal);
  }
};

#if SCOPEMARK_GPU
// One lane adds for its whole warp. The loop runs to a bound common to the warp, so that all lanes vote together.
struct warp_aggregated {
  template <class BlockRef, class DeviceRef>
  static SCOPEMARK_INLINE void count(const int32* data, unsigned long long n, int32 key, int32* total) {
    const unsigned lane = thread_index() % 32;
    const auto step = static_cast<unsigned long long>(block_threads()) * grid_blocks();
    const auto first = static_cast<unsigned long long>(block_index()) * block_threads() + thread_index() - lane;
    for (auto warp = first; warp < n; warp += step) {
      const auto i = warp + lane;
      const unsigned votes = __ballot_sync(0xffffffffu, i < n && data[i] == key);
      if (lane == 0 && votes != 0) DeviceRef{total}.fetch_add(__popc(votes));
    }
  }
};
#endif

template <class Form, class BlockRef, class DeviceRef>
SCOPEMARK_INLINE void run_match_count(const int32* data, unsigned long long n, int32 key, int32* total) {
  Form::template count<BlockRef, DeviceRef>(data, n, key, total);
}

}  // namespace scopemark

// One line of the instance list per kernel; the words are those of the configuration.
#define COUNTER(NAME, API, SCOPE, ORDER, OPERATION, TYPE, PLACEMENT, ADDRESS, RESULT)                               \
  SCOPEMARK_ENTRY(NAME,                                                                                             \
                  (scopemark::TYPE * counters, scopemark::TYPE * tally, long long initial, unsigned per_block,        \
                   unsigned stride, unsigned iterations),                                                           \
                  (counters, tally, initial, per_block, stride, iterations),                                        \
                  scopemark::run_counter<scopemark::TYPE,                                                           \
                                         scopemark::API<scopemark::TYPE, cuda::thread_scope_##SCOPE,                \
                                                        cuda::std::memory_order_##ORDER>,                           \
                                         scopemark::OPERATION, scopemark::placement::PLACEMENT,                     \
                                         scopemark::address::ADDRESS, scopemark::result::RESULT>)

#define MATCH_COUNT(NAME, API, FORM)                                                                                 \
  SCOPEMARK_ENTRY(NAME, (const int* data, unsigned long long n, int key, int* total), (data, n, key, total),         \
                  scopemark::run_match_count<                                                                        \
                      scopemark::FORM,                                                                               \
                      scopemark::API<int, cuda::thread_scope_block, cuda::std::memory_order_relaxed>,                \
                      scopemark::API<int, cuda::thread_scope_device, cuda::std::memory_order_relaxed>>)

#include SCOPEMARK_INSTANCES
