#include "clang/driver/link.hpp"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "clang/driver/machine.hpp"
#include "clang/driver/scratch_file.hpp"

LLD_HAS_DRIVER(elf)

namespace kiln::clang_module {
namespace {

/// The names that a file defines and those that it lacks.
struct Symbols {
  std::vector<std::string> defined;
  std::vector<std::string> missing;
};

/// Those of the symbol table, or of the dynamic one for a shared object. `machine` gets the file's.
Symbols symbols_of(llvm::StringRef bytes, bool shared, std::uint16_t& machine, std::string& error) {
  Symbols symbols;
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) {
    error = llvm::toString(file.takeError());
    return symbols;
  }
  const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  machine = elf.getEMachine();
  const auto add = [&](const llvm::object::ELFSymbolRef& symbol) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return;
    }
    // The table of position independent code is the linker's to make.
    if (name->empty() || *name == "_GLOBAL_OFFSET_TABLE_") return;
    using llvm::object::SymbolRef;
    if ((*flags & SymbolRef::SF_Undefined) == 0) {
      if ((*flags & SymbolRef::SF_Global) != 0) symbols.defined.push_back(name->str());
    } else if ((*flags & SymbolRef::SF_Weak) == 0) {
      symbols.missing.push_back(name->str());
    }
  };
  if (shared) {
    for (const llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) add(symbol);
  } else {
    for (const llvm::object::ELFSymbolRef symbol : elf.symbols()) add(symbol);
  }
  return symbols;
}

/// Follows what files lack to the files that define it, as the linker will: names that nobody defines are found here rather
/// than in its messages, and the system's libraries are linked only where they are needed.
class Closure {
 public:
  Closure(llvm::StringRef kernel, llvm::ArrayRef<kiln_clang_object> others, Linked& out) : out_(out) {
    std::uint16_t machine = 0;
    use(symbols_of(kernel, false, machine, out.error));
    host = machine != llvm::ELF::EM_AMDGPU;
    for (const kiln_clang_object& other : others) {
      std::uint16_t own = machine;
      std::string error;
      Symbols symbols = symbols_of({other.bytes.data, other.bytes.size}, other.path != nullptr, own, error);
      if (error.empty() && own != machine) error = "it is for another machine";
      if (!error.empty()) {
        out.refused = true;
        out.error = "cannot link " + std::string(other.name.data, other.name.size) + ": " + error;
        return;
      }
      if (other.path != nullptr) {
        for (const std::string& name : symbols.defined) shared_.insert(name);
      } else if (other.lazy != 0) {
        for (const std::string& name : symbols.defined) lazy_.try_emplace(name, waiting_.size());
        waiting_.push_back(std::move(symbols));
      } else {
        use(std::move(symbols));
      }
    }
    while (!open_.empty()) {
      const std::string name = std::move(open_.back());
      open_.pop_back();
      if (seen_.insert(name).second) find(name);
    }
  }

  bool host = true;  ///< else it is a GPU's, for which there are no libraries
  std::vector<std::string> libraries;

 private:
  void use(Symbols symbols) {
    defined_.insert(symbols.defined.begin(), symbols.defined.end());
    open_.insert(open_.end(), symbols.missing.begin(), symbols.missing.end());
  }
  void find(const std::string& name) {
    // The others are the linker's own.
    if (defined_.contains(name) || shared_.contains(name) || name == "__ehdr_start" || name == "_DYNAMIC" ||
        llvm::StringRef(name).starts_with("__start_") || llvm::StringRef(name).starts_with("__stop_")) {
      return;
    }
    if (const auto member = lazy_.find(name); member != lazy_.end()) {
      use(std::move(waiting_[member->second]));
      return;
    }
    const std::string path = host ? library_of(name.c_str()) : std::string();
    if (path.empty()) {
      out_.undefined.push_back(llvm::demangle(name));
    } else if (std::find(libraries.begin(), libraries.end(), path) == libraries.end()) {
      libraries.push_back(path);
    }
  }

  Linked& out_;
  std::set<std::string> defined_;
  std::set<std::string> shared_;
  std::map<std::string, std::size_t> lazy_;  ///< a name to who defines it among those that wait
  std::vector<Symbols> waiting_;
  std::vector<std::string> open_;
  std::set<std::string> seen_;
};

/// One thread: lld's pool would not survive a fork, and a kernel is too small for it.
constexpr const char* kLink[] = {"ld.lld", "-shared", "-o", "-", "--threads=1", "--no-undefined", "--build-id=none"};
/// No second read-only segment: fewer mappings load faster.
constexpr const char* kHostLink[] = {"--hash-style=gnu", "--gc-sections", "--no-rosegment", "-znorelro", "-znow"};

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

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// lld says each thing several times: the first error, without the places behind it.
std::string first_of(const std::string& messages) {
  return messages.substr(0, messages.find("\nld.lld: ", 1));
}

}  // namespace

void find_undefined(llvm::StringRef kernel, Linked& out) {
  const Closure needs(kernel, {}, out);
  out.ok = out.error.empty() && out.undefined.empty();
}

void link(llvm::StringRef kernel, llvm::ArrayRef<kiln_clang_object> others, bool debugs, Linked& out) {
  const Closure needs(kernel, others, out);
  if (!out.error.empty() || !out.undefined.empty()) return;

  std::deque<ScratchFile> files;
  std::vector<std::string> words(std::begin(kLink), std::end(kLink));
  std::vector<std::string> names;  // of the files, for messages
  const auto add = [&](std::string_view bytes, std::string name) {
    files.emplace_back(bytes);
    names.push_back(std::move(name));
    if (!files.back().error().empty()) out.error = "no place for the linker's input: " + files.back().error();
    words.push_back(files.back().path());
  };
  if (needs.host) words.insert(words.end(), std::begin(kHostLink), std::end(kHostLink));
  if (needs.host && !debugs) words.emplace_back("--strip-all");
  // A kernel throws nothing; linked code may throw to itself.
  if (needs.host && !others.empty()) words.emplace_back("--eh-frame-hdr");
  add({kernel.data(), kernel.size()}, "the kernel");
  for (const kiln_clang_object& other : others) {
    if (other.path != nullptr) {
      const llvm::StringRef folder = llvm::StringRef(other.path).rsplit('/').first;
      words.insert(words.end(), {"--rpath=" + folder.str(), other.path});
    } else if (other.lazy != 0) {
      words.emplace_back("--start-lib");
      add({other.bytes.data, other.bytes.size}, {other.name.data, other.name.size});
      words.emplace_back("--end-lib");
    } else {
      add({other.bytes.data, other.bytes.size}, {other.name.data, other.name.size});
    }
  }
  if (!others.empty()) {
    // What the user's files define is the kernel's alone: the host program may have functions of the same names.
    files.emplace_back("{ global: kiln_*; local: *; };");
    words.push_back("--version-script=" + files.back().path());
  }
  words.insert(words.end(), needs.libraries.begin(), needs.libraries.end());
  if (!out.error.empty()) return;
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  Capture capture(out.code);
  standard_output = &capture;
  out.ok = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
  standard_output = nullptr;
  lld::CommonLinkerContext::destroy();
  if (out.ok) return;
  for (std::size_t i = 0; i < names.size(); ++i) replace_all(messages, files[i].path(), names[i]);
  out.refused = true;
  out.error = first_of(messages);
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
