//go:build !noasm

#include "textflag.h"

// func pair16(tl, th, al, ah, bl, bh *uint8, n int)
// SSE2, which every amd64 has. Both operands of a block are read before it is written.
TEXT ·pair16(SB), NOSPLIT, $0-56
	MOVQ tl+0(FP), DI
	MOVQ th+8(FP), SI
	MOVQ al+16(FP), R8
	MOVQ ah+24(FP), R9
	MOVQ bl+32(FP), R10
	MOVQ bh+40(FP), R11
	MOVQ n+48(FP), CX
	XORQ AX, AX

loop:
	CMPQ   AX, CX
	JGE    done
	MOVOU  (R8)(AX*1), X0
	MOVOU  (R10)(AX*1), X1
	MOVOU  (R9)(AX*1), X2
	MOVOU  (R11)(AX*1), X3
	PMINUB X1, X0
	PMAXUB X3, X2
	MOVOU  X0, (DI)(AX*1)
	MOVOU  X2, (SI)(AX*1)
	ADDQ   $16, AX
	JMP    loop

done:
	RET
