#include "kernel/reduction/reducer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "device/cpu/cache_line.hpp"
#include "device/cpu/copy.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t lines(std::int64_t bytes) {
  return (bytes + cpu::kCacheLine - 1) / cpu::kCacheLine * cpu::kCacheLine;
}

}  // namespace

Reducer::Reducer(const CpuReduction& kernel, const ReductionLaunch& launch, const ReductionCut& cut, std::int64_t chunk,
                 const backend::StopRequest* stop)
    : ReducedPlace(kernel, launch), cut_(cut), stop_(stop) {
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(chunk, 1));
  const auto slots = static_cast<std::int64_t>(cut.form == Form::narrow || cut.leaves > 1 ? std::bit_width(most) + 2 : 1);
  slot_bytes_ = lines(cut.width * cut.unrolled * kernel.state_size);
  // What a leaf takes of an operand that does not lie as the kernel reads it.
  const std::int64_t leaf_elements = !cut.gathers             ? 0
                                     : cut.form == Form::fold ? std::min(cut.leaf, launch.count)
                                                              : cut.leaf * cut.width;
  std::int64_t bytes = slots * slot_bytes_ + (cut.form == Form::narrow ? slot_bytes_ : 0);
  for (int k = 0; k < kernel.inputs + kernel.outputs; ++k) {
    bytes += lines((k < kernel.inputs ? leaf_elements : cut.width) * kernel.itemsize[k]) + cpu::kCacheLine;
  }
  char* memory = inline_.data();
  if (bytes > static_cast<std::int64_t>(inline_.size())) {
    heap_.reset(static_cast<char*>(std::aligned_alloc(cpu::kCacheLine, static_cast<std::size_t>(bytes))));
    if (heap_ == nullptr) throw std::bad_alloc();
    memory = heap_.get();
  }
  stack_ = memory;
  memory += slots * slot_bytes_;
  spare_ = memory;
  memory += cut.form == Form::narrow ? slot_bytes_ : 0;
  for (int k = 0; k < kernel.inputs + kernel.outputs; ++k) {
    buffer_[static_cast<std::size_t>(k)] = memory;
    memory += lines((k < kernel.inputs ? leaf_elements : cut.width) * kernel.itemsize[k]) + cpu::kCacheLine;
  }
}

void Reducer::begin_tile(std::int64_t tile) {
  const std::int64_t column = tile % cut_.per_row * cut_.width;
  columns_ = launch_.kept.empty() ? 1 : std::min(cut_.width, launch_.kept.back() - column);
  place(tile / cut_.per_row, column);
  depth_ = 0;
  pushed_ = 0;
}

// The states on top are those of one more leaf: they are combined with those before as the digits of its number carry.
void Reducer::push() {
  for (std::int64_t digits = pushed_++; (digits & 1) != 0; digits >>= 1) {
    kernel_.merge(slot(depth_ - 1), slot(depth_), columns_);
    --depth_;
  }
  ++depth_;
}

char* Reducer::collapse() {
  while (depth_ > 1) {
    --depth_;
    kernel_.merge(slot(depth_ - 1), slot(depth_), columns_);
  }
  depth_ = 0;
  pushed_ = 0;
  return stack_;
}

void Reducer::tiles(std::int64_t begin, std::int64_t end) {
  for (std::int64_t tile = begin; tile < end; ++tile) {
    begin_tile(tile);
    if (launch_.count == 0) {
      kernel_.start(stack_, launch_.initial, columns_, inputs_of_tile());
    } else if (cut_.form == Form::fold && cut_.leaves == 1) {
      fold_tile();
    } else {
      states(0, cut_.leaves);
    }
    finish(stack_);
  }
}

void Reducer::part(std::int64_t tile, std::int64_t begin, std::int64_t end, char* to) {
  begin_tile(tile);
  states(begin, end);
  std::memcpy(to, stack_, static_cast<std::size_t>(columns_ * kernel_.state_size));
}

void Reducer::join(std::int64_t tile, const char* parts, std::int64_t count) {
  begin_tile(tile);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(slot(depth_), parts + i * tile_bytes(), static_cast<std::size_t>(columns_ * kernel_.state_size));
    push();
  }
  finish(collapse());
}

// The states of some leaves of the tile, to the bottom of the stack.
void Reducer::states(std::int64_t begin, std::int64_t end) {
  const std::int64_t per_run = cut_.by_runs ? (run_ + cut_.leaf - 1) / cut_.leaf : 1;
  seek(cut_.by_runs ? begin / per_run * run_ + begin % per_run * cut_.leaf : launch_.from + begin * cut_.leaf);
  bool fresh = true;
  if (kernel_.ordered && launch_.initial != nullptr) {
    kernel_.start(stack_, launch_.initial, columns_, inputs_of_tile());
    fresh = false;
  }
  for (std::int64_t leaf = begin; leaf < end; ++leaf) {
    require_not_due();
    char* const to = slot(depth_);
    switch (cut_.form) {
      case Form::fold:
        fold_leaf(leaf, to, fresh);
        break;
      case Form::rows:
        rows_leaf(std::min(cut_.leaf, launch_.count - leaf * cut_.leaf), to, fresh);
        break;
      case Form::narrow:
        kernel_.balanced ? transposed_leaf(std::min(cut_.leaf, launch_.count - leaf * cut_.leaf), to)
                         : narrow_leaf(std::min(cut_.leaf, launch_.count - leaf * cut_.leaf), to);
        break;
    }
    fresh = false;
    if (!kernel_.ordered) push();
  }
  if (!kernel_.ordered) collapse();
}

// Outputs of a leaf each.
void Reducer::fold_tile() {
  const auto inputs = static_cast<std::size_t>(kernel_.inputs);
  const bool started = kernel_.ordered && launch_.initial != nullptr;
  if (started) kernel_.start(stack_, launch_.initial, columns_, inputs_of_tile());
  for (std::int64_t column = 0; column < columns_; ++column) {
    require_not_due();
    seek(launch_.from);
    fold_leaf(0, stack_ + column * kernel_.state_size, !started);
    for (std::size_t k = 0; k < inputs; ++k) tile_[k] += kept_stride(static_cast<int>(k));
  }
  for (std::size_t k = 0; k < inputs; ++k) tile_[k] -= columns_ * kept_stride(static_cast<int>(k));
}

void Reducer::fold_leaf(std::int64_t number, char* state, bool fresh) {
  const std::int64_t count =
      cut_.by_runs ? std::min(cut_.leaf, run_ - run_at_) : std::min(cut_.leaf, launch_.count - number * cut_.leaf);
  for (int k = 0; k < kernel_.inputs; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (is_scalar(k)) {
      addresses_[i] = at_[i];
    } else if (is_index(k)) {
      if (run_at_ + count <= run_ && (reduced_stride(k) == 1 || count == 1)) {
        numbers_[0] = {number_at(at_[i] + run_at_ * reduced_stride(k)), nullptr};
      } else {
        number_stretch(count);
      }
      addresses_[i] = numbers_.data();
    } else if (run_at_ + count <= run_ && (reduced_stride(k) == kernel_.itemsize[k] || count == 1)) {
      addresses_[i] = at_[i] + run_at_ * reduced_stride(k);
    } else {
      gather_stretch(k, count);
      addresses_[i] = buffer_[i];
    }
  }
  kernel_.fold(addresses_.data(), count, state, fresh);
  for (std::int64_t left = count; left > 0;) {
    // To the end of the row, then over as many whole ones as the dimension around has.
    std::int64_t taken = std::min(left, run_ - run_at_);
    if (run_at_ == 0 && left > run_ && launch_.reduced.size() > 1) {
      const std::size_t around = launch_.reduced.size() - 2;
      taken = std::min(left / run_, launch_.reduced[around] - index_[around]) * run_;
    }
    advance(taken);
    left -= taken;
  }
}

// Elements from here on, over the ends of rows, to the operand's buffer. Leaves the place as it is.
void Reducer::gather_stretch(int operand, std::int64_t count) {
  const auto k = static_cast<std::size_t>(operand);
  const std::int64_t size = kernel_.itemsize[operand];
  const std::int64_t stride = reduced_stride(operand);
  const std::size_t kept = launch_.kept.size();
  const std::size_t rank = launch_.reduced.size();
  const std::int64_t* const strides = launch_.operands[k].strides + kept;
  char* to = buffer_[k];
  const char* from = at_[k];
  std::int64_t at = run_at_;
  std::array<std::int64_t, 64> index;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  if (rank > 1) std::copy_n(index_.begin(), rank - 1, index.begin());
  while (count > 0) {
    std::int64_t rows = 1;
    std::int64_t columns = std::min(count, run_ - at);
    if (at == 0 && count >= run_ && rank > 1) rows = std::min(count / run_, launch_.reduced[rank - 2] - index[rank - 2]);
    gather(to, from + at * stride, {rows, rank > 1 ? strides[rank - 2] : 0, columns, stride, columns * size}, size);
    to += rows * columns * size;
    count -= rows * columns;
    if (count == 0) return;
    at = 0;
    std::int64_t step = rows;
    for (std::size_t d = rank - 1; d-- > 0;) {
      index[d] += step;
      from += step * strides[d];
      if (index[d] < launch_.reduced[d] || d == 0) break;
      from -= index[d] * strides[d];
      index[d] = 0;
      step = 1;
    }
  }
}

// The numbers of elements from here on, over the ends of rows, to the index's buffer.
void Reducer::number_stretch(std::int64_t count) {
  const auto k = static_cast<std::size_t>(kernel_.index);
  const std::int64_t stride = reduced_stride(kernel_.index);
  const std::size_t rank = launch_.reduced.size();
  const std::int64_t* const strides = launch_.operands[k].strides + launch_.kept.size();
  auto* const to = reinterpret_cast<std::int64_t*>(buffer_[k]);
  std::int64_t row = number_at(at_[k]);
  std::int64_t at = run_at_;
  std::array<std::int64_t, 64> index;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  if (rank > 1) std::copy_n(index_.begin(), rank - 1, index.begin());
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t now = std::min(count - done, run_ - at);
    for (std::int64_t j = 0; j < now; ++j) to[done + j] = row + (at + j) * stride;
    done += now;
    at = 0;
    for (std::size_t d = rank - 1; rank > 1 && d-- > 0;) {
      row += strides[d];
      if (++index[d] < launch_.reduced[d] || d == 0) break;
      row -= index[d] * strides[d];
      index[d] = 0;
    }
  }
  numbers_[0] = {to[0], to};
}

// Those of whole rows from here on, for each of the columns.
void Reducer::number_rows(char* list, std::int64_t rows, std::int64_t columns) const {
  const std::int64_t stride = reduced_stride(kernel_.index);
  const std::int64_t across = kept_stride(kernel_.index);
  const std::int64_t first = number_at(at_[static_cast<std::size_t>(kernel_.index)]) + run_at_ * stride;
  auto* to = reinterpret_cast<std::int64_t*>(list);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) *to++ = first + r * stride + c * across;
  }
}

void Reducer::rows_leaf(std::int64_t rows, char* to, bool fresh) {
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t now = std::min(rows - row, run_ - run_at_);
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const std::int64_t size = kernel_.itemsize[k];
      const std::int64_t stride = reduced_stride(k);
      if (is_index(k)) {
        char* const list = buffer_[i] + row * columns_ * size;
        const bool listed = kept_stride(k) != 0;
        if (listed) number_rows(list, now, columns_);
        for (std::int64_t r = 0; r < now; ++r) {
          CpuIndex& number = numbers_[static_cast<std::size_t>(row + r)];
          number = {number_at(at_[i]) + (run_at_ + r) * stride,
                    listed ? reinterpret_cast<const std::int64_t*>(list) + r * columns_ : nullptr};
          addresses_[i * kCpuReduceRows + static_cast<std::size_t>(row + r)] = &number;
        }
        continue;
      }
      char* from = at_[i] + run_at_ * stride;
      std::int64_t step = stride;
      if (kept_stride(k) != size && columns_ > 1 && !is_scalar(k)) {
        const std::int64_t pitch = columns_ * size;
        char* const place = buffer_[i] + row * pitch;
        gather(place, from, {now, stride, columns_, kept_stride(k), pitch}, size);
        from = place;
        step = pitch;
      }
      for (std::int64_t r = 0; r < now; ++r)
        addresses_[i * kCpuReduceRows + static_cast<std::size_t>(row + r)] = from + r * step;
    }
    row += now;
    advance(now);
  }
  kernel_.rows(addresses_.data(), rows, columns_, to, fresh);
}

// Rows that are consecutive are longer rows; what stands in the same column of them is combined last.
void Reducer::narrow_leaf(std::int64_t rows, char* to) {
  std::array<char*, kMaxOperands> flat;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  for (int k = 0; k < kernel_.inputs; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::int64_t size = kernel_.itemsize[k];
    if (is_scalar(k)) {
      flat[i] = at_[i];
    } else if (!is_index(k) && kept_stride(k) == size && reduced_stride(k) == columns_ * size && run_at_ + rows <= run_) {
      flat[i] = at_[i] + run_at_ * reduced_stride(k);
    } else {
      flat[i] = buffer_[i];
    }
  }
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t now = std::min(rows - row, run_ - run_at_);
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (flat[i] != buffer_[i]) continue;
      const std::int64_t size = kernel_.itemsize[k];
      const std::int64_t pitch = columns_ * size;
      if (is_index(k)) {
        number_rows(buffer_[i] + row * pitch, now, columns_);
        continue;
      }
      gather(buffer_[i] + row * pitch, at_[i] + run_at_ * reduced_stride(k),
             {now, reduced_stride(k), columns_, kept_stride(k), pitch}, size);
    }
    row += now;
    advance(now);
  }
  const auto compute = [&](std::int64_t first, std::int64_t count, std::int64_t unrolled, char* states) {
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const std::int64_t pitch = is_scalar(k) ? 0 : columns_ * kernel_.itemsize[k];
      for (std::int64_t r = 0; r < count; ++r) {
        char* const from = flat[i] + (first + r * unrolled) * pitch;
        const std::size_t place = i * kCpuReduceRows + static_cast<std::size_t>(r);
        addresses_[place] = from;
        if (!is_index(k)) continue;
        const auto* const list = reinterpret_cast<const std::int64_t*>(from);
        numbers_[static_cast<std::size_t>(r)] = {list[0], list};
        addresses_[place] = &numbers_[static_cast<std::size_t>(r)];
      }
    }
    kernel_.rows(addresses_.data(), count, unrolled * columns_, states, true);
  };
  const std::int64_t whole = rows / cut_.unrolled;
  const std::int64_t rest = rows % cut_.unrolled;
  if (whole > 0) compute(0, whole, cut_.unrolled, to);
  if (rest > 0) {
    compute(whole * cut_.unrolled, 1, rest, whole > 0 ? spare_ : to);
    if (whole > 0) kernel_.merge(to, spare_, rest * columns_);
  }
  for (std::int64_t left = whole > 0 ? cut_.unrolled : rest; left > 1;) {
    const std::int64_t half = (left + 1) / 2;
    kernel_.merge(to, to + half * columns_ * kernel_.state_size, (left - half) * columns_);
    left = half;
  }
}

// Where the tile's operands begin, and of the index the numbers of its outputs.
void* const* Reducer::inputs_of_tile() {
  std::copy_n(tile_.begin(), kernel_.inputs, inputs_.begin());
  if (kernel_.index < 0) return inputs_.data();
  const auto index = static_cast<std::size_t>(kernel_.index);
  const std::int64_t step = kept_stride(kernel_.index);
  output_ = {number_at(tile_[index]), nullptr};
  if (step != 0 && step != 1 && columns_ > 1) {
    output_list_.resize(static_cast<std::size_t>(columns_));
    for (std::int64_t c = 0; c < columns_; ++c) output_list_[static_cast<std::size_t>(c)] = output_.first + c * step;
    output_.list = output_list_.data();
  }
  inputs_[index] = &output_;
  return inputs_.data();
}

void Reducer::finish(const char* from) {
  std::array<void*, kMaxOperands> results;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  for (int k = 0; k < kernel_.outputs; ++k) {
    const int operand = kernel_.inputs + k;
    const auto i = static_cast<std::size_t>(operand);
    const bool direct = columns_ == 1 || kept_stride(operand) == kernel_.itemsize[operand];
    results[static_cast<std::size_t>(k)] = direct ? tile_[i] : buffer_[i];
  }
  // An ordered state began with it, and that of nothing is no more than it: gcd of nothing and -4 is -4, not gcd(0, -4).
  const void* const initial = kernel_.ordered ? nullptr : launch_.initial;
  for (int k = 0; k < kernel_.outputs && kernel_.reads_outputs; ++k) {
    const int operand = kernel_.inputs + k;
    const auto i = static_cast<std::size_t>(operand);
    const std::int64_t size = kernel_.itemsize[operand];
    if (results[static_cast<std::size_t>(k)] == tile_[i]) continue;
    gather(buffer_[i], tile_[i], {1, 0, columns_, kept_stride(operand), columns_ * size}, size);
  }
  kernel_.finish(from, initial, columns_, results.data(), launch_.count == 0, inputs_of_tile());
  for (int k = 0; k < kernel_.outputs; ++k) {
    const int operand = kernel_.inputs + k;
    const auto i = static_cast<std::size_t>(operand);
    if (results[static_cast<std::size_t>(k)] == tile_[i]) continue;
    scatter(tile_[i], {1, 0, columns_, kept_stride(operand), 0}, buffer_[i], kernel_.itemsize[operand]);
  }
}

}  // namespace kiln::kinds
