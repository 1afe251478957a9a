// The formats: LLVM's "User Guide for AMDGPU Backend" (code object metadata, a MessagePack note) and "Clang Offload Bundler".
#include "binary/code_object.hpp"

#include <elf.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "binary/disassembly.hpp"
#include "binary/elf.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

using base::ElfFile;
using base::read_little_endian;

constexpr std::uint16_t kMachine = 224;  // EM_AMDGPU
constexpr std::uint32_t kMetadataNote = 32;
constexpr std::string_view kKernel = "kiln_kernel";

using Fields = std::map<std::string, std::int64_t>;

/// Takes the numbers of each kernel out of the metadata as it is read, and stops where it is deeper than any is: a tree of
/// hostile bytes could be deep enough to end the stack.
class MetadataReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  struct Kernel {
    std::string name;
    Fields fields;
  };
  std::vector<Kernel> kernels;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(value > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    if (in_kernel() && key_ == ".name") kernels.back().name = value;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (depth_ == kKernelDepth - 1 && in_kernels_) kernels.emplace_back();
    return ++depth_ < kMostDepth;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return ++depth_ < kMostDepth; }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) in_kernels_ = value == "amdhsa.kernels";
    if (depth_ == kKernelDepth) key_ = value;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static constexpr int kMostDepth = 16;
  static constexpr int kKernelDepth = 3;  // { "amdhsa.kernels": [ { … } ] }

  [[nodiscard]] bool in_kernel() const { return in_kernels_ && depth_ == kKernelDepth && !kernels.empty(); }
  bool number(std::int64_t value) {
    if (in_kernel()) kernels.back().fields[key_] = value;
    return true;
  }

  int depth_ = 0;
  bool in_kernels_ = false;
  std::string key_;
};

ElfFile read(const StoredCode& code) {
  std::string why;
  auto file = ElfFile::read(unbundle(code), &why);
  if (!file) refuse_damaged(code, why);
  if (file->machine() != kMachine) refuse_damaged(code, "it is no AMD code object");
  return *std::move(file);
}

/// The numbers of the one kernel.
Fields metadata(const StoredCode& code, const ElfFile& file) {
  for (const ElfFile::Note& note : file.notes()) {
    if (note.owner != "AMDGPU" || note.type != kMetadataNote) continue;
    MetadataReader reader;
    const bool whole = nlohmann::json::sax_parse(note.description.begin(), note.description.end(), &reader,
                                                 nlohmann::json::input_format_t::msgpack);
    if (!whole) refuse_damaged(code, "its metadata cannot be read");
    for (const MetadataReader::Kernel& kernel : reader.kernels) {
      if (kernel.name == kKernel) return kernel.fields;
    }
  }
  refuse_damaged(code, "it has no metadata of a kernel " + std::string(kKernel));
}

/// By address, none within another. Between them lies only padding.
std::vector<ElfFile::Symbol> functions_of(const StoredCode& code, const ElfFile& file) {
  const ElfFile::Section* const text = file.section(".text");
  if (text == nullptr) refuse_damaged(code, "it has no instructions");
  const ElfFile::Section* const all = file.section(".symtab");
  std::vector<ElfFile::Symbol> functions = file.symbols(all != nullptr ? all : file.section(".dynsym"));
  std::erase_if(functions, [text](const ElfFile::Symbol& each) {
    return each.type != STT_FUNC || each.value < text->address || each.value - text->address > text->bytes.size() ||
           each.size > text->bytes.size() - (each.value - text->address);
  });
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  std::uint64_t end = 0;
  std::erase_if(functions, [&end](const ElfFile::Symbol& each) {
    const bool overlaps = each.value < end;
    if (!overlaps) end = each.value + each.size;
    return overlaps;
  });
  const auto is_kernel = [](const ElfFile::Symbol& each) { return each.name == kKernel; };
  if (std::none_of(functions.begin(), functions.end(), is_kernel)) {
    refuse_damaged(code, "it has no function " + std::string(kKernel));
  }
  return functions;
}

std::string architecture_of(const StoredCode& code) {
  const std::string_view name = short_name(code.target);
  return std::string(name.substr(0, name.find(':')));
}

}  // namespace

std::string_view unbundle(const StoredCode& code) {
  constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
  const std::string_view bytes = code.bytes;
  if (!bytes.starts_with(kMagic)) return bytes;
  const std::uint64_t count = read_little_endian<std::uint64_t>(bytes, kMagic.size()).value_or(0);
  std::size_t at = kMagic.size() + 8;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = read_little_endian<std::uint64_t>(bytes, at);
    const auto size = read_little_endian<std::uint64_t>(bytes, at + 8);
    const auto name_size = read_little_endian<std::uint64_t>(bytes, at + 16);
    if (!offset || !size || !name_size || *name_size > bytes.size() - (at + 24) || *offset > bytes.size() ||
        *size > bytes.size() - *offset) {
      refuse_damaged(code, "its offload bundle lies outside the file");
    }
    const std::string_view name = bytes.substr(at + 24, *name_size);
    at += 24 + *name_size;
    // "hip-amdgcn-amd-amdhsa--gfx90a:xnack-", "hipv4-amdgcn-…"; the host's part comes first.
    const std::size_t arch = name.rfind("-gfx");
    if (arch == std::string_view::npos) continue;
    if (name.substr(arch + 1, name.find(':', arch) - (arch + 1)) == architecture_of(code)) return bytes.substr(*offset, *size);
  }
  refuse_damaged(code, "its offload bundle has nothing for " + architecture_of(code));
}

inspect::Resources code_object_resources(const StoredCode& code) {
  const ElfFile file = read(code);
  const Fields fields = metadata(code, file);
  const auto field = [&fields](const char* name) -> std::optional<std::int64_t> {
    const auto found = fields.find(name);
    return found == fields.end() ? std::nullopt : std::optional(found->second);
  };
  inspect::Resources resources;
  resources.registers = field(".vgpr_count");
  resources.scalar_registers = field(".sgpr_count");
  const auto vector_spills = field(".vgpr_spill_count");
  const auto scalar_spills = field(".sgpr_spill_count");
  constexpr std::int64_t kMost = 1 << 20;  // far from where the sum would overflow
  if (vector_spills || scalar_spills) {
    resources.spills = std::clamp<std::int64_t>(vector_spills.value_or(0), 0, kMost) +
                       std::clamp<std::int64_t>(scalar_spills.value_or(0), 0, kMost);
  }
  resources.shared_bytes = field(".group_segment_fixed_size");
  resources.local_bytes = field(".private_segment_fixed_size");
  resources.max_threads = field(".max_flat_workgroup_size");
  resources.wave_size = field(".wavefront_size");
  for (const ElfFile::Symbol& symbol : file.symbols(file.section(".dynsym"))) {
    const ElfFile::Section* const text = file.section(".text");
    // A size that the section does not have room for is not this function's.
    if (symbol.name == kKernel && text != nullptr && symbol.size <= text->bytes.size()) {
      resources.code_bytes = static_cast<std::int64_t>(symbol.size);
    }
  }
  return resources;
}

std::string code_object_assembly(const StoredCode& code) {
  const std::string architecture = architecture_of(code);
  // LLVM's disassembler begins with the encoding of GFX8.
  if (architecture.starts_with("gfx6") || architecture.starts_with("gfx7")) {
    throw DeviceError("LLVM does not disassemble " + architecture + ": it begins with gfx8");
  }
  const ElfFile file = read(code);
  const std::vector<ElfFile::Symbol> functions = functions_of(code, file);
  const Fields fields = metadata(code, file);
  const auto wave = fields.find(".wavefront_size");
  const bool wide = wave != fields.end() && wave->second == 64 && architecture.starts_with("gfx1");
  const ElfFile::Section& text = *file.section(".text");
  std::vector<Instruction> instructions;
  std::vector<CodeName> names;
  for (const ElfFile::Symbol& function : functions) {
    const std::vector<Instruction> part = disassemble({.triple = "amdgcn-amd-amdhsa",
                                                       .processor = architecture,
                                                       .features = wide ? "+wavefrontsize64" : "",
                                                       .bytes = text.bytes.substr(function.value - text.address, function.size),
                                                       .address = function.value});
    instructions.insert(instructions.end(), part.begin(), part.end());
    names.insert(function.name == kKernel ? names.begin() : names.end(), {function.value, std::string(function.name)});
  }
  return listing(instructions, names);
}

}  // namespace kiln::backend::gpu
