// What ranks tell each other in warm(): values to bytes and back. Messages come from other processes, which may run another
// kiln: a message that cannot be read is an error, never a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"

namespace kiln::manifest {

/// The first message: what was called, and what the rank has.
struct WarmCall {
  std::string targets;  ///< as given, one a line
  bool other_sizes = true;
  std::int64_t timeout_ms = 0;
  base::Hash128 manifest{};              ///< of its text
  bool empty = false;                    ///< no kernels: the rank matches any manifest
  std::string cpu_target;                ///< empty: the rank needs none
  base::Hash128 host{};                  ///< which machine
  std::vector<std::uint8_t> processors;  ///< of that machine, that the rank may use: one bit each
  int jobs = 0;
  base::Hash128 environment{};  ///< all that decides the list of kernels: equal ones have equal lists
  base::Hash128 place{};        ///< where the cache stores: ranks with equal ones share a directory
};

/// The second, of ranks that made the list of their kernels: its hash, and of the first rank of an environment the list.
struct WarmList {
  base::Hash128 list{};  ///< of the digests
  std::vector<base::Hash128> digests;
};

/// The third: which kernels of its list the rank's cache has, one bit for each.
struct WarmInventory {
  std::vector<std::uint8_t> found;
};

/// The fourth: what the rank compiled, and a bundle of that and of what others lack.
struct WarmProducts {
  struct Kernel {
    base::Hash128 digest{};
    double compile_ms = 0;
    std::string kernel;
    std::string target;
  };
  std::vector<Kernel> compiled;
  int threads = 0;
  double compile_ms = 0;
  std::string bundle;  ///< empty: nothing
};

/// A message: the step, an error of the rank or "", and the rest.
struct WarmMessage {
  int step = 0;
  std::string error;
  std::string payload;
};

inline constexpr std::string_view kWarmName = "kiln::warm";

[[nodiscard]] std::string encode(const WarmMessage& message);
/// Nothing for other bytes; `other` then becomes the name of another collective function, or of another kiln's version of this
/// one, or "".
[[nodiscard]] std::optional<WarmMessage> decode_message(std::string_view bytes, std::string* other);

[[nodiscard]] std::string encode(const WarmCall& value);
[[nodiscard]] std::string encode(const WarmInventory& value);
[[nodiscard]] std::string encode(const WarmList& value);
[[nodiscard]] std::string encode(const WarmProducts& value);
/// False for other bytes.
[[nodiscard]] bool decode(std::string_view bytes, WarmCall& value);
[[nodiscard]] bool decode(std::string_view bytes, WarmInventory& value);
[[nodiscard]] bool decode(std::string_view bytes, WarmList& value);
[[nodiscard]] bool decode(std::string_view bytes, WarmProducts& value);

}  // namespace kiln::manifest
