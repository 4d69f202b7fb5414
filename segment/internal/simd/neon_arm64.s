//go:build !noasm

#include "textflag.h"

// A comparison leaves all ones or zeros in each byte of V4 to V7, 64 samples. WORD keeps of byte i the bit i%8 and
// adds neighbours three times, which makes the 64 bits. V31 holds the bits. Nothing else is changed.
#define WORD64(to) \
	VAND  V31.B16, V4.B16, V4.B16 \
	VAND  V31.B16, V5.B16, V5.B16 \
	VAND  V31.B16, V6.B16, V6.B16 \
	VAND  V31.B16, V7.B16, V7.B16 \
	VADDP V5.B16, V4.B16, V4.B16  \
	VADDP V7.B16, V6.B16, V6.B16  \
	VADDP V6.B16, V4.B16, V4.B16  \
	VADDP V4.B16, V4.B16, V4.B16  \
	VMOV  V4.D[0], to

// The bits of V31: byte i holds 1<<(i%8).
#define BITS(tmp) \
	MOVD $0x8040201008040201, tmp \
	VMOV tmp, V31.D2

// One comparison v >= n of bytes: the greater of the two is v.
#define NOTLESSB(v, n, to) \
	VUMAX n.B16, v.B16, to.B16 \
	VCMEQ v.B16, to.B16, to.B16

// The same for two vectors of 16-bit lanes, narrowed to bytes.
#define NOTLESSH(v, w, n, to, tmp) \
	VUMAX n.H8, v.H8, to.H8    \
	VUMAX n.H8, w.H8, tmp.H8   \
	VCMEQ v.H8, to.H8, to.H8   \
	VCMEQ w.H8, tmp.H8, tmp.H8 \
	VUZP1 tmp.B16, to.B16, to.B16

// The parameters of the comparisons of floats.
#define PARAMS \
	MOVD  b+0(FP), R0      \
	MOVD  a+8(FP), R1      \
	MOVD  v+16(FP), R2     \
	MOVD  words+24(FP), R3 \
	MOVWU lo+32(FP), R4    \
	MOVWU hi+36(FP), R5    \
	VDUP  R4, V29.S4       \
	VDUP  R5, V30.S4       \
	BITS(R7)

// func thresholdU8NEON(b, a *uint64, v *uint8, words int, lo1, hi uint8, keepA uint64)
TEXT ·thresholdU8NEON(SB), NOSPLIT, $0-48
	MOVD  b+0(FP), R0
	MOVD  a+8(FP), R1
	MOVD  v+16(FP), R2
	MOVD  words+24(FP), R3
	MOVBU lo1+32(FP), R4
	MOVBU hi+33(FP), R5
	MOVD  keepA+40(FP), R6
	VDUP  R4, V29.B16
	VDUP  R5, V30.B16
	BITS(R7)
	CBZ   R3, done

loop:
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	NOTLESSB(V0, V29, V4)
	NOTLESSB(V1, V29, V5)
	NOTLESSB(V2, V29, V6)
	NOTLESSB(V3, V29, V7)
	WORD64(R7)
	MVN    R7, R7
	MOVD.P R7, 8(R0)
	NOTLESSB(V0, V30, V4)
	NOTLESSB(V1, V30, V5)
	NOTLESSB(V2, V30, V6)
	NOTLESSB(V3, V30, V7)
	WORD64(R7)
	AND    R6, R7, R7
	MOVD.P R7, 8(R1)
	SUBS   $1, R3, R3
	BNE    loop

done:
	RET

// func thresholdU16NEON(b, a *uint64, v *uint16, words int, lo1, hi uint16, keepA uint64)
TEXT ·thresholdU16NEON(SB), NOSPLIT, $0-48
	MOVD  b+0(FP), R0
	MOVD  a+8(FP), R1
	MOVD  v+16(FP), R2
	MOVD  words+24(FP), R3
	MOVHU lo1+32(FP), R4
	MOVHU hi+34(FP), R5
	MOVD  keepA+40(FP), R6
	VDUP  R4, V29.H8
	VDUP  R5, V30.H8
	BITS(R7)
	CBZ   R3, done

loop:
	VLD1.P 64(R2), [V16.H8, V17.H8, V18.H8, V19.H8]
	VLD1.P 64(R2), [V20.H8, V21.H8, V22.H8, V23.H8]
	NOTLESSH(V16, V17, V29, V4, V0)
	NOTLESSH(V18, V19, V29, V5, V1)
	NOTLESSH(V20, V21, V29, V6, V2)
	NOTLESSH(V22, V23, V29, V7, V3)
	WORD64(R7)
	MVN    R7, R7
	MOVD.P R7, 8(R0)
	NOTLESSH(V16, V17, V30, V4, V0)
	NOTLESSH(V18, V19, V30, V5, V1)
	NOTLESSH(V20, V21, V30, V6, V2)
	NOTLESSH(V22, V23, V30, V7, V3)
	WORD64(R7)
	AND    R6, R7, R7
	MOVD.P R7, 8(R1)
	SUBS   $1, R3, R3
	BNE    loop

done:
	RET

// FCMGE Vd.4S, Vn.4S, Vm.4S, which the assembler does not know: n >= m, false for NaN. Registers are numbers.
#define FCMGE(n, m, d) \
	WORD $(0x6e20e400 | (m)<<16 | (n)<<5 | (d))

// Sixteen lanes in V16 to V19 against the one of register c, narrowed to bytes in to. ABOVE is v >= c, BELOW c >= v.
#define NARROW(to) \
	VUZP1 V1.H8, V0.H8, V0.H8 \
	VUZP1 V3.H8, V2.H8, V2.H8 \
	VUZP1 V2.B16, V0.B16, to.B16

#define ABOVE(c, to) \
	FCMGE(16, c, 0) \
	FCMGE(17, c, 1) \
	FCMGE(18, c, 2) \
	FCMGE(19, c, 3) \
	NARROW(to)

#define BELOW(c, to) \
	FCMGE(c, 16, 0) \
	FCMGE(c, 17, 1) \
	FCMGE(c, 18, 2) \
	FCMGE(c, 19, 3) \
	NARROW(to)

// The masks of 64 floats by the two comparisons: with lo in V29 to R7, with hi in V30 to R8.
#define LOAD16 \
	VLD1.P 64(R2), [V16.S4, V17.S4, V18.S4, V19.S4]

#define BOTH(first, second) \
	LOAD16          \
	first(29, V4)   \
	second(30, V24) \
	LOAD16          \
	first(29, V5)   \
	second(30, V25) \
	LOAD16          \
	first(29, V6)   \
	second(30, V26) \
	LOAD16          \
	first(29, V7)   \
	second(30, V27) \
	WORD64(R7)      \
	VMOV V24.B16, V4.B16 \
	VMOV V25.B16, V5.B16 \
	VMOV V26.B16, V6.B16 \
	VMOV V27.B16, V7.B16 \
	WORD64(R8)

// R7 to b, and what of R8 is not there to a.
#define STORE \
	BIC    R7, R8, R8   \
	MOVD.P R7, 8(R0)    \
	MOVD.P R8, 8(R1)    \
	SUBS   $1, R3, R3

// func thresholdF32NEON(b, a *uint64, v *float32, words int, lo, hi float32)
TEXT ·thresholdF32NEON(SB), NOSPLIT, $0-40
	PARAMS
	CBZ R3, done

loop:
	BOTH(BELOW, ABOVE)
	STORE
	BNE loop

done:
	RET

// func thresholdF32NaNBNEON(b, a *uint64, v *float32, words int, lo, hi float32)
TEXT ·thresholdF32NaNBNEON(SB), NOSPLIT, $0-40
	PARAMS
	CBZ R3, done

loop:
	BOTH(ABOVE, ABOVE)
	MVN R7, R7
	STORE
	BNE loop

done:
	RET

// func thresholdF32NaNANEON(b, a *uint64, v *float32, words int, lo, hi float32)
TEXT ·thresholdF32NaNANEON(SB), NOSPLIT, $0-40
	PARAMS
	CBZ R3, done

loop:
	BOTH(BELOW, BELOW)
	MVN R8, R8
	STORE
	BNE loop

done:
	RET

// The table lies in V8 to V23. An index beyond a look-up's 64 entries leaves what is there.
#define LOOKUP(v, to) \
	VTBL v.B16, [V8.B16, V9.B16, V10.B16, V11.B16], to.B16    \
	VSUB V28.B16, v.B16, v.B16                                \
	VTBX v.B16, [V12.B16, V13.B16, V14.B16, V15.B16], to.B16  \
	VSUB V28.B16, v.B16, v.B16                                \
	VTBX v.B16, [V16.B16, V17.B16, V18.B16, V19.B16], to.B16  \
	VSUB V28.B16, v.B16, v.B16                                \
	VTBX v.B16, [V20.B16, V21.B16, V22.B16, V23.B16], to.B16

#define CLASS(c) \
	VCMTST c.B16, V24.B16, V4.B16 \
	VCMTST c.B16, V25.B16, V5.B16 \
	VCMTST c.B16, V26.B16, V6.B16 \
	VCMTST c.B16, V27.B16, V7.B16

// func tableU8NEON(b, a *uint64, v *uint8, words int, of *[256]uint8)
TEXT ·tableU8NEON(SB), NOSPLIT, $0-40
	MOVD   b+0(FP), R0
	MOVD   a+8(FP), R1
	MOVD   v+16(FP), R2
	MOVD   words+24(FP), R3
	MOVD   of+32(FP), R4
	VLD1.P 64(R4), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1.P 64(R4), [V12.B16, V13.B16, V14.B16, V15.B16]
	VLD1.P 64(R4), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1.P 64(R4), [V20.B16, V21.B16, V22.B16, V23.B16]
	VMOVI  $64, V28.B16
	VMOVI  $1, V29.B16
	VMOVI  $2, V30.B16
	BITS(R7)
	CBZ    R3, done

loop:
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	LOOKUP(V0, V24)
	LOOKUP(V1, V25)
	LOOKUP(V2, V26)
	LOOKUP(V3, V27)
	CLASS(V29)
	WORD64(R7)
	MOVD.P R7, 8(R0)
	CLASS(V30)
	WORD64(R7)
	MOVD.P R7, 8(R1)
	SUBS   $1, R3, R3
	BNE    loop

done:
	RET
