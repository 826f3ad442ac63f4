// What a kernel sees of the CPU target: its place in the launch, its team's barrier and its team's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace scopemark {

// A team's barrier spins: parking in the kernel would cost more than most of what is measured.
class Team;

struct Place {
  unsigned thread = 0;
  unsigned threads = 1;
  unsigned block = 0;
  unsigned blocks = 1;
  Team* team = nullptr;
  char* memory = nullptr;
};

extern thread_local Place place;
void wait_for_team(Team& team);

inline unsigned thread_index() { return place.thread; }
inline unsigned block_threads() { return place.threads; }
inline unsigned block_index() { return place.block; }
inline unsigned grid_blocks() { return place.blocks; }
inline void block_barrier() { wait_for_team(*place.team); }
inline char* block_memory() { return place.memory; }

// A word of the argument list as the parameter type the kernel declares.
template <class T>
T from_word(std::uint64_t word) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(word);
  } else {
    return static_cast<T>(word);
  }
}

template <class... Parameters, std::size_t... Index>
void call_with_words(void (*kernel)(Parameters...), const std::uint64_t* words, std::index_sequence<Index...>) {
  kernel(from_word<Parameters>(words[Index])...);
}

template <class... Parameters>
void call_with_words(void (*kernel)(Parameters...), const std::uint64_t* words) {
  call_with_words(kernel, words, std::index_sequence_for<Parameters...>{});
}

}  // namespace scopemark
