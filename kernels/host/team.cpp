// Runs one launch on CPU threads and times it.
//
// The threads exist and wait before the clock starts, so that creating them is not part of the time, as the launch
// of a kernel is not part of a GPU's. The clock stops when the last thread has returned from the kernel.
#include "team.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace scopemark {

thread_local Place place;

class Team {
 public:
  explicit Team(unsigned members) : members_(members) {}

  void wait() {
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
    } else {
      while (round_.load(std::memory_order_acquire) == round) {
      }
    }
  }

 private:
  const unsigned members_;
  // Each on a cache line of its own: the arrivals must not disturb the threads that watch the round.
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

void wait_for_team(Team& team) { team.wait(); }

namespace {

// One thread per allowed CPU, so that the scheduler does not put two contenders on one core.
void pin(unsigned thread, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[thread % cpus.size()], &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace
}  // namespace scopemark

// Runs `kernel` on blocks * threads CPU threads; returns the seconds from the common start to the last return.
extern "C" double scopemark_launch(void (*kernel)(const std::uint64_t*), const std::uint64_t* words, unsigned blocks,
                                   unsigned threads, std::size_t block_memory_bytes) {
  using namespace scopemark;
  using clock = std::chrono::steady_clock;
  const auto cpus = allowed_cpus();
  const unsigned total = blocks * threads;
  const std::size_t bytes = (block_memory_bytes + 255) / 256 * 256;

  std::vector<std::unique_ptr<Team>> teams;
  for (unsigned block = 0; block < blocks; ++block) teams.push_back(std::make_unique<Team>(threads));
  std::unique_ptr<char[], void (*)(char*)> memory(
      static_cast<char*>(::operator new[](bytes * blocks + 1, std::align_val_t{256})),
      [](char* pointer) { ::operator delete[](pointer, std::align_val_t{256}); });

  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};
  // Set by the last thread to come: the launching one would first have to be given a core, by threads that spin.
  clock::time_point start;
  std::vector<clock::time_point> ends(total);
  std::vector<std::thread> pool;
  for (unsigned index = 0; index < total; ++index) {
    pool.emplace_back([&, index] {
      pin(index, cpus);
      const unsigned block = index / threads;
      place = Place{index % threads, threads, block, blocks, teams[block].get(), memory.get() + bytes * block};
      if (ready.fetch_add(1) + 1 == total) {
        start = clock::now();
        go.store(true, std::memory_order_release);
      }
      while (!go.load(std::memory_order_acquire)) {
      }
      kernel(words);
      ends[index] = clock::now();
    });
  }
  for (auto& thread : pool) thread.join();

  auto last = start;
  for (const auto& end : ends) last = end > last ? end : last;
  return std::chrono::duration<double>(last - start).count();
}
