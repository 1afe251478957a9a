#include "backend/cpu/clang/link.hpp"

#include <dlfcn.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "backend/cpu/clang/scratch_file.hpp"

LLD_HAS_DRIVER(elf)

namespace kiln::clang_module {
namespace {

/// The C library's parts, as this process has them; libmvec is there with glibc on x86-64 only. They stay open: kernels that
/// were linked against them come and go.
std::span<void* const> system_libraries() {
  static const std::array<void*, 3> handles{dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL),
                                            dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL),
                                            dlopen("libc.so.6", RTLD_LAZY | RTLD_LOCAL)};
  return handles;
}

/// The file of the library that defines the name; empty where none does.
std::string library_of(const char* name) {
  for (void* const handle : system_libraries()) {
    void* const address = handle == nullptr ? nullptr : dlsym(handle, name);
    Dl_info info{};
    if (address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr) return info.dli_fname;
  }
  return {};
}

/// What an object is linked with.
struct Needs {
  bool host = true;  ///< else it is a GPU's, for which there are no libraries
  std::vector<std::string> libraries;
};

/// Which libraries the object needs. Names that none of them has go to out.undefined: found here rather than in lld's messages.
Needs needs_of(llvm::StringRef object, Linked& out) {
  Needs needs;
  std::vector<std::string>& needed = needs.libraries;
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) {
    out.error = llvm::toString(file.takeError());
    return needs;
  }
  const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  needs.host = elf.getEMachine() != llvm::ELF::EM_AMDGPU;
  for (const llvm::object::ELFSymbolRef symbol : elf.symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    // The table of position independent code is the linker's to make.
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) == 0 || name->empty() || *name == "_GLOBAL_OFFSET_TABLE_") continue;
    const std::string path = needs.host ? library_of(name->str().c_str()) : std::string();
    if (!path.empty()) {
      if (std::find(needed.begin(), needed.end(), path) == needed.end()) needed.push_back(path);
    } else if ((*flags & llvm::object::SymbolRef::SF_Weak) == 0) {
      out.undefined.push_back(llvm::demangle(*name));
    }
  }
  return needs;
}

/// One thread: lld's pool would not survive a fork, and a kernel is too small for it.
constexpr const char* kLink[] = {"ld.lld", "-shared", "-o", "-", "--threads=1", "--no-undefined", "--build-id=none"};
/// No second read-only segment: fewer mappings load faster.
constexpr const char* kHostLink[] = {"--hash-style=gnu", "--gc-sections", "--strip-all",      "--no-rosegment",
                                     "-znorelro",        "-znow",         "--no-eh-frame-hdr"};

/// A standard output that is a string: lld can write to a path or there, and a path into /proc it cannot rename to.
class Capture : public llvm::raw_fd_ostream {
 public:
  explicit Capture(std::string& to) : raw_fd_ostream(-1, /*shouldClose=*/false, /*unbuffered=*/true), to_(to) {}

 private:
  void write_impl(const char* bytes, std::size_t size) override { to_.append(bytes, size); }
  std::uint64_t current_pos() const override { return to_.size(); }

  std::string& to_;
};
thread_local llvm::raw_fd_ostream* standard_output = nullptr;

}  // namespace

void link(llvm::StringRef object, Linked& out) {
  const Needs needs = needs_of(object, out);
  if (!out.error.empty() || !out.undefined.empty()) return;

  const ScratchFile input({object.data(), object.size()});
  if (!input.error().empty()) {
    out.error = "no place for the linker's input: " + input.error();
    return;
  }
  std::vector<const char*> arguments(std::begin(kLink), std::end(kLink));
  if (needs.host) arguments.insert(arguments.end(), std::begin(kHostLink), std::end(kHostLink));
  arguments.push_back(input.path().c_str());
  for (const std::string& library : needs.libraries) arguments.push_back(library.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  Capture capture(out.code);
  standard_output = &capture;
  out.ok = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
  standard_output = nullptr;
  lld::CommonLinkerContext::destroy();
  if (!out.ok) out.error = messages;
}

/// Every use of standard output in the module comes here (--wrap), of which lld's "-o -" is the only one.
extern "C" {
llvm::raw_fd_ostream& __real__ZN4llvm4outsEv();
llvm::raw_fd_ostream& __wrap__ZN4llvm4outsEv();

llvm::raw_fd_ostream& __wrap__ZN4llvm4outsEv() {
  return standard_output != nullptr ? *standard_output : __real__ZN4llvm4outsEv();
}
}

}  // namespace kiln::clang_module
