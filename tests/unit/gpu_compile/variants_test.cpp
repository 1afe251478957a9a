// Every variant of the elementwise templates, launched through the GPU backend with grids of its own choice on an emulated
// device (KILN_REQUIRE_DEVICE=cuda: a real one). The calls of the conformance suite reach most of them; 64-bit indices they
// would need gigabytes for.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../device/gpu_compilers.hpp"
#include "device/backend.hpp"
#include "device/gpu/devices.hpp"
#include "kernel/elementwise/launch.hpp"
#include "kernel/elementwise/parameters.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/elementwise/tiles.hpp"
#include "kernel/spec.hpp"

namespace {

using namespace kiln;
using kinds::Access;
using kinds::ElementwiseSpec;
using kinds::LaunchOperand;

using Extents = std::vector<std::int64_t>;

backend::Backend& device() {
  static backend::Backend& one = std::getenv("KILN_REQUIRE_DEVICE") != nullptr
                                     ? backend::gpu::open(DeviceKind::cuda, 0)
                                     : backend::gpu::open(DeviceKind::cuda, backend::gpu::emulated_index("sm_90"), true);
  return one;
}

std::shared_ptr<backend::Module> compiled(const ElementwiseSpec& spec) {
  const codegen::UserText text{.name = "mix", .body = "return 3 * a + b;", .input_names = {"a", "b"}};
  backend::CompileRequest request{.name = "mix"};
  request.source = kinds::render(text, spec, DeviceKind::cuda);
  request.headers = codegen::resolve_includes({{"mix", request.source}}, {}, {});
  return device().load(device().compiler()->compile(request).code, "mix");
}

/// Device memory that holds int32 numbers.
class Numbers {
 public:
  explicit Numbers(std::vector<std::int32_t> values) : values_(std::move(values)) {
    address_ = device().allocate(values_.size() * 4, nullptr);
    device().upload(address_, values_.data(), values_.size() * 4, nullptr);
  }
  ~Numbers() { device().deallocate(address_, values_.size() * 4, nullptr); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] std::vector<std::int32_t> fetch() const {
    std::vector<std::int32_t> result(values_.size());
    device().download(result.data(), address_, result.size() * 4, nullptr);
    return result;
  }

 private:
  std::vector<std::int32_t> values_;
  void* address_;
};

std::int64_t product(const Extents& extents) {
  std::int64_t result = 1;
  for (const std::int64_t extent : extents) result *= extent;
  return result;
}

/// Strides in bytes for an access: packed; packed but for a last axis of stride 0; the last axis with gaps; packed from the
/// other end.
Extents strides_of(const Extents& shape, Access access) {
  Extents strides(shape.size());
  if (access == Access::across) {
    std::int64_t step = 4;
    for (std::size_t d = 0; d < shape.size(); step *= shape[d++]) strides[d] = step;
    return strides;
  }
  std::int64_t next = access == Access::strided ? 8 : 4;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const bool last = d + 1 == shape.size();
    strides[d] = last && access == Access::broadcast ? 0 : next;
    next *= last && access == Access::broadcast ? 1 : shape[d];
  }
  return strides;
}

std::size_t count_of(const Extents& shape, const Extents& strides) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return static_cast<std::size_t>(last / 4 + 1);
}

/// The place, in elements, of the flat C-order index.
std::size_t place_of(std::int64_t flat, const Extents& shape, const Extents& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = shape.size(); d-- > 0; flat /= shape[d]) offset += flat % shape[d] * strides[d];
  return static_cast<std::size_t>(offset / 4);
}

std::vector<std::int32_t> counting(std::size_t count, std::int32_t from) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + static_cast<std::int32_t>(i);
  return values;
}

/// Runs out = 3 * a + b by `run` and compares every number in out's memory.
template <class Run>
void check_by(const Run& run, const ElementwiseSpec& spec, const Extents& shape) {
  const Access access[] = {spec.inputs[0].access, spec.inputs[1].access, spec.outputs[0].access};
  Extents strides[3];
  for (std::size_t i = 0; i < 3; ++i) strides[i] = strides_of(shape, access[i]);
  std::int32_t scalar = 77;
  const std::vector<std::int32_t> a = counting(count_of(shape, strides[0]), 5);
  const std::vector<std::int32_t> b = counting(count_of(shape, strides[1]), -1000);
  const Numbers first(a), second(b), result(std::vector<std::int32_t>(count_of(shape, strides[2]), -1));
  const bool in_place = spec.aliased;
  const LaunchOperand operands[] = {access[0] == Access::scalar ? LaunchOperand{&scalar, nullptr, 4, true}
                                                                : LaunchOperand{first.address(), strides[0].data(), 4, false},
                                    {second.address(), strides[1].data(), 4, false},
                                    {in_place ? second.address() : result.address(), strides[2].data(), 4, false}};
  run(kinds::ElementwiseLaunch{.operands = operands,
                               .shape = shape,
                               .size = product(shape),
                               .width = spec.width,
                               .unroll = spec.unroll,
                               .tile = spec.tile,
                               .wide_index = spec.wide_index});
  std::vector<std::int32_t> expected = in_place ? b : std::vector<std::int32_t>(count_of(shape, strides[2]), -1);
  for (std::int64_t i = 0; i < product(shape); ++i) {
    const std::int32_t x = access[0] == Access::scalar ? scalar : a[place_of(i, shape, strides[0])];
    expected[place_of(i, shape, strides[2])] = 3 * x + b[place_of(i, shape, strides[1])];
  }
  CHECK(((in_place ? second : result).fetch() == expected));
}

void check(const backend::Module& module, const ElementwiseSpec& spec, const Extents& shape) {
  check_by(
      [&](const kinds::ElementwiseLaunch& launch) {
        kinds::launch(device(), module, launch, {.queue = nullptr, .keep = nullptr});
      },
      spec, shape);
}

/// By two blocks, each of which goes over tiles one after the other.
void check_with_few_blocks(const backend::Module& module, const ElementwiseSpec& spec, const Extents& shape) {
  const auto run = [&](const kinds::ElementwiseLaunch& launch) {
    kinds::Parameters parameters(launch);
    device().dispatch(module, {.grid = {2, 1, 1}, .block = {kinds::tile_threads(spec.tile), 1, 1}}, parameters.data(), nullptr,
                      nullptr);
  };
  check_by(run, spec, shape);
}

ElementwiseSpec spec_of(Access a, Access b, Access out) {
  constexpr DType kType = DType::int32;
  return {.inputs = {{kType, kType, a}, {kType, kType, b}}, .outputs = {{kType, kType, out}}};
}

std::string described(const ElementwiseSpec& spec, const Extents& shape) {
  return "rank " + std::to_string(spec.rank) + ", width " + std::to_string(spec.width) + ", unroll " +
         std::to_string(spec.unroll) + (spec.wide_index ? ", wide" : "") + (spec.aliased ? ", aliased" : "") + ", access " +
         std::to_string(static_cast<int>(spec.inputs[0].access)) + ", " + std::to_string(product(shape)) + " elements";
}

}  // namespace

TEST_CASE("variants: flat, of every width, unrolled, with 64-bit indices, in place") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  for (const Access a : {Access::contiguous, Access::broadcast, Access::scalar}) {
    for (const int width : {1, 2, 4, 8}) {
      for (const int unroll : {1, 2, 4}) {
        for (const bool wide : {false, true}) {
          ElementwiseSpec spec = spec_of(a, Access::contiguous, Access::contiguous);
          spec.width = width;
          spec.unroll = unroll;
          spec.wide_index = wide;
          spec.aliased = width == 4;
          const auto module = compiled(spec);
          // Nothing but a rest; one wave; many rounds of unrolled loads, a round that is not full, and a rest.
          for (const std::int64_t size : {1, 7, 1000, 300007}) {
            INFO(described(spec, {size}));
            check(*module, spec, {size});
          }
        }
      }
    }
  }
}

TEST_CASE("variants: by tiles, one for each block and several for some") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  // Of three dimensions the first goes with the last into tiles; the middle one lies between.
  for (const Extents& shape : {Extents{32, 1, 32}, {33, 2, 40}, {100, 1, 31}, {70, 3, 65}}) {
    for (const Access a : {Access::across, Access::contiguous, Access::scalar}) {
      for (const Access out : {Access::contiguous, Access::across}) {
        if (a != Access::across && out != Access::across) continue;
        for (const int side : {32, 64}) {
          ElementwiseSpec spec = spec_of(a, Access::contiguous, out);
          spec.rank = static_cast<int>(shape.size());
          spec.tile = side;
          spec.unroll = side == 32 ? 4 : 1;
          INFO(described(spec, shape), ", tiles of ", side);
          const auto module = compiled(spec);
          check(*module, spec, shape);
          check_with_few_blocks(*module, spec, shape);
        }
      }
    }
  }
}

TEST_CASE("variants: in several dimensions, with every access of an operand") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  const Extents shapes[] = {{1003}, {1, 8}, {37, 124}, {5, 7, 44}, {3, 2, 3, 2, 3, 2, 3, 8}};
  for (const Extents& shape : shapes) {
    for (const Access a : {Access::contiguous, Access::broadcast, Access::strided, Access::scalar}) {
      for (const Access out : {Access::contiguous, Access::strided}) {
        for (const bool wide : {false, true}) {
          if (shape.size() == 1 && a != Access::strided && out != Access::strided) continue;  // flat
          ElementwiseSpec spec = spec_of(a, Access::contiguous, out);
          spec.rank = static_cast<int>(shape.size());
          spec.wide_index = wide;
          spec.width = shape.back() % 4 == 0 ? 4 : 1;
          spec.unroll = wide ? 2 : 1 + (shape.size() % 3 == 0 ? 3 : 0);
          INFO(described(spec, shape));
          check(*compiled(spec), spec, shape);
        }
      }
    }
  }
}
