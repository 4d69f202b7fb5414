// What the fused kernels are measured against, and on. Launched by gpu/speed.go.
#include "abi.cuh"
#include "words.cuh"

// Samples of which, by a hash of their number, 1 in p.every is a boundary (under 40) and 1 in p.every an activation
// (210 and over), the rest between; of u16 and f32 the same steps, with finer values between them.
KERNEL(bench_fill, plainThreads, BenchParams) {
  u64 step = (u64)blockCount() * plainThreads;
  for (u64 i = (u64)blockNumber() * plainThreads + threadInBlock(); i < p.n; i += step) {
    u64 z = (i + 1 + p.seed * 0x1000003ull) * 0x9E3779B97F4A7C15ull; // splitmix64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    u32 chance = (u32)z % p.every, v = 100 + (u32)(z >> 40) % 56, fine = (u32)(z >> 33) & 127;
    if (chance == 0) v = (u32)(z >> 50) % 40;
    if (chance == 1) v = 210 + (u32)(z >> 50) % 40;
    if (p.bytes == 1) p.data.as<u8>()[i] = (u8)v;
    if (p.bytes == 2) p.data.as<u16>()[i] = (u16)(v * 257 + fine);
    if (p.bytes == 4) p.data.as<f32>()[i] = (f32)v + (f32)fine * 0.0078125f;
  }
}

// Reads n times 16 bytes, each thread atOnce of them at a time: the ceiling. Then writes p.writes times 8 bytes a block,
// neighbours by neighbouring threads.
template <u32 atOnce> DEV void readAll(const BenchParams &p, u32 writes) {
  u64 first = (u64)blockNumber() * plainThreads * atOnce + threadInBlock();
  auto data = p.data.as<const Quad>();
  Quad q[atOnce];
  u32 sum = 0;
  UNROLL for (u32 k = 0; k < atOnce; k++) {
    q[k] = Quad{0, 0, 0, 0};
    if (first + k * plainThreads < p.n) q[k] = loadOnce(data + first + k * plainThreads);
  }
  UNROLL for (u32 k = 0; k < atOnce; k++) sum ^= q[k].a ^ q[k].b ^ q[k].c ^ q[k].d;
  u64 to = (u64)blockNumber() * writes;
  for (u32 j = threadInBlock(); j < writes; j += plainThreads) p.out.as<Twin>()[to + j] = Twin{sum, j};
  if (sum == 0x12345678) p.sink.get()[0] = sum; // so that nothing is left out as unused
}

KERNEL(bench_read4, plainThreads, BenchParams) { readAll<4>(p, 0); }
KERNEL(bench_read8, plainThreads, BenchParams) { readAll<8>(p, 0); }
KERNEL(bench_read_write, plainThreads, BenchParams) { readAll<8>(p, p.writes); }
