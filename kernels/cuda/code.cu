// Expressions: a thread runs a program on its sample, instruction by instruction, and a warp makes a word of each bit
// plane. The definition is kernels/expr_code.go and expr_vector.go, the launch gpu/code.go. Every operation is rounded by
// itself, as there. Where this would not be sure to give the same bits, or the program asks for what cannot be (a
// division by zero), the word `refused` is set, and the CPU decides.
#include "float.cuh"
#include "words.cuh"

// kernels.Op, in its order; a test compares the two.
enum CodeOp : u32 {
  codeConstI,
  codeConstF,
  codeConstB,
  codeLoadI,
  codeLoadF,
  codeLeS,
  codeGeS,
  codeAddI,
  codeSubI,
  codeMulI,
  codeModI,
  codeNegI,
  codeAbsI,
  codeMinI,
  codeMaxI,
  codeAndI,
  codeOrI,
  codeXorI,
  codeShlI,
  codeShrI,
  codeSelI,
  codeIntF,
  codeFloatI,
  codeAddF,
  codeSubF,
  codeMulF,
  codeDivF,
  codeNegF,
  codeAbsF,
  codeMinF,
  codeMaxF,
  codeFloorF,
  codeCeilF,
  codeRoundF,
  codePowF,
  codeSelF,
  codeEqI,
  codeLtI,
  codeLeI,
  codeEqF,
  codeLtF,
  codeLeF,
  codeNotB,
  codeAndB,
  codeOrB,
  codeXorB,
  codeSelB,
};

constexpr u32 typeU8 = 0, typeU16 = 1;

struct CodePlace {
  u64 line;
  u32 sample;
};

// Where sources are: the sample, red, green, blue, alpha; then x and y.
constexpr u32 sourceX = 5;

DEV u64 sourceAddress(const CodeParams &p, u32 source) {
  switch (source) {
  case 0: return p.samples.address;
  case 1: return p.red.address;
  case 2: return p.green.address;
  case 3: return p.blue.address;
  default: return p.alpha.address;
  }
}
DEV u32 sourceType(const CodeParams &p, u32 source) { return source == 0 ? p.sampleType : p.colourType; }
DEV u64 sourceIndex(const CodeParams &p, u32 source, CodePlace at) { return at.line * (source == 0 ? p.pitch : p.colourPitch) + at.sample; }

DEV f32 floatOf(const CodeParams &p, u32 source, CodePlace at) {
  return devicePointer<const f32>(sourceAddress(p, source))[sourceIndex(p, source, at)];
}
DEV i64 integerOf(const CodeParams &p, u32 source, CodePlace at) {
  if (source >= sourceX) {
    bool along = (source == sourceX) != (bool)p.columns;
    return along ? (i64)(p.sample + at.sample) : (i64)(p.line + at.line);
  }
  if (sourceType(p, source) == typeU8) return devicePointer<const u8>(sourceAddress(p, source))[sourceIndex(p, source, at)];
  return devicePointer<const u16>(sourceAddress(p, source))[sourceIndex(p, source, at)];
}
DEV bool isFloat(const CodeParams &p, u32 source) { return source < sourceX && sourceType(p, source) > typeU16; }

DEV double asDouble(u64 bits) { return __builtin_bit_cast(double, bits); }

// Halves away from zero.
DEV double roundAway(double x) {
  double whole = __builtin_trunc(x);
  return __builtin_fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1., x) : whole;
}

// x to the power of 2, 0.5 or -0.5; refused: the CPU's way of doing it may give other bits.
DEV double powerOf(double x, double y, bool *refused) {
  if (y == 2) {
    double square = x * x;
    if (!(square >= 0x1p-1000) && x != 0 && x == x) *refused = true;
    return square;
  }
  if (__builtin_fabs(x) == __builtin_inf() || x == 0) *refused = true;
  double root = __builtin_sqrt(x);
  return y > 0 ? root : 1 / root;
}

DEV i64 truncated(double x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : (i64)(1ull << 63); }

// The classes of a sample by its program.
DEV u32 codeClass(const CodeParams &p, CodePlace at, bool *refused) {
  // Registers lie in the block's memory, one thread's beside the next one's.
  i64 *ints = (i64 *)dynamicShared() + threadInBlock();
  double *floats = (double *)(ints + p.ints * plainThreads);
  u64 bools = 0;
  bool isNaN = p.sampleType > typeU16 && ::isNaN(floatOf(p, 0, at));
  const CodeInstr *code = p.code.get();
  for (u32 k = 0; k < p.count; k++) {
    CodeInstr in = code[k];
    // Of the operands, an instruction means those of one file; the others are read where there is something.
    auto place = [](u32 reg, u32 file) { return least(reg, file - 1) * plainThreads; };
    i64 *i = ints + place(in.dst, p.ints), a = ints[place(in.a, p.ints)], b = ints[place(in.b, p.ints)];
    double *f = floats + place(in.dst, p.floats), x = floats[place(in.a, p.floats)], y = floats[place(in.b, p.floats)];
    bool t = bools >> (in.a % codeBools) & 1, u = bools >> (in.b % codeBools) & 1, c = bools >> (in.c % codeBools) & 1;
    bool asked = (in.c == codeNoReg || c) && !isNaN, isBool = false, r = false;
    switch (in.op) {
    case codeConstI: *i = (i64)in.imm; break;
    case codeConstF: *f = asDouble(in.imm); break;
    case codeConstB: isBool = true; r = in.imm != 0; break;
    case codeLoadI: *i = integerOf(p, in.a, at); break;
    case codeLoadF: *f = (double)floatOf(p, in.a, at); break;
    case codeLeS:
      isBool = true;
      r = isFloat(p, in.a) ? (double)floatOf(p, in.a, at) <= asDouble(in.imm) : integerOf(p, in.a, at) <= (i64)in.imm;
      break;
    case codeGeS:
      isBool = true;
      r = isFloat(p, in.a) ? (double)floatOf(p, in.a, at) >= asDouble(in.imm) : integerOf(p, in.a, at) >= (i64)in.imm;
      break;
    case codeAddI: *i = (i64)((u64)a + (u64)b); break;
    case codeSubI: *i = (i64)((u64)a - (u64)b); break;
    case codeMulI: *i = (i64)((u64)a * (u64)b); break;
    case codeModI:
      if (b == 0 && asked) *refused = true;
      *i = b == 0 || b == -1 ? 0 : a % b;
      break;
    case codeNegI: *i = (i64)(0 - (u64)a); break;
    case codeAbsI: *i = a < 0 ? (i64)(0 - (u64)a) : a; break;
    case codeMinI: *i = a > b ? b : a; break;
    case codeMaxI: *i = a < b ? b : a; break;
    case codeAndI: *i = a & b; break;
    case codeOrI: *i = a | b; break;
    case codeXorI: *i = a ^ b; break;
    case codeShlI:
      if (b < 0 && asked) *refused = true;
      *i = b < 0 || b > 63 ? 0 : (i64)((u64)a << b);
      break;
    case codeShrI:
      if (b < 0 && asked) *refused = true;
      *i = a >> (b < 0 || b > 63 ? 63 : b);
      break;
    case codeSelI: *i = c ? a : b; break;
    case codeIntF: *i = truncated(x); break;
    case codeFloatI: *f = (double)a; break;
    case codeAddF: *f = x + y; break;
    case codeSubF: *f = x - y; break;
    case codeMulF: *f = x * y; break;
    case codeDivF: *f = x / y; break;
    case codeNegF: *f = -x; break;
    case codeAbsF: *f = x < 0 ? -x : x; break;
    case codeMinF: *f = x > y ? y : x; break;
    case codeMaxF: *f = x < y ? y : x; break;
    case codeFloorF: *f = __builtin_floor(x); break;
    case codeCeilF: *f = __builtin_ceil(x); break;
    case codeRoundF: *f = roundAway(x); break;
    case codePowF: {
      bool other = false;
      double power = powerOf(x, asDouble(in.imm), &other);
      if (other && !isNaN) *refused = true;
      *f = power;
      break;
    }
    case codeSelF: *f = c ? x : y; break;
    case codeEqI: isBool = true; r = a == b; break;
    case codeLtI: isBool = true; r = a < b; break;
    case codeLeI: isBool = true; r = a <= b; break;
    case codeEqF: isBool = true; r = x == y; break;
    case codeLtF: isBool = true; r = x < y; break;
    case codeLeF: isBool = true; r = x <= y; break;
    case codeNotB: isBool = true; r = !t; break;
    case codeAndB: isBool = true; r = t && u; break;
    case codeOrB: isBool = true; r = t || u; break;
    case codeXorB: isBool = true; r = t != u; break;
    case codeSelB: isBool = true; r = c ? t : u; break;
    default: *refused = true;
    }
    if (isBool) bools = (bools & ~(1ull << (in.dst % codeBools))) | (u64)r << (in.dst % codeBools);
  }
  if (isNaN) return p.nanClass;
  u32 of = bools >> p.boundaryReg & 1 ? classBoundary : bools >> p.activationReg & 1 ? classActivation : classOther;
  return p.swap && of ? 3 - of : of;
}

KERNEL(code_planes, plainThreads, CodeParams) {
  u64 words = (u64)p.lines * p.wordsPerLine, warps = (u64)blockCount() * (plainThreads / warpLanes);
  bool refused = false;
  for (u64 word = (u64)blockNumber() * (plainThreads / warpLanes) + threadInBlock() / warpLanes; word < words; word += warps) {
    CodePlace at = {word / p.wordsPerLine, (u32)(word % p.wordsPerLine) * 32 + laneNumber()};
    u32 of = at.sample < p.width ? codeClass(p, at, &refused) : classOther;
    u32 boundary = ballot(of == classBoundary), activation = ballot(of == classActivation);
    if (laneNumber() == 0) {
      p.boundary.get()[word] = boundary;
      p.activation.get()[word] = activation;
    }
  }
  if (refused) atomicOr(p.refused.get(), 1);
}
