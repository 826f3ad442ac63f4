// One kernel source, two machines.
//
// A kernel is written against the few names below and compiled twice: by nvcc for a GPU, and by the C++ compiler
// for CPU threads, where a block is a team of threads and a launch is the whole set of teams running at once.
// Every kernel argument is a pointer or an integer of at most 64 bits, so that both sides are launched from Python
// with the same list of arguments.
#pragma once

#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>

#if defined(__CUDACC__)

#define SCOPEMARK_INLINE __device__ __forceinline__
#define SCOPEMARK_GPU 1

namespace scopemark {
SCOPEMARK_INLINE unsigned thread_index() { return threadIdx.x; }
SCOPEMARK_INLINE unsigned block_threads() { return blockDim.x; }
SCOPEMARK_INLINE unsigned block_index() { return blockIdx.x; }
SCOPEMARK_INLINE unsigned grid_blocks() { return gridDim.x; }
SCOPEMARK_INLINE void block_barrier() { __syncthreads(); }

// The dynamic shared memory of the block. Declared as raw bytes once: a template cannot declare it per type.
SCOPEMARK_INLINE char* block_memory() {
  extern __shared__ __align__(256) char bytes[];
  return bytes;
}
}  // namespace scopemark

// SCOPEMARK_ENTRY(name, (parameters), (arguments), function): an unmangled entry point that calls `function`.
// The function comes last because a template argument list contains commas.
#define SCOPEMARK_ENTRY(NAME, PARAMETERS, ARGUMENTS, ...) \
  extern "C" __global__ void NAME PARAMETERS { __VA_ARGS__ ARGUMENTS; }

#else  // host

#define SCOPEMARK_INLINE inline
#define SCOPEMARK_GPU 0

#include "../host/team.hpp"

#define SCOPEMARK_ENTRY(NAME, PARAMETERS, ARGUMENTS, ...) \
  extern "C" void NAME(const cuda::std::uint64_t* words) { scopemark::call_with_words(&__VA_ARGS__, words); }

#endif

namespace scopemark {
// The element names of the configuration, as C++ types. `unsigned long long` rather than uint64_t, because the
// atomic intrinsics are overloaded on it.
using int32 = int;
using uint32 = unsigned;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;
}  // namespace scopemark
