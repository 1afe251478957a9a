// One GPU of either vendor as a backend::Backend.
#include "device/gpu/backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "compiler/gpu/clang_compiler.hpp"
#include "device/gpu/event.hpp"
#include "device/gpu/module.hpp"
#include "device/gpu/queue.hpp"
#include "device/gpu/replay.hpp"
#include "device/kernel_abi.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr std::array kAxes{"x", "y", "z"};

std::string extents_text(const std::array<std::int64_t, 3>& extents) {
  return "(" + std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " + std::to_string(extents[2]) + ")";
}

/// Of a queue that records for a graph: who keeps the scratch memory of its kernels. Null: it does not.
std::vector<std::pair<void*, std::size_t>>* recorded_scratch(const Queue* queue) noexcept {
  return queue == nullptr ? nullptr : static_cast<const GpuQueue*>(queue)->recorded_scratch();
}

/// "NVRTC 13.0", "Clang 19.1.7, nvJitLink 13.0": without what only keys need.
std::string shown(const Compiler& compiler) {
  const std::string version = compiler.version();
  std::string text = compiler.name() + " " + version.substr(0, version.find('+'));
  if (const std::size_t at = version.find(kFinisherMark); at != std::string::npos) {
    const std::size_t begin = at + kFinisherMark.size();
    text += ", nvJitLink " + version.substr(begin, version.find('+', begin) - begin);
  }
  return text;
}

}  // namespace

std::string architecture_of(const Driver& driver, int index) {
  const DriverTable& calls = driver.calls();
  int device = 0;
  if (const auto status = calls.device_get(&device, index); status != abi::kSuccess) {
    throw driver.error(status, "open the device", index);
  }
  if (driver.dialect().kind == DeviceKind::cuda) {
    int major = 0;
    int minor = 0;
    auto status = calls.device_attribute(&major, driver.dialect().attribute.capability_major, device);
    if (status == abi::kSuccess) status = calls.device_attribute(&minor, driver.dialect().attribute.capability_minor, device);
    if (status != abi::kSuccess) throw driver.error(status, "read the compute capability", index);
    return "sm_" + std::to_string(major) + std::to_string(minor);
  }
  // The structure grew between releases; gcnArchName is all that is read, from a buffer larger than any of them.
  constexpr std::size_t kNameInR0600 = 1160;
  constexpr std::size_t kNameBefore = 396;
  constexpr std::size_t kNameBytes = 256;
  std::array<char, 16384> properties{};
  const bool is_new = calls.device_properties_600 != nullptr;
  const auto get = is_new ? calls.device_properties_600 : calls.device_properties;
  if (get == nullptr) throw DeviceError(driver.path() + " has no hipGetDeviceProperties, which kiln needs");
  if (const auto status = get(properties.data(), device); status != abi::kSuccess) {
    throw driver.error(status, "read the properties", index);
  }
  const char* name = properties.data() + (is_new ? kNameInR0600 : kNameBefore);
  std::string arch(name, strnlen(name, kNameBytes));
  if (!arch.starts_with("gfx")) {
    throw DeviceError("failed to read the architecture of " + driver.device_name(index) + ": " + driver.path() +
                      " lays out its properties in a way that kiln does not know");
  }
  return arch;
}

GpuBackend::GpuBackend(const Driver& driver, int index, std::shared_ptr<const Compiler> compiler, std::string no_compiler)
    : Backend(driver.dialect().kind),
      core_(driver, index),
      compiler_(std::move(compiler)),
      no_compiler_(std::move(no_compiler)) {
  const AttributeNumbers& numbers = core_.dialect().attribute;
  std::array<char, 256> name{};
  core_.check(core_.calls().device_name(name.data(), static_cast<int>(name.size()) - 1, core_.device()), "read the name");
  std::size_t memory = 0;
  core_.check(core_.calls().device_memory(&memory, core_.device()), "read the memory size");
  info_ = {.name = name.data(),
           .target = compiler_ ? compiler_->target() : architecture_of(driver, index),
           .runtime = driver.version_text() + (core_.dialect().kind == DeviceKind::cuda ? " (driver), " : ", ") +
                      (compiler_ ? shown(*compiler_) : std::string("no compiler")),
           .memory_bytes = static_cast<std::int64_t>(memory),
           .multiprocessors = core_.attribute(numbers.multiprocessors),
           .threads_per_multiprocessor = core_.attribute(numbers.threads_per_multiprocessor),
           .warp_size = core_.attribute(numbers.warp_size),
           .max_threads_per_block = core_.attribute(numbers.threads_per_block),
           .max_grid_blocks = core_.attribute(numbers.grid_x),
           .shared_bytes_per_block = core_.attribute(numbers.shared_per_block),
           .l2_bytes = core_.attribute(numbers.l2_bytes)};
}

// Pool and primary context go with the process: memory may be in use until then.
GpuBackend::~GpuBackend() {
  if (!core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (!current.ok()) return;
  if (core_.calls().stream_synchronize(nullptr) == abi::kSuccess) default_pending_.close();
  pinned_.release();
}

const std::shared_ptr<const Compiler>& GpuBackend::compiler() const {
  if (!compiler_) throw Because<DeviceError>(Reason::compiler, no_compiler_);
  return compiler_;
}

std::shared_ptr<Module> GpuBackend::load(std::string_view code, const std::string& name, const std::string& /*debug_folder*/) {
  return std::make_shared<GpuModule>(core_, code, name);
}

void GpuBackend::reclaim_memory() {
  core_.check(core_.calls().synchronize(), "synchronize");
  std::vector<std::shared_ptr<GpuQueue>> queues;
  {
    const std::lock_guard guard(queues_mutex_);
    for (const auto& queue : queues_) queues.push_back(queue.lock());
  }
  for (const auto& queue : queues) {
    if (queue) queue->release_done();
  }
  default_pending_.release_done(true);
  if (!memory_.has_pool()) return;
  // What was let go of is the pool's once its stream has come to that.
  core_.check(core_.calls().synchronize(), "synchronize");
  memory_.trim();
}

void* GpuBackend::allocate(std::size_t bytes, Queue* queue) {
  if (recorded_scratch(queue) != nullptr) queue = nullptr;
  core_.require_usable();
  const Current current(core_);
  void* address = nullptr;
  abi::Status status = memory_.allocate(&address, bytes, stream_of(queue));
  if (status == abi::kOutOfMemory) {
    // What it needs may be in the pool in blocks of other sizes, behind work that is not done, or kept for work that is.
    reclaim_memory();
    status = memory_.allocate(&address, bytes, stream_of(queue));
  }
  if (status != abi::kSuccess) memory_.fail(status, bytes);
  if (queue == nullptr) core_.default_memory.fetch_add(1, std::memory_order_release);
  return address;
}

void GpuBackend::deallocate_scratch(void* address, std::size_t bytes, Queue* queue) noexcept {
  if (auto* const recorded = recorded_scratch(queue)) {
    try {
      recorded->emplace_back(address, bytes);
    } catch (const std::bad_alloc&) {
      // Without room for the list the memory is lost: the graph uses it as long as it lives.
    }
    return;
  }
  if (!memory_.has_pool()) return deallocate(address, bytes, queue);
  if (address == nullptr || !core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) memory_.deallocate(address, bytes, stream_of(queue));
}

MemoryStats GpuBackend::memory_stats() const {
  core_.require_usable();
  const Current current(core_);
  return memory_.stats();
}

void GpuBackend::trim() {
  core_.require_usable();
  const Current current(core_);
  reclaim_memory();
}

void GpuBackend::set_memory_limit(std::optional<std::int64_t> bytes) {
  core_.require_usable();
  const Current current(core_);
  memory_.set_limit(bytes);
}

void GpuBackend::set_allocator(const Device& device, const MemoryAllocator& allocator) {
  memory_.set_allocator(device, allocator);
}

void GpuBackend::outlive(std::shared_ptr<const void> keep) noexcept {
  if (!core_.usable()) return;
  try {
    const Current current(core_);
    default_pending_.hold(std::move(keep));
    default_pending_.release_done(false);
  } catch (...) {
    // The work that uses it has failed, and with it the device.
  }
}

void GpuBackend::deallocate(void* address, std::size_t bytes, Queue* queue) noexcept {
  // On a lost device, in a forked child and after the driver's own exit there is nothing left to give back.
  if (address == nullptr || !core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (!current.ok()) return;
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (memory_.has_pool()) {
    // The default stream may still use it.
    if (gpu_queue == nullptr || gpu_queue->wait_for_default() == abi::kSuccess ||
        core_.calls().stream_synchronize(nullptr) == abi::kSuccess) {
      memory_.deallocate(address, bytes, stream_of(queue));
    }
    return;
  }
  core_.calls().stream_synchronize(nullptr);
  if (gpu_queue != nullptr) core_.calls().stream_synchronize(gpu_queue->stream());
  memory_.deallocate(address, bytes, stream_of(queue));
}

void GpuBackend::dispatch(const Module& module, const LaunchShape& shape, void** parameters, Queue* queue,
                          const std::shared_ptr<const void>& keep) {
  core_.require_usable();
  const auto& kernel = static_cast<const GpuModule&>(module);
  const Current current(core_);
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  const auto extent = [](std::int64_t value) { return static_cast<unsigned>(value); };
  const abi::Status status = core_.calls().launch(
      kernel.function(), extent(shape.grid[0]), extent(shape.grid[1]), extent(shape.grid[2]), extent(shape.block[0]),
      extent(shape.block[1]), extent(shape.block[2]), extent(shape.shared_bytes), stream_of(queue), parameters, nullptr);
  if (status != abi::kSuccess) [[unlikely]]
    core_.fail(status, "launch \"" + kernel.name() + "\"");
  if (gpu_queue != nullptr && keep) gpu_queue->hold(keep);
}

// Drivers tell of a launch beyond their limits that a value is invalid, and not which one.
void GpuBackend::require_fits(const Module& any, const LaunchShape& launch) const {
  core_.require_usable();
  const auto& module = static_cast<const GpuModule&>(any);
  const AttributeNumbers& numbers = core_.dialect().attribute;
  const auto fail = [&](const std::string& why) {
    throw DeviceError("failed to launch \"" + module.name() + "\" on " + core_.name() + ": " + why);
  };
  const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    // Most launches stay within what every device takes.
    if (launch.block[at] > 64) {
      if (const int most = core_.attribute(numbers.block_x + axis); launch.block[at] > most) {
        fail("its .block is " + extents_text(launch.block) + ", and the device takes at most " + std::to_string(most) +
             " threads along " + kAxes[at]);
      }
    }
    if (launch.grid[at] > 65535) {
      if (const int most = core_.attribute(numbers.grid_x + axis); launch.grid[at] > most) {
        fail("its .grid is " + extents_text(launch.grid) + ", and the device takes at most " + std::to_string(most) +
             " blocks along " + kAxes[at]);
      }
    }
  }
  if (threads > info_.max_threads_per_block) {
    fail("its .block is " + extents_text(launch.block) + ", " + std::to_string(threads) +
         " threads, and the device takes at most " + std::to_string(info_.max_threads_per_block));
  }
  // Registers that it keeps may leave a kernel fewer; kernels without launch bounds are made for this many.
  constexpr std::int64_t kSurelyFits = 256;
  if (threads > kSurelyFits) {
    const int most = module.attribute(abi::kFunctionThreads, info_.max_threads_per_block);
    if (threads > most) {
      fail("its .block is " + extents_text(launch.block) + ", " + std::to_string(threads) + " threads, and the kernel's " +
           "registers leave room for at most " + std::to_string(most));
    }
  }
  const int own = launch.shared_bytes > 0 ? module.own_shared() : 0;
  if (own + launch.shared_bytes > info_.shared_bytes_per_block) {
    const bool on_request = core_.calls().function_set != nullptr;
    const std::int64_t most =
        (on_request ? core_.attribute(numbers.shared_per_block_on_request) : info_.shared_bytes_per_block) - own;
    if (launch.shared_bytes > most) {
      fail(".shared_bytes is " + std::to_string(launch.shared_bytes) + ", and the device has " + std::to_string(most) +
           " for a block" + (own > 0 ? " beside the kernel's own " + std::to_string(own) : ""));
    }
    const Current current(core_);
    module.allow_shared(static_cast<int>(most));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (const std::int64_t most = max_dispatch_threads(); most > 0 && launch.grid[axis] * launch.block[axis] > most) {
      fail("its .grid is " + extents_text(launch.grid) + " of blocks of " + extents_text(launch.block) + " threads, and " +
           core_.dialect().runtime + " takes fewer than 2^32 threads along " + kAxes[axis]);
    }
  }
}

std::shared_ptr<Queue> GpuBackend::make_queue(int priority) {
  return add(std::make_shared<GpuQueue>(core_, priority));
}

std::shared_ptr<Queue> GpuBackend::wrap_queue(void* native) {
  if (native == nullptr) {
    throw DeviceError("cannot wrap a null stream, which is the default one of " + core_.name() + ": give Stream() for it");
  }
  // CUDA's and HIP's names for the default stream (1) and for one that is another on each thread (2).
  if (const auto handle = reinterpret_cast<std::uintptr_t>(native); handle <= 2) {
    throw DeviceError("cannot wrap stream " + std::to_string(handle) + ", which names no one stream of " + core_.name() +
                      ": give one that was created");
  }
  return add(std::make_shared<GpuQueue>(core_, native));
}

std::shared_ptr<Queue> GpuBackend::add(std::shared_ptr<GpuQueue> queue) {
  const std::lock_guard guard(queues_mutex_);
  std::erase_if(queues_, [](const auto& other) { return other.expired(); });
  queues_.push_back(queue);
  return queue;
}

void GpuBackend::synchronize() {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().stream_synchronize(nullptr), "synchronize the default stream");
  default_pending_.release_done(true);
}

std::shared_ptr<Replay> GpuBackend::make_replay(const RecordedLaunches& launches) {
  core_.require_usable();
  const Current current(core_);
  return GpuReplay::make(*this, core_, launches);
}

std::shared_ptr<Event> GpuBackend::make_event() {
  return std::make_shared<GpuEvent>(core_);
}

}  // namespace kiln::backend::gpu
