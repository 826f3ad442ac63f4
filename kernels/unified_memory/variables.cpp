// Variables of every storage class that C++ has, for kernels to be given: where a machine can page, all of them are
// memory that a GPU may touch; elsewhere none is.
#include <alloca.h>
#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace {

constexpr std::size_t bytes = 1 << 20;
constexpr std::size_t page = 4096;

// A thread that does nothing but have a variable on its stack until it is told to end.
struct StackVariable {
  std::size_t bytes;
  char* address = nullptr;
  bool over = false;
  std::mutex mutex;
  std::condition_variable changed;
  pthread_t thread;
};

StackVariable* current = nullptr;  // one at a time

void* hold(void* argument) {
  auto& variable = *static_cast<StackVariable*>(argument);
  char* memory = static_cast<char*>(alloca(variable.bytes + page));
  std::unique_lock<std::mutex> lock(variable.mutex);
  variable.address = memory + (page - reinterpret_cast<std::size_t>(memory) % page) % page;
  variable.changed.notify_all();
  variable.changed.wait(lock, [&] { return variable.over; });
  return nullptr;
}

}  // namespace

extern "C" {

alignas(4096) char scopemark_global_variable_memory[bytes];

void* scopemark_global_variable() { return scopemark_global_variable_memory; }

void* scopemark_static_variable() {
  alignas(4096) static char memory[bytes];
  return memory;
}

// As a library's that knows nothing of CUDA: a pointer with external linkage to memory that it got itself.
char* scopemark_extern_variable_memory = new char[bytes + page];

void* scopemark_extern_variable() {
  char* memory = scopemark_extern_variable_memory;
  return memory + (page - reinterpret_cast<std::size_t>(memory) % page) % page;
}

// An address on the stack of a thread that lives until scopemark_end_stack_variable; null if there is no such thread.
void* scopemark_stack_variable(std::size_t wanted) {
  if (current != nullptr) return nullptr;
  current = new StackVariable{wanted};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, wanted + (1 << 18));
  if (pthread_create(&current->thread, &attributes, hold, current) != 0) {
    delete current;
    current = nullptr;
    return nullptr;
  }
  std::unique_lock<std::mutex> lock(current->mutex);
  current->changed.wait(lock, [] { return current->address != nullptr; });
  return current->address;
}

void scopemark_end_stack_variable(void*) {
  {
    std::lock_guard<std::mutex> lock(current->mutex);
    current->over = true;
  }
  current->changed.notify_all();
  pthread_join(current->thread, nullptr);
  delete current;
  current = nullptr;
}

}  // extern "C"
