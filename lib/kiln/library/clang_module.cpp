#include "library/clang_module.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/dynamic_library.hpp"
#include "base/environment.hpp"
#include "base/installation.hpp"
#include "base/log.hpp"
#include "base/own_folder.hpp"
#include "clang/release.h"
#include "kiln/version.hpp"
#include "library/clang_version.hpp"
#include "library/clang_workers.hpp"
#include "library/compile_limits.hpp"
#include "library/fork_gate.hpp"
#include "library/no_compiler.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr const char* kFile = "libkiln-clang.so";

using Entry = decltype(&kiln_clang);

std::string version_text(std::string_view kiln, std::uint32_t interface_version, std::string_view clang) {
  return fmt::format("{} (interface {}, Clang {})", kiln, interface_version, clang);
}

/// Of a module that does not speak this build's interface. The first members of its functions are those of every version.
std::string other_version(const base::DynamicLibrary& library, Entry entry) {
  constexpr std::uint32_t kMost = 1000;
  const auto release = library.function<decltype(&kiln_clang_release)>(KILN_CLANG_RELEASE_SYMBOL);
  const std::string kiln = release == nullptr ? "an older kiln" : fmt::format("kiln {}", release());
  for (std::uint32_t number = 1; number < kMost; ++number) {
    if (const kiln_clang_api* const other = entry(number)) return version_text(kiln, number, other->version);
  }
  return kiln;
}

std::string how_to_match() {
  const std::string_view package = KILN_CLANG_PACKAGE;
  const std::string install =
      package.empty()
          ? fmt::format("install {} of kiln " KILN_VERSION " beside libkiln.so, or name it in KILN_CLANG", kFile)
          : fmt::format("install the package {} of version " KILN_VERSION ", or name its {} in KILN_CLANG", package, kFile);
  return base::env("KILN_CLANG").value_or("").empty() ? install : "KILN_CLANG names that file: unset it, or " + install;
}

}  // namespace

const char* clang_version() {
  return KILN_CLANG_VERSION;
}

std::string clang_module_version() {
  return std::string(clang_version()) + "+" + std::to_string(KILN_CLANG_INTERFACE);
}

bool clang_is_taken_away() {
  return base::env("KILN_CLANG") == "none";
}

std::vector<std::string> clang_module_candidates() {
  if (const auto named = base::env("KILN_CLANG"); named && !named->empty()) return {*named};
  return base::candidates_beside(kFile, KILN_INSTALLED_LIBRARIES);
}

const kiln_clang_api& open_clang_module(std::span<const std::string> candidates) {
  const base::DynamicLibrary::Opened opened = base::DynamicLibrary::open_first(candidates, base::Unload::never);
  if (!opened.library) {
    throw NoCompiler("failed to open kiln's Clang, tried " + base::describe(opened.attempts) + ": " +
                     base::how_to_install(kFile, KILN_CLANG_PACKAGE, "KILN_CLANG"));
  }
  const auto entry = opened.library.function<Entry>(KILN_CLANG_SYMBOL);
  if (entry == nullptr) {
    throw NoCompiler("failed to use kiln's Clang: " + opened.library.path() + " has no function " KILN_CLANG_SYMBOL "; " +
                     how_to_match());
  }
  const kiln_clang_api* const functions = entry(KILN_CLANG_INTERFACE);
  if (functions != nullptr && std::string_view(functions->version) == clang_version()) return *functions;
  throw NoCompiler("failed to use kiln's Clang: " + opened.library.path() + " is of " + other_version(opened.library, entry) +
                   ", and " + base::own_file() + " is of " +
                   version_text("kiln " KILN_VERSION, KILN_CLANG_INTERFACE, clang_version()) + "; " + how_to_match());
}

std::string why_ended(const kiln_clang_result& result, std::chrono::milliseconds time_limit) {
  const std::string error(result.error.data == nullptr ? "" : result.error.data, result.error.size);
  switch (result.status) {
    case KILN_CLANG_TOO_DEEP:
      return "clang's stack of " + error +
             " is full: the text, or what its macros and templates make of it, is nested too deeply";
    case KILN_CLANG_TOO_LONG:
      if (!error.empty()) return "clang did not end within " + error + ", as it does where it waits for ever";
      return "clang did not end within " + fmt::format("{:g}", static_cast<double>(time_limit.count()) / 1000) +
             " s of the processor's time: simplify the text, or raise the limit (KILN_COMPILE_SECONDS)";
    case KILN_CLANG_TOO_LARGE:
      return "clang needs more than " + std::to_string(compile_limits().memory >> 20) +
             " MiB of memory: simplify the text, or raise the limit (KILN_COMPILE_MAX_BYTES)";
    case KILN_CLANG_NO_MEMORY:
      return "clang found no memory: the machine has none left, or its processes may use no more (ulimit -v)";
    case KILN_CLANG_ENDED:
      return "clang's process ended without an answer, as it does where memory runs out, or where it is killed";
    default:
      // A function of a library that LLVM would call, and that NVIDIA's targets have no name for.
      if (error.ends_with("Undefined external symbol \"\""))
        return error + ": NVIDIA's targets convert no __int128 from or to floating numbers; convert an int64";
      return error + ": simplify the text, and report source() and log() of this error";
  }
}

const kiln_clang_api& clang_module() {
  if (clang_is_taken_away()) throw NoCompiler("kiln's Clang is not used: KILN_CLANG=none; unset it");
  static std::atomic<const kiln_clang_api*> opened{nullptr};
  if (const kiln_clang_api* const module = opened.load(std::memory_order_acquire)) return *module;
  const kiln_clang_api* module = nullptr;
  std::string why_not;
  {
    // Inside the gate: a child forked meanwhile would find the lock held by nobody.
    static std::mutex opening;
    const ForkGate gate;
    const std::lock_guard hold(opening);
    module = opened.load(std::memory_order_relaxed);
    if (module != nullptr) return *module;
    const std::vector<std::string> candidates = clang_module_candidates();
    module = clang_in_workers(candidates, why_not);
    if (module == nullptr) module = &open_clang_module(candidates);
    opened.store(module, std::memory_order_release);
  }
  // Who listens may fork.
  if (!why_not.empty()) base::log_line("kernels are compiled in this process, which ends where Clang crashes: " + why_not);
  return *module;
}

}  // namespace kiln::backend::cpu
