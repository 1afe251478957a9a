#include "targets.hpp"

#include <array>

namespace kiln::fuzz {
namespace {

constexpr std::array kTargets{
    Target{"bundle", bundle},
    Target{"c_interface", c_interface},
    Target{"entry", entry},
    Target{"key", key},
    Target{"manifest", manifest},
    Target{"npy", npy},
    Target{"npz", npz},
    Target{"ptx", ptx},
    Target{"signature", signature},
    Target{"tuning", tuning},
};

}  // namespace

std::span<const Target> targets() noexcept {
  return kTargets;
}

}  // namespace kiln::fuzz
