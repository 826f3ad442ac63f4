// One processor goes over a range of words once: reads, writes, or both.
#pragma once

#include "share.cuh"

namespace scopemark {

// out[0] += the sum of the words.
SCOPEMARK_INLINE void read_dense(uint32* data, uint64 units, uint64* out) {
  uint64 sum = 0;
  for_each_unit(data, my_share(units), [&](uint64, const Unit& unit) {
    sum += static_cast<uint64>(unit.word[0]) + unit.word[1] + (static_cast<uint64>(unit.word[2]) + unit.word[3]);
  });
  add_to(out, sum);
}

// Word i becomes seed + i.
SCOPEMARK_INLINE void write_dense(uint32* data, uint64 units, uint64 seed) {
  const Share share = my_share(units);
  for (uint64 i = share.begin; i < share.end; i += share.step) {
    const uint32 first = static_cast<uint32>(seed + 4 * i);
    store_unit(data, i, Unit{{first, first + 1, first + 2, first + 3}});
  }
}

// Adds `add` to every word.
SCOPEMARK_INLINE void update_dense(uint32* data, uint64 units, uint64 add) {
  const uint32 a = static_cast<uint32>(add);
  for_each_unit(data, my_share(units), [&](uint64 i, Unit unit) {
    for (uint32& word : unit.word) word += a;
    store_unit(data, i, unit);
  });
}

SCOPEMARK_INLINE void read_words(uint32* data, uint64 count, uint64 stride, uint64* out) {
  const Share share = my_share(count);
  uint64 sum = 0;
  for (uint64 i = share.begin; i < share.end; i += share.step) sum += data[i * stride];
  add_to(out, sum);
}

SCOPEMARK_INLINE void write_words(uint32* data, uint64 count, uint64 stride, uint64 seed) {
  const Share share = my_share(count);
  for (uint64 i = share.begin; i < share.end; i += share.step) {
    data[i * stride] = static_cast<uint32>(seed + i * stride);
  }
}

SCOPEMARK_INLINE void update_words(uint32* data, uint64 count, uint64 stride, uint64 add) {
  const Share share = my_share(count);
  for (uint64 i = share.begin; i < share.end; i += share.step) data[i * stride] += static_cast<uint32>(add);
}

// The finalizer of SplitMix64: neighbouring i land anywhere.
SCOPEMARK_INLINE uint64 scattered(uint64 i) {
  i += 0x9E3779B97F4A7C15ull;
  i = (i ^ (i >> 30)) * 0xBF58476D1CE4E5B9ull;
  i = (i ^ (i >> 27)) * 0x94D049BB133111EBull;
  return i ^ (i >> 31);
}

// Reads the first word of `count` granules of `granule` words, drawn from the first `granules`, a power of two.
SCOPEMARK_INLINE void read_random(uint32* data, uint64 granules, uint64 granule, uint64 count, uint64* out) {
  const Share share = my_share(count);
  uint64 sum = 0;
  for (uint64 i = share.begin; i < share.end; i += share.step) {
    sum += data[(scattered(i) & (granules - 1)) * granule];
  }
  add_to(out, sum);
}

// Compares every stride-th word with seed plus its place. out[0] += those that differ, out[1] += the sum.
SCOPEMARK_INLINE void inspect(uint32* data, uint64 count, uint64 stride, uint64 seed, uint64* out) {
  const Share share = my_share(count);
  uint64 differ = 0, sum = 0;
  for (uint64 i = share.begin; i < share.end; i += share.step) {
    const uint32 word = data[i * stride];
    differ += word != static_cast<uint32>(seed + i * stride);
    sum += word;
  }
  add_to(out, differ);
  add_to(out + 1, sum);
}

}  // namespace scopemark
