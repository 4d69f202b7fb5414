#include "context.h"

#if defined(EMULATION_SWITCH)
// The registers that a call must keep, by the System V ABI.
asm(R"(
.text
.globl emulation_switch
.globl emulation_resume
.hidden emulation_switch
.hidden emulation_resume
.type emulation_switch, @function
.type emulation_resume, @function
emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
emulation_resume:
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulation_switch, .-emulation_switch
)");
#endif
