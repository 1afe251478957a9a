// Clang as the GPUs' backend::Compiler.
#include "compiler/gpu/clang_compiler.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/stored_code.hpp"
#include "compiler/clang.hpp"
#include "compiler/debug_folder.hpp"
#include "compiler/gpu/compiler.hpp"
#include "compiler/gpu/diagnostics.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "compiler/gpu/math_bitcode.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"

namespace kiln::backend::gpu {
namespace {

// Of clang -cc1, device side alone. The language of both vendors is its CUDA mode; kernels-src/core/clang_gpu.hpp is what the
// vendors' headers would declare.
constexpr const char* kOptions[] = {"-fcuda-is-device",
                                    "-fcuda-allow-variadic-functions",  // as NVRTC: such a function may ignore its arguments
                                    "-fexperimental-strict-floating-point",  // else float_control is ignored
                                    "-fno-threadsafe-statics",
                                    "-fdeclspec",
                                    "-DKILN_GPU_CLANG=1"};

/// Version 4 is read by every runtime since ROCm 4.1, and asks for no hidden argument: the extents of a block come from the
/// packet of the dispatch.
constexpr const char* kCodeObject = "-mcode-object-version=4";

std::vector<std::string> options_for_amd(std::string_view target) {
  const std::size_t colon = target.find(':');
  std::vector<std::string> options = {"-x",
                                      "hip",
                                      "-triple",
                                      "amdgcn-amd-amdhsa",
                                      "-target-cpu",
                                      std::string(target.substr(0, colon)),
                                      kCodeObject,
                                      "-fvisibility=hidden",
                                      "-fapply-global-visibility-to-externs"};
  for (std::string_view rest = colon == std::string_view::npos ? "" : target.substr(colon); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view feature = rest.substr(0, rest.find(':'));  // "xnack-"
    rest.remove_prefix(feature.size());
    options.emplace_back("-target-feature");
    options.push_back(feature.back() + std::string(feature.substr(0, feature.size() - 1)));
  }
  return options;
}

std::vector<std::string> options_for_nvidia(const PtxTarget& target, std::string_view arch) {
  const bool own = arch == "sm_90a";  // with what only that GPU has, since PTX 8.0
  return {"-x",
          "cuda",
          "-triple",
          "nvptx64-nvidia-cuda",
          "-target-cpu",
          own ? "sm_90a" : target.arch,
          "-target-feature",
          std::string("+") + (own ? "ptx80" : target.version)};
}

/// PTX has the line table of DWARF 2, and one name for a file.
std::vector<std::string> line_options(DeviceKind kind) {
  if (kind == DeviceKind::hip) return {"-debug-info-kind=line-tables-only", "-dwarf-version=5"};
  return {"-debug-info-kind=line-directives-only", "-dwarf-version=2", "-fno-dwarf-directory-asm"};
}

class GpuClangCompiler final : public Compiler {
 public:
  struct Made {
    DeviceKind kind;
    std::string name;                   ///< of the target
    std::string arch;                   ///< that the PTX is for
    bool lines;                         ///< for the emulator
    const JitLink* finisher = nullptr;  ///< null: PTX
    std::shared_ptr<const Linker> driver_linker;
    const Linker* linker = nullptr;  ///< of a compiler that links
    std::shared_ptr<const MathBitcode> math;
    std::vector<std::string> options;
  };
  explicit GpuClangCompiler(Made made) : made_(std::move(made)) {}

  std::string name() const override { return "Clang"; }
  std::string version() const override {
    return clang_version_for_keys() + (made_.math ? made_.math->mark : "") +
           (made_.finisher == nullptr ? "" : std::string(kFinisherMark) + made_.finisher->version()) +
           (made_.linker == nullptr || made_.linker == made_.finisher ? "" : "+" + made_.linker->mark());
  }
  DeviceKind kind() const override { return made_.kind; }
  std::string short_target() const override { return made_.name; }
  // No driver is named: the text is the same for all of them.
  std::string target() const override {
    return gives_ptx() ? made_.name + std::string(kAssemblyMark) + made_.arch + ")" : made_.name;
  }
  std::vector<std::string> options(const CompileRequest& request) const override {
    std::vector<std::string> all = made_.options;
    all.insert(all.end(), std::begin(kOptions), std::end(kOptions));
    all.insert(all.end(), std::begin(kClangOptions), std::end(kClangOptions));
    const std::vector<std::string> numbers = clang_number_options_for_gpu(request);
    all.insert(all.end(), numbers.begin(), numbers.end());
    const std::vector<std::string> checks = clang_debug_options(request);
    all.insert(all.end(), checks.begin(), checks.end());
    if (made_.lines || request.debug) {
      const std::vector<std::string> lines = line_options(made_.kind);
      all.insert(all.end(), lines.begin(), lines.end());
    }
    if (request.debug && !made_.lines) {  // the emulator tells the names of the texts alone
      const std::vector<std::string> folder = debug_folder_options();
      all.insert(all.end(), folder.begin(), folder.end());
    }
    // As NVRTC's -use_fast_math: the approximate instructions know no other.
    if (request.arithmetic.fast_math && made_.kind == DeviceKind::cuda)
      all.emplace_back("-fdenormal-fp-math-f32=preserve-sign,preserve-sign");
    return all;
  }
  CompileResult compile(const CompileRequest& request) const override {
    CompileResult result = run(request, made_.kind == DeviceKind::hip ? ClangOutput::shared_object : ClangOutput::ptx);
    if (made_.linker != nullptr) {
      result.code = made_.linker->link({.format = LinkFormat::ptx, .code = result.code}, request, made_.name);
      if (made_.lines) result.code = named_for_emulator(result.code, request.name);
      return result;
    }
    if (made_.lines) result.code = named_for_emulator(result.code, request.name);
    if (made_.finisher == nullptr) return result;
    JitLink::Code finished = made_.finisher->assemble(result.code, made_.name, request);
    result.code = std::move(finished.cubin);
    result.report.spills = spilled_registers(finished.report);
    return result;
  }
  std::string emit(const CompileRequest& request, inspect::Form form) const override {
    if (form == inspect::Form::llvm_ir) return run(request, ClangOutput::ir).code;
    if (form == inspect::Form::ptx && made_.kind == DeviceKind::cuda) return run(request, ClangOutput::ptx).code;
    return Compiler::emit(request, form);
  }
  std::string device_code(const CompileRequest& request, DeviceCodeForm form) const override {
    const bool amd = made_.kind == DeviceKind::hip;
    if (form == DeviceCodeForm::ptx && !amd) return run(request, ClangOutput::ptx, /*links_later=*/true).code;
    if (form == DeviceCodeForm::bitcode && amd) return run(request, ClangOutput::bitcode).code;
    if (form == DeviceCodeForm::object && amd) return run(request, ClangOutput::object).code;
    return Compiler::device_code(request, form);
  }
  DeviceCodeForm usual_form() const override {
    return made_.kind == DeviceKind::hip ? DeviceCodeForm::bitcode : DeviceCodeForm::ptx;
  }
  const Compiler& linking(const std::vector<LinkPart>& files) const override {
    // Bitcode, and what lld takes for AMD's, are linked on the way.
    const auto is_other = [](const LinkPart& file) { return file.format != LinkFormat::bitcode; };
    if (made_.kind == DeviceKind::hip || std::ranges::none_of(files, is_other)) return *this;
    const std::lock_guard guard(mutex_);
    if (!linked_) {
      Made made = made_;
      made.linker = made.lines ? made.driver_linker.get() : &linker_for(made.name, made.driver_linker.get());
      if (made.linker == nullptr) throw DeviceError("kiln's emulator is not there to link for " + made.name);
      linked_ = std::make_unique<GpuClangCompiler>(std::move(made));
    }
    return *linked_;
  }

 private:
  [[nodiscard]] bool gives_ptx() const {
    return made_.kind == DeviceKind::cuda && made_.finisher == nullptr && (made_.linker == nullptr || made_.lines);
  }
  CompileResult run(const CompileRequest& request, ClangOutput output, bool links_later = false) const {
    return compile_by_clang(
        {.request = request,
         .arguments = options(request),
         .bitcode = made_.math ? std::span(made_.math->files) : std::span<const std::pair<std::string, std::string>>{},
         .links_later = links_later || made_.linker != nullptr,
         .output = output,
         .target = made_.name,
         .definers = "nothing defines it for a GPU"});
  }

  Made made_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<GpuClangCompiler> linked_;  // the same with a linker
};

}  // namespace

std::shared_ptr<const Compiler> make_clang_compiler(const ClangTarget& target) {
  if (!have_clang()) {
    throw DeviceError(
        "this build of kiln has no Clang (it was configured with KILN_CPU=OFF, which leaves LLVM out): configure it with "
        "-DKILN_CPU=ON");
  }
  const bool amd = vendor_of(target.name) == DeviceKind::hip;
  const PtxTarget* const ptx = amd ? nullptr : ptx_target_of(compute_capability(target.name));
  // PTX runs on every later device.
  if (!target.of_device || ptx == nullptr) {
    if (const std::string reason = refuse_clang(target.name); !reason.empty()) throw DeviceError(reason);
  }
  std::vector<std::string> options = ptx == nullptr ? options_for_amd(target.name) : options_for_nvidia(*ptx, target.name);
  if (target.math) options.emplace_back("-DKILN_VENDOR_MATH=1");
  const bool finishes = ptx != nullptr && target.finisher != nullptr && target.finisher->knows(target.name);
  return std::make_shared<GpuClangCompiler>(
      GpuClangCompiler::Made{.kind = amd ? DeviceKind::hip : DeviceKind::cuda,
                             .name = target.name,
                             .arch = ptx == nullptr || target.name == "sm_90a" ? target.name : ptx->arch,
                             .lines = target.lines,
                             .finisher = finishes ? target.finisher : nullptr,
                             .driver_linker = target.driver_linker,
                             .math = target.math,
                             .options = std::move(options)});
}

bool has_finisher(std::string_view compiler) {
  return compiler.find(kFinisherMark) != std::string_view::npos;
}

}  // namespace kiln::backend::gpu
