// Arrays and rows that begin and end anywhere: GPUs take packs of their elements, narrower ones, those behind a head, or strips
// of neighbours. The emulator checks the alignment of each access; memory around the outputs is compared, too.
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;

namespace {

constexpr DType kTypes[] = {DType::int8, DType::int16, DType::float16, DType::float32, DType::float64};

/// An array on the target, and its values.
struct Memory {
  Array array;
  std::vector<double> values;

  Memory(const Target& target, DType type, std::int64_t count, int period) {
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i % period));
    array = target.place(Array::from(values).astype(type));
  }
};

void check(const Target& target, const Memory& memory) {
  const std::vector<double> found = list_of(target.fetch(memory.array));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == memory.values[i]) continue;
    FAIL_CHECK("element ", i, " is ", found[i], ", not ", memory.values[i]);
    return;
  }
}

/// Rows of memory, each `pitch` elements behind the last, that begin at an offset.
struct Rows {
  std::int64_t count, columns, pitch, offset;
  [[nodiscard]] Array of(const Array& base) const {
    return base[Slice(0, count * pitch)].reshape({count, pitch})[{Slice(), Slice(offset, offset + columns)}];
  }
};

void check_rows(const Target& target, DType type, const Rows& a, const Rows& b, const Rows& out) {
  INFO(kiln::name(type), ", ", a.count, " rows of ", a.columns, ", offsets ", a.offset, " ", b.offset, " ", out.offset,
       ", pitches ", a.pitch, " ", out.pitch);
  const auto memory = [&](const Rows& rows, int period) { return Memory(target, type, rows.count * rows.pitch, period); };
  const Memory x = memory(a, 13), y = memory(b, 7);
  Memory result = memory(out, 11);
  target.call(combine(), {a.of(x.array), b.of(y.array)}, {.out = out.of(result.array)});
  const auto at = [](const Rows& rows, std::int64_t row, std::int64_t i) {
    return static_cast<std::size_t>(row * rows.pitch + rows.offset + i);
  };
  for (std::int64_t row = 0; row < a.count; ++row) {
    for (std::int64_t i = 0; i < a.columns; ++i) {
      result.values[at(out, row, i)] = 3 * x.values[at(a, row, i)] + y.values[at(b, row, i)];
    }
  }
  check(target, result);
}

}  // namespace

TEST_CASE("widths: arrays of one dimension that begin at any element") {
  on_every_device(
      [](const Target& target) {
        for (const DType type : kTypes) {
          for (std::int64_t offset = 0; offset <= 16; ++offset) {
            for (const std::int64_t size : {1, 33, 1021}) {
              const auto from = [&](std::int64_t first) { return Rows{1, size, size + 17, first}; };
              check_rows(target, type, from(offset), from(offset), from(offset));
              check_rows(target, type, from(offset), from(0), from(0));
              check_rows(target, type, from(0), from(offset), from(16 - offset));
            }
          }
        }
      },
      {Mode::device});
}

TEST_CASE("widths: rows of any length and distance") {
  on_every_device(
      [](const Target& target) {
        for (const DType type : kTypes) {
          for (const std::int64_t columns : {3, 33, 100, 255, 1020, 1023}) {
            for (const std::int64_t more : {1, 4, 12}) {
              const Rows rows{3, columns, columns + 4 + more, more};
              check_rows(target, type, rows, rows, rows);
              check_rows(target, type, rows, {3, columns, columns + 16 - columns % 16, 0}, rows);
            }
          }
        }
      },
      {Mode::device});
}

TEST_CASE("widths: inputs of one row, of one column and with gaps beside rows of any length") {
  on_every_device(
      [](const Target& target) {
        const Memory x(target, DType::float16, 4 * 301, 13), row(target, DType::float16, 299, 5),
            column(target, DType::float16, 4, 3), wide(target, DType::float16, 4 * 2 * 299, 11);
        const Array body = x.array.reshape({4, 301})[{Slice(), Slice(1, 300)}];
        const auto expect = [&](const Array& other, const auto& value_of) {
          const std::vector<double> found = list_of(target.fetch(target.call(combine(), {body, other})));
          for (std::size_t i = 0; i < found.size(); ++i) {
            const double wanted = 3 * x.values[i / 299 * 301 + 1 + i % 299] + value_of(i / 299, i % 299);
            if (found[i] != wanted) FAIL("element ", i, " is ", found[i], ", not ", wanted);
          }
        };
        expect(row.array, [&](std::size_t, std::size_t j) { return row.values[j]; });
        expect(column.array.reshape({4, 1}), [&](std::size_t i, std::size_t) { return column.values[i]; });
        expect(wide.array.reshape({4, 598})[{Slice(), Slice(0, 598, 2)}],
               [&](std::size_t i, std::size_t j) { return wide.values[i * 598 + 2 * j]; });
      },
      {Mode::device});
}

TEST_CASE("widths: a mask beside rows of any length keeps what it says") {
  on_every_device(
      [](const Target& target) {
        for (const std::int64_t offset : {0, 1}) {
          const Rows rows{3, 299, 304, offset};
          const Memory x(target, DType::float16, 3 * 304, 13), mask(target, DType::bool_, 3 * 304, 2);
          Memory result(target, DType::float16, 3 * 304, 11);
          const Array view = rows.of(x.array);
          target.call(combine(), {view, view}, {.out = rows.of(result.array), .where = rows.of(mask.array)});
          for (std::size_t i = 0; i < result.values.size(); ++i) {
            const auto column = static_cast<std::int64_t>(i % 304) - offset;
            if (column >= 0 && column < 299 && mask.values[i] != 0) result.values[i] = 4 * x.values[i];
          }
          check(target, result);
          // In place.
          Memory own(target, DType::float16, 3 * 304, 13);
          target.call(combine(), {rows.of(own.array), rows.of(own.array)}, {.out = rows.of(own.array)});
          for (std::size_t i = 0; i < own.values.size(); ++i) {
            const auto column = static_cast<std::int64_t>(i % 304) - offset;
            if (column >= 0 && column < 299) own.values[i] *= 4;
          }
          check(target, own);
        }
      },
      {Mode::device});
}
