// Bits of several words as one number, lowest word first, and the packed arithmetic the fused kernels are made of.
#pragma once
#include "async.cuh"

// 16 and 8 bytes that move at once.
struct alignas(16) Quad {
  u32 a, b, c, d;
};
struct alignas(8) Twin {
  u32 a, b;
};

#if defined(__CUDA_ARCH__)

// sum = a + b; the carry out.
DEV u32 addWords(const u32 (&a)[1], const u32 (&b)[1], u32 (&sum)[1]) {
  u32 carry;
  asm("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=r"(sum[0]), "=r"(carry) : "r"(a[0]), "r"(b[0]));
  return carry;
}
DEV u32 addWords(const u32 (&a)[2], const u32 (&b)[2], u32 (&sum)[2]) {
  u32 carry;
  asm("add.cc.u32 %0, %3, %5; addc.cc.u32 %1, %4, %6; addc.u32 %2, 0, 0;"
      : "=&r"(sum[0]), "=&r"(sum[1]), "=r"(carry)
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  return carry;
}
DEV u32 addWords(const u32 (&a)[4], const u32 (&b)[4], u32 (&sum)[4]) {
  u32 carry;
  asm("add.cc.u32 %0, %5, %9; addc.cc.u32 %1, %6, %10; addc.cc.u32 %2, %7, %11; addc.cc.u32 %3, %8, %12; "
      "addc.u32 %4, 0, 0;"
      : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]), "=r"(carry)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  return carry;
}

// sum = a + bit.
DEV void addBit(const u32 (&a)[1], u32 bit, u32 (&sum)[1]) { sum[0] = a[0] + bit; }
DEV void addBit(const u32 (&a)[2], u32 bit, u32 (&sum)[2]) {
  asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, 0;" : "=&r"(sum[0]), "=r"(sum[1]) : "r"(a[0]), "r"(a[1]), "r"(bit));
}
DEV void addBit(const u32 (&a)[4], u32 bit, u32 (&sum)[4]) {
  asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, 0; addc.cc.u32 %2, %6, 0; addc.u32 %3, %7, 0;"
      : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(bit));
}

// rest = a - bit.
DEV void subtractBit(const u32 (&a)[1], u32 bit, u32 (&rest)[1]) { rest[0] = a[0] - bit; }
DEV void subtractBit(const u32 (&a)[2], u32 bit, u32 (&rest)[2]) {
  asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, 0;" : "=&r"(rest[0]), "=r"(rest[1]) : "r"(a[0]), "r"(a[1]), "r"(bit));
}
DEV void subtractBit(const u32 (&a)[4], u32 bit, u32 (&rest)[4]) {
  asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, 0; subc.cc.u32 %2, %6, 0; subc.u32 %3, %7, 0;"
      : "=&r"(rest[0]), "=&r"(rest[1]), "=&r"(rest[2]), "=r"(rest[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(bit));
}

// v << by, 0 from 32 on.
DEV u32 shiftLeft(u32 v, u32 by) {
  u32 r;
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(by));
  return r;
}
// The 32 bits of high:low from bit `by` on; by is at most 31.
DEV u32 bitsFrom(u32 low, u32 high, u32 by) {
  u32 r;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(by));
  return r;
}
DEV u32 mulHigh(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }

// sum + the products of the four bytes of a and of b.
DEV u32 dotBytes(u32 a, u32 b, u32 sum) {
  u32 r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
// sum + the products of the two halves of a and the lower, or the upper, two bytes of b.
DEV u32 dotHalvesLow(u32 a, u32 b, u32 sum) {
  u32 r;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
DEV u32 dotHalvesHigh(u32 a, u32 b, u32 sum) {
  u32 r;
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
// The lanes below this one.
DEV u32 lanesBelow() {
  u32 r;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
  return r;
}
// v, and what the lane d below has added to it if there is one.
DEV u32 addFromBelow(u32 v, u32 d) {
  u32 r = v;
  asm volatile("{ .reg .u32 t; .reg .pred p; shfl.sync.up.b32 t|p, %1, %2, 0, 0xffffffff; @p add.u32 %0, %1, t; }"
               : "+r"(r)
               : "r"(v), "r"(d));
  return r;
}
DEV f32 bitsFloat(u32 v) { return __builtin_bit_cast(f32, v); }
// A load of what is not read again soon.
DEV Quad loadOnce(const Quad *p) {
  Quad q;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(q.a), "=r"(q.b), "=r"(q.c), "=r"(q.d) : "l"(p));
  return q;
}

#else // the same in plain C++

template <u32 K> DEV u32 addWords(const u32 (&a)[K], const u32 (&b)[K], u32 (&sum)[K]) {
  u64 carry = 0;
  for (u32 k = 0; k < K; k++) {
    carry += (u64)a[k] + b[k];
    sum[k] = (u32)carry;
    carry >>= 32;
  }
  return (u32)carry;
}
template <u32 K> DEV void addBit(const u32 (&a)[K], u32 bit, u32 (&sum)[K]) {
  u64 carry = bit;
  for (u32 k = 0; k < K; k++) {
    carry += a[k];
    sum[k] = (u32)carry;
    carry >>= 32;
  }
}
template <u32 K> DEV void subtractBit(const u32 (&a)[K], u32 bit, u32 (&rest)[K]) {
  for (u32 k = 0; k < K; k++) {
    u32 word = a[k];
    rest[k] = word - bit;
    bit = bit && word == 0;
  }
}
DEV u32 shiftLeft(u32 v, u32 by) { return by > 31 ? 0 : v << by; }
DEV u32 bitsFrom(u32 low, u32 high, u32 by) { return (u32)((low | (u64)high << 32) >> by); }
DEV u32 mulHigh(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
DEV u32 dotBytes(u32 a, u32 b, u32 sum) {
  for (u32 i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}
DEV u32 dotHalvesLow(u32 a, u32 b, u32 sum) { return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff); }
DEV u32 dotHalvesHigh(u32 a, u32 b, u32 sum) { return dotHalvesLow(a, b >> 16, sum); }
DEV u32 lanesBelow() { return (1u << laneNumber()) - 1; }
DEV u32 addFromBelow(u32 v, u32 d) {
  u32 lower = shuffleUp(v, d);
  return laneNumber() < d ? v : v + lower;
}
DEV f32 bitsFloat(u32 v) { return __builtin_bit_cast(f32, v); }
DEV Quad loadOnce(const Quad *p) { return *p; }

#endif

#if defined(__CUDA_ARCH__)
// Stores that stay whole: the compiler would cut them up where it has the parts in other places.
DEV void storeQuad(Quad *p, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" : : "r"(sharedAddress(p)), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
DEV void storeTwin(Twin *p, u32 a, u32 b) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" : : "r"(sharedAddress(p)), "r"(a), "r"(b) : "memory");
}
#else
DEV void storeQuad(Quad *p, u32 a, u32 b, u32 c, u32 d) { *p = Quad{a, b, c, d}; }
DEV void storeTwin(Twin *p, u32 a, u32 b) { *p = Twin{a, b}; }
#endif

template <u32 K> DEV u32 anyBit(const u32 (&v)[K]) {
  u32 r = v[0];
  UNROLL for (u32 k = 1; k < K; k++) r |= v[k];
  return r;
}
// Whether a and b have a bit in common.
template <u32 K> DEV u32 anyCommon(const u32 (&a)[K], const u32 (&b)[K]) {
  u32 r = a[0] & b[0];
  UNROLL for (u32 k = 1; k < K; k++) r |= a[k] & b[k];
  return r;
}
template <u32 K> DEV u32 countBits(const u32 (&v)[K]) {
  u32 r = countOnes(v[0]);
  UNROLL for (u32 k = 1; k < K; k++) r += countOnes(v[k]);
  return r;
}
// from + the number of the highest bit, or none.
template <u32 K> DEV u32 highestBit(const u32 (&v)[K], u32 from, u32 none) {
  u32 word = v[0], at = from;
  UNROLL for (u32 k = 1; k < K; k++) {
    word = v[k] ? v[k] : word;
    at = v[k] ? from + 32 * k : at;
  }
  at += 31 - leadingZeros(word);
  return word ? at : none;
}
// The sum of v over the lanes up to this one.
DEV u32 sumUpTo(u32 v) {
  UNROLL for (u32 d = 1; d < warpLanes; d *= 2) v = addFromBelow(v, d);
  return v;
}
