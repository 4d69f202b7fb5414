#include "signals.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdio>
#include <mutex>

#include "block.h"
#include "codes.h"

namespace emulation {
namespace {

constexpr size_t signalStackBytes = 64 << 10;

struct sigaction before[2]; // of SIGSEGV and SIGBUS

void onFault(int signal, siginfo_t *info, void *place) {
  Fiber *fiber = current;
#if defined(EMULATION_SWITCH)
  if (fiber) {
    // The thread is given up where it is, and its block's scheduler goes on as if it had been switched to.
    char text[80];
    if (info->si_code == SI_KERNEL) { // then there is no address in info
      std::snprintf(text, sizeof text, "access to an address that no memory has");
    } else {
      std::snprintf(text, sizeof text, "access to %p, which is no device memory", info->si_addr);
    }
    Block *block = fiber->block;
    block->launch->fail(illegalAddress, text);
    block->faulted = true;
    auto registers = static_cast<ucontext_t *>(place)->uc_mcontext.gregs;
    registers[REG_RSP] = reinterpret_cast<greg_t>(block->scheduler.sp);
    registers[REG_RIP] = reinterpret_cast<greg_t>(&emulation_resume);
    return;
  }
#else
  (void)fiber;
#endif
  const struct sigaction &old = before[signal == SIGBUS];
  if (old.sa_flags & SA_SIGINFO) {
    old.sa_sigaction(signal, info, place);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL); // and the access is made again
  }
}

} // namespace

void installSignalHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
  });
}

KernelSignals::KernelSignals() : stack_(new char[signalStackBytes]) {
  sigset_t others;
  sigfillset(&others);
  sigdelset(&others, SIGSEGV);
  sigdelset(&others, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &others, nullptr);
  stack_t stack = {};
  stack.ss_sp = stack_;
  stack.ss_size = signalStackBytes;
  sigaltstack(&stack, nullptr);
}

KernelSignals::~KernelSignals() {
  stack_t stack = {};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  delete[] stack_;
}

} // namespace emulation
