// What arrays take on every device: counted, bounded, given back.
#include "kiln/memory.hpp"
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

constexpr std::int64_t kHeldElements = 1 << 20;
constexpr std::int64_t kBytes = 4 * kHeldElements;

}  // namespace

TEST_CASE("memory: arrays are counted, and gone when they are") {
  on_every_device(
      [](const Target& target) {
        const kiln::Device& device = target.device();
        kiln::trim(device);
        kiln::reset_memory_peak(device);
        const kiln::MemoryStats before = kiln::memory_stats(device);
        CHECK(before.kept == 0);
        CHECK(before.peak == before.used);
        CHECK(before.total > 0);
        {
          const Array a = kiln::device_array({kHeldElements}, DType::float32, device);
          const Array view = a[{kiln::Slice{.start = 1}}];
          const kiln::MemoryStats now = kiln::memory_stats(device);
          CHECK(now.used == before.used + kBytes);
          CHECK(now.allocations == before.allocations + 1);
        }
        kiln::trim(device);
        const kiln::MemoryStats after = kiln::memory_stats(device);
        CHECK(after.used == before.used);
        CHECK(after.allocations == before.allocations);
        CHECK(after.peak == before.used + kBytes);
        CHECK(after.kept == 0);
      },
      {Mode::device});
}

TEST_CASE("memory: a limit is an error that says so, and work goes on below it") {
  on_every_device(
      [](const Target& target) {
        const kiln::Device& device = target.device();
        const std::int64_t limit = kiln::memory_stats(device).used + 2 * kBytes;
        kiln::set_memory_limit(device, limit);
        CHECK(kiln::memory_stats(device).limit == limit);
        {
          const Array a = target.place(Array::full({kHeldElements}, 2.0F));
          const std::string error = message_of<kiln::DeviceError>(
              [&] { static_cast<void>(kiln::device_array({4 * kHeldElements}, DType::float32, device)); });
          CHECK(error.starts_with("failed to allocate " + std::to_string(4 * kBytes) + " bytes "));
          CHECK(error.find("the limit is " + std::to_string(limit) + " bytes (kiln::set_memory_limit") != std::string::npos);
          CHECK(target.fetch(kiln::math::add.reduce(a)).item<float>() == 2.0F * kHeldElements);
        }
        kiln::set_memory_limit(device, std::nullopt);
        CHECK_FALSE(kiln::memory_stats(device).limit.has_value());
        CHECK_NOTHROW(static_cast<void>(kiln::device_array({4 * kHeldElements}, DType::float32, device)));
      },
      {Mode::device});
}
