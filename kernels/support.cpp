// The measuring engine's own host code: what must not take longer than it would take a C++ program.
#include <cstddef>

namespace {

// The driver's, as cuEventRecord and cuLaunchKernel: found where the driver has been loaded, so that this file builds
// where there is none.
using Record = int (*)(void* event, void* stream);
using Launch = int (*)(void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                       unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void* stream, void** parameters,
                       void** extra);

}  // namespace

// Record an event, launch, record another: the driver's error code, 0 for none.
//   shape: blocks, threads per block and bytes of shared memory per block.
extern "C" int scopemark_shot(Record record, Launch launch, void* function, const unsigned* shape, void** parameters,
                              void* stream, void* begin, void* end) {
  const int before = record(begin, stream);
  const int launched = launch(function, shape[0], 1, 1, shape[1], 1, 1, shape[2], stream, parameters, nullptr);
  const int after = record(end, stream);
  return before ? before : launched ? launched : after;
}
