// What is wrong with a kernel: found by checking each instruction.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kiln::emulator {

/// CUDA's statuses for what a kernel may do wrong.
enum class Fault : std::uint16_t {
  illegal_address = 700,
  timeout = 702,
  assertion = 710,
  misaligned = 716,
  illegal_instruction = 715,
  launch_failed = 719
};

/// Ends a launch. The text names the thread, the block and the place; kernel and arrays are added by who knows them.
class KernelFault : public std::runtime_error {
 public:
  KernelFault(Fault fault, const std::string& text) : runtime_error(text), fault_(fault) {}
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

}  // namespace kiln::emulator
