// Reductions whose outputs lie together in memory, and of short rows: every width of an access, rows of threads, parts, masks.
#include <cstdint>
#include <vector>

#include "kiln/math.hpp"
#include "reductions.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

/// 0 or 1, so that sums of any grouping are exact in every dtype.
double value_at(std::int64_t row, std::int64_t column) {
  return (row * 7 + column * 3 + row * column % 11) % 5 == 0 ? 1 : 0;
}

struct Matrix {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<double> values{};

  Matrix(std::int64_t height, std::int64_t width) : rows(height), columns(width) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) values.push_back(value_at(r, c));
    }
  }
  [[nodiscard]] Array array() const { return Array::from(values, kiln::Shape{rows, columns}); }
  /// Of the elements that count, for each output.
  template <typename Counts>
  [[nodiscard]] std::vector<double> sums(int axis, Counts counts) const {
    std::vector<double> result(static_cast<std::size_t>(axis == 0 ? columns : rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        if (counts(r, c)) result[static_cast<std::size_t>(axis == 0 ? c : r)] += value_at(r, c);
      }
    }
    return result;
  }
  /// The row of the first largest element of each column.
  [[nodiscard]] std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> result(static_cast<std::size_t>(columns));
    for (std::int64_t c = 0; c < columns; ++c) {
      std::int64_t r = 0;
      while (r < rows && value_at(r, c) == 0) ++r;
      result[static_cast<std::size_t>(c)] = r == rows ? 0 : r;
    }
    return result;
  }
};

const std::vector<Matrix>& matrices() {
  static const std::vector<Matrix> all = {{1, 48},  {3, 1000}, {16, 16},  {17, 40},   {60, 1024},  {100, 17},
                                          {513, 4}, {700, 64}, {2100, 8}, {4200, 16}, {10000, 20}, {20, 10000}};
  return all;
}

}  // namespace

TEST_CASE("columns: sums along both axes, of every width of an access") {
  on_every_device(
      [&](const Target& target) {
        for (const Matrix& matrix : matrices()) {
          INFO(matrix.rows, " x ", matrix.columns);
          for (const DType dtype : {DType::int8, DType::float16, DType::float32, DType::float64, DType::complex64}) {
            INFO(name(dtype));
            const Array x = target.place(matrix.array().astype(dtype));
            for (const int axis : {0, 1}) {
              const Array sums = kiln::math::add.reduce(x, reduce_on(target, {.axis = axis}));
              CHECK(target.fetch(sums).astype(DType::float64).to_vector<double>() ==
                    matrix.sums(axis, [](std::int64_t, std::int64_t) { return true; }));
            }
          }
        }
      },
      {Mode::device});
}

TEST_CASE("columns: masks, initial values, places of elements, and the first of equal complex numbers") {
  on_every_device(
      [&](const Target& target) {
        for (const Matrix& matrix : matrices()) {
          INFO(matrix.rows, " x ", matrix.columns);
          const auto counts = [](std::int64_t r, std::int64_t c) { return (r + c) % 3 != 0; };
          std::vector<double> mask;
          for (std::int64_t r = 0; r < matrix.rows; ++r) {
            for (std::int64_t c = 0; c < matrix.columns; ++c) mask.push_back(counts(r, c) ? 1 : 0);
          }
          const Array where = target.place(Array::from(mask, kiln::Shape{matrix.rows, matrix.columns}).astype(DType::bool_));
          const Array x = target.place(matrix.array().astype(DType::float32));
          const Array masked = kiln::math::add.reduce(x, reduce_on(target, {.axis = 0, .initial = 2, .where = where}));
          std::vector<double> expected = matrix.sums(0, counts);
          for (double& sum : expected) sum += 2;
          CHECK(target.fetch(masked).astype(DType::float64).to_vector<double>() == expected);
          CHECK(target.fetch(argmax({x}, reduction_on(target, {.axis = 0}))).to_vector<std::int64_t>() == matrix.places());
          const Array z = target.place(matrix.array().astype(DType::complex64));
          const Array largest = kiln::math::maximum.reduce(z, reduce_on(target, {.axis = 0}));
          std::vector<double> tops(static_cast<std::size_t>(matrix.columns));
          for (std::int64_t c = 0; c < matrix.columns; ++c) {
            const std::int64_t place = matrix.places()[static_cast<std::size_t>(c)];
            tops[static_cast<std::size_t>(c)] = value_at(place, c);
          }
          CHECK(target.fetch(largest).astype(DType::float64).to_vector<double>() == tops);
        }
      },
      {Mode::device});
}
