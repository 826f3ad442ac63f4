// A program that launches kernels once each, as small CUDA programs do: what its first launches cost is what theirs
// cost. It is told everything before it begins, and does nothing between two launches but fill memory, read it back
// and write down the result. It holds the kernels of SCOPEMARK_KERNEL_FILE that SCOPEMARK_NAMES lists.
//
// Standard input, in words:  DEVICE SHOTS, then for every shot
//   KERNEL BLOCKS THREADS SHARED_BYTES FLUSH_BYTES BUFFERS ARGUMENTS
//   for every buffer:    OFFSET BYTES ZERO          within one allocation; 1 if it holds zeros before the launch
//   for every argument:  POINTER VALUE              1 if the value is an offset within the allocation
// then a newline, and the contents of the buffers that are not zero.
// Standard output: "ready", then for every shot a line with its seconds and the contents of its buffers after it; or a
// line "error" with what is wrong, at the first call that fails, and nothing after it.
#include SCOPEMARK_KERNEL_FILE

// As in any program that includes more of CCCL than its atomics: some of its headers define objects in device memory,
// which are loaded with the first kernel, and lie where the program's own memory would.
#if __has_include(<cuda/cmath>)
#include <cuda/cmath>
#endif
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace scopemark::cold_shots {

struct Buffer {
  std::size_t offset, bytes;
  bool zero;
  std::vector<char> contents;  // before the launch, and then after it
};

struct Argument {
  bool pointer;
  std::uint64_t value;
};

struct Shot {
  std::string kernel;
  unsigned blocks, threads;
  std::size_t shared_bytes, flush_bytes;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  const void* entry;
};

// Standard output, for the answers alone: what a kernel prints goes where errors go.
std::FILE* answers;

void take_standard_output() {
  answers = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(answers, "error %s\n", what.c_str());
  std::exit(1);
}

void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) fail(what + ": " + cudaGetErrorString(error));
}

std::istream& operator>>(std::istream& in, Buffer& buffer) {
  in >> buffer.offset >> buffer.bytes >> buffer.zero;
  buffer.contents.resize(buffer.bytes);
  return in;
}

std::istream& operator>>(std::istream& in, Argument& argument) { return in >> argument.pointer >> argument.value; }

std::istream& operator>>(std::istream& in, Shot& shot) {
  std::size_t buffers, arguments;
  in >> shot.kernel >> shot.blocks >> shot.threads >> shot.shared_bytes >> shot.flush_bytes >> buffers >> arguments;
  shot.buffers.resize(buffers);
  shot.arguments.resize(arguments);
  for (Buffer& buffer : shot.buffers) in >> buffer;
  for (Argument& argument : shot.arguments) in >> argument;
  return in;
}

// The kernels are functions of this program, which the runtime knows by their addresses.
const void* find(const std::string& kernel) {
#define SCOPEMARK_NAME(NAME) \
  if (kernel == #NAME) return reinterpret_cast<const void*>(NAME);
#include SCOPEMARK_NAMES
  fail("this program has no kernel " + kernel);
}

std::vector<Shot> read_shots() {
  std::size_t shots;
  std::cin >> shots;
  std::vector<Shot> found(shots);
  for (Shot& shot : found) {
    std::cin >> shot;
    shot.entry = find(shot.kernel);
  }
  std::cin.ignore(1);
  for (Shot& shot : found)
    for (Buffer& buffer : shot.buffers)
      if (!buffer.zero) std::cin.read(buffer.contents.data(), buffer.bytes);
  return found;
}

int run() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // what nobody waits for must not disturb the next measurement
  std::ios::sync_with_stdio(false);
  take_standard_output();
  int device;
  std::cin >> device;
  std::vector<Shot> shots = read_shots();
  if (!std::cin) fail("what to launch ended early");

  check(cudaSetDevice(device), "cudaSetDevice");
  std::size_t bytes = 1, flush_bytes = 0;
  for (const Shot& shot : shots) {
    flush_bytes = std::max(flush_bytes, shot.flush_bytes);
    for (const Buffer& buffer : shot.buffers) bytes = std::max(bytes, buffer.offset + buffer.bytes);
  }
  char *memory, *flush = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&memory), bytes), "cudaMalloc");
  if (flush_bytes) check(cudaMalloc(reinterpret_cast<void**>(&flush), flush_bytes), "cudaMalloc");
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::fputs("ready\n", answers);
  std::fflush(answers);

  for (Shot& shot : shots) {
    std::vector<std::uint64_t> words;
    for (const Argument& argument : shot.arguments)
      words.push_back(argument.value + (argument.pointer ? reinterpret_cast<std::uint64_t>(memory) : 0));
    std::vector<void*> parameters;
    for (std::uint64_t& word : words) parameters.push_back(&word);
    if (shot.shared_bytes > 48 * 1024) {  // more than a block has unless it is asked for
      const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
      check(cudaFuncSetAttribute(shot.entry, attribute, static_cast<int>(shot.shared_bytes)), shot.kernel);
    }
    for (const Buffer& buffer : shot.buffers) {
      char* const at = memory + buffer.offset;
      check(buffer.zero ? cudaMemset(at, 0, buffer.bytes)
                        : cudaMemcpy(at, buffer.contents.data(), buffer.bytes, cudaMemcpyHostToDevice),
            shot.kernel);
    }
    if (shot.flush_bytes) check(cudaMemset(flush, 0, shot.flush_bytes), shot.kernel);

    const dim3 blocks(shot.blocks), threads(shot.threads);
    cudaEventRecord(begin);
    const cudaError_t launched =
        cudaLaunchKernel(shot.entry, blocks, threads, parameters.data(), shot.shared_bytes, nullptr);
    cudaEventRecord(end);
    check(launched, shot.kernel);
    check(cudaEventSynchronize(end), shot.kernel);

    float milliseconds;
    check(cudaEventElapsedTime(&milliseconds, begin, end), shot.kernel);
    std::fprintf(answers, "%.9e\n", milliseconds * 1e-3);
    for (Buffer& buffer : shot.buffers) {
      const char* const at = memory + buffer.offset;
      check(cudaMemcpy(buffer.contents.data(), at, buffer.bytes, cudaMemcpyDeviceToHost), shot.kernel);
      std::fwrite(buffer.contents.data(), 1, buffer.bytes, answers);
    }
    std::fflush(answers);
  }
  return 0;
}

}  // namespace scopemark::cold_shots

int main() { return scopemark::cold_shots::run(); }
