// Caches as C handles.
#pragma once

#include <utility>

#include "c/handle.hpp"
#include "kiln/c/kiln.h"
#include "kiln/cache_handle.hpp"

struct kiln_cache : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::cache;
  explicit kiln_cache(kiln::Cache opened) : Handle(kTag), cache(std::move(opened)) {}
  kiln::Cache cache;
};

namespace kiln::c {

/// Returns the cache; NULL is the process's.
[[nodiscard]] inline Cache cache_of(const kiln_cache* cache) {
  return cache != nullptr ? checked(cache, "cache").cache : Cache();
}

}  // namespace kiln::c
