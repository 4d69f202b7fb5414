// Products of small matrices of bytes, by a whole warp: D = A B + C, of 16 x 32 unsigned by 32 x 8 signed bytes. Sums of
// whole numbers are exact in any order. Needs PTX 7.0 on sm_80 and later; the layouts of a lane's parts are those of
// mma.m16n8k32 in NVIDIA's "Parallel Thread Execution ISA", 9.7.14.
#pragma once
#include "async.cuh"

// What a lane has of A: four bytes each of row lane/4 and of row lane/4 + 8, columns 4 (lane % 4) on; then the same of
// columns 16 on.
struct MatrixA {
  u32 word[4];
};
// Of B: four bytes of column lane/4, rows 4 (lane % 4) on; then the same of rows 16 on.
struct MatrixB {
  u32 word[2];
};
// Of C and D: columns 2 (lane % 4) and the next of row lane/4; then of row lane/4 + 8.
struct MatrixC {
  i32 at[4];
};

#if defined(__CUDA_ARCH__)

// Reads A from the block's memory. Lanes 0 to 7 say where rows 0 to 7 have their first 16 bytes, the next 8 lanes where
// rows 8 to 15 do; the other lanes say where the last 16 bytes of the rows are. All are multiples of 16.
DEV MatrixA readMatrix(const char *row) { // volatile: what is there changes from barrier to barrier
  MatrixA a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a.word[0]), "=r"(a.word[1]), "=r"(a.word[2]), "=r"(a.word[3])
               : "r"(sharedAddress(row)));
  return a;
}

DEV MatrixC multiplyAdd(const MatrixA &a, const MatrixB &b, const MatrixC &c) {
  MatrixC d;
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d.at[0]), "=r"(d.at[1]), "=r"(d.at[2]), "=r"(d.at[3])
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[0]), "r"(b.word[1]), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
  return d;
}

#else
#include "host_matrix.cuh"
#endif
