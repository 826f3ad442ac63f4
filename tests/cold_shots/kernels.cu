// Kernels of the runtime in cuda_runtime_api.h.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// slots, start, data: four elements each. cycles: one. To each slot what it started with, its datum, and `adds`.
extern "C" void slots(void** arguments) {
  auto array = [&](int i) { return *static_cast<std::int32_t**>(arguments[i]); };
  const auto adds = *static_cast<std::uint64_t*>(arguments[4]);
  for (int i = 0; i < 4; ++i) {
    array(0)[i] += array(1)[i] + array(2)[i] + static_cast<std::int32_t>(adds);
    array(1)[i] = -1;
  }
  **static_cast<std::uint64_t**>(arguments[3]) = 99;
}

extern "C" void nothing(void**) {}

extern "C" void crashes(void**) { std::abort(); }

extern "C" void leaves(void**) { std::exit(0); }

extern "C" void prints(void**) {
  for (int line = 0; line < 4000; ++line) {
    std::printf("said by a kernel, line %d of many\n", line);
    std::fprintf(stderr, "said by a kernel, line %d of many\n", line);
  }
}
