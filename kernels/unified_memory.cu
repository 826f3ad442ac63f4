// Unified memory: what it costs that two processors share memory.
//
// Every kernel here runs on a GPU and on CPU threads, over memory that Python has placed. They do as little as they can,
// so that what is compared is where the memory lies, who touched it last and what was advised, and never the kernel.
// A word holds `seed` plus its place unless something else is said, so that each side can prove what the other wrote.
#include "common/portable.cuh"
#include "unified_memory/sweep.cuh"
#include "unified_memory/together.cuh"
#include "unified_memory/work.cuh"

#define WORDS uint32* data
#define OUT uint64* out

using scopemark::uint32;
using scopemark::uint64;

// Sweeps: dense ones in units of 16 bytes, the others over every stride-th word.
SCOPEMARK_ENTRY(read_dense, (WORDS, uint64 units, OUT), (data, units, out), scopemark::read_dense)
SCOPEMARK_ENTRY(write_dense, (WORDS, uint64 units, uint64 seed), (data, units, seed), scopemark::write_dense)
SCOPEMARK_ENTRY(update_dense, (WORDS, uint64 units, uint64 add), (data, units, add), scopemark::update_dense)
SCOPEMARK_ENTRY(read_words, (WORDS, uint64 count, uint64 stride, OUT), (data, count, stride, out),
                scopemark::read_words)
SCOPEMARK_ENTRY(write_words, (WORDS, uint64 count, uint64 stride, uint64 seed), (data, count, stride, seed),
                scopemark::write_words)
SCOPEMARK_ENTRY(update_words, (WORDS, uint64 count, uint64 stride, uint64 add), (data, count, stride, add),
                scopemark::update_words)
SCOPEMARK_ENTRY(read_random, (WORDS, uint64 granules, uint64 granule, uint64 count, OUT),
                (data, granules, granule, count, out), scopemark::read_random)
SCOPEMARK_ENTRY(inspect, (WORDS, uint64 count, uint64 stride, uint64 seed, OUT), (data, count, stride, seed, out),
                scopemark::inspect)

// Work on two arrays, and work on none.
SCOPEMARK_ENTRY(copy_dense, (uint32* to, uint32* from, uint64 units), (to, from, units), scopemark::copy_dense)
SCOPEMARK_ENTRY(axpy, (uint32* y, uint32* x, uint64 units, uint64 a), (y, x, units, a), scopemark::axpy)
#if SCOPEMARK_GPU
// Managed memory that nobody allocates; its size stands in workflow/scopemark/stage/allocators.py too.
extern "C" __device__ __managed__ uint32 managed_variable[(1 << 26) / 4];

SCOPEMARK_ENTRY(busy, (uint64 duration_ns, OUT), (duration_ns, out), scopemark::busy)
#endif

// Two processors at one word.
SCOPEMARK_ENTRY(count_device, (WORDS, uint64 adds, uint32* started, uint64 me, uint64 parties),
                (data, adds, started, me, parties), scopemark::count<cuda::thread_scope_device>)
SCOPEMARK_ENTRY(count_system, (WORDS, uint64 adds, uint32* started, uint64 me, uint64 parties),
                (data, adds, started, me, parties), scopemark::count<cuda::thread_scope_system>)
SCOPEMARK_ENTRY(answer, (uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, OUT),
                (asked, answered, rounds, limit_ns, out), scopemark::answer)
SCOPEMARK_ENTRY(ask, (uint32* asked, uint32* answered, uint64 rounds, uint64 limit_ns, OUT),
                (asked, answered, rounds, limit_ns, out), scopemark::ask)
