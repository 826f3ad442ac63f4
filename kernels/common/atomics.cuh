// The ways of writing an atomic operation, behind one interface.
//
// Each API is a template over element type, scope and memory order with the same member functions; a kernel is
// written once against it and instantiated per API. An operation that an API does not have is left out here, and the
// experiment's rules keep the configuration from asking for it.
#pragma once

#include <cuda/atomic>
#include <cuda/std/atomic>

#include "portable.cuh"

namespace scopemark {

// The three libcu++ forms share every call; only the object they are called on differs.
#define SCOPEMARK_LIBCUXX_OPERATIONS(OBJECT)                                                        \
  SCOPEMARK_INLINE T load() const { return OBJECT.load(Order); }                                    \
  SCOPEMARK_INLINE void store(T value) const { OBJECT.store(value, Order); }                        \
  SCOPEMARK_INLINE T exchange(T value) const { return OBJECT.exchange(value, Order); }              \
  SCOPEMARK_INLINE bool compare_exchange(T& expected, T desired) const {                            \
    return OBJECT.compare_exchange_strong(expected, desired, Order);                                \
  }                                                                                                 \
  SCOPEMARK_INLINE bool compare_exchange_weak(T& expected, T desired) const {                       \
    return OBJECT.compare_exchange_weak(expected, desired, Order);                                  \
  }                                                                                                 \
  SCOPEMARK_INLINE T fetch_add(T value) const { return OBJECT.fetch_add(value, Order); }            \
  SCOPEMARK_INLINE T fetch_and(T value) const { return OBJECT.fetch_and(value, Order); }            \
  SCOPEMARK_INLINE T fetch_or(T value) const { return OBJECT.fetch_or(value, Order); }              \
  SCOPEMARK_INLINE T fetch_xor(T value) const { return OBJECT.fetch_xor(value, Order); }

// cuda::atomic_ref<T, Scope> on an ordinary object.
template <class T, cuda::thread_scope Scope, cuda::std::memory_order Order>
struct atomic_ref {
  T* object;
  SCOPEMARK_INLINE cuda::atomic_ref<T, Scope> self() const { return cuda::atomic_ref<T, Scope>(*object); }
  SCOPEMARK_LIBCUXX_OPERATIONS(self())
  SCOPEMARK_INLINE T fetch_min(T value) const { return self().fetch_min(value, Order); }
  SCOPEMARK_INLINE T fetch_max(T value) const { return self().fetch_max(value, Order); }
};

// cuda::atomic<T, Scope>: the same operations on a type that owns its storage.
template <class T, cuda::thread_scope Scope, cuda::std::memory_order Order>
struct atomic {
  T* object;
  SCOPEMARK_INLINE cuda::atomic<T, Scope>& self() const {
    static_assert(sizeof(cuda::atomic<T, Scope>) == sizeof(T), "the counters are laid out as plain T");
    return *reinterpret_cast<cuda::atomic<T, Scope>*>(object);
  }
  SCOPEMARK_LIBCUXX_OPERATIONS(self())
  SCOPEMARK_INLINE T fetch_min(T value) const { return self().fetch_min(value, Order); }
  SCOPEMARK_INLINE T fetch_max(T value) const { return self().fetch_max(value, Order); }
};

// cuda::std::atomic_ref<T>: the ISO interface. It has no scope parameter: every thread of the system may take part.
template <class T, cuda::thread_scope Scope, cuda::std::memory_order Order>
struct std_atomic_ref {
  static_assert(Scope == cuda::thread_scope_system, "cuda::std::atomic_ref is system-scoped");
  T* object;
  SCOPEMARK_INLINE cuda::std::atomic_ref<T> self() const { return cuda::std::atomic_ref<T>(*object); }
  SCOPEMARK_LIBCUXX_OPERATIONS(self())
};

#if SCOPEMARK_GPU

// The intrinsics and their suffixes. They are relaxed; the suffix is the scope.
#define SCOPEMARK_SCOPED(INTRINSIC, ...)                            \
  if constexpr (Scope == cuda::thread_scope_block) {                \
    return INTRINSIC##_block(__VA_ARGS__);                          \
  } else if constexpr (Scope == cuda::thread_scope_system) {        \
    return INTRINSIC##_system(__VA_ARGS__);                         \
  } else {                                                          \
    return INTRINSIC(__VA_ARGS__);                                  \
  }

template <class T, cuda::thread_scope Scope, cuda::std::memory_order Order>
struct intrinsic {
  static_assert(Order == cuda::std::memory_order_relaxed, "the intrinsics are relaxed");
  T* object;
  SCOPEMARK_INLINE T exchange(T value) const { SCOPEMARK_SCOPED(atomicExch, object, value) }
  SCOPEMARK_INLINE bool compare_exchange(T& expected, T desired) const {
    const T found = compare_and_swap(expected, desired);
    const bool swapped = found == expected;
    expected = found;
    return swapped;
  }
  SCOPEMARK_INLINE T fetch_add(T value) const { SCOPEMARK_SCOPED(atomicAdd, object, value) }
  SCOPEMARK_INLINE T fetch_min(T value) const { SCOPEMARK_SCOPED(atomicMin, object, value) }
  SCOPEMARK_INLINE T fetch_max(T value) const { SCOPEMARK_SCOPED(atomicMax, object, value) }
  SCOPEMARK_INLINE T fetch_and(T value) const { SCOPEMARK_SCOPED(atomicAnd, object, value) }
  SCOPEMARK_INLINE T fetch_or(T value) const { SCOPEMARK_SCOPED(atomicOr, object, value) }
  SCOPEMARK_INLINE T fetch_xor(T value) const { SCOPEMARK_SCOPED(atomicXor, object, value) }

 private:
  SCOPEMARK_INLINE T compare_and_swap(T expected, T desired) const {
    SCOPEMARK_SCOPED(atomicCAS, object, expected, desired)
  }
};

#else

// The CPU's counterpart of the intrinsics: the compiler's own builtins. The scope means nothing to them.
template <class T, cuda::thread_scope, cuda::std::memory_order Order>
struct builtin {
  static constexpr int order = Order == cuda::std::memory_order_relaxed   ? __ATOMIC_RELAXED
                               : Order == cuda::std::memory_order_acquire ? __ATOMIC_ACQUIRE
                               : Order == cuda::std::memory_order_release ? __ATOMIC_RELEASE
                               : Order == cuda::std::memory_order_acq_rel ? __ATOMIC_ACQ_REL
                                                                          : __ATOMIC_SEQ_CST;
  // What a failed exchange may use: the strongest order without the release half.
  static constexpr int failure_order = order == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED
                                       : order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
                                                                   : order;
  T* object;
  T load() const { return __atomic_load_n(object, order); }
  void store(T value) const { __atomic_store_n(object, value, order); }
  T exchange(T value) const { return __atomic_exchange_n(object, value, order); }
  bool compare_exchange(T& expected, T desired) const {
    return __atomic_compare_exchange_n(object, &expected, desired, false, order, failure_order);
  }
  bool compare_exchange_weak(T& expected, T desired) const {
    return __atomic_compare_exchange_n(object, &expected, desired, true, order, failure_order);
  }
  T fetch_add(T value) const { return __atomic_fetch_add(object, value, order); }
  T fetch_and(T value) const { return __atomic_fetch_and(object, value, order); }
  T fetch_or(T value) const { return __atomic_fetch_or(object, value, order); }
  T fetch_xor(T value) const { return __atomic_fetch_xor(object, value, order); }
};

#endif

}  // namespace scopemark
