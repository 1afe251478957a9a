// Which kernel a call runs.
#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "device/kernel_abi.hpp"
#include "gufunc/call.hpp"
#include "gufunc/staging.hpp"
#include "gufunc/tuning.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernel/space.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "ufunc/constants.hpp"
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
    // The second index of a dimension counts along the second axis that it is of.
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

CoreLayout Call::lay_out() const {
  const std::span<const call::Operand> operands = operands_.all();
  const signature::Layout& layout = gufunc_.layout();
  std::vector<Strides> fresh;
  fresh.reserve(nout_);  // no growth below: addresses are taken
  std::vector<PlacedCore> placed;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const detail::ArrayRep* const rep = operands[k].rep;
    const std::int64_t size = operands[k].itemsize;
    const bool mask = operands_.is_mask(k);
    // Counted without the mask.
    const std::size_t own = operands_.is_output(k) ? k - operands_.inputs() + nin_ : k;
    const auto* const dimensions = mask ? nullptr : &layout.of(own);
    const OperandAxes* const axes = mask ? &shape_.where : &shape_.operands[own];
    if (rep != nullptr) {
      placed.push_back({&rep->shape, &rep->strides, axes, dimensions, size});
    } else if (!operands_.is_output(k)) {
      placed.push_back({nullptr, nullptr, nullptr, dimensions, size});
    } else {
      const Shape& shape = shape_.output_shapes[own - nin_];
      placed.push_back({&shape, &fresh.emplace_back(detail::packed_strides(shape, size, Order::c)), axes, dimensions, size});
    }
  }
  return {shape_, placed};
}

std::vector<kinds::EachSpec> Call::each_in_order(std::span<const std::int64_t> strides) const {
  const signature::Layout& text = gufunc_.layout();
  std::vector<kinds::EachSpec> all;
  for (const std::size_t e : order_of(gufunc_.each(), text.of(nin_), strides)) {
    all.push_back({gufunc_.each()[e].name, gufunc_.each()[e].dimension});
  }
  return all;
}

kinds::GufuncSpec Call::make_spec(const CoreLayout& layout, bool constants, bool gpu) const {
  const signature::Layout& text = gufunc_.layout();
  kinds::GufuncSpec spec;
  spec.masked = operands_.masked();
  for (std::size_t d = 0; d < text.dimensions.size(); ++d) {
    const signature::CoreDimension& dimension = text.dimensions[d];
    const bool constant = dimension.size.has_value() || (constants && shape_.sizes[d] <= tuning::kSmallCore);
    spec.dimensions.push_back(
        {.name = dimension.size ? "" : dimension.name, .size = constant ? std::optional(shape_.sizes[d]) : std::nullopt});
  }
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const CoreLayout::Core& core = layout.cores[with_mask(k)];
    const bool scalar = k < nin_ && is_scalar(k);
    // A scalar stands in host memory: a CPU's kernel reads it there as any element.
    kinds::CoreOperandSpec operand{
        .element = {storage_dtype(k), compute_dtype(k), scalar && gpu ? kinds::Access::scalar : kinds::Access::contiguous},
        .dimensions = text.of(k),
        .unit = core.unit,
        .packed = core.packed,
        .as_view = gufunc_.as_view(k)};
    (k < nin_ ? spec.inputs : spec.outputs).push_back(std::move(operand));
  }
  std::size_t first = 0;  // of the first output's numbers
  for (std::size_t k = 0; k < nin_; ++k) first += text.of(k).size();
  spec.each = each_in_order(std::span(layout.core_strides).subspan(first, text.of(nin_).size()));
  if (gufunc_.group().teams) form_teams(spec, layout.iteration.size(), gpu);
  std::int64_t threads = layout.iteration.size();
  for (const kinds::EachSpec& each : spec.each) threads *= shape_.sizes[each.dimension];
  if (gpu) {
    spec.loop_rank = std::min(layout.iteration.rank(), backend::kMaxKernelRank - static_cast<int>(spec.each.size()));
    stage(layout, spec, constants);
    spec.wide_index = threads > kinds::kMaxNarrowIndex && !kinds::is_staged(spec);
    spec.beside = beside_of(spec, threads);
  } else if (!gufunc_.debugs() && !gufunc_.group().teams) {
    take_items(layout, spec, constants);
  }
  return spec;
}

/// What a GPU's kernel copies to shared memory, where the body sees no more of a core than its elements.
void Call::stage(const CoreLayout& layout, kinds::GufuncSpec& spec, bool constants) const {
  if (spec.team > 0 || gufunc_.debugs() || gufunc_.takes_addresses() || layout.iteration.rank() == 0) return;
  std::vector<CorePlacement> placements;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    placements.push_back({layout.cores[with_mask(k)].dense, layout.iteration.inner_stride(with_mask(k))});
  }
  choose_staging(spec, {.device = operands_.at().device.kind(),
                        .sizes = shape_.sizes,
                        .placements = placements,
                        .items = layout.iteration.size(),
                        .columns = layout.iteration.shape().back(),
                        .constants = constants,
                        .references = gufunc_.binds_references()});
}

/// Neighbours of the last index of .each, where loops over the cores unroll, so that the compiler sees what they have in
/// common.
int Call::beside_of(const kinds::GufuncSpec& spec, std::int64_t threads) const {
  const bool known = std::ranges::all_of(spec.dimensions, [](const auto& dimension) { return dimension.size.has_value(); });
  if (spec.each.empty() || !known || gufunc_.debugs()) return 1;
  int beside = tuning::kMostBeside;
  while (beside > 1 && (shape_.sizes[spec.each.back().dimension] % beside != 0 || threads / beside < tuning::kEnoughThreads))
    beside /= 2;
  return beside;
}

/// Bytes of an operand's core.
std::int64_t Call::core_bytes(std::size_t k) const {
  auto bytes = static_cast<std::int64_t>(itemsize(storage_dtype(k)));
  for (const std::size_t dimension : gufunc_.layout().of(k)) bytes *= shape_.sizes[dimension];
  return bytes;
}

/// Whether cores are contiguous, and so small that no thread is left without work where .each spreads no item.
bool Call::are_small(const CoreLayout& layout) const {
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    if (!layout.cores[with_mask(k)].packed || core_bytes(k) > tuning::kMostBytesOfFew) return false;
  }
  return true;
}

/// What a CPU's kernel has to know for lanes to take items, if there are several: how they follow each other, and room for the
/// largest core that may be in a tile.
void Call::take_items(const CoreLayout& layout, kinds::GufuncSpec& spec, bool constants) const {
  if (layout.iteration.rank() == 0 || layout.iteration.shape().back() < tuning::kFewestItems) return;
  const bool few = layout.iteration.shape().back() < tuning::kManyItems;
  const bool known = std::all_of(spec.dimensions.begin(), spec.dimensions.end(),
                                 [](const kinds::CoreDimensionSpec& dimension) { return dimension.size.has_value(); });
  if (few && !spec.each.empty() && !(known && are_small(layout))) return;
  std::int64_t tile = 0;
  bool any_beside = false;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const CoreLayout::Core& core = layout.cores[with_mask(k)];
    const std::int64_t step = layout.iteration.inner_stride(with_mask(k));
    kinds::ItemStep& known_step = (k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_]).step;
    if (step == 0 && k < nin_) {
      known_step = kinds::ItemStep::none;
    } else if (step == static_cast<std::int64_t>(itemsize(storage_dtype(k)))) {
      known_step = kinds::ItemStep::beside;
      any_beside = any_beside || !core.packed;
    } else if (known && constants && core.packed && step == core_bytes(k)) {
      known_step = kinds::ItemStep::behind;
    }
    // Of items that a mask leaves out nothing is written.
    if (core.packed && (k < nin_ || !spec.masked)) tile = std::max(tile, core_bytes(k));
  }
  if (tile > 0 && tile <= (spec.each.empty() ? tuning::kMostBytesOfCore : tuning::kMostBytesFolded)) {
    // Rounded up, so that sizes share kernels.
    spec.tile_bytes = known ? static_cast<int>(tile)
                            : std::max(static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(tile))), tuning::kLeastTile);
  }
  spec.folded = !spec.each.empty() && (any_beside || spec.tile_bytes > 0);
  if (few) spec.most_items = static_cast<int>(tuning::kManyItems - 1);
}

/// Elements of the largest core.
std::int64_t Call::largest_core() const {
  std::int64_t largest = 1;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    largest = std::max(largest, core_bytes(k) / static_cast<std::int64_t>(itemsize(storage_dtype(k))));
  }
  return largest;
}

std::optional<std::int64_t> Call::shared_bytes(int lanes) const {
  return gufunc_.shared_memory().bytes(plan_->loop, {shape_.sizes.data(), shape_.sizes.size()}, lanes, gufunc_.name());
}

std::vector<int> Call::teams_of(const kinds::GufuncSpec& spec, bool gpu) const {
  std::vector<int> all{spec.team};
  if (spec.team == 0 || gufunc_.group().lanes != 0 || !gpu) return all;
  const auto has_room = [&](int team) {
    try {
      return shared_bytes(team).value_or(0) <= tuning::kTeamBytes;
    } catch (const ShapeError&) {  // a count below 0
      return false;
    }
  };
  for (int team = tuning::kFewestInTeam; team <= static_cast<int>(backend::kGpuBlock); team *= 2) {
    if (team != spec.team && has_room(team)) all.push_back(team);
  }
  return all;
}

/// How many lanes share an item: where the definition leaves it open, on a GPU by the largest core.
void Call::form_teams(kinds::GufuncSpec& spec, std::int64_t items, bool gpu) const {
  spec.team = gufunc_.group().lanes;
  if (spec.team == 0) {
    const std::int64_t largest = largest_core();
    const std::int64_t of_lane = std::clamp(items / (tuning::kEnoughThreads / std::max<std::int64_t>(largest, 1) + 1),
                                            tuning::kFewElementsOfLane, tuning::kManyElementsOfLane);
    spec.team = tuning::kFewestInTeam;
    while (gpu && spec.team < static_cast<int>(backend::kGpuBlock) && spec.team * of_lane < largest) spec.team *= 2;
  }
  spec.own_block = gpu && gufunc_.shared_memory().has_variables();
  const std::int64_t bytes = shared_bytes(spec.team).value_or(tuning::kTeamBytes);
  if (bytes > tuning::kTeamBytes) {
    throw ShapeError(gufunc_.name() + ": its .shared comes to " + std::to_string(bytes) + " bytes, a team has " +
                     std::to_string(tuning::kTeamBytes) + "; share less, or work through smaller parts");
  }
  if (bytes == 0) return;
  if (gufunc_.debugs()) {
    // What asks for more than is declared may write it before its fault is reported.
    spec.team_bytes = static_cast<int>(tuning::kTeamBytes);
    spec.declared_bytes = static_cast<int>(bytes);
    return;
  }
  // Rounded up, so that sizes of cores share kernels.
  spec.team_bytes = 1024;
  while (spec.team_bytes < bytes) spec.team_bytes *= 2;
  spec.team_bytes = std::min(spec.team_bytes, static_cast<int>(tuning::kTeamBytes));
}

namespace {

/// What a kernel may know less of an operand's core: nothing less, that it is contiguous, and along which axis its elements
/// lie together as well.
enum class Forgotten : std::uint8_t { nothing, contiguity, strides };

void read_global_memory(kinds::GufuncSpec& spec) {
  for (auto* operands : {&spec.inputs, &spec.outputs}) {
    for (kinds::CoreOperandSpec& operand : *operands) operand.staging = kinds::Staging::none;
  }
}

/// The spec, then those that know less of how cores lie: of some operands, with `mixed`, and of all.
std::vector<kinds::GufuncSpec> with_strides(const kinds::GufuncSpec& spec, bool mixed) {
  constexpr std::size_t kFew = 4;
  const std::size_t count = spec.inputs.size() + spec.outputs.size();
  const auto forget = [&](kinds::GufuncSpec& made, std::size_t k, Forgotten what) {
    kinds::CoreOperandSpec& operand = k < spec.inputs.size() ? made.inputs[k] : made.outputs[k - spec.inputs.size()];
    if (operand.dimensions.empty() || what == Forgotten::nothing) return;
    operand.packed = false;
    if (what == Forgotten::strides) operand.unit = -1;
  };
  std::vector<kinds::GufuncSpec> all{spec};
  std::size_t ways = 1;
  for (std::size_t k = 0; k < count; ++k) ways *= 3;
  for (std::size_t way = 1; mixed && count <= kFew && way < ways - 1; ++way) {
    all.push_back(spec);
    std::size_t rest = way;
    for (std::size_t k = 0; k < count; ++k, rest /= 3) forget(all.back(), k, static_cast<Forgotten>(rest % 3));
  }
  all.push_back(spec);
  for (std::size_t k = 0; k < count; ++k) forget(all.back(), k, Forgotten::strides);
  return all;
}

/// The kernels that a CPU has for few items, which are right for any number, with every size of tiles.
std::vector<kinds::GufuncSpec> for_few_items(const std::vector<kinds::GufuncSpec>& plain) {
  std::vector<kinds::GufuncSpec> all;
  for (int tile = 0; tile <= tuning::kMostBytesOfCore; tile = std::max(2 * tile, tuning::kLeastTile)) {
    for (kinds::GufuncSpec spec : plain) {
      spec.most_items = static_cast<int>(tuning::kManyItems - 1);
      spec.tile_bytes = tile;
      all.push_back(std::move(spec));
    }
  }
  return all;
}

}  // namespace

std::vector<kinds::GufuncSpec> Call::for_any_sizes(const kinds::GufuncSpec& general, bool gpu, bool mixed) const {
  // Whatever depends on how many items there are and how large their cores are.
  kinds::GufuncSpec plain = general;
  plain.folded = false;
  plain.tile_bytes = 0;
  plain.most_items = 0;
  plain.beside = 1;
  read_global_memory(plain);
  for (auto* operands : {&plain.inputs, &plain.outputs}) {
    for (kinds::CoreOperandSpec& operand : *operands) operand.step = kinds::ItemStep::any;
  }
  if (plain.team_bytes > 0) plain.team_bytes = static_cast<int>(tuning::kTeamBytes);
  std::vector<kinds::GufuncSpec> all;
  for (const kinds::GufuncSpec& cores : with_strides(plain, mixed)) {
    for (const int team : teams_of(general, gpu)) {
      for (const bool wide : {general.wide_index, true}) {
        all.push_back(cores);
        all.back().team = team;
        all.back().wide_index = gpu && wide;
        if (!gpu) break;
      }
    }
  }
  if (mixed && !gpu && plain.team == 0 && plain.each.empty()) std::ranges::move(for_few_items(all), std::back_inserter(all));
  return all;
}

/// The kernel for these sizes, where they are small; for any sizes once many have been compiled, or where nobody can compile
/// it. `spec` becomes its spec.
std::shared_ptr<backend::Module> Call::find_kernel(const CoreLayout& layout, kinds::GufuncSpec& spec) const {
  call::VariantKey<kinds::GufuncSpec> key{spec, operands_.at().device};
  if (const auto* const known = plan_->kernels.find(key)) {
    spec = known->spec;
    return known->module;
  }
  kinds::GufuncSpec general = make_spec(layout, false, on_gpu());
  if (spec != general && plan_->specialized.fetch_add(1, std::memory_order_relaxed) >= tuning::kMaxSpecialized) {
    plan_->specialized.store(tuning::kMaxSpecialized, std::memory_order_relaxed);
    key.spec = spec = general;
    if (const auto* const known = plan_->kernels.find(key)) {
      spec = known->spec;
      return known->module;
    }
  }
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  std::vector<kinds::GufuncSpec> right{spec, spec, general};
  right[1].beside = 1;
  read_global_memory(right[1]);
  const int most = on_gpu() ? backend::kMaxKernelRank - static_cast<int>(spec.each.size()) : general.loop_rank;
  for (general.loop_rank = right.back().loop_rank; general.loop_rank <= most; ++general.loop_rank) {
    std::ranges::move(for_any_sizes(general, on_gpu(), true), std::back_inserter(right));
  }
  program::Loaded loaded = ufunc::load_any(
      plan_->loop, right.size(),
      [&](const ufunc::Loop& loop, std::size_t i) { return gufunc_.request(loop, right[i], backend.kind()); }, backend);
  spec = std::move(right[loaded.which]);
  return plan_->kernels.add(std::move(key), std::move(loaded.module), spec).module;
}

}  // namespace kiln::gufunc
