// The kernels that SCOPEMARK_NAMES lists, on the runtime in cuda_runtime_api.h: all add 1 to a slot for every update,
// but those of the maximum, which do not return.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

inline void add_or_hang(const char* name, void** arguments) {
  if (std::strstr(name, "_max_") != nullptr) sleep(600);
  int* const slots = *static_cast<int**>(arguments[0]);
  const int updates = std::atoi(std::strrchr(name, '_') + 1);
  for (int i = 0; i < updates; ++i) ++slots[i % 10];
}

#define SCOPEMARK_NAME(NAME) \
  extern "C" void NAME(void** arguments) { add_or_hang(#NAME, arguments); }
#include SCOPEMARK_NAMES
#undef SCOPEMARK_NAME
