// Attributes of a cubin: sections ".nv.info" (of all functions, by the index of their symbol) and ".nv.info.<kernel>". Each is
// one byte of format, one of kind, and a value: two bytes, or their count and then as many. The kinds are those that cuobjdump
// names EIATTR_…; NVIDIA documents neither them nor the sections.
#include "binary/cubin.hpp"

#include <algorithm>
#include <string>

#include "binary/elf.hpp"
#include "binary/fatbin.hpp"

namespace kiln::backend::gpu {
namespace {

using base::ElfFile;
using base::read_little_endian;

constexpr std::string_view kCudaKernel = "kiln_kernel";

enum Attribute : std::uint8_t {
  kMaxThreads = 0x05,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kMaxStackSize = 0x23,
  kRegisterCount = 0x2f,
};
constexpr std::uint8_t kSized = 4;  // the format of a value with its count of bytes

/// Calls visit(kind, value) for each attribute of a section, up to the first that does not fit.
template <typename Visit>
void for_each_attribute(std::string_view bytes, Visit visit) {
  constexpr std::size_t kHeaderBytes = 4;
  while (bytes.size() >= kHeaderBytes) {
    const auto format = static_cast<std::uint8_t>(bytes[0]);
    const auto kind = static_cast<std::uint8_t>(bytes[1]);
    const std::size_t size = format == kSized ? read_little_endian<std::uint16_t>(bytes, 2).value_or(0) : 0;
    if (size > bytes.size() - kHeaderBytes) return;
    visit(kind, format == kSized ? bytes.substr(kHeaderBytes, size) : bytes.substr(2, 2));
    bytes.remove_prefix(kHeaderBytes + size);
  }
}

std::string section_of(std::string_view prefix) {
  return std::string(prefix) + std::string(kCudaKernel);
}

std::int64_t size_of(const ElfFile& file, std::string_view prefix) {
  const ElfFile::Section* const section = file.section(section_of(prefix));
  // A size in memory is whatever the file says; no processor has more.
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  return section == nullptr || section->size > kMostBytes ? 0 : static_cast<std::int64_t>(section->size);
}

/// Since sm_90 the section begins with a KiB that is the system's, and not in ptxas's count either.
std::int64_t shared_bytes(const ElfFile& file) {
  constexpr std::int64_t kReserved = 1024;
  const std::int64_t size = size_of(file, ".nv.shared.");
  return file.section(".nv.shared.reserved.0") == nullptr ? size : std::max<std::int64_t>(0, size - kReserved);
}

}  // namespace

inspect::Resources cubin_resources(const StoredCode& code) {
  std::string why;
  const auto file = ElfFile::read(code.bytes, &why);
  if (!file) refuse_damaged(code, why);
  if (file->machine() != kCudaMachine) refuse_damaged(code, "it is no cubin");
  const ElfFile::Section* const text = file->section(section_of(".text."));
  if (text == nullptr) refuse_damaged(code, "it has no function " + std::string(kCudaKernel));

  inspect::Resources resources;
  resources.code_bytes = static_cast<std::int64_t>(text->bytes.size());
  resources.shared_bytes = shared_bytes(*file);
  resources.constant_bytes = size_of(*file, ".nv.constant0.");
  const std::vector<ElfFile::Symbol> symbols = file->symbols(file->section(".symtab"));
  if (const ElfFile::Section* const section = file->section(".nv.info")) {
    for_each_attribute(section->bytes, [&](std::uint8_t kind, std::string_view value) {
      const auto symbol = read_little_endian<std::uint32_t>(value, 0);
      const auto number = read_little_endian<std::uint32_t>(value, 4);
      if (!symbol || !number || *symbol >= symbols.size() || symbols[*symbol].name != kCudaKernel) return;
      if (kind == kRegisterCount) resources.registers = *number;
      // The kernel's own frame, and with the functions that it calls.
      if (kind == kFrameSize || kind == kMinStackSize || kind == kMaxStackSize) {
        resources.local_bytes = std::max<std::int64_t>(resources.local_bytes.value_or(0), *number);
      }
    });
  }
  if (const ElfFile::Section* const section = file->section(section_of(".nv.info."))) {
    for_each_attribute(section->bytes, [&](std::uint8_t kind, std::string_view value) {
      const auto x = read_little_endian<std::uint32_t>(value, 0);
      const auto y = read_little_endian<std::uint32_t>(value, 4);
      const auto z = read_little_endian<std::uint32_t>(value, 8);
      constexpr std::int64_t kMost = 1 << 16;  // of one extent, so that the product fits
      if (kind == kMaxThreads && x && y && z && *x < kMost && *y < kMost && *z < kMost) {
        resources.max_threads = std::int64_t{*x} * std::int64_t{*y} * std::int64_t{*z};
      }
    });
  }
  // Before CUDA 13 the section of the instructions says it, too.
  if (!resources.registers && text->info >> 24 != 0) resources.registers = text->info >> 24;
  if (resources.local_bytes == 0) resources.spills = 0;
  return resources;
}

}  // namespace kiln::backend::gpu
