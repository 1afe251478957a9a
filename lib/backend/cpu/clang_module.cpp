#include "backend/cpu/clang_module.hpp"

#include <atomic>
#include <mutex>
#include <string_view>

#include "backend/cpu/fork_gate.hpp"
#include "backend/cpu/installation.hpp"
#include "base/dynamic_library.hpp"
#include "base/environment.hpp"
#include "base/installation.hpp"
#include "base/own_folder.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr const char* kFile = "libkiln-clang.so";

}  // namespace

const char* clang_version() {
  return KILN_CLANG_VERSION;
}

std::vector<std::string> clang_module_candidates() {
  if (const auto named = base::env("KILN_CLANG"); named && !named->empty()) return {*named};
  return base::candidates_beside(kFile, KILN_INSTALLED_LIBRARIES);
}

const kiln_clang_api& open_clang_module(std::span<const std::string> candidates) {
  const base::DynamicLibrary::Opened opened = base::DynamicLibrary::open_first(candidates, base::Unload::never);
  if (!opened.library) {
    throw DeviceError("failed to open kiln's Clang, tried " + base::describe(opened.attempts) +
                      ": install libkiln-clang.so beside libkiln.so, or name it in KILN_CLANG");
  }
  const auto api = opened.library.function<decltype(&kiln_clang)>(KILN_CLANG_SYMBOL);
  const kiln_clang_api* const functions = api == nullptr ? nullptr : api(KILN_CLANG_INTERFACE);
  if (functions == nullptr || std::string_view(functions->version) != clang_version()) {
    throw DeviceError("failed to use kiln's Clang " + opened.library.name() + ": it is not of this build of kiln (" +
                      (api == nullptr ? "it has no function " KILN_CLANG_SYMBOL
                       : functions == nullptr
                           ? "its interface is another version"
                           : std::string("it holds Clang ") + functions->version + ", not " + clang_version()) +
                      "); install libkiln-clang.so and libkiln.so from one build");
  }
  return *functions;
}

const kiln_clang_api& clang_module() {
  static std::atomic<const kiln_clang_api*> opened{nullptr};
  if (const kiln_clang_api* const module = opened.load(std::memory_order_acquire)) return *module;
  // Inside the gate: a child forked meanwhile would find the lock held by nobody.
  static std::mutex opening;
  const ForkGate gate;
  const std::lock_guard hold(opening);
  if (opened.load(std::memory_order_relaxed) == nullptr) {
    opened.store(&open_clang_module(clang_module_candidates()), std::memory_order_release);
  }
  return *opened.load(std::memory_order_relaxed);
}

}  // namespace kiln::backend::cpu
