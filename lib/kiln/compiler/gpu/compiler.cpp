// NVRTC and hipRTC as a backend::Compiler.
#include "compiler/gpu/compiler.hpp"
#include "base/fork.hpp"
#include "binary/stored_code.hpp"
#include "kiln/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "compiler/gpu/clang_compiler.hpp"
#include "compiler/gpu/compiler_choice.hpp"
#include "compiler/gpu/diagnostics.hpp"
#include "compiler/gpu/hiprtc_link.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "compiler/gpu/math_bitcode.hpp"
#include "compiler/gpu/vendor_options.hpp"
#include "library/arch.hpp"
#include "library/vendor_use.hpp"

namespace kiln::backend::gpu {
namespace {

using abi::Status;

/// One program of the compiler: made from a request, destroyed at the end of the scope.
class Program {
 public:
  Program(const CompilerTable& calls, const CompileRequest& request) : calls_(calls) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto& [name, text] : request.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    const Status status = calls.create(&handle_, request.source.c_str(), kProgramName, static_cast<int>(names.size()),
                                       texts.data(), names.data());
    if (status != abi::kSuccess) {
      throw DeviceError("failed to create a program for \"" + request.name + "\": " + calls.error_text(status), status,
                        calls.error_text(status));
    }
  }
  ~Program() { calls_.destroy(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Status compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return calls_.compile(handle_, static_cast<int>(pointers.size()), pointers.data());
  }

  /// The log, the code or the assembly text: a size and a getter each.
  template <typename Size, typename Get>
  [[nodiscard]] std::string text(Size size, Get get) const {
    std::size_t bytes = 0;
    if (size(handle_, &bytes) != abi::kSuccess || bytes == 0) return {};
    std::string result(bytes, '\0');
    if (get(handle_, result.data()) != abi::kSuccess) return {};
    return result;
  }

 private:
  const CompilerTable& calls_;
  abi::Handle handle_ = nullptr;
};

class GpuCompiler final : public Compiler {
 public:
  GpuCompiler(const CompilerLibrary& library, CompileTarget target, Linking linking)
      : library_(library), target_(std::move(target)), linking_(std::move(linking)) {}

  const Compiler& for_debugging() const override {
    if (!linking_.clang_debugs) return *this;
    try {
      return clang();
    } catch (const DeviceError&) {
      return *this;
    }
  }
  std::string name() const override { return library_.dialect().compiler; }
  std::string version() const override { return library_.version() + (linker_ == nullptr ? "" : "+" + linker_->mark()); }
  DeviceKind kind() const override { return library_.dialect().kind; }
  std::string short_target() const override { return target_.name; }
  std::string target() const override {
    if (!target_.assembly || (linker_ != nullptr && !target_.lines)) return target_.name;
    return target_.name + std::string(kAssemblyMark) + target_.arch +
           (target_.finisher.empty() ? "" : ", finished by " + target_.finisher) + ")";
  }
  // With what the compiler adds itself, which is in no list that it is given.
  std::vector<std::string> options(const CompileRequest& request) const override {
    std::vector<std::string> all = given_options(request);
    for (const char* variable : library_.dialect().option_variables) {
      const char* const added = std::getenv(variable);
      if (added != nullptr && *added != '\0') all.push_back(std::string(variable) + "=" + added);
    }
    return all;
  }

  CompileResult compile(const CompileRequest& request) const override { return compile(request, given_options(request)); }

  const Compiler& linking(const std::vector<LinkPart>& files) const override {
    const auto is_bitcode = [](const LinkPart& file) { return file.format == LinkFormat::bitcode; };
    const bool itself = kind() == DeviceKind::hip ? !linking_.by_clang && linking_.only_device && can_link(library_, files)
                                                  : std::ranges::none_of(files, is_bitcode);
    if (!itself) return clang().linking(files);
    if (kind() == DeviceKind::hip) return *this;
    const std::lock_guard guard(linking_mutex_);
    if (!linked_) {
      const Linker* const linker = target_.lines ? linking_.driver.get() : &linker_for(target_.name, linking_.driver.get());
      linked_ = std::make_unique<GpuCompiler>(library_, target_, linking_);
      linked_->linker_ = linker;
    }
    return *linked_;
  }

  std::string emit(const CompileRequest& request, inspect::Form form) const override {
    if (form != inspect::Form::ptx || kind() != DeviceKind::cuda) return Compiler::emit(request, form);
    return ptx(library_, target_.name, request);
  }

  std::string device_code(const CompileRequest& request, DeviceCodeForm form) const override {
    if (kind() == DeviceKind::hip) {
      // hipRTC has bitcode since ROCm 5.3, and nothing else.
      const bool own = form == DeviceCodeForm::bitcode && library_.table().link_code != nullptr;
      return own ? function_code(request, target_.arch, "-fgpu-rdc", form) : clang().device_code(request, form);
    }
    if (form == DeviceCodeForm::ptx) {
      return function_code(request, "compute_" + std::to_string(compute_capability(target_.arch)), "-rdc=true", form);
    }
    if (form == DeviceCodeForm::lto_ir && library_.table().link_code != nullptr && !target_.assembly) {
      return function_code(request, target_.arch, "-dlto", form);
    }
    return Compiler::device_code(request, form);
  }
  DeviceCodeForm usual_form() const override {
    return kind() == DeviceKind::hip                                    ? DeviceCodeForm::bitcode
           : library_.table().link_code != nullptr && !target_.assembly ? DeviceCodeForm::lto_ir
                                                                        : DeviceCodeForm::ptx;
  }

 private:
  std::vector<std::string> given_options(const CompileRequest& request) const {
    std::vector<std::string> chosen = vendor_options(kind(), request, target_.arch, library_.version_number());
    if (target_.lines || request.debug) {
      chosen.emplace_back(kind() == DeviceKind::hip ? "-gline-tables-only" : "--generate-line-info");
    }
    // Of PTX, and of what another linker finishes, there is none.
    if (const std::string report = library_.dialect().report_option;
        !report.empty() && !target_.assembly && request.link.empty()) {
      chosen.push_back(report);
    }
    if (!request.link.empty())
      chosen.emplace_back(kind() == DeviceKind::hip ? "-fgpu-rdc" : with_lto(request) ? "-dlto" : "-rdc=true");
    return chosen;
  }

  /// Whether the kernel itself is LTO-IR, so that what it calls is inlined.
  bool with_lto(const CompileRequest& request) const {
    return linker_ != nullptr && linker_->takes_lto() && !target_.assembly && library_.table().link_code != nullptr &&
           std::ranges::any_of(request.link, &LinkPart::lto);
  }

  std::string linked_code(const Program& program, const CompileRequest& request) const {
    const CompilerTable& calls = library_.table();
    if (kind() == DeviceKind::hip) {
      return link_by_hiprtc(library_, program.text(calls.link_code_size, calls.link_code), request, target_.name);
    }
    if (linker_ == nullptr) throw DeviceError(library_.display() + " has no linker for kernel \"" + request.name + "\"");
    const LinkFormat format = with_lto(request) ? LinkFormat::lto_ir : target_.assembly ? LinkFormat::ptx : LinkFormat::cubin;
    std::string code = format == LinkFormat::lto_ir ? program.text(calls.link_code_size, calls.link_code)
                       : format == LinkFormat::ptx  ? program.text(calls.assembly_size, calls.assembly)
                                                    : program.text(calls.code_size, calls.code);
    while (format == LinkFormat::ptx && code.ends_with('\0')) code.pop_back();
    return linker_->link({.format = format, .code = code}, request, target_.name);
  }

  /// Clang for the same target, which links and exports what this compiler cannot.
  const Compiler& clang() const {
    const std::lock_guard guard(linking_mutex_);
    if (!linking_.by_clang) throw DeviceError(library_.display() + " cannot link device code for " + target_.name);
    if (!clang_) clang_ = linking_.by_clang();
    return *clang_;
  }

  /// Of functions alone, in a form that is no kernel's.
  std::string function_code(const CompileRequest& request, const std::string& arch, const char* option,
                            DeviceCodeForm form) const {
    std::vector<std::string> chosen = vendor_options(kind(), request, arch, library_.version_number());
    chosen.emplace_back(option);
    const CompilerTable& calls = library_.table();
    std::string code = compile(request, chosen, [&](const Program& program) {
                         return form == DeviceCodeForm::ptx ? program.text(calls.assembly_size, calls.assembly)
                                                            : program.text(calls.link_code_size, calls.link_code);
                       }).code;
    while (form == DeviceCodeForm::ptx && code.ends_with('\0')) code.pop_back();
    return code;
  }

  CompileResult compile(const CompileRequest& request, const std::vector<std::string>& chosen) const {
    return compile(request, chosen, [&](const Program& program) { return code_of(program, request); });
  }

  std::string code_of(const Program& program, const CompileRequest& request) const {
    const CompilerTable& calls = library_.table();
    if (!request.link.empty()) return linked_code(program, request);
    return target_.assembly ? program.text(calls.assembly_size, calls.assembly) : program.text(calls.code_size, calls.code);
  }

  /// take(program) gives the code of one that compiled.
  template <class Take>
  CompileResult compile(const CompileRequest& request, const std::vector<std::string>& chosen, const Take& take) const {
    if (base::forked()) {
      throw DeviceError("cannot compile with " + name() +
                        " in a process forked from one that used kiln: its state does not survive fork(); restart the process "
                        "(exec) or use the CPU");
    }
    refuse(refuse_debugging(request.source, request.name), request, chosen);
    for (const auto& [file, text] : request.headers) refuse(refuse_debugging(text, file), request, chosen);
    const CompilerTable& calls = library_.table();
    const auto guard = library_.lock();
    const VendorUse use(name());
    Program program(calls, request);
    const Status status = program.compile(chosen);
    CompileResult result;
    const std::string log = normalize_log(program.text(calls.log_size, calls.log));
    result.report.spills = spilled_registers(log);
    result.log = without_report(log);
    if (status != abi::kSuccess) fail(request, chosen, result.log, calls.error_text(status));
    result.code = take(program);
    if (target_.lines && !result.code.empty()) result.code = named_for_emulator(result.code, request.name);
    result.warnings = of_severity(vendor_diagnostics(kind(), result.log), Severity::warning);
    restore_tabs(result.warnings, request.source);
    if (result.code.empty()) fail(request, chosen, result.log, "the compiler reported success but gave no code");
    return result;
  }

  void refuse(const std::optional<Diagnostic>& found, const CompileRequest& request,
              const std::vector<std::string>& options) const {
    if (!found) return;
    // Not a list in the call: GCC 14 destroys the vector that a call of a noreturn function makes of one a second time.
    std::vector<Diagnostic> diagnostics{*found};
    fail(request, options, std::move(diagnostics), {});
  }

  [[noreturn]] void fail(const CompileRequest& request, std::vector<std::string> options, const std::string& log,
                         const std::string& status) const {
    std::vector<Diagnostic> diagnostics = vendor_diagnostics(kind(), log);
    restore_tabs(diagnostics, request.source);
    const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
    if (std::none_of(diagnostics.begin(), diagnostics.end(), is_error)) {
      diagnostics.push_back(
          {Severity::error, request.name, 0, 0, log.empty() ? status : status + ": " + log.substr(0, log.find('\n')), {}});
    }
    fail(request, std::move(options), std::move(diagnostics), log);
  }

  [[noreturn]] void fail(const CompileRequest& request, std::vector<std::string> options, std::vector<Diagnostic> diagnostics,
                         const std::string& log) const {
    CompileError::Details details;
    details.diagnostics = std::move(diagnostics);
    details.log = log;
    details.source = request.source;
    details.options = std::move(options);
    details.target = target_.name;
    details.compiler = library_.display();
    details.context = request.context;
    throw CompileError(std::move(details));
  }

  const CompilerLibrary& library_;
  CompileTarget target_;
  Linking linking_;
  const Linker* linker_ = nullptr;
  mutable std::mutex linking_mutex_;
  mutable std::unique_ptr<GpuCompiler> linked_;  // the same with a linker
  mutable std::shared_ptr<const Compiler> clang_;
};

std::string names_of(const std::vector<int>& capabilities) {
  std::string text;
  for (const int capability : capabilities) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(capability);
  return text;
}

}  // namespace

std::shared_ptr<const Compiler> make_compiler(const CompilerLibrary& library, CompileTarget target, Linking linking) {
  return std::make_shared<GpuCompiler>(library, std::move(target), std::move(linking));
}

CompileTarget target_of_device(const CompilerLibrary& library, const std::string& arch, const std::string& driver) {
  if (library.dialect().kind == DeviceKind::hip) {
    if (const std::string reason = refuse_amd(arch, library.version_number()); !reason.empty()) throw DeviceError(reason);
    return {arch, arch, false, {}, false};
  }
  const int capability = compute_capability(arch);
  if (known_to_nvrtc(capability, library.version_number())) return {arch, arch, false, {}, false};
  const std::vector<int> known = library.capabilities();
  if (std::binary_search(known.begin(), known.end(), capability)) return {arch, arch, false, {}, false};
  auto above = std::upper_bound(known.begin(), known.end(), capability);
  // CUDA 13 gave sm_101 the name sm_110: newer drivers do not take code for it on other devices.
  constexpr int kRenamed = 101;
  if (above != known.begin() && *std::prev(above) == kRenamed) --above;
  if (above == known.begin()) {
    throw DeviceError(library.display() + " does not compile for " + arch + "; it compiles for " + names_of(known) +
                      "; name the NVRTC of an older CUDA in KILN_NVRTC");
  }
  return {arch, "compute_" + std::to_string(*std::prev(above)), true, driver, false};
}

std::string ptx(const CompilerLibrary& library, std::string_view target, const CompileRequest& request) {
  if (library.dialect().kind != DeviceKind::cuda) throw DeviceError("PTX is NVRTC's: hipRTC has none");
  const CompileTarget virtual_target = {std::string(target), "compute_" + std::string(target.substr(3)), true, {}, false};
  std::string text = GpuCompiler(library, virtual_target, {}).compile(request).code;
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

void require_known(const CompilerLibrary& library, const std::string& target) {
  if (library.dialect().kind == DeviceKind::hip) {
    if (const std::string reason = refuse_amd(target, library.version_number()); !reason.empty()) throw DeviceError(reason);
    return;
  }
  const int capability = compute_capability(target);
  if (known_to_nvrtc(capability, library.version_number())) return;
  const std::vector<int> known = library.capabilities();
  if (!std::binary_search(known.begin(), known.end(), capability)) {
    throw DeviceError(library.display() + " does not compile for " + target + "; it compiles for " + names_of(known));
  }
}

CompileTarget target_of_emulator(const CompilerLibrary& library, const std::string& arch) {
  require_known(library, arch);
  return {arch, "compute_" + arch.substr(3), true, "kiln's emulator", true};
}

std::shared_ptr<const Compiler> compiler_for_target(std::string_view target) {
  if (!vendor_of(target)) return nullptr;
  return choose_compiler({.target = std::string(target), .wanted = wanted_compiler()});
}

std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler) {
  const std::string name(target.substr(0, target.find(' ')));
  if (!vendor_of(name)) return nullptr;
  const std::string_view kind = compiler.substr(0, compiler.find(' '));
  if (kind == "Clang") {
    return make_clang_compiler({.name = name,
                                .of_device = true,
                                .finisher = has_finisher(compiler) ? JitLink::wanted() : nullptr,
                                .math = has_math_bitcode(compiler) ? wanted_math_bitcode(name) : nullptr});
  }
  return choose_compiler({.target = name, .wanted = kind == "NVRTC" ? CompilerName::nvrtc : CompilerName::hiprtc});
}

}  // namespace kiln::backend::gpu
