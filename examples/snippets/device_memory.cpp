// Snippets of docs/device-memory.md.
#include <iostream>
#include <kiln/kiln.hpp>

namespace {

/// Hands out parts of one array of the device, and takes nothing back.
struct Pool {
  kiln::Array all;
  std::size_t used = 0;
  void* allocate(std::size_t bytes, void*) {
    return static_cast<char*>(all.data()) + std::exchange(used, used + (bytes + 255) / 256 * 256);
  }
  void deallocate(void*, std::size_t, void*) {}
};

}  // namespace

int main() {
  const kiln::Device device = kiln::Device::emulated("sm_90");
  Pool pool{kiln::device_array(1 << 20, kiln::DType::uint8, device)};
  // snippet: statistics
  const kiln::MemoryStats now = kiln::memory_stats(device);  // now.used, now.kept, now.peak, now.allocations, now.free, …
  kiln::reset_memory_peak(device);                           // peak counts from here
  kiln::trim(device);                                        // what is kept goes back to the driver, or to the system
  kiln::set_memory_limit(device, std::int64_t{4} << 30);     // at most 4 GiB in use at once
  // end
  if (now.used != 1 << 20) return 1;

  // snippet: errors
  const auto allocate = [&](std::int64_t bytes) {
    try {
      std::ignore = kiln::device_array(bytes, kiln::DType::uint8, device);
    } catch (const kiln::DeviceError& error) {
      std::cout << error.what() << "\n";
    }
  };
  allocate(std::int64_t{5} << 30);
  kiln::set_memory_limit(device, std::nullopt);
  allocate(std::int64_t{1} << 50);
  // end

  // clang-format off
  // snippet: allocator
  kiln::set_allocator(device, {
      .allocate = [&](std::size_t bytes, const kiln::Device&, void* stream) { return pool.allocate(bytes, stream); },
      .deallocate = [&](void* address, std::size_t bytes, const kiln::Device&, void* stream) { pool.deallocate(address, bytes, stream); },
  });
  // end
  // clang-format on
  std::ignore = kiln::math::add(kiln::to_device(kiln::Array::ones(10), device), 1);
  if (pool.used == 0) return 1;
  // snippet: allocator
  kiln::set_allocator(device, {});  // kiln's own pool again
  // end
}
