#include "kernel/scatter/cpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "kernel/counter.hpp"
#include "kernel/start_on_cpu.hpp"

namespace kiln::kinds {
namespace {

/// Offsets that are computed before they are used: 4 KB, an eighth of the first cache.
constexpr std::int64_t kBlock = 512;
/// Rows shorter than this go element by element over a block of positions: a call for each row would cost more than its work.
constexpr std::int64_t kShortRow = 16;
/// Columns that are worth a thread, and elements that are worth threads at all.
constexpr std::int64_t kColumnsEach = 256;
constexpr std::int64_t kScatterWorthThreads = 1 << 16;

template <class I, bool Packed>
void add(const ScatterIndex& index, const char* from, std::int64_t from_stride, std::int64_t count, std::int64_t* offsets) {
  const std::int64_t extent = index.extent;
  const std::int64_t stride = index.stride;
  for (std::int64_t i = 0; i < count; ++i) {
    I value;
    std::memcpy(&value, from + i * (Packed ? static_cast<std::int64_t>(sizeof(I)) : from_stride), sizeof value);
    auto at = static_cast<std::int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    if constexpr (std::is_signed_v<I>) at += (at >> 63) & extent;
    offsets[i] += at * stride;
  }
}

template <class I>
void add_offsets(const ScatterIndex& index, const char* from, std::int64_t from_stride, std::int64_t count,
                 std::int64_t* offsets) {
  const auto loop = from_stride == static_cast<std::int64_t>(sizeof(I)) ? add<I, true> : add<I, false>;
  loop(index, from, from_stride, count, offsets);
}

void add_offsets(const ScatterIndex& index, const char* from, std::int64_t from_stride, std::int64_t count,
                 std::int64_t* offsets) {
  switch (index.dtype) {
    case DType::int8:
      return add_offsets<std::int8_t>(index, from, from_stride, count, offsets);
    case DType::int16:
      return add_offsets<std::int16_t>(index, from, from_stride, count, offsets);
    case DType::int32:
      return add_offsets<std::int32_t>(index, from, from_stride, count, offsets);
    case DType::uint8:
      return add_offsets<std::uint8_t>(index, from, from_stride, count, offsets);
    case DType::uint16:
      return add_offsets<std::uint16_t>(index, from, from_stride, count, offsets);
    case DType::uint32:
      return add_offsets<std::uint32_t>(index, from, from_stride, count, offsets);
    case DType::uint64:
      return add_offsets<std::uint64_t>(index, from, from_stride, count, offsets);
    default:
      return add_offsets<std::int64_t>(index, from, from_stride, count, offsets);
  }
}

/// The part of a launch that one thread does: all positions, and columns [begin, end) of the innermost row dimension.
class Part {
 public:
  Part(const CpuScatterParts& kernel, const ScatterLaunch& launch, const StopRequest* stop, std::int64_t begin,
       std::int64_t end)
      : kernel_(kernel),
        launch_(launch),
        stop_(stop),
        columns_(end - begin),
        row_(launch.row_shape),
        target_(static_cast<char*>(launch.target) + begin * launch.target_strides.back()) {
    static constexpr char kNone = 0;
    value_ = &kNone;
    if (launch.value != nullptr) {
      const Numbers strides(launch.value_strides);
      position_strides_ = strides.first(launch.shape.size());
      row_strides_ = strides.subspan(launch.shape.size());
      value_ = static_cast<const char*>(launch.value) + begin * row_strides_.back();
    }
  }

  void run() const {
    const Numbers shape(launch_.shape);
    const std::size_t outer = shape.size() - 1;
    const bool one_packed = one_packed_index();
    Counter counter(shape.first(outer));
    std::int64_t position = 0;
    do {
      const char* const value = value_ + (launch_.value != nullptr ? counter.offset(position_strides_.first(outer)) : 0);
      for (std::int64_t begin = 0; begin < shape[outer]; begin += kBlock) {
        if (stop_ != nullptr) [[unlikely]]
          stop_->require_not_due(kPartlyWritten);
        const std::int64_t count = std::min(kBlock, shape[outer] - begin);
        const char* const values = value + begin * position_stride();
        const auto data_of = [&](const ScatterIndex& index) {
          const Numbers strides(index.strides);
          return static_cast<const char*>(index.data) + counter.offset(strides.first(outer)) + begin * strides[outer];
        };
        if (one_packed) {
          indexed(data_of(launch_.indices.front()), values, position, count);
          position += count;
          continue;
        }
        std::array<std::int64_t, kBlock> offsets;
        std::fill_n(offsets.begin(), count, 0);
        for (const ScatterIndex& index : launch_.indices) {
          add_offsets(index, data_of(index), index.strides.back(), count, offsets.data());
        }
        block(offsets.data(), values, position, count);
        position += count;
      }
    } while (counter.next());
  }

 private:
  [[nodiscard]] std::int64_t position_stride() const { return launch_.value != nullptr ? position_strides_.back() : 0; }

  [[nodiscard]] bool one_packed_index() const {
    const ScatterIndex& index = launch_.indices.front();
    const bool native = index.dtype == DType::int64 || index.dtype == DType::int32;
    return launch_.indices.size() == 1 && native && index.strides.back() == static_cast<std::int64_t>(itemsize(index.dtype)) &&
           product(row_) < kShortRow;
  }

  /// Of the next call of the kernel's.
  void begin_at(std::int64_t position) const {
    if (kernel_.first_item != nullptr) [[unlikely]]
      kernel_.first_item(position);
  }

  void indexed(const char* from, const char* value, std::int64_t position, std::int64_t count) const {
    const ScatterIndex& index = launch_.indices.front();
    const Numbers strides(launch_.target_strides);
    Counter element(row_);
    do {
      const CpuScatterAxis axis{target_ + element.offset(strides), index.stride, index.extent};
      const char* const b = value + (launch_.value != nullptr ? element.offset(row_strides_) : 0);
      begin_at(position);
      if (index.dtype == DType::int64) {
        kernel_.of_int64(axis, reinterpret_cast<const std::int64_t*>(from), b, position_stride(), count);
      } else {
        kernel_.of_int32(axis, reinterpret_cast<const std::int32_t*>(from), b, position_stride(), count);
      }
    } while (element.next());
  }

  void block(const std::int64_t* offsets, const char* value, std::int64_t position, std::int64_t count) const {
    const bool has_value = launch_.value != nullptr;
    const Numbers strides(launch_.target_strides);
    if (product(row_) < kShortRow) {
      // The elements of a row are different ones: each may take all the positions first.
      Counter element(row_);
      do {
        begin_at(position);
        kernel_.points(target_ + element.offset(strides), offsets, value + (has_value ? element.offset(row_strides_) : 0),
                       position_stride(), count);
      } while (element.next());
      return;
    }
    const std::size_t outer = row_.size() - 1;
    const std::int64_t value_stride = has_value ? row_strides_.back() : 0;
    for (std::int64_t i = 0; i < count; ++i, value += position_stride()) {
      Counter row(row_.first(outer));
      do {
        begin_at(position + i);
        kernel_.row(target_ + offsets[i] + row.offset(strides.first(outer)), strides.back(),
                    value + (has_value ? row.offset(row_strides_.first(outer)) : 0), value_stride, columns_);
      } while (row.next());
    }
  }

  const CpuScatterParts& kernel_;
  const ScatterLaunch& launch_;
  const StopRequest* const stop_;
  std::int64_t columns_;
  Numbers row_;
  char* target_;
  const char* value_;
  Numbers position_strides_;
  Numbers row_strides_;
};

}  // namespace

void run_scatter(const CpuScatterParts& kernel, const ScatterLaunch& launch, const cpu::LaunchThreads& threads) {
  const std::int64_t columns = launch.row_shape.back();
  const std::int64_t elements = product(launch.shape) * product(launch.row_shape);
  const std::int64_t most = columns / kColumnsEach;
  const std::int64_t parts = elements < kScatterWorthThreads ? 1 : std::min<std::int64_t>(threads.count(), most);
  if (parts <= 1) return Part(kernel, launch, threads.stop(), 0, columns).run();
  // Whole blocks of the kernel, so that no two threads write to one cache line.
  const std::int64_t each = ((columns + parts - 1) / parts + kCpuBlock - 1) / kCpuBlock * kCpuBlock;
  threads.parallel_for((columns + each - 1) / each, [&](std::int64_t part) {
    Part(kernel, launch, threads.stop(), part * each, std::min(columns, (part + 1) * each)).run();
  });
}

void launch_on_cpu(Backend& backend, const Module& module, const ScatterLaunch& launch, const LaunchContext& context) {
  start_on_cpu<Copied<ScatterLaunch>>(
      backend, module, launch, context,
      [](const cpu::CpuModule& kernel, const ScatterLaunch& work, const cpu::LaunchThreads& threads) {
        run_scatter(kernel.parts<CpuScatterParts>(), work, threads);
      });
}

}  // namespace kiln::kinds
