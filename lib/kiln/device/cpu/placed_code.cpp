#include "device/cpu/placed_code.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "binary/code_block.hpp"
#include "device/cpu/loading.hpp"
#include "device/kernel_abi.hpp"

namespace kiln::backend::cpu {
namespace {

#if defined(__x86_64__)
constexpr base::Machine kMachine = base::Machine::x86_64;
#else
constexpr base::Machine kMachine = base::Machine::aarch64;
#endif

/// The libraries that lld links shared objects with (lib/clang/driver/machine.cpp). libmvec is glibc's on x86-64.
void* system_function(const std::string& name) noexcept {
  static const std::array<void*, 3> libraries{dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL),
                                              dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL),
                                              dlopen("libc.so.6", RTLD_LAZY | RTLD_LOCAL)};
  for (void* const library : libraries) {
    void* const address = library == nullptr ? nullptr : dlsym(library, name.c_str());
    if (address != nullptr) return address;
  }
  return nullptr;
}

std::vector<std::uint64_t> addresses_of(const std::vector<std::string_view>& imports, const std::string& kernel) {
  std::vector<std::uint64_t> addresses;
  addresses.reserve(imports.size());
  for (const std::string_view each : imports) {
    const std::string name(each);
    void* const address = system_function(name);
    if (address == nullptr) fail_to_load(kernel, "it calls " + name + "(), which the C library does not have");
    addresses.push_back(reinterpret_cast<std::uintptr_t>(address));
  }
  return addresses;
}

/// The kernel's function has the kernel's name.
CodeSymbols names_of(const base::CodeBlock& block, std::uint64_t address, const std::string& kernel) {
  CodeSymbols names{.machine = block.machine(), .address = address, .size = block.size(), .functions = {}};
  for (const base::CodeBlock::Function& each : block.functions()) {
    names.functions.push_back({.name = each.name == kKernelSymbol ? kernel : std::string(each.name),
                               .address = address + each.offset,
                               .size = each.size});
  }
  return names;
}

}  // namespace

PlacedCode::PlacedCode(std::string_view object, const std::string& name) {
  std::string why;
  const auto block = base::CodeBlock::read(object, &why);
  if (!block) fail_to_load(name, why);
  if (block->machine() != kMachine) fail_to_load(name, "its code is for another kind of processor");
  const std::vector<std::uint64_t> imports = addresses_of(block->imports(), name);
  for (const base::CodeBlock::Function& each : block->functions()) {
    if (each.exported) symbols_.emplace_back(each.name, reinterpret_cast<void*>(each.offset));
  }
  const std::unique_ptr<std::byte[]> bytes(new std::byte[block->size()]);
  const std::span<std::byte> image(bytes.get(), block->size());
  CodeArenas& arenas = CodeArenas::of_process();
  const auto pages = arenas.allocate(image.size());
  if (!pages) fail_to_load(name, "no memory for its code: " + base::errno_text(errno));
  pages_.value = *pages;
  const auto address = reinterpret_cast<std::uintptr_t>(pages->begin);
  if (!block->write(image, address, imports, &why)) fail_to_load(name, why);
  if (!arenas.fill(*pages, image)) fail_to_load(name, "the system does not let its code run: " + base::errno_text(errno));
  for (auto& [symbol, place] : symbols_) place = pages->begin + reinterpret_cast<std::uintptr_t>(place);
  names_ = std::make_unique<const CodeNames>(name, names_of(*block, address, name));
}

PlacedCode::OwnPages::~OwnPages() {
  if (value.begin != nullptr) CodeArenas::of_process().free(value);
}

void* PlacedCode::symbol(std::string_view name) const noexcept {
  const auto found = std::ranges::find(symbols_, name, &std::pair<std::string, void*>::first);
  return found == symbols_.end() ? nullptr : found->second;
}

}  // namespace kiln::backend::cpu
