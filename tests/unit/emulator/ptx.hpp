// Kernels in PTX, and a device that runs them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/machine.hpp"

namespace kiln::emulator::test {

/// A module with the kernel "f" of so many pointers: registers %a0, %a1, … hold them, %t is threadIdx.x, %b blockIdx.x and %g
/// the thread's number in the grid.
inline std::string module_of(const std::string& body, int pointers = 1, const std::string& declarations = {}) {
  std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n" + declarations + "\n.visible .entry f(";
  for (int k = 0; k < pointers; ++k) text += (k > 0 ? ", " : "") + std::string(".param .u64 p") + std::to_string(k);
  text +=
      ")\n{\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n.reg .f32 %f<8>;\n.reg .f64 %e<8>;\n"
      ".reg .b64 %a<8>;\n.reg .b32 %t, %b, %n, %g;\n";
  for (int k = 0; k < pointers; ++k) text += "ld.param.u64 %a" + std::to_string(k) + ", [p" + std::to_string(k) + "];\n";
  text += "mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.s32 %g, %b, %n, %t;\n";
  return text + body + "\nret;\n}\n";
}

class Device {
 public:
  explicit Device(const std::string& ptx = {}, std::uint64_t seed = 1, const char* target = "sm_90")
      : machine(*limits_of(target), seed, std::size_t{1} << 28U) {
    if (!ptx.empty()) load(ptx);
  }

  void load(const std::string& ptx) {
    kernel.program = machine.load(ptx);
    kernel.code = kernel.program->kernel("f");
    REQUIRE(kernel.code != nullptr);
  }
  std::uint64_t allocate(std::size_t bytes) {
    const std::uint64_t address = machine.allocate(bytes, std::nullopt);
    REQUIRE(address != 0);
    return address;
  }
  template <class T>
  std::uint64_t place(const std::vector<T>& values) {
    const std::uint64_t address = allocate(values.size() * sizeof(T));
    REQUIRE(machine.copy_to_device(address, values.data(), values.size() * sizeof(T), 0) == success);
    return address;
  }
  template <class T>
  std::vector<T> fetch(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    REQUIRE(machine.copy_to_host(values.data(), address, count * sizeof(T), 0) == success);
    return values;
  }
  int launch(Extent grid, Extent block, std::vector<std::uint64_t> arguments, std::uint32_t shared = 0,
             std::uint32_t stream = 0) {
    std::vector<void*> pointers;
    for (std::uint64_t& each : arguments) pointers.push_back(&each);
    return machine.launch(kernel, grid, block, shared, stream, pointers.data());
  }
  /// What the launch does wrong, all in one line; empty where nothing.
  std::string finding(std::uint32_t blocks, std::uint32_t threads, std::vector<std::uint64_t> arguments,
                      std::uint32_t shared = 0) {
    REQUIRE(launch({blocks, 1, 1}, {threads, 1, 1}, std::move(arguments), shared) == success);
    machine.synchronize();
    return machine.fault() == 0 ? "" : std::to_string(machine.fault()) + ": " + machine.message();
  }

  Machine machine;
  Kernel kernel;
};

}  // namespace kiln::emulator::test
