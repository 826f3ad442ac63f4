// As much of the CUDA runtime as kernels/cold_shots.cu uses, on the host: memory is the host's, and a kernel is a
// function of its arguments' addresses. Every call is a line of the file that the variable CALLS names.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using cudaError_t = int;
using cudaEvent_t = int;
using cudaStream_t = void*;
enum { cudaSuccess, cudaErrorInvalidConfiguration = 9 };
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

struct dim3 {
  unsigned x, y, z;
  explicit dim3(unsigned x) : x(x), y(1), z(1) {}
};

inline std::FILE* calls() {
  static std::FILE* const file = std::fopen(std::getenv("CALLS"), "w");
  return file;
}

template <class... Values>
inline cudaError_t called(const char* format, Values... values) {
  std::fprintf(calls(), format, values...);
  std::fflush(calls());
  return cudaSuccess;
}

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "unknown";
}
inline cudaError_t cudaSetDevice(int device) { return called("device %d\n", device); }
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  std::memset(*memory, 0xff, bytes);
  return called("allocate %zu\n", bytes);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return called("set %zu\n", bytes);
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int direction) {
  std::memcpy(to, from, bytes);
  return called(direction == cudaMemcpyHostToDevice ? "write %zu\n" : "read %zu\n", bytes);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  static int events;
  *event = events++;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return called("record %d\n", event); }
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) { return called("wait %d\n", event); }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.25f;
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, int attribute, int value) {
  return called("attribute %d %d\n", attribute, value);
}
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t) {
  called("launch %u %u %zu\n", blocks.x, threads.x, shared_bytes);
  if (threads.x > 1024) return cudaErrorInvalidConfiguration;
  reinterpret_cast<void (*)(void**)>(const_cast<void*>(kernel))(arguments);
  return cudaSuccess;
}
