// The part of CUDA C++ that the kernels use, without the CUDA toolkit: types, indices, warp operations, atomics.
// Compiled by clang for a device (__CUDA_ARCH__), or as plain C++ against gpu/emulation/host.cuh, where a thread is
// a fiber and a warp operation a meeting of 32 of them. Kernels use these names only, never builtins.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f32;

// Checks of layout, which the test of abi.go reads too.
#define ABI_SIZE(type, bytes) static_assert(sizeof(type) == bytes, "size of " #type)
#define ABI_AT(type, field, bytes) static_assert(__builtin_offsetof(type, field) == bytes, #type "." #field)

constexpr u32 warpLanes = 32;
constexpr u32 allLanes = 0xffffffff;

#if defined(__CUDA_ARCH__)

#define DEV static __attribute__((device)) inline __attribute__((always_inline))
#define DEV_MEMBER __attribute__((device)) inline __attribute__((always_inline))
// KERNEL(name, threads, Params) { ... p ... } is an entry with blocks of that many threads and one parameter, p.
#define KERNEL(name, threads, params) \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(threads))) void name(const params p)
// SHARED(Type, name) declares name, memory of the block that holds no meaning at first.
#define SHARED(type, name) static __attribute__((shared)) type name

// UNROLL before a loop over items of a thread: they are to lie in registers.
#define UNROLL _Pragma("unroll")
// NO_UNROLL before a loop that turns few times, so that its code stays small.
#define NO_UNROLL _Pragma("nounroll")

DEV u32 threadInBlock() { return (u32)__nvvm_read_ptx_sreg_tid_x(); }
DEV u32 blockNumber() { return (u32)__nvvm_read_ptx_sreg_ctaid_x(); }
DEV u32 blockCount() { return (u32)__nvvm_read_ptx_sreg_nctaid_x(); }
DEV u32 laneNumber() { return (u32)__nvvm_read_ptx_sreg_laneid(); }

DEV void syncBlock() { __syncthreads(); }
// Warp operations: all 32 lanes must take part.
DEV void syncWarp() { __nvvm_bar_warp_sync(allLanes); }
DEV u32 ballot(bool p) { return __nvvm_vote_ballot_sync(allLanes, p); }
DEV u32 shuffle(u32 v, u32 lane) { return (u32)__nvvm_shfl_sync_idx_i32(allLanes, (int)v, (int)lane, 31); }
// The value of the lane d below, or above, or one's own where there is none.
DEV u32 shuffleUp(u32 v, u32 d) { return (u32)__nvvm_shfl_sync_up_i32(allLanes, (int)v, (int)d, 0); }
DEV u32 shuffleDown(u32 v, u32 d) { return (u32)__nvvm_shfl_sync_down_i32(allLanes, (int)v, (int)d, 31); }
// The lanes that hold the same value as this one.
DEV u32 matchLanes(u32 v) {
  u32 r;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(allLanes));
  return r;
}

// Of 32 (64) bits; for 0 the width.
DEV u32 countOnes(u32 x) { return (u32)__builtin_popcount(x); }
DEV u32 countOnes64(u64 x) { return (u32)__builtin_popcountll(x); }
DEV u32 leadingZeros(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
DEV u32 trailingZeros(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }

// Relaxed atomics on global or shared memory; they give the old value.
DEV u32 atomicAdd(u32 *p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEV u64 atomicAdd(u64 *p, u64 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEV u32 atomicOr(u32 *p, u32 v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
DEV u32 atomicMax(u32 *p, u32 v) {
  u32 r;
  asm volatile("atom.max.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
  return r;
}

// A word that other blocks read and write meanwhile: it is all that is handed over, so no order beside it is needed.
DEV u64 loadRelaxed(const u64 *p) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
DEV void storeRelaxed(u64 *p, u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}
// Gives others time while one waits for them.
DEV void pause() { asm volatile("nanosleep.u32 40;" : : : "memory"); }

DEV u32 floatBits(f32 v) { return __builtin_bit_cast(u32, v); }

// Keeps a parameter in a register. Without it the compiler may choose between the addresses of a parameter and of
// something in memory, and then copies the parameter to memory for that.
DEV u32 inRegister(u32 v) {
  asm("" : "+r"(v));
  return v;
}

template <class T> DEV T *devicePointer(u64 address) { return (T *)address; }

#else
#include "host.cuh"
#endif

// An address in device memory, as parameters hold it.
template <class T> struct Ptr {
  u64 address;
  DEV_MEMBER T *get() const { return devicePointer<T>(address); }
  // For Ptr<void>: as what it really holds.
  template <class S> DEV_MEMBER S *as() const { return devicePointer<S>(address); }
  DEV_MEMBER bool set() const { return address != 0; }
};

template <class T> DEV T least(T a, T b) { return b < a ? b : a; }
template <class T> DEV T greatest(T a, T b) { return a < b ? b : a; }
