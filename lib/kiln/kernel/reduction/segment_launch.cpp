#include "kernel/reduction/segment_launch.hpp"

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "base/ceil_div.hpp"
#include "device/scratch.hpp"
#include "kernel/grid.hpp"
#include "kernel/reduction/grid.hpp"
#include "kernel/reduction/parameters.hpp"
#include "kernel/reduction/segment_plan.hpp"

namespace kiln::kinds {
namespace {

using base::ceil_div;

/// Bytes up to the next boundary that every type has.
std::size_t rounded_up(std::size_t bytes) noexcept {
  constexpr std::size_t kBoundary = 32;
  return (bytes + kBoundary - 1) / kBoundary * kBoundary;
}

std::vector<std::byte> bytes_of(const std::vector<SegmentPart>& first, const std::vector<SegmentPart>& second) {
  std::vector<std::byte> bytes((first.size() + second.size()) * sizeof(SegmentPart));
  std::memcpy(bytes.data(), first.data(), first.size() * sizeof(SegmentPart));
  if (!second.empty()) {
    std::memcpy(bytes.data() + first.size() * sizeof(SegmentPart), second.data(), second.size() * sizeof(SegmentPart));
  }
  return bytes;
}

}  // namespace

void launch_segments_on_gpu(Backend& backend, const Module& module, const ReductionLaunch& launch,
                            const LaunchContext& context) {
  SegmentTables tables = tables_of(*launch.segments, launch.mapping, launch.wide_index);
  const auto segments = static_cast<std::int64_t>(launch.segments->begins.size());
  const std::int64_t of_segment = launch.outputs / segments;
  const bool columns = launch.mapping == ReductionMapping::columns;
  const std::int64_t groups = columns ? ceil_div(of_segment, std::int64_t{kColumnsOfBlock}) : of_segment;

  // Where segments begin, what blocks take of long ones, and the states of that.
  const std::size_t table = rounded_up(tables.begins.size());
  const std::size_t entries = tables.parts.size() + tables.joined.size();
  const std::size_t states = table + rounded_up(entries * sizeof(SegmentPart));
  const Scratch scratch(backend, states + static_cast<std::size_t>(tables.states * of_segment * launch.state_bytes),
                        context.queue);
  auto* const memory = static_cast<std::byte*>(scratch.address());
  backend.upload(memory, std::make_shared<const std::vector<std::byte>>(std::move(tables.begins)), context.queue);
  if (entries > 0) {
    backend.upload(memory + table, std::make_shared<const std::vector<std::byte>>(bytes_of(tables.parts, tables.joined)),
                   context.queue);
  }

  ReductionParameters parameters(launch, SegmentCall{.outputs = static_cast<std::uint64_t>(launch.outputs),
                                                     .of_segment = static_cast<std::uint64_t>(of_segment),
                                                     .inner = static_cast<std::uint64_t>(inner_outputs(launch)),
                                                     .segments = static_cast<std::uint64_t>(segments),
                                                     .groups = static_cast<std::uint64_t>(groups),
                                                     .parts = tables.parts.size(),
                                                     .table = reinterpret_cast<const SegmentPart*>(memory + table),
                                                     .states = memory + states,
                                                     .outputs_of_warp = tables.outputs_of_warp,
                                                     .combining = 0});
  parameters.set_begins(memory);
  const GridRequest limits = limits_of(backend, module);
  const std::int64_t of_block = tables.outputs_of_warp * std::int64_t{kGpuBlock / 32};
  const auto of_parts = [&](const std::vector<SegmentPart>& parts) { return static_cast<std::int64_t>(parts.size()) * groups; };
  const std::int64_t units = of_parts(tables.parts) + ceil_div(launch.outputs, of_block);
  backend.dispatch(module, shape_of(grid_of_units(units, limits)), parameters.data(), context.queue, context.keep);
  if (tables.joined.empty()) return;
  SegmentCall& call = parameters.segment_call();
  call.combining = 1;
  call.table += tables.parts.size();
  call.parts = tables.joined.size();
  call.outputs = 0;
  backend.dispatch(module, shape_of(grid_of_units(of_parts(tables.joined), limits)), parameters.data(), context.queue,
                   context.keep);
}

}  // namespace kiln::kinds
