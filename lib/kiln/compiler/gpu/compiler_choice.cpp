#include "compiler/gpu/compiler_choice.hpp"

#include "base/environment.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/clang_compiler.hpp"
#include "compiler/gpu/compiler.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "compiler/gpu/math_bitcode.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr const char* kChoiceVariable = "KILN_GPU_COMPILER";

std::shared_ptr<const Compiler> by_clang(const CompilerQuestion& question) {
  return make_clang_compiler({.name = question.target,
                              .of_device = !question.driver.empty(),
                              .lines = question.emulated,
                              .finisher = question.emulated ? nullptr : JitLink::wanted(),
                              .driver_linker = question.driver_linker,
                              .math = wanted_math_bitcode(question.target)});
}

std::shared_ptr<const Compiler> by_vendor(const CompilerLibrary& library, const CompilerQuestion& question) {
  // For AMD's GPUs it links also where hipRTC could: a kernel that is compiled ahead of time is then the one that a device
  // looks for.
  std::function<std::shared_ptr<const Compiler>()> clang;
  if (have_clang()) clang = [question] { return by_clang(question); };
  const Linking linking{.driver = question.driver_linker,
                        .only_device = question.only_device,
                        .by_clang = clang,
                        .clang_debugs = !question.wanted && have_clang()};
  if (question.emulated) return make_compiler(library, target_of_emulator(library, question.target), linking);
  if (!question.driver.empty()) {
    return make_compiler(library, target_of_device(library, question.target, question.driver), linking);
  }
  require_known(library, question.target);
  return make_compiler(library, {question.target, question.target, false, {}, false}, linking);
}

/// Runs what the variable asks for, and says so where that fails.
template <class Make>
std::shared_ptr<const Compiler> as_wanted(const char* name, Make make) {
  try {
    return make();
  } catch (const DeviceError& error) {
    throw DeviceError(std::string(error.what()) + " (" + kChoiceVariable + "=" + name +
                      " asks for this compiler; unset it to have kiln choose)");
  }
}

}  // namespace

std::optional<CompilerName> parse_compiler_name(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "nvrtc") return CompilerName::nvrtc;
  if (text == "hiprtc") return CompilerName::hiprtc;
  if (text == "clang") return CompilerName::clang;
  throw DeviceError(std::string(kChoiceVariable) + " is \"" + std::string(text) +
                    "\", which is no compiler of kiln's: set it to nvrtc, hiprtc or clang, or unset it to have kiln choose");
}

std::optional<CompilerName> wanted_compiler() {
  static const std::string value = base::env(kChoiceVariable).value_or("");
  return parse_compiler_name(value);
}

std::shared_ptr<const Compiler> choose_compiler(const CompilerQuestion& question) {
  const DeviceKind kind = vendor_of(question.target).value_or(DeviceKind::cuda);
  if (question.wanted == CompilerName::clang) return as_wanted("clang", [&] { return by_clang(question); });
  const bool vendor_wanted = question.wanted == (kind == DeviceKind::cuda ? CompilerName::nvrtc : CompilerName::hiprtc);
  const auto of_vendor = [&] { return by_vendor(CompilerLibrary::of(kind), question); };
  if (vendor_wanted) return as_wanted(kind == DeviceKind::cuda ? "nvrtc" : "hiprtc", of_vendor);
  const CompilerLibrary* library = nullptr;
  std::string why_not;
  try {
    library = &CompilerLibrary::of(kind);
    return by_vendor(*library, question);
  } catch (const DeviceError& error) {
    // Who names the file of a compiler wants that one.
    if (library == nullptr && base::env(dialect_of(kind).compiler_library.variable)) throw;
    if (!have_clang()) throw;
    why_not = error.what();
  }
  try {
    return by_clang(question);
  } catch (const DeviceError& error) {
    throw DeviceError(why_not + "; " + error.what());
  }
}

}  // namespace kiln::backend::gpu
