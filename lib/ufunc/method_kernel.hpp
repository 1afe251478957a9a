// A kernel of one of a ufunc's methods, found again by the types that it was made for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "backend/backend.hpp"
#include "kiln/device.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/method_variant.hpp"

namespace kiln::ufunc {

struct MethodKernel {
  struct Key {
    Method method = Method::at;
    std::array<std::uint8_t, 5> types = {};  ///< dtypes and what else decides the loop, as the method likes
    DeviceKind kind = DeviceKind::cpu;
    int index = 0;  ///< of the device

    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key;
  Loop loop;
  std::shared_ptr<backend::Module> module;
  mutable std::atomic<bool> recorded{false};  ///< reported to the recorder
  MethodKernel* next = nullptr;
};

/// What stands in a key where there is no dtype.
inline constexpr std::uint8_t kNoType = 0xff;

}  // namespace kiln::ufunc
