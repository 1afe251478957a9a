#include "kinds/gufunc/packed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kinds/gufunc/items_text.hpp"
#include "kinds/gufunc/operands_text.hpp"
#include "kinds/kernel_text.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kStep = 64;

/// Bytes of all buffers where all sizes are constants, else what such a kernel may have.
std::int64_t brought_room(const GufuncSpec& spec) {
  std::int64_t room = kStep;
  for (const CoreOperandSpec* operand : operands_of(spec)) {
    if (!is_brought(spec, *operand)) continue;
    auto bytes = static_cast<std::int64_t>(itemsize(operand->element.storage));
    for (const std::size_t dimension : operand->dimensions) {
      const auto& size = spec.dimensions[dimension].size;
      if (!size || *size > kBytesBrought) return kBytesBrought;
      bytes *= *size;
      if (bytes > kBytesBrought) return kBytesBrought;
    }
    room += brought_step(bytes) * spec.brought;
  }
  return std::min(room, kBytesBrought);
}

/// What has as many bytes as an element: bits are moved.
const char* moved_as(DType dtype) {
  return itemsize(dtype) == sizeof(double) ? "double" : "float";
}

/// Whether the lines of the next items are asked for meanwhile: they hold none of these, and there is room beside what is here.
/// One thread, 1e4 items of float32, nanoseconds of an item without and with it: matrix products of 16 × 16 375 and 290,
/// sorting 64 elements 1380 and 1180; of 32 × 32 2230 and 3150.
bool expects(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  constexpr std::int64_t kMostRoom = kBytesBrought / 2;
  return spec.brought * static_cast<std::int64_t>(itemsize(operand.element.storage)) >= kStep &&
         brought_room(spec) <= kMostRoom;
}

}  // namespace

bool is_brought(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  return spec.brought > 0 && !operand.packed && operand.item_stride != 0;
}

GufuncSpec as_brought(const GufuncSpec& spec) {
  GufuncSpec inside = spec;
  for (auto* list : {&inside.inputs, &inside.outputs}) {
    for (CoreOperandSpec& operand : *list) {
      if (!is_brought(spec, operand)) continue;
      operand.packed = true;
      operand.unit = static_cast<int>(operand.dimensions.size()) - 1;
    }
  }
  return inside;
}

std::int64_t brought_step(std::int64_t bytes) {
  constexpr std::int64_t kApart = 1024;
  const std::int64_t lines = (bytes + kStep - 1) / kStep * kStep;
  return lines % kApart == 0 ? lines + kStep : lines;
}

std::string brought_kernel(const GufuncSpec& spec, const std::string& item) {
  std::string numbers = "  core c;\n" + launch_numbers(spec);
  std::string rooms;
  std::string before;
  std::string expected;
  std::string pointers;
  std::string parameters;
  std::string after;
  std::size_t stride = 0;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const CoreOperandSpec& operand = *operands[k];
    const bool output = k >= spec.inputs.size();
    const std::size_t rank = operand.dimensions.size();
    const std::string type = fmt::format("{}{}", output ? "" : "const ", stored_name(operand.element.storage));
    parameters += fmt::format(", {}* __restrict__ p{}", type, k);
    if (!is_brought(spec, operand)) {
      pointers += fmt::format(", reinterpret_cast<{}*>(p[{}] + l * step[{}])", type, k, k);
      stride += rank;
      continue;
    }
    std::string sizes;
    std::string bytes = fmt::format("int64({})", itemsize(operand.element.storage));
    for (std::size_t a = rank; a-- > 0;) {
      // Where the kernel does not know it by itself.
      numbers += fmt::format("  c.stride[{}] = {};\n", stride + a, bytes);
      const std::string size = size_of(spec, operand.dimensions[a], "c");
      sizes = size + (sizes.empty() ? "" : ", ") + sizes;
      bytes += " * " + size;
    }
    numbers += fmt::format("  const int64 size{}[] = {{{}}};\n", k, sizes);
    numbers += fmt::format("  const int64 step{} = brought_step({});\n", k, bytes);
    rooms += fmt::format("  unsigned char* const t{} = place;\n  place += step{} * {};\n", k, k, spec.brought);
    const auto move = [&](const char* function, const std::string& from, const std::string& to) {
      return fmt::format("{}<{}, {}, {}>({}, {}, size{}, launch->core + {}, items);\n", function,
                         moved_as(operand.element.storage), spec.brought, rank, from, to, k, stride);
    };
    const std::string buffer = fmt::format("reinterpret_cast<char*>(t{0}), step{0}", k);
    const std::string memory = fmt::format("p[{}]", k);
    // A body may leave elements of an output as they are.
    before += std::string("    ") + (output ? "if (launch->keeps) " : "") + move("bring_in", buffer, memory);
    if (expects(spec, operand))
      expected += fmt::format("      expect_next<{}>(p[{}] + {} * step[{}], size{}, launch->core + {}, l, items);\n", rank, k,
                              spec.brought, k, k, stride);
    if (output) after += "    " + move("bring_back", buffer, memory);
    pointers += fmt::format(", reinterpret_cast<{}*>(t{} + l * step{})", type, k, k);
    stride += rank;
  }
  return fmt::format(
      "KILN_ROWS __attribute__((noinline)) static void one_item(const core& c{}) {{\n{}}}\n"
      "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n{}"
      "  alignas(64) unsigned char pool[{}];\n  unsigned char* place = pool;\n{}"
      "  walk_brought<{}, {}>(*launch, begin, end, [&](char* const* p, const int64* step, int64 items) {{\n{}"
      "    for (int64 l = 0; l < items; ++l) {{\n{}      one_item(c{});\n    }}\n{}  }});\n}}\n",
      parameters, item, numbers, brought_room(spec), rooms, operands.size(), spec.brought, before, expected, pointers, after);
}

}  // namespace kiln::kinds
