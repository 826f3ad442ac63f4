// Both processors at the same words at the same time.
#pragma once

#include <cuda/atomic>

#include "share.cuh"
#if SCOPEMARK_GPU
#include "work.cuh"
#else
#include <chrono>
#endif

namespace scopemark {

#if !SCOPEMARK_GPU
inline uint64 nanoseconds() {
  using namespace std::chrono;
  return static_cast<uint64>(duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count());
}
#endif

using SystemWord = cuda::atomic_ref<uint32, cuda::thread_scope_system>;

// How long a party waits for the other before it goes on alone: an answer that never comes must not hang a machine.
constexpr uint64 MEET_NS = 1000000000;

// Adds 1 to data[0] `adds` times in every thread, after all parties have come. What is left tells what was lost.
//   started: a word in memory that both processors see at once, counted up by one thread of each party.
template <cuda::thread_scope Scope>
SCOPEMARK_INLINE void count(uint32* data, uint64 adds, uint32* started, uint64 parties) {
  if (thread_index() == 0) {
    // A word for each, not an add to one: where the link carries no atomics, the two adds could be lost here as well.
    SystemWord mine(started[SCOPEMARK_GPU]);
    mine.store(1, cuda::std::memory_order_release);
    SystemWord theirs(started[!SCOPEMARK_GPU]);
    const uint64 begin = nanoseconds();
    while (parties > 1 && theirs.load(cuda::std::memory_order_acquire) == 0 && nanoseconds() - begin < MEET_NS) {
    }
  }
  block_barrier();
  cuda::atomic_ref<uint32, Scope> counter(data[0]);
  for (uint64 i = 0; i < adds; ++i) counter.fetch_add(1, cuda::std::memory_order_relaxed);
}

// Waits for a question and answers it, `rounds` times. One thread. out[0]: rounds done.
SCOPEMARK_INLINE void answer(uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, uint64* out) {
  SystemWord question(*asked), reply(*answered);
  const uint64 begin = nanoseconds();
  for (uint64 round = 1; round <= rounds; ++round) {
    while (question.load(cuda::std::memory_order_acquire) != static_cast<uint32>(round)) {
      if (nanoseconds() - begin > limit_ns) return;
    }
    reply.store(static_cast<uint32>(round), cuda::std::memory_order_release);
    out[0] = round;
  }
}

// Asks and waits for the answer, `rounds` times. One thread. out[0]: rounds done, out[1]: nanoseconds they took.
SCOPEMARK_INLINE void ask(uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, uint64* out) {
  SystemWord question(*asked), reply(*answered);
  const uint64 begin = nanoseconds();
  uint64 first = begin;
  for (uint64 round = 1; round <= rounds; ++round) {
    question.store(static_cast<uint32>(round), cuda::std::memory_order_release);
    while (reply.load(cuda::std::memory_order_acquire) != static_cast<uint32>(round)) {
      if (nanoseconds() - begin > limit_ns) return;
    }
    if (round == 1) first = nanoseconds();  // the first waits for the other to start
    out[0] = round;
    out[1] = nanoseconds() - first;
  }
}

}  // namespace scopemark
