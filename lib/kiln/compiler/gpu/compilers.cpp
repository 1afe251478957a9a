// Which compiler choose_compiler() takes for architectures that it knows, in words.
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "compiler/compilers.hpp"
#include "compiler/gpu/compiler_choice.hpp"
#include "kiln/error.hpp"
#include "library/compiler_library.hpp"

namespace kiln::backend::gpu {
namespace {

CompilerInfo vendor_info(const Dialect& dialect) {
  CompilerInfo info{.kind = dialect.kind, .name = dialect.compiler};
  try {
    const CompilerLibrary& library = CompilerLibrary::of(dialect.kind);
    info.version = library.version().substr(0, library.version().find('+'));
    info.file = library.path();
  } catch (const DeviceError& error) {
    info.reason = error.what();
  }
  return info;
}

}  // namespace

std::vector<CompilerInfo> compilers(DeviceKind kind, const CompilerInfo& clang) {
  const Dialect& dialect = dialect_of(kind);
  CompilerInfo vendor = vendor_info(dialect);
  CompilerInfo other = clang;
  other.kind = kind;
  other.taken = false;
  std::optional<CompilerName> wanted;
  try {
    wanted = wanted_compiler();
  } catch (const DeviceError& error) {
    vendor.reason = other.reason = error.what();
    return {std::move(vendor), std::move(other)};
  }
  const bool vendor_wanted = wanted == (kind == DeviceKind::cuda ? CompilerName::nvrtc : CompilerName::hiprtc);
  const bool vendor_there = !vendor.file.empty();
  const bool clang_there = !other.file.empty();
  const std::string name = dialect.compiler;
  if (wanted == CompilerName::clang) {
    other.taken = clang_there;
    if (clang_there) other.reason = "KILN_GPU_COMPILER=clang asks for it";
    if (vendor_there) vendor.reason = "KILN_GPU_COMPILER=clang asks for Clang";
  } else if (vendor_wanted || vendor_there) {
    vendor.taken = vendor_there;
    if (vendor_there) vendor.reason = vendor_wanted ? "KILN_GPU_COMPILER asks for it" : "the vendor's own goes first";
    if (clang_there) {
      other.reason = vendor_wanted ? "KILN_GPU_COMPILER asks for " + name
                                   : name + " goes first; Clang compiles what that does not know, and in debug mode";
    }
  } else if (base::env(dialect.compiler_library.variable)) {
    // Who names the file of a compiler wants that one.
    if (clang_there) other.reason = std::string(dialect.compiler_library.variable) + " names the file of another";
  } else {
    other.taken = clang_there;
    if (clang_there) other.reason = name + " is not there";
  }
  return {std::move(vendor), std::move(other)};
}

}  // namespace kiln::backend::gpu
