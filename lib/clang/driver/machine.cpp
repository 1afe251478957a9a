#include "clang/driver/machine.hpp"

#include <dlfcn.h>
#include <llvm/Support/TargetSelect.h>

#include <array>
#include <span>

#if KILN_KERNELS_OF_X86
#define KILN_OF_MACHINE(what) LLVMInitializeX86##what
#else
#define KILN_OF_MACHINE(what) LLVMInitializeAArch64##what
#endif

namespace kiln::clang_module {
namespace {

/// The C library's parts, as this process has them; libmvec is there with glibc on x86-64 only. They stay open: kernels that
/// were linked against them come and go.
std::span<void* const> system_libraries() {
  static const std::array<void*, 3> handles{dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL),
                                            has_vector_math() ? dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL) : nullptr,
                                            dlopen("libc.so.6", RTLD_LAZY | RTLD_LOCAL)};
  return handles;
}

}  // namespace

void initialize_machine() {
  KILN_OF_MACHINE(TargetInfo)();
  KILN_OF_MACHINE(Target)();
  KILN_OF_MACHINE(TargetMC)();
  KILN_OF_MACHINE(AsmPrinter)();
  KILN_OF_MACHINE(AsmParser)();  // asm statements in a body
  KILN_OF_MACHINE(Disassembler)();
}

std::string library_of(const char* name) {
  for (void* const handle : system_libraries()) {
    void* const address = handle == nullptr ? nullptr : dlsym(handle, name);
    Dl_info info{};
    if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) continue;
    const std::string file = info.dli_fname;
#ifdef KILN_LIBRARIES_OF_MACHINE
    return KILN_LIBRARIES_OF_MACHINE +
           file.substr(file.rfind('/'));  // its part of that name: glibc defines the same ones there
#else
    return file;
#endif
  }
  return {};
}

bool has_vector_math() {
#if KILN_KERNELS_OF_X86 && defined(__GLIBC__)
  return true;
#else
  return false;
#endif
}

}  // namespace kiln::clang_module
