// A compiler that compiles nothing: it counts, can be slow, and fails on request.
#pragma once

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "compiler/compiler.hpp"
#include "compiler/compiler_ended.hpp"

namespace kiln::test {

class CountingCompiler final : public backend::Compiler {
 public:
  explicit CountingCompiler(std::chrono::milliseconds time = {}, DeviceKind kind = DeviceKind::cuda)
      : time_(time), kind_(kind) {}

  [[nodiscard]] std::string name() const override { return "Counting"; }
  [[nodiscard]] std::string version() const override { return version_text; }
  [[nodiscard]] std::string target() const override { return target_text; }
  [[nodiscard]] std::vector<std::string> options(const backend::CompileRequest&) const override { return {"-count"}; }
  [[nodiscard]] DeviceKind kind() const override { return kind_; }

  /// "code of SOURCE"; a source with "error" in it does not compile, nor by chance one with "late"; one with "driver" throws a
  /// DeviceError.
  [[nodiscard]] backend::CompileResult compile(const backend::CompileRequest& request) const override {
    ++compiles;
    std::this_thread::sleep_for(time_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (compiles < together && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (compiles < together) ++alone;
    if (request.source.find("error") != std::string::npos) {
      throw CompileError(
          {.diagnostics = {{.file = request.name, .line = 2, .column = 3, .text = "no such thing", .source_line = ""}},
           .log = "log",
           .source = request.source,
           .options = options(request),
           .target = target(),
           .compiler = "Counting 1",
           .context = request.context});
    }
    if (request.source.find("late") != std::string::npos) {
      CompileError::Details details;
      details.log = "late";
      throw backend::CompilerEnded(std::move(details), /*by_chance=*/true);
    }
    if (request.source.find("driver") != std::string::npos) throw DeviceError("cannot load the compiler");
    return {"code of " + request.source, ""};
  }

  mutable std::atomic<int> compiles{0};
  int together = 0;                   ///< a compile does not end before so many have begun
  mutable std::atomic<int> alone{0};  ///< compiles that waited for that in vain
  std::string version_text = "1";
  std::string target_text = "sm_90";

 private:
  std::chrono::milliseconds time_;
  DeviceKind kind_;
};

}  // namespace kiln::test
