// What a call's kernel is launched with.
#include <algorithm>
#include <cstring>

#include "gufunc/call.hpp"
#include "gufunc/staging.hpp"
#include "gufunc/tuning.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernels-src/gufunc/abi.hpp"
#include "registry/registry.hpp"

namespace kiln::gufunc {

bool Call::nothing_to_do() const {
  std::int64_t work = 1;
  for (const std::int64_t extent : shape_.loop) work *= extent;
  for (const Each& each : gufunc_.each()) work *= shape_.sizes[each.dimension];
  // Where every output is empty, too, there is nothing that a body could write.
  const bool written = std::any_of(shape_.output_shapes.begin(), shape_.output_shapes.end(), [](const Shape& shape) {
    return std::none_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
  });
  return work == 0 || !written;
}

std::vector<std::int64_t> offsets_of(const CoreLayout& layout) {
  std::vector<std::int64_t> offsets;
  for (std::size_t k = 0; k < layout.cores.size(); ++k) offsets.push_back(layout.iteration.offset(k));
  return offsets;
}

namespace {

/// Of each operand, by how many bytes its cores may be copied as far as sizes and strides tell.
std::vector<int> words_of(const kinds::GufuncSpec& spec, const kinds::GufuncNumbers& numbers) {
  std::vector<int> words;
  const std::size_t rank = numbers.shape.size();
  const auto add = [&](const kinds::CoreOperandSpec& operand) {
    const int word = kinds::staged_word(spec, operand);
    const auto divides = [&](std::int64_t bytes) { return bytes % word == 0; };
    const auto strides = std::span(numbers.strides).subspan(words.size() * rank, rank);
    const bool wide = operand.staging != kinds::Staging::none && divides(kinds::core_bytes_of(operand, numbers.sizes)) &&
                      std::ranges::all_of(strides, divides);
    words.push_back(wide ? word : 0);
  };
  std::ranges::for_each(spec.inputs, add);
  if (spec.masked) words.push_back(0);
  std::ranges::for_each(spec.outputs, add);
  return words;
}

kinds::StagedNumbers staged_numbers_of(const kinds::GufuncSpec& spec, const kinds::GufuncNumbers& numbers, DeviceKind device) {
  const StagedBlock block =
      staged_block(spec, {.device = device, .sizes = numbers.sizes, .items = numbers.items, .columns = numbers.shape.back()});
  return {.items = block.items, .threads = block.threads, .bytes = block.bytes, .words = words_of(spec, numbers)};
}

}  // namespace

std::shared_ptr<const kinds::GufuncNumbers> Call::numbers_of(const CoreLayout& layout, const kinds::GufuncSpec& spec) const {
  auto made = std::make_shared<kinds::GufuncNumbers>();
  const layout::Iteration& iteration = layout.iteration;
  made->shape.assign(iteration.shape().begin(), iteration.shape().end());
  made->items = iteration.size();
  for (std::size_t k = 0; k < operands_.count(); ++k) {
    const auto strides = iteration.strides(k);
    made->strides.insert(made->strides.end(), strides.begin(), strides.end());
  }
  made->sizes.assign(shape_.sizes.begin(), shape_.sizes.end());
  made->core_strides = layout.core_strides;
  for (const kinds::EachSpec& each : spec.each) {
    if (!spec.folded) made->each.push_back(shape_.sizes[each.dimension]);
  }
  if (!made->each.empty()) made->each.back() /= spec.beside;
  const auto beside = [](const kinds::CoreOperandSpec& operand) { return operand.step == kinds::ItemStep::beside; };
  if (spec.tile_bytes > 0 || std::any_of(spec.inputs.begin(), spec.inputs.end(), beside) ||
      std::any_of(spec.outputs.begin(), spec.outputs.end(), beside)) {
    made->grain = spec.most_items > 0 ? tuning::kGrainOfFew : tuning::kGrain;
  }
  made->loop_rank = spec.loop_rank;
  made->team = spec.team;
  made->teams = kinds::teams_of_block(spec, operands_.at().device.kind());
  made->wide_index = spec.wide_index;
  if (kinds::has_windows(spec)) made->staged.threads = kinds::kWindowThreads;
  if (kinds::is_staged(spec)) made->staged = staged_numbers_of(spec, *made, operands_.at().device.kind());
  return made;
}

void Call::start(const backend::Module& module, std::shared_ptr<const kinds::GufuncNumbers> numbers,
                 std::span<const std::int64_t> offsets, std::span<const Array> results) {
  kinds::GufuncLaunch launch;
  launch.numbers = std::move(numbers);
  launch.count = operands_.count();
  launch.keeps = operands_.some_given();
  for (std::size_t k = 0; k < launch.count; ++k) {
    kinds::GufuncLaunch::Operand& operand = launch.operands[k];
    operand.scalar = k < nin_ && is_scalar(k);
    operand.data = nullptr;
    if (operand.scalar) {
      std::memcpy(operand.value.data(), operands_.value(k), operand.value.size());
      continue;
    }
    const detail::ArrayRep* const rep =
        operands_.rep(k) != nullptr ? operands_.rep(k) : results[k - operands_.inputs()].rep().get();
    operand.data = rep->data + offsets[k];
  }
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  const std::shared_ptr<const void> kept = operands_.keep(backend, results);
  kinds::launch(backend, module, launch, operands_.launch_context(kept));
}

}  // namespace kiln::gufunc
