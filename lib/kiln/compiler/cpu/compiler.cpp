#include "compiler/cpu/compiler.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "compiler/clang.hpp"
#include "compiler/debug_folder.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr const char* kOptions[] = {
    "-x",         "c++", "-mframe-pointer=none", "-mrelocation-model", "pic",
    "-pic-level", "2",   "-fvisibility=hidden",  "-fno-rtti"};  // nothing defines the classes of typeinfo
/// A stack that is full is found by the page behind it, however large an array is. Calls are not made loops, and none that does
/// not end is taken for one that is never made, nor one where a null pointer leads to memory.
constexpr const char* kDebugOptions[] = {
    "-debug-info-kind=limited",    "-dwarf-version=5",  "-debugger-tuning=gdb",           "-fstack-clash-protection",
    "-fno-optimize-sibling-calls", "-fno-finite-loops", "-fno-delete-null-pointer-checks"};

}  // namespace

ClangCompiler::ClangCompiler(Target target) : target_(std::move(target)) {}

std::string ClangCompiler::version() const {
  return backend::clang_version_for_keys();
}

std::vector<std::string> ClangCompiler::options(const CompileRequest& request) const {
  std::vector<std::string> options(std::begin(kOptions), std::end(kOptions));
  options.insert(options.end(), std::begin(kClangOptions), std::end(kClangOptions));
  options.insert(options.end(), target_.arguments.begin(), target_.arguments.end());
  const std::vector<std::string> numbers = clang_number_options(request);
  options.insert(options.end(), numbers.begin(), numbers.end());
  const std::vector<std::string> checks = clang_debug_options(request);
  options.insert(options.end(), checks.begin(), checks.end());
  if (request.debug) {
    options.insert(options.end(), std::begin(kDebugOptions), std::end(kDebugOptions));
    const std::vector<std::string> folder = debug_folder_options();
    options.insert(options.end(), folder.begin(), folder.end());
  }
  return options;
}

CompileResult ClangCompiler::compile(const CompileRequest& request) const {
  return run(request, ClangOutput::loadable);
}

std::string ClangCompiler::emit(const CompileRequest& request, inspect::Form form) const {
  if (form != inspect::Form::llvm_ir) return Compiler::emit(request, form);
  return run(request, ClangOutput::ir).code;
}

std::string ClangCompiler::device_code(const CompileRequest& request, DeviceCodeForm form) const {
  if (form == DeviceCodeForm::bitcode) return run(request, ClangOutput::bitcode).code;
  if (form == DeviceCodeForm::object) return run(request, ClangOutput::object).code;
  return Compiler::device_code(request, form);
}

CompileResult ClangCompiler::run(const CompileRequest& request, ClangOutput output) const {
  return backend::compile_by_clang(
      {.request = request,
       .arguments = options(request),
       .output = output,
       .target = target_.short_name,
       .definers = request.link.empty() ? "neither the kernel nor the C math library defines it"
                                        : "neither the kernel, nor what it is linked with, nor the C math library defines it"});
}

const std::shared_ptr<const Compiler>& native_compiler() {
  static const std::shared_ptr<const Compiler> compiler = std::make_shared<ClangCompiler>(native_target());
  return compiler;
}

const std::shared_ptr<const Compiler>& device_compiler() {
  struct Made {
    const Target* target;
    std::shared_ptr<const Compiler> compiler;
  };
  static constinit std::atomic<const Made*> current{nullptr};  // never deleted: devices hold the reference
  const Target& target = device_target();
  const Made* made = current.load(std::memory_order_acquire);
  if (made == nullptr || made->target != &target) {
    made = std::make_unique<const Made>(Made{&target, std::make_shared<ClangCompiler>(target)}).release();
    current.store(made, std::memory_order_release);
  }
  return made->compiler;
}

std::shared_ptr<const Compiler> compiler_for_target(std::string_view target) {
  if (target == "native") return native_compiler();
  std::optional<Target> found = target_named(target);
  return found ? std::make_shared<ClangCompiler>(*std::move(found)) : nullptr;
}

}  // namespace kiln::backend::cpu
