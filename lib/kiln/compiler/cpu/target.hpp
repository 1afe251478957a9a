// A processor to compile for: this one, or a level of x86-64 by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/cpu/features.hpp"

namespace kiln::backend::cpu {

struct Target {
  std::string text;                    ///< all that can change the code: level, features, tuning
  std::string short_name;              ///< "x86-64-v4"
  std::vector<std::string> arguments;  ///< of clang -cc1: triple, processor, features, tuning
};

/// This machine; asked once. Loads nothing.
const Target& native_target();

/// "native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", or the text of another machine's target. Nothing for other names,
/// and for levels of x86-64 elsewhere.
std::optional<Target> target_named(std::string_view name);

/// The target of a processor with those features.
Target target_of(const HostFeatures& features);

/// Why code for the target of that name cannot run on such a processor; empty where it can. Pure.
std::string why_not_on(const HostFeatures& host, std::string_view name);

/// What kernels of the CPU device are compiled for: what KILN_CPU_TARGET names, else this machine; read once. DeviceError for a
/// name that is none, and for code that cannot run here.
const Target& device_target();

/// Makes device_target() the target of that name from now on. DeviceError as above.
void set_device_target(const std::string& name);

/// The best target whose code runs on the processors of all these targets, which are names or whole texts: the same one where
/// all are the same, else the lowest level with the features that all have. Empty for a text that is no target. Pure.
std::string common_target(std::span<const std::string> targets);

/// Whether libmvec's vector functions are there: x86-64 with glibc.
inline constexpr bool kHaveVectorMath =
#if defined(__x86_64__) && defined(__GLIBC__)
    true;
#else
    false;
#endif

}  // namespace kiln::backend::cpu
