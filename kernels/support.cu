// The measuring engine's own kernels: holding a stream, checking a result on the device, and testing the engine itself.

// Holds the stream until the host has queued everything behind it, so that launch latency is over before the timed
// interval begins. While it waits it meters the SM clock: cycles over nanoseconds, on one SM.
//   go:    mapped host word; the hold ends when it is not zero.
//   meter: [0] cycles and [1] nanoseconds between two readings, [2] 1 when the limit ended the hold.
// The limit is what keeps a host that died from leaving the device spinning.
extern "C" __global__ void scopemark_hold(volatile unsigned* go, unsigned long long* meter,
                                          unsigned long long limit_ns) {
  unsigned long long start_ns, now_ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
  // Start on a tick of the timer: on older devices it advances once a microsecond.
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
  } while (now_ns == start_ns);
  const long long start_cycles = clock64();
  start_ns = now_ns;
  bool expired = false;
  unsigned long long tick_ns = now_ns;
  long long tick_cycles = start_cycles;
  while (*go == 0 && !expired) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
    if (now_ns != tick_ns) {
      tick_ns = now_ns;
      tick_cycles = clock64();
    }
    expired = now_ns - start_ns > limit_ns;
  }
  meter[0] = static_cast<unsigned long long>(tick_cycles - start_cycles);
  meter[1] = tick_ns - start_ns;
  meter[2] = expired;
}

// Compares n elements, `stride` elements apart, with what they should be. Sum is the accumulator of the element type:
// exact for integers, double for floating point.
//   expected: n elements if `each` is 1, or one that stands for all of them.
//   out:      [0] elements that differ, [1] the sum observed and [2] the sum expected, as the accumulator's bits.
template <class T, class Sum>
__device__ void check(const T* observed, const T* expected, unsigned long long n, unsigned stride, unsigned each,
                      unsigned long long* out) {
  __shared__ unsigned differ;
  __shared__ Sum sum, sum_expected;
  if (threadIdx.x == 0) {
    differ = 0;
    sum = 0;
    sum_expected = 0;
  }
  __syncthreads();
  unsigned my_differ = 0;
  Sum my_sum = 0, my_expected = 0;
  for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x) {
    const T value = observed[i * stride];
    const T wanted = expected[each ? i : 0];
    my_differ += value != wanted;
    my_sum += static_cast<Sum>(value);
    my_expected += static_cast<Sum>(wanted);
  }
  atomicAdd(&differ, my_differ);
  atomicAdd(&sum, my_sum);
  atomicAdd(&sum_expected, my_expected);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = differ;
    reinterpret_cast<Sum*>(out)[1] = sum;
    reinterpret_cast<Sum*>(out)[2] = sum_expected;
  }
}

#define CHECK(TYPE, T, SUM)                                                                                         \
  extern "C" __global__ void scopemark_check_##TYPE(const T* observed, const T* expected, unsigned long long n,     \
                                                    unsigned stride, unsigned each, unsigned long long* out) {      \
    check<T, SUM>(observed, expected, n, stride, each, out);                                                        \
  }

CHECK(int32, int, unsigned long long)
CHECK(uint32, unsigned, unsigned long long)
CHECK(uint64, unsigned long long, unsigned long long)
CHECK(float32, float, double)
CHECK(float64, double, double)

// Null tests. One does nothing; the other lasts as long as it is told, by the device's own timer.
extern "C" __global__ void scopemark_empty() {}

//   clocked: [0] nanoseconds and [1] cycles that it spun.
extern "C" __global__ void scopemark_spin(unsigned long long duration_ns, unsigned long long* clocked) {
  unsigned long long start_ns, now_ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
  const long long start_cycles = clock64();
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
  } while (now_ns - start_ns < duration_ns);
  clocked[0] = now_ns - start_ns;
  clocked[1] = static_cast<unsigned long long>(clock64() - start_cycles);
}
