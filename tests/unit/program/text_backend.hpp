// A device that loads code as text and runs nothing.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "counting_compiler.hpp"
#include "device/backend.hpp"

namespace kiln::test {

struct LoadedText final : backend::Module {
  explicit LoadedText(std::string_view code) : text(code) { ++alive(); }
  ~LoadedText() override { --alive(); }
  LoadedText(const LoadedText&) = delete;
  LoadedText& operator=(const LoadedText&) = delete;
  static std::atomic<int>& alive() {
    static std::atomic<int> count{0};
    return count;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override { return bytes; }
  std::string text;
  std::size_t bytes = 0;
};

class TextBackend final : public backend::Backend {
 public:
  explicit TextBackend(std::chrono::milliseconds time = {})
      : Backend(DeviceKind::cuda), counting(std::make_shared<CountingCompiler>(time)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const std::shared_ptr<const backend::Compiler>& compiler() const override { return compiler_; }
  [[nodiscard]] std::shared_ptr<backend::Module> load(std::string_view code, const std::string&,
                                                      const std::string& = {}) override {
    ++loads;
    return std::make_shared<LoadedText>(code);
  }
  [[nodiscard]] void* allocate(std::size_t, backend::Queue*) override { return nullptr; }
  void deallocate(void*, std::size_t, backend::Queue*) noexcept override {}
  void upload(void*, const void*, std::size_t, backend::Queue*) override {}
  void download(void*, const void*, std::size_t, backend::Queue*) override {}
  void copy(void*, const void*, std::size_t, backend::Queue*) override {}
  void upload(void*, std::shared_ptr<const std::vector<std::byte>>, backend::Queue*) override {}
  void dispatch(const backend::Module&, const backend::LaunchShape&, void**, backend::Queue*,
                const std::shared_ptr<const void>&) override {}
  [[nodiscard]] bool asynchronous(const backend::Queue*) const override { return false; }
  [[nodiscard]] std::shared_ptr<backend::Queue> make_queue(int) override { return nullptr; }
  [[nodiscard]] std::shared_ptr<backend::Queue> wrap_queue(void* /*native*/) override { return nullptr; }
  void synchronize() override {}
  [[nodiscard]] std::shared_ptr<backend::Event> make_event() override { return nullptr; }

  std::atomic<int> loads{0};
  std::shared_ptr<CountingCompiler> counting;

 private:
  DeviceInfo info_;
  std::shared_ptr<const backend::Compiler> compiler_ = counting;
};

}  // namespace kiln::test
