// backend::disassemble() by the module that holds LLVM.
#include <limits>
#include <memory>

#include "binary/disassembly.hpp"
#include "kiln/error.hpp"
#include "library/clang_module.hpp"
#include "library/fork_gate.hpp"

namespace kiln::backend::cpu {

std::vector<Instruction> disassemble(const MachineCode& code) {
  // An instruction takes some hundred bytes here for its four there.
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  if (code.bytes.size() > kMostBytes) {
    throw IoError("the machine code is too long to be disassembled: " + std::to_string(code.bytes.size()) +
                  " bytes, more than " + std::to_string(kMostBytes));
  }
  const kiln_clang_api& module = clang_module();
  const kiln_clang_machine_code request{.triple = code.triple.c_str(),
                                        .processor = code.processor.c_str(),
                                        .features = code.features.c_str(),
                                        .bytes = {code.bytes.data(), code.bytes.size()},
                                        .address = code.address};
  const auto release = [&module](const kiln_clang_result* result) { module.release(result); };
  std::unique_ptr<const kiln_clang_result, decltype(release)> result(nullptr, release);
  {
    const ForkGate gate;
    result.reset(module.disassemble(&request));
  }
  if (result->status != KILN_CLANG_OK) {
    throw DeviceError(
        "failed to disassemble for " + code.triple + " " + code.processor + ": " +
        (result->status < KILN_CLANG_CRASHED ? std::string(result->error.data, result->error.size) : why_ended(*result)));
  }
  std::vector<Instruction> instructions;
  instructions.reserve(result->instruction_count);
  for (std::size_t i = 0; i < result->instruction_count; ++i) {
    const kiln_clang_instruction& each = result->instructions[i];
    instructions.push_back({.address = each.address,
                            .size = each.size,
                            .target = each.target == std::numeric_limits<std::uint64_t>::max()
                                          ? std::nullopt
                                          : std::optional<std::uint64_t>(each.target),
                            .text = {each.text.data, each.text.size}});
  }
  return instructions;
}

}  // namespace kiln::backend::cpu
