// Generalized ufuncs beside index arithmetic: random sizes, loops, and ways to lie in memory, masks and outputs given. Values
// are small whole numbers, so that sums are exact in every order.
#include <algorithm>
#include <random>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Dims;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::Slice;

namespace {

std::int64_t pick(std::mt19937_64& source, std::initializer_list<std::int64_t> of) {
  return of.begin()[source() % of.size()];
}

/// Of that shape, somewhere in a larger array: its axes in any order, `back` of them kept in their order at the end or put at
/// the front, steps of 1 to 3, backwards, with room behind.
Array random_layout(const Shape& shape, std::size_t back, DType dtype, std::mt19937_64& source) {
  Dims order;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) order.push_back(static_cast<std::int64_t>(axis));
  switch (source() % 4) {
    case 0:
      std::shuffle(order.begin(), order.end(), source);
      break;
    case 1:  // items side by side
      std::rotate(order.begin(), order.end() - static_cast<std::ptrdiff_t>(back), order.end());
      break;
    default:
      break;
  }
  const bool plain = source() % 2 == 0;
  Shape room;
  std::vector<kiln::Index> window;
  for (const std::int64_t axis : order) {
    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
    const std::int64_t step = plain || source() % 3 > 0 ? 1 : pick(source, {1, 2, 3});
    const std::int64_t before = plain ? 0 : pick(source, {0, 0, 1});
    room.push_back(before + extent * step + (plain ? 0 : pick(source, {0, 0, 1, 5})));
    const std::int64_t last = before + (extent - 1) * step;
    if (!plain && extent > 0 && source() % 5 == 0) {
      window.emplace_back(
          Slice{.start = last, .stop = before == 0 ? std::optional<std::int64_t>() : before - 1, .step = -step});
    } else {
      window.emplace_back(Slice{.start = before, .stop = before + extent * step, .step = step});
    }
  }
  std::int64_t size = 1;
  for (const std::int64_t extent : room) size *= extent;
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<double>(source() % 7) - 3);
  const Array view = Array::from(std::span<const double>(values), room).astype(dtype).slice(window);
  Dims back_again = order;
  for (std::size_t k = 0; k < order.size(); ++k) back_again[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  return view.transpose(back_again);
}

Shape joined(Shape shape, const Shape& core) {
  for (const std::int64_t extent : core) shape.push_back(extent);
  return shape;
}

Shape behind(const Shape& shape, std::size_t first) {
  Shape rest;
  for (std::size_t d = first; d < shape.size(); ++d) rest.push_back(shape[d]);
  return rest;
}

/// The operand over the whole loop, as a flat list in C order.
std::vector<double> spread(const Array& array, const Shape& loop, const Shape& core) {
  return list_of(array.broadcast_to(joined(loop, core)).copy());
}

/// y(i) = the ith row of A times b, plus k; total of these products, plus k.
struct Expected {
  std::vector<double> rows;
  std::vector<double> total;
};
Expected model(const Shape& loop, std::size_t m, std::size_t n, const Array& a, const Array& b, const Array& k) {
  const auto size = [](std::size_t x) { return static_cast<std::int64_t>(x); };
  const std::vector<double> as = spread(a, loop, {size(m), size(n)});
  const std::vector<double> bs = spread(b, loop, {size(n)});
  const std::vector<double> ks = spread(k, loop, {});
  Expected expected;
  for (std::size_t x = 0; x < ks.size(); ++x) {
    double total = ks[x];
    for (std::size_t i = 0; i < m; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += as[(x * m + i) * n + j] * bs[x * n + j];
      expected.rows.push_back(sum + ks[x]);
      total += sum;
    }
    expected.total.push_back(total);
  }
  return expected;
}

Gufunc rows_times(bool chain) {
  // A chain along the core, or sums that the compiler may take apart.
  return kiln::guvectorize({.name = "rows_times",
                            .layout = "(m,n),(n),()->(m),()",
                            .signatures = {"void(T[:,:] A, T[:] b, T k, T[:] y, T total)"},
                            .body = chain
                                        ? "T all = k; for (index i = 0; i < m; ++i) { T sum = 0; "
                                          "for (index j = 0; j < n; ++j) sum += A(i, j) * b(j); y(i) = sum + k; all += sum; } "
                                          "total = all;"
                                        : "total = k; for (index i = 0; i < m; ++i) { y(i) = k; for (index j = 0; j < n; ++j) "
                                          "y(i) = y(i) + A(i, j) * b(j); T now = y(i); total = total + now - k; }"});
}
Gufunc rows_times_each() {
  return kiln::guvectorize({.name = "rows_times",
                            .layout = "(m,n),(n),()->(m),(m)",
                            .signatures = {"void(T[:,:] A, T[:] b, T k, T[:] y, T[:] twice)"},
                            .each = "i:m",
                            .body = "T sum = k; for (index j = 0; j < n; ++j) sum += A(i, j) * b(j); "
                                    "y(i) = sum; twice(i) = 2 * sum;"});
}

}  // namespace

TEST_CASE("gufuncs: random layouts, loops, masks and outputs equal index arithmetic") {
  std::uint64_t stream = 900;
  on_every_device(
      [&](const Target& target) {
        auto source = random_source(stream++);
        // A GPU compiles a kernel for each size and rank: fewer cases there keep the suite short.
        const int cases = target.device().is_cpu() ? 60 : 24;
        Gufunc gufunc = rows_times(true);
        bool each = false;
        for (int i = 0; i < cases; ++i) {
          // Anew: few sizes of one become constants.
          if (i % 12 == 0) {
            each = i % 36 == 24;
            gufunc = each ? rows_times_each() : rows_times(i % 24 == 0);
          }
          const DType dtype = i % 3 == 0 ? DType::float64 : i % 3 == 1 ? DType::float32 : DType::int32;
          const std::int64_t m = pick(source, {1, 2, 3, 4, 12});
          const std::int64_t n = pick(source, {1, 2, 3, 4, 8, 12, 40});
          Shape loop;
          for (std::size_t d = source() % 4; d-- > 0;) loop.push_back(pick(source, {1, 2, 5, 17, 33, 40}));
          const auto broadcast = [&] {
            Shape shape = loop;
            for (std::int64_t& extent : shape) extent = source() % 4 == 0 ? 1 : extent;
            return behind(shape, std::min<std::size_t>(shape.size(), source() % 4 == 0 ? 1 + source() % 2 : 0));
          };
          const Array a = random_layout(joined(broadcast(), {m, n}), 2, dtype, source);
          const Array b = random_layout(joined(broadcast(), {n}), 1, dtype, source);
          const Array k = random_layout(broadcast(), 0, dtype, source);
          const bool given = source() % 2 == 0;
          const bool masked = source() % 5 == 0;
          // What the operands make of the loop, and what outputs and mask make of it.
          Shape whole = loop;
          if (!given) {
            for (std::size_t d = 0; d < loop.size(); ++d) {
              const auto has = [&](const Array& array, std::size_t core) {
                const std::size_t rank = array.shape().size() - core;
                return rank >= loop.size() - d && array.shape()[rank - (loop.size() - d)] != 1;
              };
              whole[d] = has(a, 2) || has(b, 1) || has(k, 0) ? loop[d] : 1;
            }
            const std::size_t rank = std::max({a.shape().size() - 2, b.shape().size() - 1, k.shape().size()});
            whole = behind(whole, whole.size() - rank);
          }
          const Array rows = random_layout(joined(whole, {m}), 1, dtype, source);
          const Array total = random_layout(each ? joined(whole, {m}) : whole, each ? 1 : 0, dtype, source);
          const Array mask = random_layout(whole, 0, DType::bool_, source);
          Expected expected = model(whole, static_cast<std::size_t>(m), static_cast<std::size_t>(n), a, b, k);
          if (each) {
            expected.total.clear();
            for (const double row : expected.rows) expected.total.push_back(2 * row);
          }
          const auto leave_out = [&](std::vector<double>& values, const Array& before) {
            const std::vector<double> on = list_of(mask.copy());
            const std::vector<double> old = list_of(before.copy());
            for (std::size_t at = 0; at < values.size(); ++at) {
              if (on[at * on.size() / values.size()] == 0) values[at] = given ? old[at] : 0;
            }
          };
          if (masked) leave_out(expected.rows, rows);
          if (masked) leave_out(expected.total, total);
          const std::vector<Array> placed{target.place(a), target.place(b), target.place(k)};
          const std::vector<kiln::Arg> args(placed.begin(), placed.end());
          kiln::GufuncOptions options;
          options.stream = target.options().stream;
          if (given) options.out = {target.place(rows), target.place(total)};
          if (masked) options.where = target.place(mask);
          const std::string what =
              "case " + std::to_string(i) + ", seed " + std::to_string(seed()) + ": loop " + kiln::to_string(whole) + ", m " +
              std::to_string(m) + ", n " + std::to_string(n) + ", strides " + kiln::to_string(a.strides()) + " " +
              kiln::to_string(b.strides()) + " " + kiln::to_string(k.strides()) +
              (given ? " -> " + kiln::to_string(rows.strides()) + " " + kiln::to_string(total.strides()) : "") +
              (masked ? ", masked" : "");
          INFO(what);
          CHECK(gufunc.resolve(args, options).shape == whole);
          const std::vector<Array> results = gufunc.outputs(args, options);
          CHECK(list_of(target.fetch(results[0])) == expected.rows);
          CHECK(list_of(target.fetch(results[1])) == expected.total);
        }
      },
      {Mode::host, Mode::device});
}
