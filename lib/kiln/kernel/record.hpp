// A launch of any kind as backend::RecordedLaunch.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "device/capture.hpp"
#include "kernel/launch.hpp"

namespace kiln::kinds {

/// `Owned` is made of a launch and has a copy of it, `launch`, that refers to nothing of the caller's; move_addresses(Owned&,
/// moves) changes the addresses of arrays in there.
template <class Owned>
class Recorded final : public RecordedLaunch {
 public:
  template <class Launch>
  Recorded(Backend& backend, std::shared_ptr<const Module> module, const Launch& launch)
      : backend_(backend), module_(std::move(module)), owned_(launch) {}

  void run(Queue* queue, const std::shared_ptr<const void>& keep) const override {
    kinds::launch(backend_, *module_, owned_.launch, {.queue = queue, .keep = keep});
  }
  [[nodiscard]] std::shared_ptr<const RecordedLaunch> moved(std::span<const Move> moves) const override {
    auto copy = std::make_shared<Recorded>(backend_, module_, owned_.launch);
    move_addresses(copy->owned_, moves);
    return copy;
  }
  [[nodiscard]] bool checks() const noexcept override { return module_->faults() != nullptr; }

 private:
  Backend& backend_;
  std::shared_ptr<const Module> module_;
  Owned owned_;
};

template <class Owned, class Launch>
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record_as(Backend& backend, const Module& module, const Launch& launch) {
  return std::make_shared<Recorded<Owned>>(backend, module.shared_from_this(), launch);
}

}  // namespace kiln::kinds
