// Work that a program does between transfers: on two arrays, or on none.
#pragma once

#include "clock.cuh"
#include "share.cuh"

namespace scopemark {

SCOPEMARK_INLINE void copy_dense(uint32* to, uint32* from, uint64 units) {
  for_each_unit(from, my_share(units), [&](uint64 i, const Unit& unit) { store_unit(to, i, unit); });
}

// y += a x, in whole numbers, so that any number of rounds leaves exact words.
SCOPEMARK_INLINE void axpy(uint32* y, uint32* x, uint64 units, uint64 a) {
  const uint32 factor = static_cast<uint32>(a);
  for_each_unit(x, my_share(units), [&](uint64 i, const Unit& term) {
    Unit sum = load_unit(y, i);
    for (int j = 0; j < 4; ++j) sum.word[j] += factor * term.word[j];
    store_unit(y, i, sum);
  });
}

#if SCOPEMARK_GPU
// Occupies its threads for a time without touching memory but once. out[0] += 1 per warp.
SCOPEMARK_INLINE void busy(uint64 duration_ns, uint64* out) {
  const uint64 start = nanoseconds();
  while (nanoseconds() - start < duration_ns) {
  }
  if (threadIdx.x % 32 == 0) atomicAdd(out, uint64{1});
}
#endif

}  // namespace scopemark
