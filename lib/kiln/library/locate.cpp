#include "library/locate.hpp"

#include <memory>

#include "kiln/error.hpp"
#include "library/clang_module.hpp"
#include "library/fork_gate.hpp"

namespace kiln::backend::cpu {

SourcePlace locate(std::string_view code, std::uint64_t address) {
  const kiln_clang_api* module = nullptr;
  try {
    module = &clang_module();
  } catch (const DeviceError&) {
    return {};  // a kernel that was compiled elsewhere: the fault is reported without its line
  }
  const kiln_clang_text bytes{code.data(), code.size()};
  const auto release = [module](const kiln_clang_result* result) { module->release(result); };
  std::unique_ptr<const kiln_clang_result, decltype(release)> result(nullptr, release);
  {
    const ForkGate gate;
    result.reset(module->locate(&bytes, address));
  }
  if (result->diagnostic_count == 0) return {};
  const kiln_clang_diagnostic& found = result->diagnostics[0];
  return {.file = std::string(found.file.data, found.file.size), .line = found.line, .column = found.column};
}

}  // namespace kiln::backend::cpu
