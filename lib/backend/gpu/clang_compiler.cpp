// Clang as the GPUs' backend::Compiler.
#include "backend/gpu/clang_compiler.hpp"

#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/clang.hpp"
#include "backend/gpu/arch.hpp"
#include "backend/gpu/compiler.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

// Of clang -cc1, device side alone. The language of both vendors is its CUDA mode; kernels-src/core/clang_gpu.hpp is what the
// vendors' headers would declare.
constexpr const char* kClangOptions[] = {"-fcuda-is-device",
                                         "-std=c++20",
                                         "-O3",
                                         "-vectorize-loops",
                                         "-vectorize-slp",
                                         "-fno-rounding-math",
                                         "-fexperimental-strict-floating-point",  // else float_control is ignored
                                         "-mconstructor-aliases",
                                         "-fno-threadsafe-statics",
                                         "-fdeclspec",
                                         "-fgnuc-version=4.2.1",
                                         "--system-header-prefix=kiln/",  // without warnings of theirs
                                         "-nostdsysteminc",
                                         "-nobuiltininc",
                                         "-disable-llvm-verifier",
                                         "-ferror-limit",
                                         "20",
                                         "-Werror=return-type",
                                         "-Wall",
                                         "-Wno-unused",
                                         "-Wno-pass-failed",
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

class GpuClangCompiler final : public Compiler {
 public:
  GpuClangCompiler(DeviceKind kind, std::string name, std::string arch, std::vector<std::string> options)
      : kind_(kind), name_(std::move(name)), arch_(std::move(arch)), options_(std::move(options)) {}

  std::string name() const override { return "Clang"; }
  std::string version() const override { return clang_version_for_keys(); }
  DeviceKind kind() const override { return kind_; }
  std::string short_target() const override { return name_; }
  // No driver is named: the text is the same for all of them.
  std::string target() const override {
    return kind_ == DeviceKind::hip ? name_ : name_ + std::string(kAssemblyMark) + arch_ + ")";
  }
  std::vector<std::string> options(const CompileRequest& request) const override {
    std::vector<std::string> all = options_;
    all.insert(all.end(), std::begin(kClangOptions), std::end(kClangOptions));
    const std::vector<std::string> numbers = clang_number_options_for_gpu(request);
    all.insert(all.end(), numbers.begin(), numbers.end());
    // As NVRTC's -use_fast_math: the approximate instructions know no other.
    if (request.fast_math && kind_ == DeviceKind::cuda) all.emplace_back("-fdenormal-fp-math-f32=preserve-sign,preserve-sign");
    return all;
  }
  CompileResult compile(const CompileRequest& request) const override {
    return run(request, kind_ == DeviceKind::hip ? ClangOutput::shared_object : ClangOutput::ptx);
  }
  std::string emit(const CompileRequest& request, inspect::Form form) const override {
    if (form == inspect::Form::llvm_ir) return run(request, ClangOutput::ir).code;
    if (form == inspect::Form::ptx && kind_ == DeviceKind::cuda) return compile(request).code;
    return Compiler::emit(request, form);
  }

 private:
  CompileResult run(const CompileRequest& request, ClangOutput output) const {
    return compile_by_clang({.request = request,
                             .arguments = options(request),
                             .output = output,
                             .target = name_,
                             .definers = "nothing defines it for a GPU"});
  }

  DeviceKind kind_;
  std::string name_;
  std::string arch_;
  std::vector<std::string> options_;
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
  // PTX has the line table of DWARF 2, and one name for a file.
  if (target.lines) {
    options.insert(options.end(), {"-debug-info-kind=line-directives-only", "-dwarf-version=2", "-fno-dwarf-directory-asm"});
  }
  const std::string arch = ptx == nullptr || target.name == "sm_90a" ? target.name : ptx->arch;
  return std::make_shared<GpuClangCompiler>(amd ? DeviceKind::hip : DeviceKind::cuda, target.name, arch, std::move(options));
}

}  // namespace kiln::backend::gpu
