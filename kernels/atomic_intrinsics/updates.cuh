// Who does which update, and how a thread reads a slot before it tries to exchange it.
#pragma once

#include "../common/atomics.cuh"
#include "../common/portable.cuh"

namespace scopemark {

// On a GPU a thread does one update. CPU threads share them out: they take turns at runs of `cpu_run` consecutive
// updates, as blocks of that many GPU threads would, and so are in the same slots, with values as high, at one time.
constexpr unsigned cpu_run = 1000;

template <class Index, class Update>
SCOPEMARK_INLINE void for_each_update(Index updates, Update update) {
#if SCOPEMARK_GPU
  const Index i = block_index() * block_threads() + thread_index();
  if (i < updates) update(i);
#else
  const unsigned threads = block_threads() * grid_blocks();
  const unsigned thread = block_index() * block_threads() + thread_index();
  const unsigned count = updates;
  for (unsigned first = thread * cpu_run; first < count; first += threads * cpu_run) {
    const unsigned last = count - first < cpu_run ? count : first + cpu_run;
    for (unsigned i = first; i < last; ++i) update(static_cast<Index>(i));
  }
#endif
}

// The order of a load that begins a read-modify-write of the given order: the same without its release half.
template <cuda::std::memory_order Order>
constexpr auto load_order = Order == cuda::std::memory_order_release   ? cuda::std::memory_order_relaxed
                            : Order == cuda::std::memory_order_acq_rel ? cuda::std::memory_order_acquire
                                                                       : Order;

}  // namespace scopemark
