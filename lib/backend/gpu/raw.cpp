// Launches of raw kernels on a GPU: kernels-src/raw_gpu.hpp is the other side.
#include <array>
#include <string>

#include "backend/gpu/backend.hpp"
#include "backend/gpu/grid.hpp"
#include "backend/gpu/module.hpp"
#include "backend/gpu/queue.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr std::array kAxes{"x", "y", "z"};

std::string extents_text(const std::array<std::int64_t, 3>& extents) {
  return "(" + std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " + std::to_string(extents[2]) + ")";
}

}  // namespace

// Drivers tell of a launch beyond their limits that a value is invalid, and not which one.
void GpuBackend::check_limits(const GpuModule& module, const RawLaunch& launch) const {
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
    module.allow_shared(static_cast<int>(most));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (core_.dialect().kind == DeviceKind::hip && launch.grid[axis] * launch.block[axis] > kHipMaxThreads) {
      fail("its .grid is " + extents_text(launch.grid) + " of blocks of " + extents_text(launch.block) +
           " threads, and HIP takes fewer than 2^32 threads along " + kAxes[axis]);
    }
  }
}

void GpuBackend::launch(const Module& module, const RawLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) {
  core_.require_usable();
  const auto& loaded = static_cast<const GpuModule&>(module);
  const Current current(core_);
  RawLaunch own = launch;
  std::array<void*, kMaxRawArguments + 1> parameters;
  std::size_t count = 0;
  const bool items = own.size >= 0;
  if (items) {
    parameters[count++] = &own.size;
  } else {
    check_limits(loaded, own);
  }
  for (std::size_t i = 0; i < own.count; ++i) parameters[count++] = own.arguments[i].value.data();
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  if (items) {
    run(loaded, own.size, parameters.data(), queue);
  } else {
    const auto extent = [](std::int64_t value) { return static_cast<unsigned>(value); };
    const abi::Status status =
        core_.calls().launch(loaded.function(), extent(own.grid[0]), extent(own.grid[1]), extent(own.grid[2]),
                             extent(own.block[0]), extent(own.block[1]), extent(own.block[2]), extent(own.shared_bytes),
                             gpu_queue != nullptr ? gpu_queue->stream() : nullptr, parameters.data(), nullptr);
    if (status != abi::kSuccess) [[unlikely]]
      core_.fail(status, "launch \"" + loaded.name() + "\"");
  }
  if (gpu_queue != nullptr && keep) gpu_queue->hold(std::move(keep));
}

}  // namespace kiln::backend::gpu
