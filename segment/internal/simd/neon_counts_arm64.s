//go:build !noasm

#include "textflag.h"

// One sample of 16 bits at bits s to s+15 of R6: its entry of the table at R4 goes to bits k and k+1 of to. It is
// written so for all of a word, since a vector register cannot look up in 64 KiB.
#define LOOK16(s, k, to) \
	UBFX  $s, R6, $16, R7 \
	MOVBU (R4)(R7), R7    \
	ORR   R7<<k, to, to

#define LOOK4(k, to) \
	MOVD.P 8(R2), R6 \
	LOOK16(0, k, to)  \
	LOOK16(16, (k+2), to) \
	LOOK16(32, (k+4), to) \
	LOOK16(48, (k+6), to)

#define LOOK32(to) \
	MOVD ZR, to   \
	LOOK4(0, to)  \
	LOOK4(8, to)  \
	LOOK4(16, to) \
	LOOK4(24, to) \
	LOOK4(32, to) \
	LOOK4(40, to) \
	LOOK4(48, to) \
	LOOK4(56, to)

// Even bits of x, gathered in the low half; R10 to R14 hold the masks.
#define EVEN(x, tmp) \
	AND R10, x, x      \
	ORR x>>1, x, tmp   \
	AND R11, tmp, x    \
	ORR x>>2, x, tmp   \
	AND R12, tmp, x    \
	ORR x>>4, x, tmp   \
	AND R13, tmp, x    \
	ORR x>>8, x, tmp   \
	AND R14, tmp, x    \
	ORR x>>16, x, tmp  \
	MOVWU tmp, x

// func tableU16NEON(b, a *uint64, v *uint16, words int, of *[65536]uint8)
TEXT ·tableU16NEON(SB), NOSPLIT, $0-40
	MOVD b+0(FP), R0
	MOVD a+8(FP), R1
	MOVD v+16(FP), R2
	MOVD words+24(FP), R3
	MOVD of+32(FP), R4
	MOVD $0x5555555555555555, R10
	MOVD $0x3333333333333333, R11
	MOVD $0x0f0f0f0f0f0f0f0f, R12
	MOVD $0x00ff00ff00ff00ff, R13
	MOVD $0x0000ffff0000ffff, R14
	CBZ  R3, done

loop:
	LOOK32(R8)
	LOOK32(R9)
	LSR    $1, R8, R15
	LSR    $1, R9, R16
	EVEN(R8, R7)
	EVEN(R9, R7)
	EVEN(R15, R7)
	EVEN(R16, R7)
	ORR    R9<<32, R8, R8
	ORR    R16<<32, R15, R15
	MOVD.P R8, 8(R0)
	MOVD.P R15, 8(R1)
	SUBS   $1, R3, R3
	BNE    loop

done:
	RET

// One sample of 8 bits at bit s of R6, counted in table k of those at R0.
#define COUNT8(s, k) \
	UBFX $s, R6, $8, R7   \
	ADD  R7<<2, R0, R7    \
	MOVWU (1024*k)(R7), R8 \
	ADDW $1, R8, R8       \
	MOVW R8, (1024*k)(R7)

#define COUNT8S \
	COUNT8(0, 0)  \
	COUNT8(8, 1)  \
	COUNT8(16, 2) \
	COUNT8(24, 3) \
	COUNT8(32, 4) \
	COUNT8(40, 5) \
	COUNT8(48, 6) \
	COUNT8(56, 7)

// func histogramU8NEON(tables *[8][256]uint32, v *uint8, blocks int)
TEXT ·histogramU8NEON(SB), NOSPLIT, $0-24
	MOVD tables+0(FP), R0
	MOVD v+8(FP), R1
	MOVD blocks+16(FP), R2
	CBZ  R2, done

loop:
	LDP.P 16(R1), (R6, R9)
	ROR   $8, R6, R10
	CMP   R6, R9
	CCMP  EQ, R6, R10, $0 // both words are one byte eight times
	BEQ   flat
	COUNT8S
	MOVD  R9, R6
	COUNT8S
	SUBS  $1, R2, R2
	BNE   loop

done:
	RET

flat:
	UBFX $0, R6, $8, R7
	ADD  R7<<2, R0, R7
	MOVWU (R7), R8
	ADDW $16, R8, R8
	MOVW R8, (R7)
	SUBS $1, R2, R2
	BNE  loop
	RET

// One place of 16 bits at bit s of R6, counted in the table at R0.
#define COUNT16(s) \
	UBFX  $s, R6, $16, R7 \
	ADD   R7<<2, R0, R7   \
	MOVWU (R7), R8        \
	ADDW  $1, R8, R8      \
	MOVW  R8, (R7)

#define COUNT16S \
	COUNT16(0)  \
	COUNT16(16) \
	COUNT16(32) \
	COUNT16(48)

// func histogramU16NEON(table *[65536]uint32, v *uint16, blocks int)
TEXT ·histogramU16NEON(SB), NOSPLIT, $0-24
	MOVD table+0(FP), R0
	MOVD v+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD $0x03f003f003f003f0, R3
	VMOV R3, V2.D2
	CBZ  R2, done

loop:
	VLD1.P 16(R1), [V0.H8]
	VUSHR  $6, V0.H8, V1.H8
	VAND   V2.B16, V1.B16, V1.B16
	VEOR   V1.B16, V0.B16, V0.B16
	VMOV   V0.D[0], R6
	VMOV   V0.D[1], R9
	ROR    $16, R6, R10
	CMP    R6, R9
	CCMP   EQ, R6, R10, $0 // both words are one sample four times
	BEQ    flat
	COUNT16S
	MOVD   R9, R6
	COUNT16S
	SUBS   $1, R2, R2
	BNE    loop

done:
	RET

flat:
	UBFX  $0, R6, $16, R7
	ADD   R7<<2, R0, R7
	MOVWU (R7), R8
	ADDW  $8, R8, R8
	MOVW  R8, (R7)
	SUBS  $1, R2, R2
	BNE   loop
	RET

// The keys of four floats, in place: V20 is the top bit, V21 zero. -0 becomes 0 by an addition, and the sign says which
// bits to turn. FADD and SSHR of vectors are not known to the assembler by name.
#define FADD4S_V0_V21 WORD $0x4e35d400 // fadd v0.4s, v0.4s, v21.4s
#define FADD4S_V1_V21 WORD $0x4e35d421 // fadd v1.4s, v1.4s, v21.4s
#define SSHR31_V0_V2 WORD $0x4f210402  // sshr v2.4s, v0.4s, #31
#define SSHR31_V1_V3 WORD $0x4f210423  // sshr v3.4s, v1.4s, #31

// func keysF32NEON(v *float32, blocks int, keys *uint16, least, most *[4]uint32) (done int)
TEXT ·keysF32NEON(SB), NOSPLIT, $0-48
	MOVD v+0(FP), R0
	MOVD blocks+8(FP), R1
	MOVD keys+16(FP), R2
	MOVD least+24(FP), R3
	MOVD most+32(FP), R4
	VLD1 (R3), [V18.S4]
	VLD1 (R4), [V19.S4]
	MOVD $0x8000000080000000, R5
	VMOV R5, V20.D2
	VEOR V21.B16, V21.B16, V21.B16
	MOVD $0x7f8000007f800000, R5
	VMOV R5, V22.D2
	MOVD ZR, R6
	CBZ  R1, out

loop:
	VLD1  (R0), [V0.S4, V1.S4]
	VAND  V22.B16, V0.B16, V4.B16
	VAND  V22.B16, V1.B16, V5.B16
	VCMEQ V22.S4, V4.S4, V4.S4
	VCMEQ V22.S4, V5.S4, V5.S4
	VORR  V4.B16, V5.B16, V4.B16
	VMOV  V4.D[0], R7
	VMOV  V4.D[1], R8
	ORR   R7, R8, R7
	CBNZ  R7, out
	FADD4S_V0_V21
	FADD4S_V1_V21
	SSHR31_V0_V2
	SSHR31_V1_V3
	VORR  V20.B16, V2.B16, V2.B16
	VORR  V20.B16, V3.B16, V3.B16
	VEOR  V2.B16, V0.B16, V0.B16
	VEOR  V3.B16, V1.B16, V1.B16
	VUMIN V0.S4, V18.S4, V18.S4
	VUMAX V0.S4, V19.S4, V19.S4
	VUMIN V1.S4, V18.S4, V18.S4
	VUMAX V1.S4, V19.S4, V19.S4
	VUZP2 V1.H8, V0.H8, V0.H8
	VST1.P [V0.H8], 16(R2)
	ADD   $32, R0, R0
	ADD   $1, R6, R6
	CMP   R1, R6
	BLT   loop

out:
	VST1 [V18.S4], (R3)
	VST1 [V19.S4], (R4)
	MOVD R6, done+40(FP)
	RET
