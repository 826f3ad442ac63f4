// A kernel for each way in which a case can end. Only the tests use it.
#include "common/portable.cuh"

#if !SCOPEMARK_GPU
#include <chrono>
#endif

namespace scopemark {

SCOPEMARK_INLINE void add(unsigned* counter, unsigned value) {
#if SCOPEMARK_GPU
  atomicAdd(counter, value);
#else
  __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
#endif
}

SCOPEMARK_INLINE unsigned long long now_ns() {
#if SCOPEMARK_GPU
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

SCOPEMARK_INLINE void exact(unsigned* counter, unsigned long long) { add(counter, 1); }
SCOPEMARK_INLINE void wrong(unsigned* counter, unsigned long long) { add(counter, 2); }
SCOPEMARK_INLINE void race(unsigned* counter, unsigned long long) {
  volatile unsigned* plain = counter;
  *plain = *plain + 1;
}
// Whatever the counter's address, it is out of bounds; the compiler cannot know.
SCOPEMARK_INLINE void crash(unsigned* counter, unsigned long long offset) {
  volatile unsigned* far = reinterpret_cast<unsigned*>(offset);
  *far = 1;
  add(counter, 1);
}
SCOPEMARK_INLINE void hang(unsigned* counter, unsigned long long) {
  volatile unsigned* never = counter;
  while (*never != 0xffffffffu) {
  }
}
SCOPEMARK_INLINE void spin(unsigned* counter, unsigned long long nanoseconds) {
  const unsigned long long start = now_ns();
  while (now_ns() - start < nanoseconds) {
  }
  add(counter, 1);
}

template <void (*Step)(unsigned*, unsigned long long)>
SCOPEMARK_INLINE void run(unsigned* counter, unsigned long long number, unsigned iterations) {
  for (unsigned i = 0; i < iterations; ++i) Step(counter, number);
}

}  // namespace scopemark

#define FAULT(NAME, STEP)                                                                     \
  SCOPEMARK_ENTRY(NAME, (unsigned* counter, unsigned long long number, unsigned iterations), \
                  (counter, number, iterations), scopemark::run<scopemark::STEP>)

#include SCOPEMARK_INSTANCES
