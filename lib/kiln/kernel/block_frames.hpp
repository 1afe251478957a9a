// What threads of a block keep on the CPU while they wait for one another.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/function_ref.hpp"
#include "device/kernel_abi.hpp"
#include "kernel/fenced_memory.hpp"
#include "kernels-src/core/waiting.hpp"

namespace kiln::kinds {

/// Memory in cache lines.
struct alignas(64) CacheLine {
  std::byte bytes[64];
};
[[nodiscard]] inline std::size_t lines_of(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
}

/// Memory for the threads of one block at a time, kept for the next block. It makes some when a thread first waits.
class BlockFrames : public CpuWaiting {
 public:
  /// `fenced`: of a kernel in debug mode, which writes to nothing of the host's where it writes past its own.
  explicit BlockFrames(bool fenced);
  BlockFrames(const BlockFrames&) = delete;
  BlockFrames& operator=(const BlockFrames&) = delete;

  /// Calls code, which runs a kernel and nothing else: where a thread finds no memory, the kernel ends there. DeviceError then.
  void run(base::FunctionRef<void()> code);

 private:
  void* frame(std::int64_t bytes);

  [[nodiscard]] void* make_frame(std::size_t lines);

  bool fenced_;
  FencedMemory fence_;                                // all of them
  std::vector<std::unique_ptr<CacheLine[]>> frames_;  // or each of its own; all of one size
  std::size_t used_ = 0;
  std::int64_t refused_ = 0;  // bytes of the frame for which there was no memory
  std::jmp_buf no_memory_;
};

}  // namespace kiln::kinds
