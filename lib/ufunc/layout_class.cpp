#include "ufunc/layout_class.hpp"

#include <algorithm>

#include "backend/backend.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

using kinds::Access;

std::uintptr_t address(const char* data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data);
}

/// The widest pack of those operands that are contiguous: its width in elements.
class PackWidth {
 public:
  void add(std::int64_t itemsize) noexcept {
    narrowest_ = std::min(narrowest_, itemsize);
    widest_ = std::max(widest_, itemsize);
  }
  [[nodiscard]] std::int64_t elements() const noexcept { return tuning::width(narrowest_, widest_); }

 private:
  std::int64_t narrowest_ = 16;
  std::int64_t widest_ = 0;
};

bool overwrites_input(const Placement& at) noexcept {
  for (const call::Operand& output : at.operands.subspan(at.inputs)) {
    for (const call::Operand& input : at.operands.first(at.inputs)) {
      if (output.rep != nullptr && input.rep != nullptr && output.rep->data == input.rep->data) return true;
    }
  }
  return false;
}

}  // namespace

Access access_of(const Placement& at, std::size_t operand) noexcept {
  if (at.operands[operand].scalar != nullptr) return Access::scalar;
  const std::int64_t stride = at.iteration.inner_stride(operand);
  if (stride == at.operands[operand].itemsize) return Access::contiguous;
  return stride == 0 ? Access::broadcast : Access::strided;
}

bool divides_into_packs(const Placement& at) noexcept {
  const auto shape = at.iteration.shape();
  PackWidth packs;
  bool flat = shape.size() == 1;
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    const Access access = access_of(at, i);
    flat &= access != Access::strided;
    if (access == Access::contiguous) packs.add(at.operands[i].itemsize);
  }
  const std::int64_t width = packs.elements();
  if (width == 1) return true;
  // The flat kernel handles a rest that fills no pack; rows of the n-dimensional one must be whole packs.
  if (!flat && shape.back() % width != 0) return false;
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    const call::Operand& operand = at.operands[i];
    // Fresh outputs are aligned and packed, but their rows are as long as the loop's.
    if (access_of(at, i) != Access::contiguous) continue;
    const std::int64_t alignment = std::min<std::int64_t>(16, width * operand.itemsize);
    if (operand.rep != nullptr &&
        address(operand.rep->data + at.iteration.offset(i)) % static_cast<std::uintptr_t>(alignment) != 0) {
      return false;
    }
    for (const std::int64_t stride : at.iteration.strides(i).first(shape.size() - 1)) {
      if (stride % alignment != 0) return false;
    }
  }
  return true;
}

bool stores_past_cache(const Placement& at) noexcept {
  // Elements of all operands have 512 bytes at most.
  if (at.iteration.rank() != 1 || at.iteration.size() < tuning::kNontemporalBytes / 512) return false;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    const call::Operand& operand = at.operands[i];
    const Access access = access_of(at, i);
    if (access == Access::scalar || access == Access::broadcast) continue;
    // Gathering and such stores do not go together: 0.53 ns an element instead of 0.43 for every other one of 2e7 float32.
    if (access == Access::strided) return false;
    bytes += at.iteration.size() * operand.itemsize;
    if (i < at.inputs) continue;
    // Fresh outputs are aligned.
    if (operand.rep != nullptr && address(operand.rep->data) % 64 != 0) return false;
  }
  return bytes >= tuning::kNontemporalBytes && !overwrites_input(at);
}

kinds::ElementwiseSpec specialize(const Loop& loop, std::span<const DType> storage, const LayoutClass& layout, DeviceKind kind,
                                  BodyTraits body) {
  kinds::ElementwiseSpec spec;
  PackWidth packs;
  std::int64_t element_bytes = 0;  // of the inputs that each element loads anew
  spec.masking = layout.masking;
  spec.arguments = loop.inputs.size();
  const std::size_t inputs = spec.arguments + (spec.masking != kinds::Masking::none ? 1 : 0);
  for (std::size_t i = 0; i < storage.size(); ++i) {
    const Access how = layout.access_of(i);
    const auto size = static_cast<std::int64_t>(itemsize(storage[i]));
    if (i < inputs) {
      spec.inputs.push_back({storage[i], i < spec.arguments ? loop.inputs[i] : DType::bool_, how});
    } else {
      spec.outputs.push_back({storage[i], loop.outputs[i - inputs], how});
    }
    if (how == Access::contiguous) packs.add(size);
    if (i < inputs && how != Access::scalar && how != Access::broadcast) element_bytes += size;
  }
  if (kind == DeviceKind::cpu) {
    // A kernel that reads and writes the same window needs no care on the CPU: its loads come first, and it claims no
    // __restrict__.
    spec.rank = std::min<int>(layout.rank, 2);
    spec.nontemporal = layout.large && !body.arithmetic_bound;
    if (spec.masking != kinds::Masking::none) spec.speculation = body.speculation;
    if (spec.masking == kinds::Masking::keep) {
      for (const kinds::OperandSpec& output : spec.outputs) {
        spec.inputs.push_back({output.storage, output.storage, output.access});
      }
    }
    return spec;
  }
  spec.rank = layout.rank;
  spec.width = layout.packs ? static_cast<int>(packs.elements()) : 1;
  spec.unroll = tuning::unroll(element_bytes * spec.width);
  spec.wide_index = layout.wide_index;
  spec.aliased = layout.in_place;
  return spec;
}

std::vector<DType> dtypes_of(const Loop& loop, kinds::Masking masking) {
  std::vector<DType> dtypes = loop.inputs;
  if (masking != kinds::Masking::none) dtypes.push_back(DType::bool_);
  dtypes.insert(dtypes.end(), loop.outputs.begin(), loop.outputs.end());
  return dtypes;
}

std::string_view variant_name(const LayoutClass& layout, std::size_t operands) noexcept {
  for (std::size_t i = 0; i < operands; ++i) {
    if (layout.access_of(i) == Access::strided) return "strided";
  }
  return layout.rank == 1 ? "contiguous" : "inner-contiguous";
}

}  // namespace kiln::ufunc
