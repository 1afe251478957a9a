// Opaque handles of the C interface: counted objects that know their type.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

namespace kiln::c {

enum class Tag : std::uint32_t {
  released = 0x6b696c00,
  error,
  text,
  array,
  stream,
  event,
  stop,
  function,
  graph,
  cache,
  registration,
  warming,
  partial
};

/// Returns the name of a handle's type: "kiln_array".
[[nodiscard]] const char* name(Tag tag) noexcept;

/// The beginning of every handle.
struct Handle {
  explicit Handle(Tag kind) noexcept : tag(kind) {}
  std::atomic<Tag> tag;
  std::atomic<std::uint32_t> count{1};
};

/// Throws ArgumentError: NULL, a handle of another type, or one that was released.
[[noreturn]] void fail_handle(const Handle* handle, Tag wanted, const char* parameter);
/// Reports a handle of another type, or one that was released, to the log: functions that release return no status.
void log_wrong_release(const Handle& handle, Tag wanted) noexcept;
/// Keeps the memory of some released handles, so that the use of one is found. Frees that of an older one.
void retire(void* memory) noexcept;

/// Returns true unless the handle is NULL, has another type, or was released recently.
template <class H>
bool is_sound(const H* handle) noexcept {
  return handle != nullptr && handle->tag.load(std::memory_order_relaxed) == H::kTag;
}

/// Returns the handle. Throws ArgumentError if it is NULL, has another type, or was released recently.
template <class H>
H& checked(H* handle, const char* parameter) {
  if (!is_sound(handle)) [[unlikely]]
    fail_handle(handle, H::kTag, parameter);
  return *handle;
}

/// Makes a handle. Throws std::bad_alloc.
template <class H, class... Args>
H* make(Args&&... args) {
  return new H(std::forward<Args>(args)...);
}

template <class H>
H* retain(const H* handle) noexcept {
  if (handle == nullptr) return nullptr;
  if (handle->tag.load(std::memory_order_relaxed) != H::kTag) {
    log_wrong_release(*handle, H::kTag);
    return nullptr;
  }
  auto* const shared = const_cast<H*>(handle);
  shared->count.fetch_add(1, std::memory_order_relaxed);
  return shared;
}

template <class H>
void release(H* handle) noexcept {
  if (handle == nullptr) return;
  if (handle->tag.load(std::memory_order_relaxed) != H::kTag) return log_wrong_release(*handle, H::kTag);
  if (handle->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  handle->~H();
  // What is left is a header, which says that the handle was released.
  retire(new (static_cast<void*>(handle)) Handle(Tag::released));
}

}  // namespace kiln::c
