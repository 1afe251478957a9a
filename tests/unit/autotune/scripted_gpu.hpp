// A GPU whose kernels take as long as the test says: its clock goes on at each dispatch.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "../kernel/recording_backend.hpp"

namespace kiln::test {

class ScriptedGpu : public RecordingBackend {
 public:
  ScriptedGpu() : RecordingBackend(0) {}

  /// The clock, in milliseconds; whoever runs something adds to it.
  double now = 0;

  [[nodiscard]] std::shared_ptr<backend::Event> make_event() override { return std::make_shared<Event>(*this); }
  [[nodiscard]] std::string driver() const override { return "CUDA 13.0"; }

 private:
  class Event : public backend::Event {
   public:
    explicit Event(const ScriptedGpu& gpu) : gpu_(gpu) {}
    void record(backend::Queue* /*queue*/) override { at_ = gpu_.now; }
    void wait(backend::Queue* /*queue*/) override {}
    [[nodiscard]] bool done() const override { return true; }
    void synchronize() const override {}
    [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point /*end*/) const override { return true; }
    [[nodiscard]] double milliseconds_since(const backend::Event& start) const override {
      return at_ - static_cast<const Event&>(start).at_;
    }

   private:
    const ScriptedGpu& gpu_;
    double at_ = 0;
  };
};

}  // namespace kiln::test
