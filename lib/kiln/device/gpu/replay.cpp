// The launches go to a stream of their own that captures them. So the host program's streams are not touched, and the driver
// has copies of all parameters.
#include "device/gpu/replay.hpp"

#include <algorithm>

#include "device/gpu/backend.hpp"
#include "device/gpu/queue.hpp"

namespace kiln::backend::gpu {
namespace {

/// Ends the capture of a stream, whatever happens.
class DriverCapture {
 public:
  DriverCapture(const DriverTable& calls, abi::Handle stream)
      : calls_(calls), stream_(stream), begun_(calls.capture_begin(stream, abi::kCaptureRelaxed) == abi::kSuccess) {}
  ~DriverCapture() {
    if (void* const graph = end()) calls_.graph_destroy(graph);
  }
  DriverCapture(const DriverCapture&) = delete;
  DriverCapture& operator=(const DriverCapture&) = delete;

  [[nodiscard]] bool begun() const noexcept { return begun_; }
  /// The caller's to destroy; null where there is none.
  [[nodiscard]] abi::Handle end() noexcept {
    if (!begun_) return nullptr;
    begun_ = false;
    abi::Handle graph = nullptr;
    return calls_.capture_end(stream_, &graph) == abi::kSuccess ? graph : nullptr;
  }

 private:
  const DriverTable& calls_;
  abi::Handle stream_;
  bool begun_;
};

}  // namespace

std::shared_ptr<GpuReplay> GpuReplay::make(GpuBackend& backend, const Core& core, const RecordedLaunches& launches) {
  const DriverTable& calls = core.calls();
  if (calls.capture_begin == nullptr || calls.capture_end == nullptr || calls.graph_instantiate == nullptr ||
      calls.graph_launch == nullptr || calls.graph_destroy == nullptr || calls.graph_executable_destroy == nullptr) {
    return nullptr;
  }
  if (std::ranges::any_of(launches, [](const auto& launch) { return launch->checks(); })) return nullptr;
  auto replay = std::make_shared<GpuReplay>(backend, core);
  GpuQueue queue(core, 0);
  queue.record_with(replay->scratch_);
  DriverCapture capture(calls, queue.stream());
  if (!capture.begun()) return nullptr;
  for (const auto& launch : launches) launch->run(&queue, nullptr);
  void* const graph = capture.end();
  if (graph == nullptr) return nullptr;
  const abi::Status status = calls.graph_instantiate(&replay->executable_, graph, 0);
  calls.graph_destroy(graph);
  if (status == abi::kSuccess) return replay;
  replay->executable_ = nullptr;
  return nullptr;
}

GpuReplay::~GpuReplay() {
  for (const auto& [address, bytes] : scratch_) backend_.deallocate(address, bytes, nullptr);
  if (executable_ == nullptr || !core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) core_.calls().graph_executable_destroy(executable_);
}

void GpuReplay::start(Queue* queue, const std::shared_ptr<const void>& keep) {
  core_.require_usable();
  const Current current(core_);
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  core_.check(core_.calls().graph_launch(executable_, stream_of(queue)), "launch a graph");
  if (gpu_queue != nullptr) {
    gpu_queue->hold(keep);
  } else {
    backend_.outlive(keep);
  }
}

}  // namespace kiln::backend::gpu
