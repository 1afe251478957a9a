#include "compiler/gpu/vendor_options.hpp"

#include "compiler/gpu/diagnostics.hpp"
#include "library/arch.hpp"

namespace kiln::backend::gpu {
namespace {

std::vector<std::string> nvrtc_options(const CompileRequest& request, std::string_view arch, int version) {
  std::vector<std::string> options = {"--gpu-architecture=" + std::string(arch),
                                      "--std=c++20",
                                      "-default-device",
                                      "--device-int128",
                                      "--diag-error=940",          // a missing return
                                      "--diag-suppress=177,550"};  // unused variables, as -Wno-unused
  if (request.arithmetic.fast_math) {
    options.emplace_back("-use_fast_math");
  } else {
    options.emplace_back(request.arithmetic.contract ? "-fmad=true" : "-fmad=false");
  }
  if (request.arithmetic.same_bits) options.emplace_back(kSameBits);
  if (version >= 1204) options.emplace_back("--minimal");
  if (version >= 1209) options.emplace_back("--no-cache");
  // Without it an #include would find a file in the current folder, which no key knows of.
  if (version >= 1300) options.emplace_back("--no-source-include");
  return options;
}

std::vector<std::string> hiprtc_options(const CompileRequest& request, std::string_view arch) {
  std::vector<std::string> options = {"--offload-arch=" + std::string(arch),
                                      "-std=c++20",
                                      "-O3",
                                      "-nostdinc",  // or /usr/include takes part
                                      "-Werror=return-type",
                                      "-Wall",
                                      "-Wno-unused",
                                      "--system-header-prefix=kiln/"};  // without warnings of theirs
  // Compilers since LLVM 22 have no macro for it (llvm-project #164217).
  options.emplace_back("-DKILN_WAVE=" + std::to_string(wave_of(arch)));
  if (request.arithmetic.fast_math) options.emplace_back("-ffast-math");
  if (request.arithmetic.same_bits) options.emplace_back(kSameBits);
  // Its default fuses unless a pragma forbids it, as the header of random numbers does. Old releases have no word for that.
  const bool honors =
      request.arithmetic.contract && !request.arithmetic.fast_math && request.headers.contains("kiln/math/random.hpp");
  if (!honors)
    options.emplace_back(request.arithmetic.fast_math || request.arithmetic.contract ? "-ffp-contract=fast"
                                                                                     : "-ffp-contract=off");
  return options;
}

}  // namespace

std::vector<std::string> vendor_options(DeviceKind kind, const CompileRequest& request, std::string_view arch, int version) {
  return kind == DeviceKind::hip ? hiprtc_options(request, arch) : nvrtc_options(request, arch, version);
}

std::vector<Diagnostic> vendor_diagnostics(DeviceKind kind, std::string_view log) {
  return kind == DeviceKind::hip ? parse_clang(log) : parse_nvrtc(log);
}

}  // namespace kiln::backend::gpu
