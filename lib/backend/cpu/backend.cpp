#include "backend/cpu/backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "backend/cpu/clang_module.hpp"
#include "backend/cpu/compiler.hpp"
#include "backend/cpu/gufunc.hpp"
#include "backend/cpu/processor.hpp"
#include "backend/cpu/queue.hpp"
#include "backend/cpu/raw.hpp"
#include "backend/cpu/reduction.hpp"
#include "backend/cpu/scan.hpp"
#include "backend/cpu/scatter.hpp"
#include "base/page_pool.hpp"
#include "base/usable_threads.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kScalarBytes = 16;
constexpr int kMaxThreads = 4096;

CpuQueue* own(Queue* queue) {
  return static_cast<CpuQueue*>(queue);
}

/// What a kernel is called with, in the caller's frame: no allocation on the way of a call.
class LaunchFrame {
 public:
  explicit LaunchFrame(const ElementwiseLaunch& launch) {
    const std::size_t rank = launch.shape.size();
    std::int64_t* stride = strides_.data();
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      const LaunchOperand& operand = launch.operands[i];
      data_[i] = operand.data;
      for (std::size_t d = 0; d < rank; ++d) *stride++ = operand.strides == nullptr ? 0 : operand.strides[d];
    }
    call_ = {.data = data_.data(),
             .shape = launch.shape.data(),
             .strides = strides_.data(),
             .rank = static_cast<std::int64_t>(rank)};
  }
  LaunchFrame(const LaunchFrame&) = delete;
  LaunchFrame& operator=(const LaunchFrame&) = delete;

  [[nodiscard]] const CpuLaunch& call() const { return call_; }

 private:
  std::array<void*, kMaxOperands> data_;  // left unset beyond what is used: clearing them would be most of a small call
  std::array<std::int64_t, std::size_t{kMaxOperands} * kMaxKernelRank> strides_;
  CpuLaunch call_;
};

/// A launch that outlives the caller's: everything that it refers to is copied, scalars' values too.
struct QueuedLaunch {
  struct alignas(kScalarBytes) Scalar {
    std::array<std::byte, kScalarBytes> bytes;
  };
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> shape;
  std::vector<Scalar> scalars;
  ElementwiseLaunch launch;
  std::shared_ptr<const CpuModule> module;
  std::shared_ptr<const void> keep;

  QueuedLaunch(const CpuModule& kernel, const ElementwiseLaunch& from, std::shared_ptr<const void> held)
      : operands(from.operands.begin(), from.operands.end()),
        shape(from.shape.begin(), from.shape.end()),
        launch(from),
        module(kernel.shared_from_this()),
        keep(std::move(held)) {
    scalars.resize(operands.size());
    strides.reserve(operands.size() * shape.size());  // no growth below: addresses are taken
    for (std::size_t i = 0; i < operands.size(); ++i) {
      LaunchOperand& operand = operands[i];
      if (operand.scalar) {
        std::memcpy(&scalars[i], operand.data, std::min<std::size_t>(operand.itemsize, kScalarBytes));
        operand.data = &scalars[i];
      }
      if (operand.strides == nullptr) continue;
      const std::size_t first = strides.size();
      strides.insert(strides.end(), operand.strides, operand.strides + shape.size());
      operand.strides = strides.data() + first;
    }
    launch.operands = operands;
    launch.shape = shape;
  }
  QueuedLaunch(const QueuedLaunch&) = delete;
  QueuedLaunch& operator=(const QueuedLaunch&) = delete;
};

}  // namespace

CpuBackend::CpuBackend(int threads) : threads_(threads > 0 ? threads : base::usable_threads()) {
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

std::shared_ptr<Module> CpuBackend::load(std::string_view code, const std::string& name) {
  return std::make_shared<CpuModule>(code, name);
}

void* CpuBackend::allocate(std::size_t bytes, Queue*) {
  void* const address =
      bytes >= base::kPagesFrom
          ? base::page_pool().allocate(bytes, false)
          : std::aligned_alloc(kAlignment, (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment);
  if (address == nullptr) {
    throw DeviceError("failed to allocate " + std::to_string(bytes) +
                      " bytes on the CPU: the system has no more memory to give");
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

void CpuBackend::launch(const Module& module, const ElementwiseLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  if (queue == nullptr) {
    const LaunchFrame frame(launch);
    return threads_.run(kernel, frame.call(), launch.size);
  }
  auto queued = std::make_shared<const QueuedLaunch>(kernel, launch, std::move(keep));
  own(queue)->post([this, queued = std::move(queued)] {
    const LaunchFrame frame(queued->launch);
    threads_.run(*queued->module, frame.call(), queued->launch.size);
  });
}

void CpuBackend::launch(const Module& module, const ReductionLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  if (queue == nullptr) return reduce(kernel, launch, threads_);
  auto queued = std::make_shared<const QueuedReduction>(kernel, launch, std::move(keep));
  own(queue)->post([this, queued = std::move(queued)] { reduce(*queued->module, queued->launch, threads_); });
}

void CpuBackend::launch(const Module& module, const ScanLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  const auto& parts = kernel.parts<CpuScanParts>();
  if (queue == nullptr) return run_scan(parts, launch, threads_);
  own(queue)->post([this, &parts, launch, module = kernel.shared_from_this(), keep = std::move(keep)] {
    run_scan(parts, launch, threads_);
  });
}

void CpuBackend::launch(const Module& module, const ScatterLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  const auto& parts = kernel.parts<CpuScatterParts>();
  if (queue == nullptr) return run_scatter(parts, launch, threads_);
  own(queue)->post([this, &parts, launch, module = kernel.shared_from_this(), keep = std::move(keep)] {
    run_scatter(parts, launch, threads_);
  });
}

void CpuBackend::launch(const Module& module, const GufuncLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  if (queue == nullptr) return run_gufunc(kernel, launch, threads_);
  own(queue)->post([this, launch, module = std::static_pointer_cast<const CpuModule>(kernel.shared_from_this()),
                    keep = std::move(keep)] { run_gufunc(*module, launch, threads_); });
}

void CpuBackend::launch(const Module& module, const RawLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  const auto& kernel = static_cast<const CpuModule&>(module);
  if (queue == nullptr) return run_raw(kernel, launch, threads_);
  own(queue)->post([this, launch, module = kernel.shared_from_this(), keep = std::move(keep)] {
    run_raw(static_cast<const CpuModule&>(*module), launch, threads_);
  });
}

std::shared_ptr<Queue> CpuBackend::make_queue() {
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
