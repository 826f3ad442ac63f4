// A clock that a kernel can read, of the GPU or of the host.
#pragma once

#include "../common/portable.cuh"
#if !SCOPEMARK_GPU
#include <chrono>
#endif

namespace scopemark {

SCOPEMARK_INLINE uint64 nanoseconds() {
#if SCOPEMARK_GPU
  uint64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  using namespace std::chrono;
  return static_cast<uint64>(duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count());
#endif
}

}  // namespace scopemark
