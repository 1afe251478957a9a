#include "device/cpu/backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/page_pool.hpp"
#include "base/usable_threads.hpp"
#include "compiler/cpu/compiler.hpp"
#include "device/cpu/event.hpp"
#include "device/cpu/processor.hpp"
#include "device/cpu/queue.hpp"
#include "device/cpu/replay.hpp"
#include "kiln/error.hpp"
#include "library/clang_module.hpp"
#include "types/reason.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kMaxThreads = 4096;

CpuQueue* own(Queue* queue) {
  return static_cast<CpuQueue*>(queue);
}

}  // namespace

CpuBackend::CpuBackend(int threads) : Backend(DeviceKind::cpu), threads_(threads > 0 ? threads : base::usable_threads()) {
  info_ = {.name = processor_name(),
           .target = device_target().short_name,
           .runtime = std::string("LLVM ") + clang_version(),
           .memory_bytes = memory_bytes(),
           .multiprocessors = threads_.count(),
           .threads_per_multiprocessor = 1,
           .warp_size = 1,
           .max_threads_per_block = 1,
           .l2_bytes = cache_bytes()};
}

const std::shared_ptr<const Compiler>& CpuBackend::compiler() const {
  return device_compiler();
}

std::shared_ptr<Module> CpuBackend::load(std::string_view code, const std::string& name, const std::string& debug_folder) {
  return std::make_shared<CpuModule>(code, name, debug_folder);
}

void* CpuBackend::allocate(std::size_t bytes, Queue*) {
  void* const address =
      bytes >= base::kPagesFrom
          ? base::page_pool().allocate(bytes, false)
          : std::aligned_alloc(kAlignment, (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment);
  if (address == nullptr) {
    throw Because<DeviceError>(Reason::memory, "failed to allocate " + std::to_string(bytes) +
                                                   " bytes on the CPU: " + base::page_pool().why_none(bytes));
  }
  return address;
}

void CpuBackend::deallocate(void* address, std::size_t bytes, Queue* queue) noexcept {
  const auto free = [address, bytes] {
    if (bytes >= base::kPagesFrom)
      base::page_pool().deallocate(address, bytes);
    else
      std::free(address);
  };
  if (queue != nullptr) {
    try {
      return own(queue)->post(free, CpuQueue::After::anything);
    } catch (...) {
      own(queue)->wait();  // no memory for the task: free it here, after the work that may use it
    }
  }
  free();
}

void CpuBackend::upload(void* device, const void* host, std::size_t bytes, Queue* queue) {
  if (queue != nullptr) own(queue)->wait();  // what is queued may still read the old bytes
  if (bytes > 0) std::memmove(device, host, bytes);
}

void CpuBackend::download(void* host, const void* device, std::size_t bytes, Queue* queue) {
  if (queue != nullptr) own(queue)->synchronize();
  if (bytes > 0) std::memmove(host, device, bytes);
}

void CpuBackend::copy(void* to, const void* from, std::size_t bytes, Queue* queue) {
  if (bytes == 0) return;
  if (queue == nullptr) {
    std::memmove(to, from, bytes);
  } else {
    own(queue)->post([=] { std::memmove(to, from, bytes); });
  }
}

void CpuBackend::upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) {
  if (queue == nullptr) {
    std::memcpy(device, bytes->data(), bytes->size());
  } else {
    own(queue)->post([device, bytes = std::move(bytes)] { std::memcpy(device, bytes->data(), bytes->size()); });
  }
}

void CpuBackend::upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                               const std::shared_ptr<const void>& keep) {
  if (bytes == 0) return;
  if (queue == nullptr) {
    std::memmove(device, host, bytes);
  } else {
    own(queue)->post([=] {
      static_cast<void>(keep);
      std::memmove(device, host, bytes);
    });
  }
}

void CpuBackend::download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                                 const std::shared_ptr<const void>& keep) {
  upload_queued(host, device, bytes, queue, keep);
}

void CpuBackend::dispatch(const Module& /*module*/, const LaunchShape& /*shape*/, void** /*parameters*/, Queue* /*queue*/,
                          const std::shared_ptr<const void>& /*keep*/) {
  throw std::logic_error("kernels of the CPU are functions: nothing dispatches them");
}

std::shared_ptr<Event> CpuBackend::make_event() {
  return std::make_shared<CpuEvent>();
}

std::shared_ptr<Replay> CpuBackend::make_replay(const RecordedLaunches& launches) {
  // A kernel that reports faults is waited for, launch by launch: in a task of the queue it would wait for itself.
  if (std::ranges::any_of(launches, [](const auto& launch) { return launch->checks(); })) return nullptr;
  return std::make_shared<CpuReplay>(launches);
}

std::shared_ptr<Queue> CpuBackend::make_queue(int /*priority*/) {
  return std::make_shared<CpuQueue>();
}

std::shared_ptr<Queue> CpuBackend::wrap_queue(void* /*native*/) {
  throw DeviceError("cannot wrap a stream for the CPU, which has none of a vendor's: give Device::cuda() or Device::hip()");
}

Backend& open(int threads) {
  // Asked at every call, so without a lock. Never destroyed: kernels may run until the process is gone.
  static std::array<std::atomic<CpuBackend*>, kMaxThreads + 1> backends{};
  if (threads < 0 || threads > kMaxThreads) {
    throw DeviceError("failed to open the CPU with " + std::to_string(threads) + " threads: give a number from 1 to " +
                      std::to_string(kMaxThreads) + ", or 0 for every hardware thread");
  }
  std::atomic<CpuBackend*>& place = backends[static_cast<std::size_t>(threads)];
  if (CpuBackend* const known = place.load(std::memory_order_acquire)) return *known;
  auto made = std::make_unique<CpuBackend>(threads);
  CpuBackend* first = nullptr;
  if (place.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *first;
}

}  // namespace kiln::backend::cpu
