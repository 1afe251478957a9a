#include "compiler/cpu/target.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/environment.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::cpu {
namespace {

std::string level_name(int level) {
  return level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level);
}

// 512-bit vectors where the cores run them at full speed: on Sapphire Rapids a * b takes 0.73 of the time from the first cache,
// a polynomial 0.72, division, square root and exp the same. Older cores lower their clock for them.
const char* vector_width(const std::string& tune) {
  return tune == "sapphirerapids" || tune == "znver4" || tune == "znver5" ? "512" : "256";
}

/// Whether one load for each element is quicker than a gather, which LLVM 19 takes for cheap wherever there is AVX-512. On a
/// Zen 4 matrices of 16 × 16 float64 times vectors, by a plain double loop, took 115 ns from the cache and 540 beyond it, so 63
/// and 67; of 32 × 32 float32 1060 and 400; square roots of 8 complex128 22 and 11. Nothing was slower.
bool gathers_slowly(const std::string& tune) {
  return tune == "znver4" || tune == "znver5";
}

/// The reverse of target_of(): the processor whose target has that text.
std::optional<HostFeatures> features_of(std::string_view text) {
  constexpr std::string_view kTune = " tune=";
  const std::size_t space = text.find(' ');
  const std::size_t tune = text.rfind(kTune);
  if (space == std::string_view::npos || tune == std::string_view::npos || tune < space + 1) return std::nullopt;
  HostFeatures host;
  while (host.level <= 4 && text.substr(0, space) != level_name(host.level)) ++host.level;
  const std::string_view tuned = text.substr(tune + kTune.size());
  const auto ordinary = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  auto features = parse_features(text.substr(space + 1, tune - space - 1));
  if (host.level > 4 || !features || tuned.empty() || !std::all_of(tuned.begin(), tuned.end(), ordinary)) return std::nullopt;
  host.features = *std::move(features);
  host.tune = tuned;
  return host;
}

Target level_target(int level) {
  const std::string name = level_name(level);
  return {.text = name,
          .short_name = name,
          .arguments = {"-triple", "x86_64-pc-linux-gnu", "-target-cpu", name, "-tune-cpu", "generic"}};
}

/// The level of that name; 0 for other names.
int level_named(std::string_view name) {
  int level = 4;
  while (level > 0 && name != level_name(level)) --level;
  return level;
}

Target chosen_target(const std::string& name, const std::string& what) {
  auto target = target_named(name);
  if (!target) {
    throw DeviceError(what + " is \"" + name +
                      "\", which is no processor: give native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, or the whole target of "
                      "another machine as the keys of its kernels have it");
  }
  const std::string why = name == "native" ? "" : why_not_on(detect(host_cpuid()), name);
  if (!why.empty()) throw DeviceError(what + " is \"" + name + "\", whose code cannot run here: " + why);
  return *std::move(target);
}

}  // namespace

Target target_of(const HostFeatures& features) {
  Target target = level_target(features.level);
  target.arguments.back() = features.tune;
  for (const Feature& feature : features.features) {
    const std::string signed_name = std::string(feature.present ? "+" : "-") + feature.name;
    target.text += ' ' + signed_name;
    target.arguments.insert(target.arguments.end(), {"-target-feature", signed_name});
  }
  target.text += " tune=" + features.tune;
  if (gathers_slowly(features.tune)) {
    target.arguments.insert(target.arguments.end(), {"-target-feature", "+prefer-no-gather"});
  }
  const std::string width = vector_width(features.tune);
  target.arguments.push_back("-mprefer-vector-width=" + width);
  target.arguments.insert(target.arguments.end(), {"-D", "KILN_VECTOR_BITS=" + width});
  return target;
}

const Target& native_target() {
#if defined(__x86_64__)
  static const Target target = target_of(detect(host_cpuid()));
#else
  static const Target target{.text = "aarch64",
                             .short_name = "aarch64",
                             .arguments = {"-triple", "aarch64-unknown-linux-gnu", "-target-cpu", "generic"}};
#endif
  return target;
}

std::optional<Target> target_named(std::string_view name) {
  if (name == "native" || name == native_target().text) return native_target();
#if defined(__x86_64__)
  if (const int level = level_named(name); level > 0) return level_target(level);
  if (const auto features = features_of(name)) return target_of(*features);
#endif
  return std::nullopt;
}

std::string why_not_on(const HostFeatures& host, std::string_view name) {
  const int level = level_named(name);
  if (level > host.level) return "this processor has all of " + level_name(host.level) + " and not of more";
  if (level > 0) return "";
  const auto wanted = features_of(name);
  if (!wanted) return "";
  std::string missing;
  for (std::size_t i = 0; i < wanted->features.size(); ++i) {
    if (wanted->features[i].present && !host.features[i].present) missing += std::string(" ") + wanted->features[i].name;
  }
  return missing.empty() ? "" : "this processor lacks" + missing;
}

namespace {

constinit std::atomic<const Target*> set_target{nullptr};  // never deleted: compilers hold it

}  // namespace

const Target& device_target() {
  if (const Target* const set = set_target.load(std::memory_order_acquire)) return *set;
  static const Target target = [] {
    const std::string name = base::env("KILN_CPU_TARGET").value_or("");
    return name.empty() ? native_target() : chosen_target(name, "KILN_CPU_TARGET");
  }();
  return target;
}

void set_device_target(const std::string& name) {
  Target target = chosen_target(name, "the CPU's target");
  if (target.text == device_target().text) return;
  set_target.store(std::make_unique<const Target>(std::move(target)).release(), std::memory_order_release);
}

std::string common_target(std::span<const std::string> targets) {
  std::string common = targets.empty() ? std::string() : targets.front();
  for (const std::string& target : targets) {
    if (target == common) continue;
    const int of_common = level_named(common);
    const int of_target = level_named(target);
    const auto mine = features_of(common);
    const auto others = features_of(target);
    if ((of_common == 0 && !mine) || (of_target == 0 && !others)) return {};
    const int level = std::min(mine ? mine->level : of_common, others ? others->level : of_target);
    if (!mine || !others) {
      common = level_name(level);
      continue;
    }
    HostFeatures both{.level = level, .features = mine->features, .tune = mine->tune == others->tune ? mine->tune : "generic"};
    for (std::size_t i = 0; i < both.features.size(); ++i) both.features[i].present &= others->features[i].present;
    common = target_of(both).text;
  }
  return common;
}

}  // namespace kiln::backend::cpu
