// A GPU that notes what is dispatched and runs nothing.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace kiln::test {

class RecordingBackend : public backend::Backend {
 public:
  struct Dispatch {
    backend::LaunchShape shape;
    std::vector<std::byte> first;  ///< `bytes` of the first parameter, or of the one asked for
    long uses;                     ///< of what is kept
  };

  /// Copies that many bytes of each dispatch's first parameter, or of that one.
  explicit RecordingBackend(std::size_t bytes, std::int64_t max_threads = 0, std::size_t parameter = 0)
      : Backend(DeviceKind::cuda), bytes_(bytes), max_threads_(max_threads), parameter_(parameter) {
    info_.multiprocessors = 10;
    info_.warp_size = 32;
    info_.max_grid_blocks = 1 << 30;
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const std::shared_ptr<const backend::Compiler>& compiler() const override { throw std::logic_error("none"); }
  [[nodiscard]] std::shared_ptr<backend::Module> load(std::string_view, const std::string&, const std::string& = {}) override {
    return std::make_shared<backend::Module>();
  }
  [[nodiscard]] void* allocate(std::size_t bytes, backend::Queue*) override { return ::operator new(bytes + 1); }
  void deallocate(void* address, std::size_t, backend::Queue*) noexcept override { ::operator delete(address); }
  void upload(void*, const void*, std::size_t, backend::Queue*) override {}
  void upload(void*, std::shared_ptr<const std::vector<std::byte>> bytes, backend::Queue*) override {
    uploaded += bytes->size();
  }
  void download(void*, const void*, std::size_t, backend::Queue*) override {}
  void copy(void*, const void*, std::size_t, backend::Queue*) override {}
  void dispatch(const backend::Module&, const backend::LaunchShape& shape, void** parameters, backend::Queue*,
                const std::shared_ptr<const void>& keep) override {
    Dispatch& seen = dispatches.emplace_back(Dispatch{shape, std::vector<std::byte>(bytes_), keep.use_count()});
    std::memcpy(seen.first.data(), parameters[parameter_], bytes_);
  }
  void require_fits(const backend::Module&, const backend::LaunchShape& shape) const override { asked.push_back(shape); }
  [[nodiscard]] std::int64_t max_dispatch_threads() const noexcept override { return max_threads_; }
  [[nodiscard]] bool asynchronous(const backend::Queue*) const override { return false; }
  [[nodiscard]] std::shared_ptr<backend::Queue> make_queue(int) override { return nullptr; }
  [[nodiscard]] std::shared_ptr<backend::Queue> wrap_queue(void*) override { return nullptr; }
  void synchronize() override {}
  [[nodiscard]] std::shared_ptr<backend::Event> make_event() override { return nullptr; }

  std::vector<Dispatch> dispatches;
  mutable std::vector<backend::LaunchShape> asked;
  std::size_t uploaded = 0;

 private:
  DeviceInfo info_;
  std::size_t bytes_;
  std::int64_t max_threads_;
  std::size_t parameter_;
};

}  // namespace kiln::test
