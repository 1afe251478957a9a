// Fills a table of symbols from a library: one row, one call.
#pragma once

#include <string>

#include "base/dynamic_library.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {

enum class Need { required, optional };

struct Resolver {
  const base::DynamicLibrary& library;
  DeviceKind kind;
  const std::string& path;

  /// An empty name leaves the slot null: that vendor has no such call. DeviceError for a missing required one.
  template <typename Function>
  void operator()(Function*& slot, const char* cuda, const char* hip, Need need) const {
    const char* name = kind == DeviceKind::hip ? hip : cuda;
    if (*name == '\0') return;
    slot = library.function<Function*>(name);
    if (slot == nullptr && need == Need::required) {
      throw DeviceError(path + " has no symbol " + name +
                        ", which kiln needs: it is too old, or not the library it is named as");
    }
  }
};

}  // namespace kiln::backend::gpu
