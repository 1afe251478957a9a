// dlopen, dlsym and dlclose behind one owner.
#include "base/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>
#include <utility>

namespace kiln::base {
namespace {

// glibc's text starts with the name that was asked for, which the attempt already has.
std::string reason_without_name(std::string_view text, std::string_view name) {
  if (text.starts_with(name) && text.substr(name.size()).starts_with(": ")) text.remove_prefix(name.size() + 2);
  return std::string(text);
}

}  // namespace

std::string describe(std::span<const Attempt> attempts) {
  std::string text;
  for (const Attempt& attempt : attempts) {
    if (!text.empty()) text += ", ";
    text += attempt.name;
    text += attempt.reason.empty() ? " (opened)" : " (" + attempt.reason + ")";
  }
  return text;
}

DynamicLibrary::DynamicLibrary(void* handle, std::string name, Unload unload) noexcept
    : handle_(handle), name_(std::move(name)), unload_(unload) {}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), name_(std::exchange(other.name_, {})), unload_(other.unload_) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  if (this == &other) return *this;
  close();
  handle_ = std::exchange(other.handle_, nullptr);
  name_ = std::exchange(other.name_, {});
  unload_ = other.unload_;
  return *this;
}

DynamicLibrary::~DynamicLibrary() {
  close();
}

void DynamicLibrary::close() noexcept {
  if (handle_ != nullptr && unload_ == Unload::when_destroyed) dlclose(handle_);
  handle_ = nullptr;
}

DynamicLibrary::Opened DynamicLibrary::open_first(std::span<const std::string> candidates, Unload unload) {
  Opened result;
  for (const std::string& candidate : candidates) {
    // dlopen("") is the main program, which is never what a candidate list means.
    if (candidate.empty()) {
      result.attempts.push_back({candidate, "empty name"});
      continue;
    }
    const int keep = unload == Unload::never ? RTLD_NODELETE : 0;
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | keep)) {
      result.attempts.push_back({candidate, {}});
      result.library = DynamicLibrary(handle, candidate, unload);
      break;
    }
    const char* error = dlerror();
    result.attempts.push_back({candidate, error != nullptr ? reason_without_name(error, candidate) : "unknown reason"});
  }
  return result;
}

void* DynamicLibrary::symbol(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

std::string DynamicLibrary::path() const {
  if (handle_ == nullptr) return {};
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return name_;
  return map->l_name;
}

}  // namespace kiln::base
