// PTX of anybody's: it is refused with a PtxError, or runs and ends, whatever it does, with a finding or without.
#include <cstring>

#include "emulator/kernel_fault.hpp"
#include "emulator/run/block.hpp"
#include "targets.hpp"

namespace kiln::fuzz {

void ptx(std::string_view bytes) {
  using namespace emulator;  // NOLINT(google-build-using-namespace)
  Memory memory(std::size_t{1} << 20U);
  std::unique_ptr<Program> program;
  try {
    program = decode(parse(std::string(bytes)), memory);
  } catch (const PtxError& error) {
    require(!std::string_view(error.what()).empty(), "a refusal says why");
    return;
  }
  for (const auto& [name, code] : program->codes) {
    if (!code->function->is_kernel) continue;
    std::vector<char> parameters(code->parameters.empty() ? 0 : code->parameters.back().offset + code->parameters.back().bytes);
    // Pointers to somewhere that there is, where there is room for one.
    Allocation* const array = memory.allocate(256);
    const auto address = array == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(array->address);
    for (std::size_t at = 0; at + sizeof(address) <= parameters.size(); at += sizeof(address))
      std::memcpy(parameters.data() + at, &address, sizeof(address));
    constexpr std::uint64_t kSteps = 3000;
    Launch launch{.program = *program,
                  .kernel = *code,
                  .grid = {2, 1, 1},
                  .block = {40, 1, 1},
                  .dynamic_shared = 64,
                  .parameters = parameters,
                  .command = 1,
                  .most_steps = kSteps,
                  .memory = memory,
                  .is_before = [](std::uint32_t) { return false; },
                  .describe = [](std::uint32_t) { return std::string("another"); }};
    try {
      emulator::run(launch);
    } catch (const KernelFault& fault) {
      require(!std::string_view(fault.what()).empty(), "a finding says what");
    }
    require(launch.steps < kSteps + 100'000, "a kernel without an end is ended");
  }
}

}  // namespace kiln::fuzz
