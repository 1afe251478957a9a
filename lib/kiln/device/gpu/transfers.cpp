// Copies between the host and a GPU, on it, and from one GPU to another.
#include <utility>

#include "device/capture.hpp"
#include "device/gpu/backend.hpp"
#include "device/gpu/queue.hpp"

namespace kiln::backend::gpu {

void GpuBackend::upload(void* device, const void* host, std::size_t bytes, Queue* queue) {
  core_.require_usable();
  if (bytes == 0) return;
  const Current current(core_);
  if (queue != nullptr) static_cast<GpuQueue*>(queue)->wait_for_memory();
  core_.check(core_.calls().copy_to_device(device, host, bytes, stream_of(queue)), "copy to the device");
  // Whether the driver has read the source by now depends on whether the host program page-locked it.
  core_.check(core_.calls().stream_synchronize(stream_of(queue)), "copy to the device");
}

void GpuBackend::download(void* host, const void* device, std::size_t bytes, Queue* queue) {
  core_.require_usable();
  Capture::refuse("a copy to the host", "it would wait for work that runs only when the graph does; copy after the launch");
  if (bytes == 0) return;
  const Current current(core_);
  if (queue != nullptr) static_cast<GpuQueue*>(queue)->wait_for_memory();
  core_.check(core_.calls().copy_to_host(host, const_cast<void*>(device), bytes, stream_of(queue)), "copy to the host");
  core_.check(core_.calls().stream_synchronize(stream_of(queue)), "copy to the host");
}

void GpuBackend::copy(void* to, const void* from, std::size_t bytes, Queue* queue) {
  core_.require_usable();
  Capture::refuse("a copy on the device", "it would be made now, and not when the graph runs; give a ufunc that copies");
  if (bytes == 0) return;
  const Current current(core_);
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  core_.check(core_.calls().copy_on_device(to, const_cast<void*>(from), bytes, stream_of(queue)), "copy on the device");
  // Another thread's launch may have made a queue wait since the target was handed out, and before this.
  if (gpu_queue == nullptr) core_.default_memory.fetch_add(1, std::memory_order_release);
  // Nothing holds the two arrays for a copy: they may be freed, in the default stream's order, once this returns.
  if (gpu_queue != nullptr && gpu_queue->let_default_wait() != abi::kSuccess) {
    core_.check(core_.calls().stream_synchronize(gpu_queue->stream()), "copy on the device");
  }
}

void GpuBackend::upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) {
  core_.require_usable();
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  // They are the same at every launch of the graph, in memory that is its own.
  if (gpu_queue != nullptr && gpu_queue->recorded_scratch() != nullptr) {
    return upload(device, bytes->data(), bytes->size(), nullptr);
  }
  const Current current(core_);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  core_.check(core_.calls().copy_to_device(device, bytes->data(), bytes->size(), stream_of(queue)), "copy to the device");
  // The driver may read memory that is not page-locked now or in the stream's order.
  (gpu_queue != nullptr ? gpu_queue->pending() : default_pending_).hold(std::move(bytes));
}

void GpuBackend::upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                               const std::shared_ptr<const void>& keep) {
  core_.require_usable();
  Capture::refuse("a copy to the device", "it would be made now, and not when the graph runs; copy before the launch");
  if (bytes == 0) return;
  const Current current(core_);
  start_copy(queue);
  core_.check(core_.calls().copy_to_device(device, host, bytes, stream_of(queue)), "copy to the device");
  end_copy(queue, keep);
}

void GpuBackend::download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                                 const std::shared_ptr<const void>& keep) {
  core_.require_usable();
  Capture::refuse("a copy to the host", "it would be made now, and not when the graph runs; copy after the launch");
  if (bytes == 0) return;
  const Current current(core_);
  start_copy(queue);
  core_.check(core_.calls().copy_to_host(host, const_cast<void*>(device), bytes, stream_of(queue)), "copy to the host");
  end_copy(queue, keep);
}

bool GpuBackend::copy_from_peer(void* to, Backend& source, const void* from, std::size_t bytes, Queue* queue,
                                const std::shared_ptr<const void>& keep) {
  if (source.kind() != kind()) return false;
  auto& peer = static_cast<GpuBackend&>(source);
  const DriverTable& calls = core_.calls();
  if (&peer.core_.driver() != &core_.driver()) return false;
  if (calls.peer_copy_by_context == nullptr && calls.peer_copy_by_device == nullptr) return false;
  core_.require_usable();
  if (bytes == 0) return true;
  // An event of the other device would do; but which of its streams wrote the array nobody knows, and this is what copies to
  // the host wait for as well.
  peer.synchronize();
  const Current current(core_);
  start_copy(queue);
  void* const address = const_cast<void*>(from);
  core_.check(calls.peer_copy_by_context != nullptr
                  ? calls.peer_copy_by_context(to, core_.context(), address, peer.core_.context(), bytes, stream_of(queue))
                  : calls.peer_copy_by_device(to, core_.device(), address, peer.core_.device(), bytes, stream_of(queue)),
              "copy from another device");
  end_copy(queue, keep);
  return true;
}

void GpuBackend::start_copy(Queue* queue) {
  if (queue != nullptr) static_cast<GpuQueue*>(queue)->wait_for_memory();
}

void GpuBackend::end_copy(Queue* queue, const std::shared_ptr<const void>& keep) {
  // A queue may use what the default stream copies; it waits for that as it does for memory.
  if (queue == nullptr) core_.default_memory.fetch_add(1, std::memory_order_release);
  if (keep) (queue != nullptr ? static_cast<GpuQueue*>(queue)->pending() : default_pending_).hold(keep);
}

bool GpuBackend::register_host(void* address, std::size_t bytes, bool read_only) {
  const DriverTable& calls = core_.calls();
  if (calls.host_register == nullptr || calls.host_unregister == nullptr || bytes == 0) return false;
  core_.require_usable();
  const Current current(core_);
  abi::Status status = calls.host_register(address, bytes, abi::kHostPortable);
  if (status == abi::kAlreadyPageLocked) return false;
  // Drivers ask for a word of their own for memory that is mapped without the right to write.
  if (const unsigned flag = core_.dialect().register_read_only; status != abi::kSuccess && read_only && flag != 0) {
    status = calls.host_register(address, bytes, abi::kHostPortable | flag);
  }
  core_.check(status, "page-lock memory of the host");
  pinned_.add_locked(address, bytes);
  return true;
}

void GpuBackend::unregister_host(void* address) noexcept {
  if (!core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (!current.ok()) return;
  core_.calls().synchronize();
  core_.calls().host_unregister(address);
  pinned_.remove_locked(address);
}

}  // namespace kiln::backend::gpu
