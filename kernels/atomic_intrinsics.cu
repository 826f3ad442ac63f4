// What an atomic is worth, and what it costs by the way it is written.
//
// sample: every thread updates one of a few slots, as NVIDIA's simpleAtomicIntrinsics does.
//   Comparing two instances that differ in one word isolates that word:
//     api        plain code, an intrinsic (a compiler's builtin on the CPU), cuda::std::atomic_ref, cuda::atomic_ref.
//                Plain against the others: what an atomic is worth, in updates lost, and what it costs;
//     order, scope  what the library forms' defaults (seq_cst, system) cost over what the intrinsics promise
//                (relaxed, device): two forms that agree in both differ by API alone;
//     operation  add, max, and an increment built from compare-and-swap.
//
// contention: as many threads, but the slot of each update is read from memory, so that any distribution over any
//   number of slots runs the same code. Comparing forms isolates
//     native against the loops   what an operation costs that has to be built from compare-and-swap;
//     the loops among themselves  the weak exchange, the early exit of max, and backing off;
//     native against the aggregated forms   what one atomic for a warp saves, by the compiler or by hand.
//
// operation: every intrinsic of Table 8-2 of The CUDA Handbook on every type that it is overloaded for.
//     result     used: each operand is computed from the result before it, so that a thread's operations are a chain.
//                One thread alone then times the latency. discarded: nothing waits, and the compiler may emit
//                a reduction. The other words being equal, this is what wanting the old value costs;
//     placement  global memory, the block's shared memory, or that of the other block of a cluster of two.
//
// histogram: counts of many elements in few bins.
//     global_bins   one add in global memory for every element;
//     private_bins  a block counts in its own memory and folds its bins into the global ones at the end.
//   Comparing them over the number of bins and the skew of the data shows where the fold costs more than it saves.
#include "atomic_intrinsics/contention.cuh"
#include "atomic_intrinsics/histogram.cuh"
#include "atomic_intrinsics/operation.cuh"
#include "atomic_intrinsics/sample.cuh"

// One line of the instance list per kernel; the words are those of the configuration.
#define SAMPLE(NAME, API, OPERATION, ORDER, SCOPE, SLOTS, UPDATES)                              \
  SCOPEMARK_ENTRY(NAME, (scopemark::int32 * slots), (slots),                                    \
                  scopemark::sample::run<scopemark::sample::OPERATION,                          \
                                         scopemark::sample::API, cuda::thread_scope_##SCOPE,    \
                                         cuda::std::memory_order_##ORDER, SLOTS, UPDATES>)

#define CONTENTION(NAME, API, OPERATION, FORM)                                                                 \
  SCOPEMARK_ENTRY(NAME, (scopemark::int32 * slots, const unsigned* slot_of, unsigned updates),                 \
                  (slots, slot_of, updates),                                                                   \
                  scopemark::contention::run<                                                                  \
                      scopemark::contention::OPERATION, scopemark::contention::FORM,                           \
                      scopemark::API<scopemark::int32, cuda::thread_scope_device,                              \
                                     cuda::std::memory_order_relaxed>>)

#define HISTOGRAM(NAME, API, FORM)                                                                             \
  SCOPEMARK_ENTRY(NAME, (const unsigned* data, unsigned long long n, unsigned bins, scopemark::uint32* counts), \
                  (data, n, bins, counts),                                                                     \
                  scopemark::histogram::FORM<scopemark::API>::run)

#if SCOPEMARK_GPU
#define SCOPEMARK_CLUSTER_global
#define SCOPEMARK_CLUSTER_shared
#define SCOPEMARK_CLUSTER_cluster __cluster_dims__(2, 1, 1)

// Not by SCOPEMARK_ENTRY: the blocks of a cluster are launched together only if the entry point says so.
#define OPERATION(NAME, OPERATION, TYPE, PLACEMENT, RESULT)                                                    \
  extern "C" __global__ void SCOPEMARK_CLUSTER_##PLACEMENT NAME(                                               \
      scopemark::operation::TYPE* counters, double* observed, unsigned long long* cycles, long long initial,   \
      unsigned per_block, unsigned iterations, unsigned per_thread, unsigned distance, unsigned zero) {        \
    using namespace scopemark::operation;                                                                      \
    run<atomic_##OPERATION, TYPE, placement::PLACEMENT, result::RESULT>(                                       \
        counters, observed, cycles, initial, per_block, iterations, per_thread, distance, zero);               \
  }
#endif

#include SCOPEMARK_INSTANCES
