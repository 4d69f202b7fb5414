// Faults of kernels: an access outside of device memory ends the launch with the driver's code, not the process.
#pragma once

namespace emulation {

// Puts the handler in front of those that are there (Go's), once for the process.
void installSignalHandler();

// In an OS thread that runs kernels: no signals but those of faults, and a stack of its own for them.
class KernelSignals {
public:
  KernelSignals();
  ~KernelSignals();
  KernelSignals(const KernelSignals &) = delete;
  KernelSignals &operator=(const KernelSignals &) = delete;

private:
  char *stack_;
};

} // namespace emulation
