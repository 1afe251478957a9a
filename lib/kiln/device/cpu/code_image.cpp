#include "device/cpu/code_image.hpp"

#include <elf.h>

#include <cstdint>

#include "binary/elf.hpp"
#include "device/cpu/loading.hpp"
#include "device/cpu/placed_code.hpp"
#include "device/cpu/shared_object.hpp"
#include "library/fork_gate.hpp"

namespace kiln::backend::cpu {

CodeImage::CodeImage(std::string_view code, const std::string& name, const std::string& debug_folder) {
  const auto type = base::read_little_endian<std::uint16_t>(code, offsetof(Elf64_Ehdr, e_type));
  if (!code.starts_with(ELFMAG) || !type) {
    fail_to_load(name, "its code is not an ELF file");
  }
  const ForkGate gate;
  if (*type == ET_REL) {
    placed_ = std::make_unique<PlacedCode>(code, name);
  } else {
    shared_ = std::make_unique<SharedObject>(code, name, debug_folder);
  }
}

CodeImage::~CodeImage() {
  const ForkGate gate;
  placed_.reset();
  shared_.reset();
}

std::size_t CodeImage::memory_bytes() const noexcept {
  return placed_ != nullptr ? placed_->pages().size : shared_->memory_bytes();
}

void* CodeImage::symbol(const char* name) const noexcept {
  return placed_ != nullptr ? placed_->symbol(name) : shared_->symbol(name);
}

}  // namespace kiln::backend::cpu
