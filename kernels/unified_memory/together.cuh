// Both processors at the same words at the same time.
#pragma once

#include <cuda/atomic>

#include "clock.cuh"

namespace scopemark {

using SystemWord = cuda::atomic_ref<uint32, cuda::thread_scope_system>;

// How long a party waits for the other before it goes on alone: an answer that never comes must not hang a machine.
constexpr uint64 MEET_NS = 1000000000;

// Polls between two looks at the clock, which may take longer than a poll.
constexpr unsigned POLLS = 64;

// Waits until a word holds a value. False if it does not until `limit_ns` after `begin`.
SCOPEMARK_INLINE bool comes(SystemWord word, uint32 value, uint64 begin, uint64 limit_ns) {
  for (unsigned polls = 1; word.load(cuda::std::memory_order_acquire) != value; ++polls) {
    if (polls % POLLS == 0 && nanoseconds() - begin > limit_ns) return false;
  }
  return true;
}

// Adds 1 to data[0] `adds` times in every thread, after all parties have come. What is left tells what was lost.
//   started: four words in memory that all parties see at once. [me] is 1 when one has come, [2 + me] the nanoseconds
//            that its first thread then added for; 0 if the other did not come.
//   me:      0 or 1. parties: 1 or 2.
template <cuda::thread_scope Scope>
SCOPEMARK_INLINE void count(uint32* data, uint64 adds, uint32* started, uint64 me, uint64 parties) {
  bool met = true;
  if (thread_index() == 0) {
    // A word for each, not an add to one: where the link carries no atomics, the two adds could be lost here as well.
    SystemWord(started[me]).store(1, cuda::std::memory_order_release);
    if (parties > 1) met = comes(SystemWord(started[1 - me]), 1, nanoseconds(), MEET_NS);
  }
  block_barrier();
  const uint64 begin = nanoseconds();
  cuda::atomic_ref<uint32, Scope> counter(data[0]);
  for (uint64 i = 0; i < adds; ++i) counter.fetch_add(1, cuda::std::memory_order_relaxed);
  if (thread_index() == 0 && block_index() == 0) {
    // An add whose result nobody uses is not waited for; the fence waits.
    cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_system);
    started[2 + me] = met ? static_cast<uint32>(nanoseconds() - begin) | 1u : 0u;
  }
}

// Waits for a question and answers it, `rounds` times. One thread. out[0]: rounds done.
SCOPEMARK_INLINE void answer(uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, uint64* out) {
  const uint64 begin = nanoseconds();
  uint64 done = 0;
  while (done < rounds && comes(SystemWord(*asked), static_cast<uint32>(done + 1), begin, limit_ns)) {
    SystemWord(*answered).store(static_cast<uint32>(++done), cuda::std::memory_order_release);
  }
  out[0] = done;
}

// Asks and waits for the answer, `rounds` times. One thread. out[0]: rounds done, out[1]: nanoseconds that all of them
// but the first took, which waits for the other to start.
SCOPEMARK_INLINE void ask(uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, uint64* out) {
  const uint64 begin = nanoseconds();
  uint64 done = 0, first = begin;
  while (done < rounds) {
    SystemWord(*asked).store(static_cast<uint32>(done + 1), cuda::std::memory_order_release);
    if (!comes(SystemWord(*answered), static_cast<uint32>(done + 1), begin, limit_ns)) break;
    if (++done == 1) first = nanoseconds();
  }
  out[0] = done;
  out[1] = nanoseconds() - first;
}

}  // namespace scopemark
