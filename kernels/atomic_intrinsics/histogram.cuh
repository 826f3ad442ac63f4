// Counting elements in bins: in global memory at once, or in the block's memory first.
#pragma once

#include "../common/atomics.cuh"
#include "../common/portable.cuh"

namespace scopemark::histogram {

using cuda::thread_scope;
using cuda::std::memory_order;

// Every element of the thread, the grid taking turns.
template <class Count>
SCOPEMARK_INLINE void for_each_element(const unsigned* data, unsigned long long n, Count count) {
  const auto step = static_cast<unsigned long long>(block_threads()) * grid_blocks();
  for (auto i = static_cast<unsigned long long>(block_index()) * block_threads() + thread_index(); i < n; i += step) {
    count(data[i]);
  }
}

template <template <class, thread_scope, memory_order> class Api>
struct global_bins {
  using Device = Api<uint32, cuda::thread_scope_device, cuda::std::memory_order_relaxed>;
  static SCOPEMARK_INLINE void run(const unsigned* data, unsigned long long n, unsigned, uint32* counts) {
    for_each_element(data, n, [&](unsigned bin) { Device{counts + bin}.fetch_add(1); });
  }
};

template <template <class, thread_scope, memory_order> class Api>
struct private_bins {
  using Block = Api<uint32, cuda::thread_scope_block, cuda::std::memory_order_relaxed>;
  using Device = Api<uint32, cuda::thread_scope_device, cuda::std::memory_order_relaxed>;
  static SCOPEMARK_INLINE void run(const unsigned* data, unsigned long long n, unsigned bins, uint32* counts) {
    uint32* mine = reinterpret_cast<uint32*>(block_memory());
    for (unsigned bin = thread_index(); bin < bins; bin += block_threads()) mine[bin] = 0;
    block_barrier();
    for_each_element(data, n, [&](unsigned bin) { Block{mine + bin}.fetch_add(1); });
    block_barrier();
    for (unsigned bin = thread_index(); bin < bins; bin += block_threads()) {
      if (mine[bin] != 0) Device{counts + bin}.fetch_add(mine[bin]);
    }
  }
};

}  // namespace scopemark::histogram
