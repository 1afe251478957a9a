#include "compiler/clang.hpp"

#include <iterator>

#include "base/have_cpu.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend {

bool have_clang() noexcept {
  return KILN_HAVE_CPU;
}

std::vector<std::string> clang_number_options(const CompileRequest& request) {
  // What clang's driver makes of -ffast-math.
  constexpr const char* kFastMath[] = {
      "-menable-no-infs", "-menable-no-nans",  "-fapprox-func", "-funsafe-math-optimizations", "-fno-signed-zeros",
      "-mreassociate",    "-freciprocal-math", "-ffast-math",   "-ffinite-math-only"};
  std::vector<std::string> options;
  if (request.arithmetic.fast_math) options.assign(std::begin(kFastMath), std::end(kFastMath));
  if (request.arithmetic.same_bits) options.emplace_back(kSameBits);
  // "fast" fuses across statements, as nvcc does; "on" only within one. Where it honours pragmas, which the header of random
  // numbers has, LLVM 19 leaves out x86's instruction for products of complex numbers.
  const bool honors = request.headers.contains("kiln/math/random.hpp");
  options.emplace_back(!request.arithmetic.contract && !request.arithmetic.fast_math ? "-ffp-contract=off"
                       : honors                                                      ? "-ffp-contract=fast-honor-pragmas"
                                                                                     : "-ffp-contract=fast");
  return options;
}

std::vector<std::string> clang_number_options_for_gpu(const CompileRequest& request) {
  // Without the one about signed zeros, and what implies it: with all of them LLVM sets the option of the whole module.
  constexpr const char* kFastMath[] = {"-menable-no-infs", "-menable-no-nans",  "-fapprox-func",
                                       "-mreassociate",    "-freciprocal-math", "-D__FAST_MATH__=1"};
  std::vector<std::string> options;
  if (request.arithmetic.fast_math) options.assign(std::begin(kFastMath), std::end(kFastMath));
  if (request.arithmetic.same_bits) options.emplace_back(kSameBits);
  options.emplace_back(request.arithmetic.contract || request.arithmetic.fast_math ? "-ffp-contract=fast-honor-pragmas"
                                                                                   : "-ffp-contract=off");
  return options;
}

std::vector<std::string> clang_debug_options(const CompileRequest& request) {
  if (!request.debug) return {};
  // The checks report and go on: kernels-src/core/checks.hpp.
  // The last array of a structure has as many elements as it says.
  return {"-fsanitize=shift-exponent,float-cast-overflow,array-bounds",
          "-fsanitize-recover=shift-exponent,float-cast-overflow,array-bounds", "-fstrict-flex-arrays=2", "-DKILN_SANITIZER=1"};
}

#if KILN_HAVE_CPU
std::string clang_release() {
  return cpu::clang_release();
}
std::string clang_version_for_keys() {
  return cpu::clang_version_for_keys();
}
CompileResult compile_by_clang(const ClangJob& job) {
  return cpu::compile_by_clang(job);
}
#else
std::string clang_release() {
  return {};
}
std::string clang_version_for_keys() {
  return {};
}
CompileResult compile_by_clang(const ClangJob& job) {
  throw Because<DeviceError>(
      Reason::compiler,
      "failed to compile kernel \"" + job.request.name + "\" for " + job.target +
          ": this build of kiln has no Clang (it was configured with KILN_CPU=OFF): configure it with -DKILN_CPU=ON");
}
#endif

}  // namespace kiln::backend
