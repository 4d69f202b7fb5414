// The other half of kernels/cuda/matrix.cuh: a lane reads what the others have, which lies on their stacks, and no lane goes
// on before all have.
#pragma once
#include "host_async.cuh"

DEV MatrixA readMatrix(const char *row) {
  MatrixA a;
  u32 lane = laneNumber(), at = (u32)(row - dynamicShared());
  if (at % 16) emulation::kernelFault(716, "a row of a matrix is not aligned");
  auto all = emulation::meetWarp(emulation::Meeting::matrix, at)->values;
  for (u32 i = 0; i < 4; i++) a.word[i] = *(const u32 *)(dynamicShared() + all[8 * i + lane / 4] + 4 * (lane % 4));
  return a;
}

DEV MatrixC multiplyAdd(const MatrixA &a, const MatrixB &b, const MatrixC &c) {
  struct {
    MatrixA a;
    MatrixB b;
  } mine = {a, b};
  u32 lane = laneNumber();
  const char *stacks = emulation::current->block->stacks;
  auto all = emulation::meetWarp(emulation::Meeting::product, (u32)((const char *)&mine - stacks))->values;
  auto of = [&](u32 l) { return (const decltype(mine) *)(stacks + all[l]); };
  MatrixC d = c;
  for (u32 k = 0; k < 32; k++) { // row k of B
    u32 word = k / 16, from = k % 16 / 4, bits = 8 * (k % 4);
    for (u32 i = 0; i < 4; i++) {
      u32 v = of(lane / 4 * 4 + from)->a.word[i / 2 + 2 * word] >> bits & 0xff;
      i32 w = (signed char)(of((2 * (lane % 4) + i % 2) * 4 + from)->b.word[word] >> bits);
      d.at[i] += (i32)v * w;
    }
  }
  emulation::meetWarp(emulation::Meeting::product, 0);
  return d;
}
