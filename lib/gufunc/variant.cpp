// Which kernel a call runs, and what it is launched with.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/kernel_abi.hpp"
#include "codegen/gufunc_items.hpp"
#include "codegen/gufunc_text.hpp"
#include "codegen/team_memory.hpp"
#include "gufunc/call.hpp"
#include "gufunc/tuning.hpp"
#include "kiln/error.hpp"
#include "types/convert.hpp"
#include "ufunc/transfer.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::gufunc {
namespace {

/// The indices of .each with the one last along which the first output's elements lie nearest: neighbours in memory go to
/// neighbouring threads, or lanes.
std::vector<std::size_t> order_of(const std::vector<Each>& each, const std::vector<std::size_t>& dimensions,
                                  std::span<const std::int64_t> strides) {
  std::vector<std::size_t> order(each.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto reach = [&](std::size_t e) {
    // The second index of a dimension goes along the second axis that it is of.
    auto before = std::count_if(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(e),
                                [&](const Each& other) { return other.dimension == each[e].dimension; });
    const auto found = std::find_if(dimensions.begin(), dimensions.end(),
                                    [&](std::size_t dimension) { return dimension == each[e].dimension && before-- == 0; });
    return found == dimensions.end() ? INT64_MAX : std::abs(strides[static_cast<std::size_t>(found - dimensions.begin())]);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reach(a) > reach(b); });
  return order;
}

}  // namespace

CoreLayout Call::lay_out(bool sent) const {
  const signature::Layout& layout = gufunc_.layout();
  std::vector<Strides> fresh;
  fresh.reserve(nin_ + nout_ + 1);  // no growth below: addresses are taken
  const auto strides_of = [&](const Array& array) -> const Strides& {
    const detail::ArrayRep& rep = *array.rep();
    return sent && rep.on_host ? fresh.emplace_back(ufunc::as_sent(rep, true, 0).strides) : rep.strides;
  };
  std::vector<PlacedCore> operands;
  const auto add = [&](std::size_t operand, const Array& array) {
    const auto size = static_cast<std::int64_t>(itemsize(storage_dtype(operand)));
    const auto* const dimensions = &layout.of(operand);
    if (array) {
      operands.push_back({&array.shape(), &strides_of(array), &shape_.operands[operand], dimensions, size});
    } else if (operand < nin_) {
      operands.push_back({nullptr, nullptr, nullptr, dimensions, size});
    } else {
      const Shape& shape = shape_.output_shapes[operand - nin_];
      operands.push_back({&shape, &fresh.emplace_back(detail::packed_strides(shape, size, Order::c)), &shape_.operands[operand],
                          dimensions, size});
    }
  };
  // What overlaps an output has been copied here, and is not there.
  const auto original = [&](const Array& array, const Array& given) -> const Array& {
    return sent && array && given.is_host() ? given : array;
  };
  for (std::size_t i = 0; i < nin_; ++i) add(i, args_[i].is_array() ? original(inputs_[i], args_[i].array()) : inputs_[i]);
  const Array& mask = original(where_, options_.where);
  if (where_) operands.push_back({&mask.shape(), &strides_of(mask), &shape_.where, nullptr, 1});
  for (std::size_t o = 0; o < nout_; ++o) add(nin_ + o, outs_[o]);
  return {shape_, operands};
}

std::vector<codegen::EachSpec> Call::each_in_order(const CoreLayout& layout) const {
  const signature::Layout& text = gufunc_.layout();
  std::size_t first = 0;
  for (std::size_t k = 0; k < nin_; ++k) first += text.of(k).size();
  const std::span<const std::int64_t> strides(layout.core_strides.data() + first, text.of(nin_).size());
  std::vector<codegen::EachSpec> all;
  for (const std::size_t e : order_of(gufunc_.each(), text.of(nin_), strides)) {
    all.push_back({gufunc_.each()[e].name, gufunc_.each()[e].dimension});
  }
  return all;
}

codegen::GufuncSpec Call::make_spec(const CoreLayout& layout, bool constants, bool gpu) const {
  const signature::Layout& text = gufunc_.layout();
  codegen::GufuncSpec spec;
  spec.masked = static_cast<bool>(where_);
  for (std::size_t d = 0; d < text.dimensions.size(); ++d) {
    const signature::CoreDimension& dimension = text.dimensions[d];
    const bool constant = dimension.size.has_value() || (constants && shape_.sizes[d] <= tuning::kSmallCore);
    spec.dimensions.push_back(
        {.name = dimension.size ? "" : dimension.name, .size = constant ? std::optional(shape_.sizes[d]) : std::nullopt});
  }
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const CoreLayout::Core& core = layout.cores[k < nin_ || !where_ ? k : k + 1];
    const bool scalar = k < nin_ && is_scalar(k);
    // A scalar stands in host memory: a CPU's kernel reads it there as any element.
    codegen::CoreOperandSpec operand{
        .element = {storage_dtype(k), compute_dtype(k), scalar && gpu ? codegen::Access::scalar : codegen::Access::contiguous},
        .dimensions = text.of(k),
        .unit = core.unit,
        .packed = core.packed,
        .as_view = gufunc_.as_view(k)};
    (k < nin_ ? spec.inputs : spec.outputs).push_back(std::move(operand));
  }
  spec.each = each_in_order(layout);
  if (!gpu && !spec.each.empty()) spec.lanes = takes_lanes(spec);
  if (!gpu && !spec.lanes && (spec.each.empty() || may_fold(layout, spec))) {
    spec.lanes = takes_items_at_once(layout, spec);
    spec.folded = spec.lanes && !spec.each.empty();
  }
  if (gufunc_.group().teams) form_teams(spec, gpu);
  std::int64_t threads = layout.iteration.size();
  for (const codegen::EachSpec& each : spec.each) threads *= shape_.sizes[each.dimension];
  if (gpu) {
    spec.loop_rank = std::min(layout.iteration.rank(), backend::kMaxKernelRank - static_cast<int>(spec.each.size()));
    spec.wide_index = threads > ufunc::tuning::kMaxNarrowIndex;
  } else if (many_tiny(layout, spec, constants)) {
    spec.loop_rank = 0;
    spec.lanes = spec.folded = false;
    take_item_strides(layout, spec);
  }
  return spec;
}

namespace {

/// Whether a kernel that knows the stride reads several items at once that do not lie one behind the other.
bool tiny_apart(std::int64_t elements, std::int64_t stride, std::int64_t size) {
  if (stride == 0) return elements < tuning::kTinyCore;
  return std::any_of(std::begin(tuning::kTinyStrides), std::end(tuning::kTinyStrides),
                     [&](std::int64_t known) { return stride == known * size; });
}

}  // namespace

/// Whether a CPU should compute several items at once: few elements each, in sizes that the kernel knows, one item behind the
/// other or, if it may know `strides`, so that they can be constants of it.
bool Call::many_tiny(const CoreLayout& layout, const codegen::GufuncSpec& spec, bool strides) const {
  if (spec.masked || spec.team > 0 || (spec.lanes && !spec.each.empty() && !spec.folded) || layout.iteration.rank() != 1 ||
      layout.iteration.size() == 1)
    return false;
  // Indices before the last two are units of their own (backend/kernel_abi.hpp), and here a unit is an item.
  if (spec.each.size() > 2) return false;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const codegen::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    if (std::any_of(operand.dimensions.begin(), operand.dimensions.end(),
                    [&](std::size_t dimension) { return !spec.dimensions[dimension].size; }))
      return false;
    const std::int64_t elements = codegen::core_elements(spec, operand);
    const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
    const std::int64_t stride = layout.iteration.inner_stride(k);
    if (strides && stride == size && elements <= (spec.lanes ? tuning::kTinyCore : tuning::kTinyCoreAcross)) continue;
    const bool beside = stride == elements * size;
    if (elements > tuning::kTinyCore || !layout.cores[k].packed ||
        (!beside && (k >= nin_ || !strides || !tiny_apart(elements, stride, size))))
      return false;
  }
  return true;
}

void Call::take_item_strides(const CoreLayout& layout, codegen::GufuncSpec& spec) const {
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    codegen::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const std::int64_t stride = layout.iteration.inner_stride(k) / static_cast<std::int64_t>(itemsize(operand.element.storage));
    if (stride != codegen::core_elements(spec, operand)) operand.item_stride = stride;
  }
}

/// How many lanes share an item: by the largest core where the definition leaves it open.
void Call::form_teams(codegen::GufuncSpec& spec, bool gpu) const {
  const signature::Layout& layout = gufunc_.layout();
  spec.team = gufunc_.group().lanes;
  if (spec.team == 0) {
    std::int64_t largest = 1;
    for (std::size_t k = 0; k < layout.operands(); ++k) {
      std::int64_t size = 1;
      for (const std::size_t dimension : layout.of(k)) size *= shape_.sizes[dimension];
      largest = std::max(largest, size);
    }
    spec.team = tuning::kFewestInTeam;
    while (spec.team < static_cast<int>(backend::kGpuBlock) && spec.team * tuning::kElementsOfLane < largest) spec.team *= 2;
  }
  const std::int64_t lanes = gpu ? spec.team : 1;
  const auto bytes =
      codegen::team_bytes(gufunc_.text_of(plan_->loop), [&](std::string_view name) -> std::optional<std::int64_t> {
        if (name == "lanes") return lanes;
        const auto dimension = layout.find(name);
        return dimension ? std::optional(shape_.sizes[*dimension]) : std::nullopt;
      });
  if (bytes && *bytes < 0) {
    throw ShapeError(gufunc_.name() + ": a shared<T>() asks for " + std::to_string(*bytes) +
                     " elements; its count must not be negative for cores of these sizes");
  }
  if (bytes && *bytes > tuning::kTeamBytes) {
    throw ShapeError(gufunc_.name() + ": its shared<T>() come to " + std::to_string(*bytes) + " bytes, a team has " +
                     std::to_string(tuning::kTeamBytes) + "; share less, or work through smaller parts");
  }
  // Rounded up, so that sizes of cores share kernels.
  spec.team_bytes = bytes ? 0 : static_cast<int>(tuning::kTeamBytes);
  if (!bytes || *bytes == 0) return;
  spec.team_bytes = 1024;
  while (spec.team_bytes < *bytes) spec.team_bytes *= 2;
  spec.team_bytes = std::min(spec.team_bytes, static_cast<int>(tuning::kTeamBytes));
}

/// Whether a CPU should compute several indices of the last of .each at once: floating-point operands, and enough indices.
bool Call::takes_lanes(const codegen::GufuncSpec& spec) const {
  if (!gufunc_.suits_lanes() || plan_->refuses_lanes.load(std::memory_order_relaxed)) return false;
  if (shape_.sizes[spec.each.back().dimension] < tuning::kFewestLanes) return false;
  const auto fits = [](const codegen::CoreOperandSpec& operand) {
    return operand.element.compute == DType::float32 || operand.element.compute == DType::float64;
  };
  return std::all_of(spec.inputs.begin(), spec.inputs.end(), fits) &&
         std::all_of(spec.outputs.begin(), spec.outputs.end(), fits);
}

/// Whether indices of .each may be loops around the body, for items to be computed at once: few of them, or too few along the
/// last one to make vectors of, or elements that lie apart.
bool Call::may_fold(const CoreLayout& layout, const codegen::GufuncSpec& spec) const {
  std::int64_t indices = 1;
  for (const codegen::EachSpec& each : spec.each) indices *= std::max<std::int64_t>(shape_.sizes[each.dimension], 1);
  const bool apart =
      std::any_of(layout.cores.begin(), layout.cores.end(), [](const CoreLayout::Core& core) { return !core.packed; });
  // Threads share items, or else tiles of their indices, too.
  if (apart && layout.iteration.size() >= tuning::kFewestFolded) return indices <= tuning::kMostFoldedApart;
  return indices <= tuning::kMostFolded && (apart || shape_.sizes[spec.each.back().dimension] % tuning::kFewestInVector != 0);
}

/// Whether a CPU should compute several items at once as vectors: floating-point numbers that need no conversion, enough items
/// behind each other. Each operand's items lie side by side, or their cores are turned: float32 in one piece, enough of each,
/// where all of it comes from a cache.
bool Call::takes_items_at_once(const CoreLayout& layout, const codegen::GufuncSpec& spec) const {
  if (spec.masked || gufunc_.group().teams || !gufunc_.suits_lanes() || plan_->refuses_lanes.load(std::memory_order_relaxed)) {
    return false;
  }
  if (layout.iteration.shape().back() < codegen::kItemsAtOnce) return false;
  double elements = 0;  // of an item
  double turned = 0;    // of them those whose items are not side by side
  double moved = 0;     // and from memory for each item anew
  bool narrow = true;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const codegen::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const DType dtype = operand.element.storage;
    if (operand.element.compute != dtype || (dtype != DType::float32 && dtype != DType::float64)) return false;
    narrow = narrow && dtype == DType::float32;
    double core = 1;
    for (const std::size_t dimension : operand.dimensions) core *= static_cast<double>(shape_.sizes[dimension]);
    elements += core;
    const std::int64_t stride = layout.iteration.inner_stride(k);
    if (layout.cores[k].packed) {
      if (core > 1 || (stride != 0 && stride != static_cast<std::int64_t>(itemsize(dtype)))) turned += core;
      if (stride != 0) moved += core;
    } else if (stride != static_cast<std::int64_t>(itemsize(dtype))) {
      return false;
    }
  }
  if (turned == 0) return true;
  constexpr double kItemsize = sizeof(float);
  // Each operand's room is rounded up to a line.
  const double room = turned * kItemsize * codegen::kItemsAtOnce + 64.0 * static_cast<double>(nin_ + nout_);
  return narrow && gufunc_.suits_turning() && elements >= tuning::kFewestOfItem &&
         room <= static_cast<double>(codegen::kBytesOfItems) &&
         moved * kItemsize * static_cast<double>(layout.iteration.size()) <= tuning::kMostBytesOfItems;
}

/// Everything that two calls of one loop may differ in and that their kernels show.
Kernel::Key Call::kernel_key(const codegen::GufuncSpec& spec) const {
  Kernel::Key key;
  const auto add = [&key](auto number) { key.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  add(static_cast<std::uint8_t>(place_.device.kind()));
  add(static_cast<std::uint16_t>(place_.device.index()));
  add(static_cast<std::uint8_t>(spec.masked));
  add(static_cast<std::uint8_t>(spec.lanes));
  add(static_cast<std::uint8_t>(spec.folded));
  add(spec.team);
  add(spec.team_bytes);
  add(static_cast<std::uint8_t>(spec.wide_index));
  add(static_cast<std::uint8_t>(spec.loop_rank));
  for (const codegen::EachSpec& each : spec.each) {
    const auto& all = gufunc_.each();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Each& other) { return other.name == each.name; });
    add(static_cast<std::uint8_t>(found - all.begin()));
  }
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const codegen::CoreOperandSpec& operand : *operands) {
      add(static_cast<std::uint8_t>(operand.element.storage));
      add(static_cast<std::uint8_t>(operand.packed ? 0xff
                                    : operand.element.access == codegen::Access::scalar
                                        ? 0xfe
                                        : static_cast<unsigned>(operand.unit + 1)));
    }
  }
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const codegen::CoreOperandSpec& operand : *operands) add(operand.item_stride);
  }
  for (const codegen::CoreDimensionSpec& dimension : spec.dimensions) add(dimension.size.value_or(-1));
  return key;
}

/// The kernel for these sizes, where they are small; for any sizes once many have been compiled. `spec` becomes its spec.
const Kernel& Call::find_kernel(const CoreLayout& layout, codegen::GufuncSpec& spec, backend::Backend& backend) const {
  Kernel::Key key = kernel_key(spec);
  if (const Kernel* const known = ufunc::find(plan_->kernels, key)) return *known;
  codegen::GufuncSpec general = make_spec(layout, false, gpu_);
  Kernel::Key general_key = kernel_key(general);
  if (key != general_key && plan_->specialized.fetch_add(1, std::memory_order_relaxed) >= tuning::kMaxSpecialized) {
    plan_->specialized.store(tuning::kMaxSpecialized, std::memory_order_relaxed);
    spec = std::move(general);
    key = std::move(general_key);
    if (const Kernel* const known = ufunc::find(plan_->kernels, key)) return *known;
  }
  if (!spec.lanes) return gufunc_.make_kernel(*plan_, key, spec, backend);
  try {
    return gufunc_.make_kernel(*plan_, key, spec, backend);
  } catch (const Error&) {
    // The body asks more of its numbers than vectors can, or it is wrong, or there is no compiler, which the plain kernel will
    // tell.
    plan_->refuses_lanes.store(true, std::memory_order_relaxed);
    spec = make_spec(layout, true, gpu_);
    return find_kernel(layout, spec, backend);
  }
}

bool Call::nothing_to_do(const codegen::GufuncSpec& spec) const {
  std::int64_t work = 1;
  for (const std::int64_t extent : shape_.loop) work *= extent;
  for (const codegen::EachSpec& each : spec.each) work *= shape_.sizes[each.dimension];
  // Where every output is empty, too, there is nothing that a body could write.
  const bool written = std::any_of(shape_.output_shapes.begin(), shape_.output_shapes.end(), [](const Shape& shape) {
    return std::none_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
  });
  return work == 0 || !written;
}

backend::GufuncLaunch Call::make_launch(const CoreLayout& layout, const codegen::GufuncSpec& spec,
                                        std::span<const Array> results) const {
  backend::GufuncLaunch launch;
  const layout::Iteration& iteration = layout.iteration;
  launch.shape.assign(iteration.shape().begin(), iteration.shape().end());
  launch.items = iteration.size();
  const auto add = [&](const Array& array, std::size_t core_rank) {
    const std::size_t k = launch.operands.size();
    const auto strides = iteration.strides(k);
    launch.strides.insert(launch.strides.end(), strides.begin(), strides.end());
    launch.operands.push_back({.data = array ? array.rep()->data + iteration.offset(k) : nullptr, .core_rank = core_rank});
  };
  for (std::size_t i = 0; i < nin_; ++i) {
    add(inputs_[i], spec.inputs[i].dimensions.size());
    if (!is_scalar(i)) continue;
    launch.operands.back().scalar = true;
    convert_scalar(args_[i].dtype(), args_[i].value(), compute_dtype(i), launch.operands.back().value.data());
  }
  if (where_) add(where_, 0);
  for (std::size_t o = 0; o < nout_; ++o) add(results[o], spec.outputs[o].dimensions.size());
  launch.sizes.assign(shape_.sizes.begin(), shape_.sizes.end());
  launch.core_strides = layout.core_strides;
  for (const codegen::EachSpec& each : spec.each) {
    if (!spec.folded) launch.each.push_back(shape_.sizes[each.dimension]);
  }
  if (codegen::takes_items(spec)) launch.items_at_once = codegen::kItemsAtOnce;
  launch.team = spec.team;
  launch.wide_index = spec.wide_index;
  launch.keeps = std::any_of(outs_.begin(), outs_.end(), [](const Array& out) { return static_cast<bool>(out); });
  return launch;
}

}  // namespace kiln::gufunc
