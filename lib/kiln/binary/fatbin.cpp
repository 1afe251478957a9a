// NVIDIA documents neither container. Layouts: what `cuobjdump` shows of files of CUDA 11 to 13, and LLVM's clang, which writes
// the header of the wrapper.
#include "binary/fatbin.hpp"

#include <algorithm>
#include <cstdint>

#include "binary/elf.hpp"

namespace kiln::backend::gpu {
namespace {

using base::read_little_endian;

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::size_t kHeaderBytes = 16;
enum Kind : std::uint16_t { kPtx = 1, kElf = 2, kLtoIr = 8 };

/// The entries of the fatbin at the front; how many bytes it has, 0 where it is damaged.
std::size_t add_entries(std::string_view bytes, FatbinContents& found) {
  const auto header = read_little_endian<std::uint16_t>(bytes, 6);
  const auto size = read_little_endian<std::uint64_t>(bytes, 8);
  if (!header || !size || *header > bytes.size() || *size > bytes.size() - *header) return 0;
  const std::string_view all = bytes.substr(*header, *size);
  for (std::size_t at = 0; at < all.size();) {
    constexpr std::size_t kArchAt = 28;
    const auto kind = read_little_endian<std::uint16_t>(all, at);
    const auto own_header = read_little_endian<std::uint32_t>(all, at + 4);
    const auto payload = read_little_endian<std::uint64_t>(all, at + 8);
    const auto arch = read_little_endian<std::uint32_t>(all, at + kArchAt);
    if (!kind || !own_header || !payload || !arch || *own_header == 0 || *own_header > all.size() - at ||
        *payload > all.size() - at - *own_header) {
      return 0;
    }
    if (*kind == kLtoIr) found.lto = true;
    if (*kind == kLtoIr || *kind == kPtx || *kind == kElf) {
      std::string name = (*kind == kElf ? "sm_" : "compute_") + std::to_string(*arch);
      if (std::find(found.archs.begin(), found.archs.end(), name) == found.archs.end()) found.archs.push_back(std::move(name));
    }
    at += *own_header + *payload;
  }
  return *header + *size;
}

std::string_view word_after(std::string_view text, std::string_view directive) {
  const std::size_t at = text.find(directive);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + directive.size());
  const std::size_t begin = rest.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  rest.remove_prefix(begin);
  return rest.substr(0, rest.find_first_of(" \t\r\n,;"));
}

}  // namespace

bool is_fatbin(std::string_view bytes) {
  return read_little_endian<std::uint32_t>(bytes, 0) == kMagic && bytes.size() >= kHeaderBytes;
}

FatbinContents fatbin_contents(std::string_view bytes) {
  FatbinContents found;
  while (true) {
    // Sections of objects have them consecutively, aligned.
    while (!bytes.empty() && bytes.front() == '\0') bytes.remove_prefix(1);
    if (!is_fatbin(bytes)) return found;
    const std::size_t size = add_entries(bytes, found);
    if (size == 0) return found;
    bytes.remove_prefix(size);
  }
}

std::string cubin_arch(std::string_view bytes) {
  constexpr std::size_t kAbiVersionAt = 8;
  constexpr std::size_t kFlagsAt = 48;
  constexpr int kAbiWithWideFlags = 8;  // since CUDA 13
  const std::uint32_t flags = read_little_endian<std::uint32_t>(bytes, kFlagsAt).value_or(0);
  const bool wide = static_cast<unsigned char>(bytes[kAbiVersionAt]) >= kAbiWithWideFlags;
  return "sm_" + std::to_string((wide ? flags >> 8U : flags) & 0xffU);
}

std::string ptx_arch(std::string_view text) {
  // Behind comments and blank lines stands ".version 8.0", then ".target sm_80".
  constexpr std::size_t kMostBefore = 16384;
  const std::string_view front = text.substr(0, kMostBefore);
  for (std::size_t at = 0; at < front.size(); at = std::min(front.find('\n', at), front.size() - 1) + 1) {
    std::string_view line = front.substr(at, front.find('\n', at) - at);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    line.remove_prefix(begin);
    if (line.starts_with("//")) continue;
    if (!line.starts_with(".version")) return {};
    const std::string_view target = word_after(front, ".target");
    return target.starts_with("sm_") ? "compute_" + std::string(target.substr(3)) : std::string();
  }
  return {};
}

}  // namespace kiln::backend::gpu
