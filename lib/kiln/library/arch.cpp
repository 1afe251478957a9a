// GPU architecture names.
#include "library/arch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace kiln::backend::gpu {
namespace {

constexpr int kAlways = 0;
constexpr int kStill = 1 << 20;

struct AmdArch {
  std::string_view name;
  std::uint32_t machine;  // in the flags of ELF files: LLVM's EF_AMDGPU_MACH_AMDGCN_…
  int since;              // hipRTC version; for the newer ones on the late side: refusing too much beats aborting
  int until;              // the first version without it
  bool sramecc, xnack;
};

// hipRTC 5.2's rows were tried one by one. Features: the LLVM AMDGPU back end's table of targets.
constexpr std::array<AmdArch, 47> kAmdArchs = {{
    {"gfx600", 0x20, kAlways, kStill, false, false},  {"gfx601", 0x21, kAlways, kStill, false, false},
    {"gfx602", 0x3a, kAlways, kStill, false, false},  {"gfx700", 0x22, kAlways, kStill, false, false},
    {"gfx701", 0x23, kAlways, kStill, false, false},  {"gfx702", 0x24, kAlways, kStill, false, false},
    {"gfx703", 0x25, kAlways, kStill, false, false},  {"gfx704", 0x26, kAlways, kStill, false, false},
    {"gfx705", 0x3b, kAlways, kStill, false, false},  {"gfx801", 0x28, kAlways, kStill, false, true},
    {"gfx802", 0x29, kAlways, kStill, false, false},  {"gfx803", 0x2a, kAlways, kStill, false, false},
    {"gfx805", 0x3c, kAlways, kStill, false, false},  {"gfx810", 0x2b, kAlways, kStill, false, true},
    {"gfx900", 0x2c, kAlways, kStill, false, true},   {"gfx902", 0x2d, kAlways, kStill, false, true},
    {"gfx904", 0x2e, kAlways, kStill, false, true},   {"gfx906", 0x2f, kAlways, kStill, true, true},
    {"gfx908", 0x30, kAlways, kStill, true, true},    {"gfx909", 0x31, kAlways, kStill, false, true},
    {"gfx90a", 0x3f, kAlways, kStill, true, true},    {"gfx90c", 0x32, kAlways, kStill, false, true},
    {"gfx940", 0x40, 600, 700, true, true},           {"gfx941", 0x4b, 600, 700, true, true},
    {"gfx942", 0x4c, 600, kStill, true, true},        {"gfx950", 0x4f, 700, kStill, true, true},
    {"gfx1010", 0x33, kAlways, kStill, false, true},  {"gfx1011", 0x34, kAlways, kStill, false, true},
    {"gfx1012", 0x35, kAlways, kStill, false, true},  {"gfx1013", 0x42, kAlways, kStill, false, true},
    {"gfx1030", 0x36, kAlways, kStill, false, false}, {"gfx1031", 0x37, kAlways, kStill, false, false},
    {"gfx1032", 0x38, kAlways, kStill, false, false}, {"gfx1033", 0x39, kAlways, kStill, false, false},
    {"gfx1034", 0x3e, kAlways, kStill, false, false}, {"gfx1035", 0x3d, kAlways, kStill, false, false},
    {"gfx1036", 0x45, kAlways, kStill, false, false}, {"gfx1100", 0x41, 505, kStill, false, false},
    {"gfx1101", 0x46, 505, kStill, false, false},     {"gfx1102", 0x47, 505, kStill, false, false},
    {"gfx1103", 0x44, 600, kStill, false, false},     {"gfx1150", 0x43, 602, kStill, false, false},
    {"gfx1151", 0x4a, 602, kStill, false, false},     {"gfx1152", 0x55, 604, kStill, false, false},
    {"gfx1153", 0x58, 700, kStill, false, false},     {"gfx1200", 0x48, 604, kStill, false, false},
    {"gfx1201", 0x4e, 604, kStill, false, false},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string version_text(int version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

template <class Known>
std::string names_where(const Known& known) {
  std::string text;
  for (const AmdArch& arch : kAmdArchs) {
    if (known(arch)) text += (text.empty() ? "" : ", ") + std::string(arch.name);
  }
  return text;
}

std::string known_names(int version) {
  return names_where([version](const AmdArch& arch) { return version >= arch.since && version < arch.until; });
}

const AmdArch* find_amd(std::string_view name) {
  const auto* const arch = std::find_if(kAmdArchs.begin(), kAmdArchs.end(), [&](const AmdArch& a) { return a.name == name; });
  return arch == kAmdArchs.end() ? nullptr : arch;
}

/// Why the features of a target ("sramecc+:xnack-") are none of its architecture's; empty where they are.
std::string refuse_features(std::string_view target, const AmdArch& arch) {
  std::string_view rest = target.substr(arch.name.size());
  bool seen_sramecc = false;
  bool seen_xnack = false;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view feature = rest.substr(0, rest.find(':'));
    rest.remove_prefix(feature.size());
    const bool is_sramecc = feature == "sramecc+" || feature == "sramecc-";
    const bool is_xnack = feature == "xnack+" || feature == "xnack-";
    bool& seen = is_sramecc ? seen_sramecc : seen_xnack;
    if (!(is_sramecc && arch.sramecc) && !(is_xnack && arch.xnack)) {
      std::string features = std::string(arch.sramecc ? "sramecc+, sramecc-" : "");
      if (arch.xnack) features += std::string(features.empty() ? "" : ", ") + "xnack+, xnack-";
      return std::string(arch.name) + " has no feature \"" + std::string(feature) + "\"; it has " +
             (features.empty() ? "none" : features);
    }
    if (seen) return "\"" + std::string(target) + "\" names a feature twice";
    seen = true;
  }
  return {};
}

/// Of LLVM 20 and newer.
bool known_to_clang(const AmdArch& arch) {
  return arch.name != "gfx950" && arch.name != "gfx1153";
}

// LLVM 19's, with the first version of PTX that has each. Older ones lack what kernels need of warps and atomics.
constexpr std::array<PtxTarget, 8> kPtxTargets = {{{70, "sm_70", "ptx60"},
                                                   {72, "sm_72", "ptx61"},
                                                   {75, "sm_75", "ptx63"},
                                                   {80, "sm_80", "ptx70"},
                                                   {86, "sm_86", "ptx71"},
                                                   {87, "sm_87", "ptx74"},
                                                   {89, "sm_89", "ptx78"},
                                                   {90, "sm_90", "ptx78"}}};
// That NVIDIA has made, and LLVM 19 does not know.
constexpr std::array<int, 7> kNewer = {88, 100, 101, 103, 110, 120, 121};

}  // namespace

std::optional<DeviceKind> vendor_of(std::string_view target) {
  if (target.starts_with("sm_")) {
    target.remove_prefix(3);
    const std::size_t digits =
        static_cast<std::size_t>(std::find_if_not(target.begin(), target.end(), is_digit) - target.begin());
    const std::string_view suffix = target.substr(digits);
    if (digits >= 2 && digits <= 4 && (suffix.empty() || suffix == "a" || suffix == "f")) return DeviceKind::cuda;
  } else if (target.starts_with("gfx")) {
    const std::string_view name = target.substr(3, target.find(':') - 3);
    const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
    if (name.size() >= 3 && name.size() <= 4 && std::all_of(name.begin(), name.end(), is_hex)) return DeviceKind::hip;
  }
  return std::nullopt;
}

std::string refuse_amd(std::string_view target, int version) {
  const std::string_view name = target.substr(0, target.find(':'));
  const AmdArch* const arch = find_amd(name);
  const std::string compiler = "hipRTC " + version_text(version);
  if (arch == nullptr) {
    return "\"" + std::string(name) + "\" is not an AMD architecture that kiln knows; " + compiler + " compiles for " +
           known_names(version);
  }
  if (version < arch->since || version >= arch->until) {
    return std::string(name) +
           (version < arch->since ? " needs hipRTC " + version_text(arch->since) + " or newer"
                                  : " was dropped in hipRTC " + version_text(arch->until)) +
           ", this is " + compiler + ", which compiles for " + known_names(version);
  }
  return refuse_features(target, *arch);
}

const PtxTarget* ptx_target_of(int capability) {
  const auto above = std::find_if(kPtxTargets.begin(), kPtxTargets.end(),
                                  [capability](const PtxTarget& each) { return each.capability > capability; });
  return above == kPtxTargets.begin() ? nullptr : std::prev(above);
}

std::string refuse_clang(std::string_view target) {
  if (vendor_of(target) == DeviceKind::hip) {
    const AmdArch* const arch = find_amd(target.substr(0, target.find(':')));
    if (arch != nullptr && known_to_clang(*arch)) return refuse_features(target, *arch);
    return "Clang does not compile for " + std::string(target) + "; it compiles for " + names_where(known_to_clang);
  }
  const int capability = compute_capability(target);
  const PtxTarget* const known = ptx_target_of(capability);
  const bool is_newer = std::find(kNewer.begin(), kNewer.end(), capability) != kNewer.end();
  if (known != nullptr && (known->capability == capability || is_newer)) return {};
  std::string names;
  for (const PtxTarget& each : kPtxTargets) names += std::string(names.empty() ? "" : ", ") + each.arch;
  for (const int each : kNewer) names += ", sm_" + std::to_string(each);
  return "Clang does not compile for " + std::string(target) + "; it compiles for " + names;
}

int wave_of(std::string_view target) {
  constexpr std::size_t kOneDigit = std::string_view("gfx90a").size();
  return target.substr(0, target.find(':')).size() <= kOneDigit ? 64 : 32;
}

std::string_view amd_arch_of(std::uint32_t elf_flags) {
  constexpr std::uint32_t kMachine = 0xff;
  const auto found = std::find_if(kAmdArchs.begin(), kAmdArchs.end(),
                                  [&](const AmdArch& arch) { return arch.machine == (elf_flags & kMachine); });
  return found == kAmdArchs.end() ? std::string_view() : found->name;
}

int compute_capability(std::string_view target) {
  int value = 0;
  for (const char c : target) {
    if (is_digit(c)) value = value * 10 + (c - '0');
  }
  return value;
}

bool known_to_nvrtc(int capability, int version) {
  constexpr std::array<int, 8> kFrom1200 = {70, 72, 75, 80, 86, 87, 89, 90};
  constexpr std::array<int, 12> kFrom1300 = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  if (version >= 1400) return false;
  if (version >= 1300) return std::find(kFrom1300.begin(), kFrom1300.end(), capability) != kFrom1300.end();
  return version >= 1200 && std::find(kFrom1200.begin(), kFrom1200.end(), capability) != kFrom1200.end();
}

}  // namespace kiln::backend::gpu
