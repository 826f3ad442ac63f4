// How the threads of a launch share a range out: on a GPU in turns, so that neighbours touch neighbouring memory; on a
// CPU in one run each, so that no two threads meet in a cache line.
#pragma once

#include "../common/portable.cuh"

namespace scopemark {

struct Share {
  uint64 begin, end, step;
};

SCOPEMARK_INLINE Share my_share(uint64 count) {
  const uint64 threads = static_cast<uint64>(grid_blocks()) * block_threads();
  const uint64 me = static_cast<uint64>(block_index()) * block_threads() + thread_index();
#if SCOPEMARK_GPU
  return {me, count, threads};
#else
  return {count * me / threads, count * (me + 1) / threads, 1};
#endif
}

// Sixteen bytes, which one load or store moves.
struct alignas(16) Unit {
  uint32 word[4];
};

SCOPEMARK_INLINE Unit load_unit(const uint32* data, uint64 unit) {
  Unit value;
#if SCOPEMARK_GPU
  *reinterpret_cast<uint4*>(&value) = reinterpret_cast<const uint4*>(data)[unit];
#else
  __builtin_memcpy(&value, data + 4 * unit, sizeof value);
#endif
  return value;
}

SCOPEMARK_INLINE void store_unit(uint32* data, uint64 unit, const Unit& value) {
#if SCOPEMARK_GPU
  reinterpret_cast<uint4*>(data)[unit] = *reinterpret_cast<const uint4*>(&value);
#else
  __builtin_memcpy(data + 4 * unit, &value, sizeof value);
#endif
}

// Calls use(i, unit i) for a thread's share, with the loads of four rounds in flight at once.
template <class Use>
SCOPEMARK_INLINE void for_each_unit(const uint32* data, const Share& share, Use use) {
  uint64 i = share.begin;
  for (; i + 3 * share.step < share.end; i += 4 * share.step) {
    Unit unit[4];
    for (int j = 0; j < 4; ++j) unit[j] = load_unit(data, i + j * share.step);
    for (int j = 0; j < 4; ++j) use(i + j * share.step, unit[j]);
  }
  for (; i < share.end; i += share.step) use(i, load_unit(data, i));
}

// Adds a thread's part to a total of the launch: once per warp on a GPU, since millions of threads would queue for it.
SCOPEMARK_INLINE void add_to(uint64* total, uint64 part) {
#if SCOPEMARK_GPU
  for (int lane = 16; lane > 0; lane /= 2) part += __shfl_down_sync(0xffffffffu, part, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(total, part);
#else
  __atomic_fetch_add(total, part, __ATOMIC_RELAXED);
#endif
}

}  // namespace scopemark
