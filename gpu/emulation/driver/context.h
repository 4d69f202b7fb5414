// A switch between stacks without system calls: a fiber is a stack and a saved place on it.
#pragma once
#include <cstddef>
#include <cstdint>

// EMULATION_UCONTEXT asks for the portable way, which any other processor takes.
#if defined(__x86_64__) && !defined(EMULATION_UCONTEXT)
#define EMULATION_SWITCH 1

namespace emulation {
struct Context {
  void *sp = nullptr;
};
} // namespace emulation

// Saves the place of the caller in from and goes on at to. emulation_resume is the second half of it: entered with
// the stack pointer of a saved place, it goes on there.
extern "C" void emulation_switch(emulation::Context *from, const emulation::Context *to);
extern "C" void emulation_resume();

namespace emulation {
// The place at the start of entry on a fresh stack; entry must not return.
inline void makeContext(Context *c, char *stack, size_t bytes, void (*entry)()) {
  auto top = reinterpret_cast<void **>((reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15));
  *--top = nullptr; // where a return address would be, and what makes the stack 16-byte aligned at entry
  *--top = reinterpret_cast<void *>(entry);
  for (int saved = 0; saved < 6; saved++) *--top = nullptr;
  c->sp = top;
}
} // namespace emulation

#else

#include <ucontext.h>

namespace emulation {
struct Context {
  ucontext_t place;
};
inline void makeContext(Context *c, char *stack, size_t bytes, void (*entry)()) {
  getcontext(&c->place);
  c->place.uc_stack.ss_sp = stack;
  c->place.uc_stack.ss_size = bytes;
  c->place.uc_link = nullptr;
  makecontext(&c->place, entry, 0);
}
} // namespace emulation
inline void emulation_switch(emulation::Context *from, const emulation::Context *to) {
  swapcontext(&from->place, &to->place);
}

#endif
