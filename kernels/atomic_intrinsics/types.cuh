// The element types of the atomic intrinsics: how to make, chain, read and check a value of each.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../common/portable.cuh"

namespace scopemark::operation {

using scopemark::float32;
using scopemark::float64;
using scopemark::int32;
using scopemark::uint32;
using scopemark::uint64;
using int64 = long long;
using float16 = __half;
using float16x2 = __half2;
using bfloat16 = __nv_bfloat16;
using bfloat16x2 = __nv_bfloat162;
using float32x2 = float2;
using float32x4 = float4;

// How many numbers a value holds.
template <class T> constexpr unsigned lanes = 1;
template <> inline constexpr unsigned lanes<float16x2> = 2;
template <> inline constexpr unsigned lanes<bfloat16x2> = 2;
template <> inline constexpr unsigned lanes<float32x2> = 2;
template <> inline constexpr unsigned lanes<float32x4> = 4;

// One in every lane.
template <class T> SCOPEMARK_INLINE T one() { return T(1); }
template <> SCOPEMARK_INLINE float16 one() { return __float2half(1.0f); }
template <> SCOPEMARK_INLINE float16x2 one() { return __float2half2_rn(1.0f); }
template <> SCOPEMARK_INLINE bfloat16 one() { return __float2bfloat16(1.0f); }
template <> SCOPEMARK_INLINE bfloat16x2 one() { return __float2bfloat162_rn(1.0f); }
template <> SCOPEMARK_INLINE float32x2 one() { return make_float2(1.0f, 1.0f); }
template <> SCOPEMARK_INLINE float32x4 one() { return make_float4(1.0f, 1.0f, 1.0f, 1.0f); }

// An initial value: any integer for the numbers of one lane that hold it, zero for the others.
template <class T>
SCOPEMARK_INLINE T of_integer(long long value) {
  if constexpr (cuda::std::is_arithmetic_v<T>) {
    return T(value);
  } else {
    return T{};
  }
}

SCOPEMARK_INLINE double to_double(float16 value, unsigned) { return __half2float(value); }
SCOPEMARK_INLINE double to_double(float16x2 value, unsigned lane) { return __half2float(lane ? value.y : value.x); }
SCOPEMARK_INLINE double to_double(bfloat16 value, unsigned) { return __bfloat162float(value); }
SCOPEMARK_INLINE double to_double(bfloat16x2 value, unsigned lane) {
  return __bfloat162float(lane ? value.y : value.x);
}
SCOPEMARK_INLINE double to_double(float32x2 value, unsigned lane) { return lane ? value.y : value.x; }
SCOPEMARK_INLINE double to_double(float32x4 value, unsigned lane) {
  return lane == 0 ? value.x : lane == 1 ? value.y : lane == 2 ? value.z : value.w;
}
template <class T>
SCOPEMARK_INLINE cuda::std::enable_if_t<cuda::std::is_arithmetic_v<T>, double> to_double(T value, unsigned) {
  return static_cast<double>(value);
}

// The first 16 or 32 bits of a value. All of it arrives at once, so that these stand for it in a chain.
template <class T> using low_word = cuda::std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>;
template <class T>
SCOPEMARK_INLINE low_word<T> low_bits(const T& value) {
  low_word<T> word;
  memcpy(&word, &value, sizeof word);
  return word;
}

// `operand`, computed so that it has to wait for `before`: one logical instruction on the way.
template <class T>
SCOPEMARK_INLINE T chained(T operand, const T& before, unsigned zero) {
  const auto word = static_cast<low_word<T>>(low_bits(operand) ^ (low_bits(before) & zero));
  memcpy(&operand, &word, sizeof word);
  return operand;
}

// What memory holds now, past any copy of it.
template <class T>
SCOPEMARK_INLINE T read_now(const T* at) {
  low_word<T> words[sizeof(T) / sizeof(low_word<T>)];
  for (unsigned i = 0; i < sizeof(T) / sizeof words[0]; ++i) {
    words[i] = reinterpret_cast<const volatile low_word<T>*>(at)[i];
  }
  T value;
  memcpy(&value, words, sizeof value);
  return value;
}

}  // namespace scopemark::operation
