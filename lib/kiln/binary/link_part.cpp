#include "binary/link_part.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "binary/archive.hpp"
#include "binary/elf.hpp"
#include "binary/fatbin.hpp"
#include "library/arch.hpp"

namespace kiln::backend {
namespace {

using base::read_little_endian;

constexpr std::string_view kBitcode = "BC\xc0\xde";
constexpr std::uint32_t kBitcodeWrapper = 0x0b17c0de;
constexpr std::uint32_t kLtoIr = 0x7f4e43ed;
constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedBundle = "CCOB";

#if defined(__x86_64__)
constexpr std::uint16_t kHostMachine = EM_X86_64;
#else
constexpr std::uint16_t kHostMachine = EM_AARCH64;
#endif
constexpr std::uint16_t kAmdMachine = 224;  // EM_AMDGPU

using Bytes = std::shared_ptr<const std::string>;

Bytes copy_of(std::string_view bytes) {
  return std::make_shared<const std::string>(bytes);
}

/// A stream of bits as LLVM's bitcode has it: the lowest bit of a byte comes first.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size() * 8; }
  [[nodiscard]] unsigned six(std::size_t at) const {
    const std::size_t byte = at / 8;
    unsigned value = static_cast<unsigned char>(bytes_[byte]);
    if (byte + 1 < bytes_.size()) value |= static_cast<unsigned>(static_cast<unsigned char>(bytes_[byte + 1])) << 8U;
    return value >> (at % 8) & 63U;
  }
  /// Whether the text stands there, a character as two groups of six bits, the first of them marked to go on.
  [[nodiscard]] bool says(std::string_view text, std::size_t at) const {
    for (const char c : text) {
      const auto letter = static_cast<unsigned>(static_cast<unsigned char>(c));
      if (at + 12 > size() || six(at) != ((letter & 31U) | 32U) || six(at + 6) != letter >> 5U) return false;
      at += 12;
    }
    return true;
  }

 private:
  std::string_view bytes_;
};

class Reader {
 public:
  /// `depth`: of archives and bundles around the file. Nobody nests them; hostile bytes might, without end.
  Reader(std::vector<LinkPart>& parts, std::string& why, int depth = 0) : parts_(parts), why_(why), depth_(depth) {}

  void read(const std::string& name, const Bytes& bytes, bool lazy) {
    const std::string_view text = *bytes;
    const auto magic = read_little_endian<std::uint32_t>(text, 0);
    constexpr int kMostDepth = 2;
    if (depth_ > kMostDepth) {
      why_ = "archives and bundles in it are nested too deep";
    } else if (text.starts_with(base::kArchiveMagic)) {
      archive(name, bytes);
    } else if (text.starts_with(kBundle) && in_bundle_) {
      why_ = "it is a bundle of bundles";
    } else if (text.starts_with(kBundle)) {
      bundle(name, text, lazy);
    } else if (text.starts_with(kCompressedBundle)) {
      why_ = "it is a compressed bundle of clang's: make it with --no-offload-compress";
    } else if (gpu::is_fatbin(text)) {
      const gpu::FatbinContents contents = gpu::fatbin_contents(text);
      add({.name = name,
           .format = LinkFormat::fatbin,
           .kind = DeviceKind::cuda,
           .archs = contents.archs,
           .bytes = bytes,
           .lto = contents.lto});
    } else if (magic == kLtoIr) {
      add({.name = name, .format = LinkFormat::lto_ir, .kind = DeviceKind::cuda, .bytes = bytes, .lto = true});
    } else if (text.starts_with(kBitcode) || magic == kBitcodeWrapper) {
      bitcode(name, bytes, lazy);
    } else if (text.starts_with(ELFMAG)) {
      elf(name, bytes, lazy);
    } else if (const std::string arch = gpu::ptx_arch(text); !arch.empty()) {
      add({.name = name, .format = LinkFormat::ptx, .kind = DeviceKind::cuda, .archs = {arch}, .bytes = bytes});
    } else {
      why_ =
          text.empty() ? "it is empty" : "it is no PTX, cubin, fatbin, LTO-IR, LLVM bitcode, object, archive or shared object";
    }
  }

 private:
  void add(LinkPart part) { parts_.push_back(std::move(part)); }

  void bitcode(const std::string& name, const Bytes& bytes, bool lazy) {
    const std::string_view arch = bitcode_arch(*bytes);
    if (arch.empty()) {
      why_ = "it is bitcode of LLVM's for a machine that kiln does not know";
      return;
    }
    const DeviceKind kind = arch == "amdgcn" ? DeviceKind::hip : arch == "nvptx64" ? DeviceKind::cuda : DeviceKind::cpu;
    if (kind == DeviceKind::cpu && arch != (kHostMachine == EM_X86_64 ? "x86_64" : "aarch64")) {
      why_ = "it is bitcode for " + std::string(arch) + ", which is not this machine's";
      return;
    }
    add({.name = name, .format = LinkFormat::bitcode, .kind = kind, .bytes = bytes, .lazy = lazy});
  }

  void elf(const std::string& name, const Bytes& bytes, bool lazy) {
    std::string why;
    const auto file = base::ElfFile::read(*bytes, &why);
    if (!file) {
      why_ = "it is a damaged ELF file: " + why;
      return;
    }
    constexpr std::size_t kTypeAt = 16;
    const auto type = read_little_endian<std::uint16_t>(*bytes, kTypeAt);
    if (file->machine() == gpu::kCudaMachine) {
      add({.name = name,
           .format = LinkFormat::cubin,
           .kind = DeviceKind::cuda,
           .archs = {gpu::cubin_arch(*bytes)},
           .bytes = bytes});
    } else if (file->machine() == kAmdMachine) {
      if (type != ET_REL) {
        why_ = "it is a finished code object, which no linker takes: make a relocatable one, or bitcode (clang -c -emit-llvm)";
        return;
      }
      const std::string arch(gpu::amd_arch_of(file->flags()));
      add({.name = name,
           .format = LinkFormat::object,
           .kind = DeviceKind::hip,
           .archs = arch.empty() ? std::vector<std::string>{} : std::vector{arch},
           .bytes = bytes,
           .lazy = lazy});
    } else if (file->machine() != kHostMachine) {
      why_ = "it is an ELF file for another machine (number " + std::to_string(file->machine()) + ")";
    } else if (offload_sections(name, *file, lazy)) {
      // For AMD's GPUs, of clang.
    } else if (const gpu::FatbinContents inside = nvidia_code(*file); !inside.archs.empty()) {
      add({.name = name,
           .format = LinkFormat::gpu_object,
           .kind = DeviceKind::cuda,
           .archs = inside.archs,
           .bytes = bytes,
           .lto = inside.lto});
    } else if (type == ET_REL) {
      add({.name = name, .format = LinkFormat::object, .kind = DeviceKind::cpu, .bytes = bytes, .lazy = lazy});
    } else if (type == ET_DYN) {
      add({.name = name, .format = LinkFormat::shared_object, .kind = DeviceKind::cpu, .bytes = bytes});
    } else {
      why_ = "it is a program, not an object or a library";
    }
  }

  /// The device code in an object for the host that clang made with -fgpu-rdc: a section for each architecture, or one for all.
  bool offload_sections(const std::string& name, const base::ElfFile& file, bool lazy) {
    bool any = false;
    for (const base::ElfFile::Section& section : file.sections()) {
      if (section.name.starts_with(kBundle) && section.name.find("-gfx") != std::string_view::npos) {
        entry(name, section.name, section.bytes, lazy);
        any = true;
      } else if (section.name == ".llvm.offloading") {
        packed_images(name, section.bytes, lazy);
        any = true;
        if (parts_.empty() && why_.empty()) why_ = "its section .llvm.offloading is empty";
      }
    }
    return any;
  }

  /// Consecutive OffloadBinaries of LLVM's: a header, an entry, its strings, the image.
  void packed_images(const std::string& name, std::string_view bytes, bool lazy) {
    constexpr std::uint32_t kMagic = 0xad10ff10;
    while (read_little_endian<std::uint32_t>(bytes, 0) == kMagic) {
      const auto number = [&](std::size_t at) { return read_little_endian<std::uint64_t>(bytes, at).value_or(0); };
      const std::uint64_t size = number(8);
      const std::uint64_t entry_at = number(16);
      const std::uint64_t strings_at = number(entry_at + 8);
      const std::uint64_t strings = number(entry_at + 16);
      const std::uint64_t image_at = number(entry_at + 24);
      const std::uint64_t image_size = number(entry_at + 32);
      if (size == 0 || size > bytes.size() || image_at > size || image_size > size - image_at) {
        why_ = "its section .llvm.offloading is damaged";
        return;
      }
      const auto string_at = [&](std::uint64_t at) {
        const std::string_view rest = at < size ? bytes.substr(at, size - at) : std::string_view();
        return rest.substr(0, rest.find('\0'));
      };
      std::string_view arch;
      for (std::uint64_t i = 0; i < strings && i < 64; ++i) {
        if (string_at(number(strings_at + 16 * i)) == "arch") arch = string_at(number(strings_at + 16 * i + 8));
      }
      entry(name, "hip-" + std::string(arch), bytes.substr(image_at, image_size), lazy);
      bytes.remove_prefix(size);
    }
  }

  /// One of a bundle: "hip-amdgcn-amd-amdhsa--gfx90a".
  void entry(const std::string& name, std::string_view id, std::string_view bytes, bool lazy) {
    if (bytes.empty()) return;
    const std::size_t known = parts_.size();
    const std::size_t arch = id.rfind("-gfx");
    const std::string shown = arch == std::string_view::npos ? std::string(id) : std::string(id.substr(arch + 1));
    Reader inner(parts_, why_, depth_ + 1);
    inner.in_bundle_ = true;
    inner.read(name + "[" + shown + "]", copy_of(bytes), lazy);
    if (arch == std::string_view::npos) return;
    for (std::size_t k = known; k < parts_.size(); ++k) parts_[k].archs = {shown};
  }

  static gpu::FatbinContents nvidia_code(const base::ElfFile& file) {
    const base::ElfFile::Section* section = file.section("__nv_relfatbin");
    return section == nullptr ? gpu::FatbinContents() : gpu::fatbin_contents(section->bytes);
  }

  void archive(const std::string& name, const Bytes& bytes) {
    std::string why;
    const std::vector<base::ArchiveMember> members = base::archive_members(*bytes, &why);
    if (members.empty()) {
      why_ = why.empty() ? "it is an archive without members" : "it is a damaged archive: " + why;
      return;
    }
    std::vector<LinkPart> all;
    for (const base::ArchiveMember& member : members) {
      Reader(all, why_, depth_ + 1).read(name + "(" + member.name + ")", copy_of(member.bytes), /*lazy=*/true);
    }
    // NVIDIA's linker takes an archive as it is, and of it what is needed.
    LinkPart library{.name = name, .format = LinkFormat::gpu_library, .kind = DeviceKind::cuda, .bytes = bytes};
    bool is_library = false;
    for (LinkPart& part : all) {
      if (part.format != LinkFormat::gpu_object) {
        add(std::move(part));
        continue;
      }
      is_library = true;
      library.lto = library.lto || part.lto;
      for (std::string& arch : part.archs) {
        if (std::find(library.archs.begin(), library.archs.end(), arch) == library.archs.end()) library.archs.push_back(arch);
      }
    }
    if (is_library) add(std::move(library));
  }

  void bundle(const std::string& name, std::string_view bytes, bool lazy) {
    const std::uint64_t count = read_little_endian<std::uint64_t>(bytes, kBundle.size()).value_or(0);
    std::size_t at = kBundle.size() + 8;
    std::size_t total = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto offset = read_little_endian<std::uint64_t>(bytes, at);
      const auto size = read_little_endian<std::uint64_t>(bytes, at + 8);
      const auto id_size = read_little_endian<std::uint64_t>(bytes, at + 16);
      if (!offset || !size || !id_size || *id_size > bytes.size() - (at + 24) || *offset > bytes.size() ||
          *size > bytes.size() - *offset) {
        why_ = "it is a damaged bundle of clang's";
        return;
      }
      const std::string_view id = bytes.substr(at + 24, *id_size);
      at += 24 + *id_size;
      total += *size;
      if (total > bytes.size()) {
        why_ = "it is a damaged bundle of clang's: its entries overlap";
        return;
      }
      entry(name, id, bytes.substr(*offset, *size), lazy);
    }
  }

  std::vector<LinkPart>& parts_;
  std::string& why_;
  int depth_;
  bool in_bundle_ = false;
};

}  // namespace

std::vector<LinkPart> parts_of(const std::string& name, std::shared_ptr<const std::string> bytes, std::string* why) {
  std::vector<LinkPart> parts;
  Reader(parts, *why).read(name, bytes, /*lazy=*/false);
  return parts;
}

std::string_view bitcode_arch(std::string_view bytes) {
  // The triple is a record of its own behind types and attributes, one character as two groups of six bits; nothing is aligned
  // to bytes.
  constexpr std::array<std::string_view, 4> kArchs{"x86_64-", "amdgcn-", "nvptx64-", "aarch64-"};
  const Bits bits(bytes);
  for (std::size_t at = 0; at + 12 <= bits.size(); ++at) {
    for (const std::string_view arch : kArchs) {
      if (bits.says(arch, at)) return arch.substr(0, arch.size() - 1);
    }
  }
  return {};
}

const char* name_of(LinkFormat format) noexcept {
  switch (format) {
    case LinkFormat::ptx:
      return "PTX";
    case LinkFormat::cubin:
      return "a cubin";
    case LinkFormat::fatbin:
      return "a fatbin";
    case LinkFormat::lto_ir:
      return "LTO-IR";
    case LinkFormat::gpu_object:
      return "an object of nvcc's";
    case LinkFormat::gpu_library:
      return "an archive of nvcc's";
    case LinkFormat::bitcode:
      return "LLVM bitcode";
    case LinkFormat::object:
      return "an object";
    case LinkFormat::shared_object:
      return "a shared object";
  }
  return "";
}

namespace {

/// Whether a file for "gfx90a:xnack-" serves "gfx90a:sramecc+:xnack-": what it does not name, it does not care for.
bool amd_serves(std::string_view file, std::string_view target) {
  if (file.substr(0, file.find(':')) != target.substr(0, target.find(':'))) return false;
  for (std::size_t at = file.find(':'); at != std::string_view::npos;) {
    const std::size_t end = std::min(file.find(':', at + 1), file.size());
    std::string feature(file.substr(at, end - at));  // ":xnack-"
    feature.back() = feature.back() == '+' ? '-' : '+';
    if (target.find(feature) != std::string_view::npos) return false;
    at = end == file.size() ? std::string_view::npos : end;
  }
  return true;
}

}  // namespace

bool serves(const LinkPart& file, std::string_view target) {
  if (file.kind == DeviceKind::cpu || file.archs.empty()) return true;
  return std::any_of(file.archs.begin(), file.archs.end(), [&](const std::string& arch) {
    if (file.kind == DeviceKind::hip) return amd_serves(arch, target);
    const int has = gpu::compute_capability(arch);
    const int runs = gpu::compute_capability(target);
    return has <= runs && (arch.starts_with("compute_") || has / 10 == runs / 10);
  });
}

}  // namespace kiln::backend
