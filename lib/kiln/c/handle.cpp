#include "c/handle.hpp"

#include <fmt/format.h>

#include <array>

#include "base/log.hpp"
#include "c/argument_error.hpp"

namespace kiln::c {

const char* name(Tag tag) noexcept {
  switch (tag) {
    case Tag::error:
      return "kiln_error";
    case Tag::text:
      return "kiln_text";
    case Tag::array:
      return "kiln_array";
    case Tag::stream:
      return "kiln_stream";
    case Tag::event:
      return "kiln_event";
    case Tag::stop:
      return "kiln_stop";
    case Tag::function:
      return "kiln_function";
    case Tag::graph:
      return "kiln_graph";
    case Tag::cache:
      return "kiln_cache";
    case Tag::registration:
      return "kiln_registration";
    case Tag::partial:
      return "kiln_partial";
    case Tag::warming:
      return "kiln_warming";
    case Tag::released:
      break;
  }
  return "no handle of kiln";
}

namespace {

std::string fault(const Handle& handle, Tag wanted) {
  const Tag tag = handle.tag.load(std::memory_order_relaxed);
  if (tag == Tag::released) return fmt::format("this {} was released", name(wanted));
  return fmt::format("a {} was expected, and this is a {}", name(wanted), name(tag));
}

}  // namespace

void fail_handle(const Handle* handle, Tag wanted, const char* parameter) {
  if (handle == nullptr) throw ArgumentError(fmt::format("{} is NULL: give a {}", parameter, name(wanted)), parameter);
  throw ArgumentError(fmt::format("{}: {}", parameter, fault(*handle, wanted)), parameter);
}

void log_wrong_release(const Handle& handle, Tag wanted) noexcept {
  try {
    base::log_line(fmt::format("{}_release: {}", name(wanted), fault(handle, wanted)));
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody to tell
  }
}

void retire(void* memory) noexcept {
  static std::array<std::atomic<void*>, 256> retired{};
  static std::atomic<std::size_t> next{0};
  void* const older = retired[next.fetch_add(1, std::memory_order_relaxed) % retired.size()].exchange(memory);
  ::operator delete(older);
}

}  // namespace kiln::c
