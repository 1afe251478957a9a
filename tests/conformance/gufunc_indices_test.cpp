// Any number of indices of .each: whole vectors of them, what is left over, vectors that overlap, and bodies for which they
// must not. Values are small whole numbers: sums are exact in every order.
#include <cstring>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Slice;

namespace {

constexpr std::int64_t kDeep = 3;

struct IndexBody {
  const char* text;
  double before;  // how often the result holds what was in it
  double times;   // how often it has the product
};
constexpr IndexBody kIndexBodies[] = {
    {"T s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;", 0, 1},
    {"C(i, j) = T(0); for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j);", 0, 1},
    // What it finds counts: each index must be computed once.
    {"for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j);", 1, 1},
    {"T s = C(i, j); s += s; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;", 2, 1},
    {"for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j); const T s = C(i, j); C(i, j) = s * T(2);", 2, 2},
};

Array small_numbers(const kiln::Shape& shape, DType dtype, std::int64_t seed) {
  std::vector<double> values;
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  for (std::int64_t k = 0; k < size; ++k) values.push_back(static_cast<double>((k * 5 + k / 3 + seed) % 7) - 3);
  return Array::from(std::span<const double>(values), shape).astype(dtype);
}

void check_indices(const Target& target, const Gufunc& gufunc, const IndexBody& body, DType dtype, std::int64_t count,
                   kiln::Order order) {
  constexpr std::int64_t kTwo = 2;
  constexpr std::int64_t kRows = 3;
  const Array a = small_numbers({kTwo, kRows, kDeep}, dtype, 1);
  const Array b = small_numbers({kDeep, count}, dtype, 4);
  // With something around the result, which stays.
  const Array room = small_numbers({kTwo, kRows, count + 2}, dtype, 2);
  const std::vector<double> va = list_of(a);
  const std::vector<double> vb = list_of(b);
  std::vector<double> want = list_of(room);
  for (std::int64_t row = 0; row < kTwo * kRows; ++row) {
    for (std::int64_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < kDeep; ++k) {
        sum += va[static_cast<std::size_t>(row * kDeep + k)] * vb[static_cast<std::size_t>(k * count + j)];
      }
      double& result = want[static_cast<std::size_t>(row * (count + 2) + 1 + j)];
      result = result * body.before + sum * body.times;
    }
  }
  const Array placed = target.place(room.copy());
  const Array out = placed[{kiln::all, kiln::all, Slice{.start = 1, .stop = count + 1}}];
  kiln::GufuncOptions options;
  options.stream = target.options().stream;
  options.out = out;
  gufunc({target.place(a), target.place(b.copy(order))}, options);
  CHECK(list_of(target.fetch(placed)) == want);
}

}  // namespace

TEST_CASE("gufuncs: any number of indices") {
  on_every_device(
      [&](const Target& target) {
        for (const IndexBody& body : kIndexBodies) {
          CAPTURE(std::string(body.text));
          const auto made = [&](const std::string& columns) {
            return kiln::guvectorize({.name = "product",
                                      .layout = "(m,n),(n," + columns + ")->(m," + columns + ")",
                                      .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                                      .each = "i:m, j:" + columns,
                                      .body = body.text});
          };
          // Numbers beyond 32 are no constants of the kernel.
          const Gufunc any = made("p");
          for (std::int64_t count = 33; count <= 84; ++count) {
            CAPTURE(count);
            const auto order = count % 4 < 2 ? kiln::Order::c : kiln::Order::fortran;
            check_indices(target, any, body, count % 2 == 0 ? DType::float32 : DType::float64, count, order);
          }
          if (!target.device().is_cpu()) continue;
          for (const std::int64_t count : {4, 9, 10, 13, 15, 19, 23, 30, 33, 47, 63, 64, 100}) {
            CAPTURE(count);
            check_indices(target, made(std::to_string(count)), body, DType::float32, count, kiln::Order::c);
          }
        }
      },
      {Mode::device});
}

TEST_CASE("gufuncs: integers wrap in every body and layout") {
  struct Case {
    const char* body;
    const char* each;
  };
  // A sum in the loop's type and in a wider one, of small constants and sizes, no division, no shift, no count by such a type.
  const Case cases[] = {
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p"},
      {"INT s = 3; for (index k = 0; k < n; ++k) s = s + A(i, k) * B(k, j) - INT(k); C(i, j) = s;", "i:m, j:p"},
      {"for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { INT s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * "
       "B(k, j) - k; C(i, j) = s; }",
       ""},
      {"int64 s = 3; for (index k = 0; k < n; ++k) s += int64(A(i, k)) * B(k, j) - k; C(i, j) = T(s);", "i:m, j:p"},
      {"T s = 3; for (int32 k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p"},
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k) / T(1); C(i, j) = s;", "i:m, j:p"},
  };
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : {DType::int32, DType::uint32, DType::int64, DType::uint64}) {
          for (const Case& one : cases) {
            std::string body = one.body;
            const std::string type(kiln::name(dtype));
            for (std::size_t at = body.find("INT"); at != std::string::npos; at = body.find("INT")) body.replace(at, 3, type);
            CAPTURE(type);
            CAPTURE(body);
            constexpr std::int64_t kMany = 35;
            const Gufunc gufunc = kiln::guvectorize({.name = "product",
                                                     .layout = "(m,n),(n,p)->(m,p)",
                                                     .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                                                     .each = one.each,
                                                     .body = body});
            // Numbers of any bits: what they come to is what unsigned ones do.
            const auto any = [&](const kiln::Shape& shape, std::uint64_t seed) {
              const Array array = Array::zeros(shape, dtype);
              std::int64_t size = 1;
              for (const std::int64_t extent : shape) size *= extent;
              for (std::int64_t x = 0; x < size; ++x) {
                seed = seed * 6364136223846793005U + 1442695040888963407U;
                std::memcpy(static_cast<char*>(const_cast<void*>(static_cast<const void*>(array.data()))) +
                                static_cast<std::size_t>(x) * kiln::itemsize(dtype),
                            &seed, kiln::itemsize(dtype));
              }
              return array;
            };
            const std::int64_t m = 3, n = 4, p = 14;
            const Array a = any({kMany, m, n}, 1);
            const Array b = any({kMany, n, p}, 2);
            const auto at = [&](const Array& array, std::int64_t x) {
              std::uint64_t value = 0;
              std::memcpy(&value, static_cast<const char*>(array.data()) + static_cast<std::size_t>(x) * kiln::itemsize(dtype),
                          kiln::itemsize(dtype));
              return value;
            };
            const auto check = [&](const Array& result) {
              bool right = true;
              for (std::int64_t x = 0; x < kMany; ++x) {
                for (std::int64_t i = 0; i < m; ++i) {
                  for (std::int64_t j = 0; j < p; ++j) {
                    std::uint64_t sum = 3;
                    for (std::int64_t k = 0; k < n; ++k) {
                      sum += at(a, (x * m + i) * n + k) * at(b, (x * n + k) * p + j) - static_cast<std::uint64_t>(k);
                    }
                    const std::uint64_t bits = kiln::itemsize(dtype) == 4 ? sum & 0xffffffffU : sum;
                    right = right && at(result, (x * m + i) * p + j) == bits;
                  }
                }
              }
              CHECK(right);
            };
            const auto beside = [&](const Array& array) { return array.transpose({1, 2, 0}).copy().transpose({2, 0, 1}); };
            const Array one_by_one = target.place(a);
            const Array other = target.place(b);
            check(target.fetch(gufunc(one_by_one, other)));
            const Array across = target.place(beside(a));
            const Array out = target.place(beside(Array::zeros({kMany, m, p}, dtype)));
            const Array other_across = target.place(beside(b));
            gufunc({across, other_across}, {.out = out});
            check(target.fetch(out).copy());
          }
        }
      },
      {Mode::device});
}

static Array some_numbers(const kiln::Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<std::int32_t> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7919 % 4099) - 2000;
  return Array::from(values).reshape(shape);
}

TEST_CASE("gufuncs: of very many small products a thread takes some neighbours") {
  const Gufunc product =
      kiln::guvectorize({.name = "product",
                         .layout = "(m,k),(k,n)->(m,n)",
                         .signatures = {"void(int32[:,:] A, int32[:,:] B, int32[:,:] C)"},
                         .each = "i:m, j:n",
                         .body = "int32 s = 0; for (index l = 0; l < k; ++l) s += A(i, l) * B(l, j); C(i, j) = s;"});
  on_every_device(
      [&](const Target& target) {
        // Threads that fill a GPU: as many with 4 neighbours each, with 2, and where no number of neighbours divides the
        // columns.
        for (const auto& [items, n, beside] :
             {std::tuple{std::int64_t{131072}, std::int64_t{4}, 4}, {43700, 6, 2}, {30000, 5, 1}, {100, 4, 1}}) {
          CAPTURE(n);
          CAPTURE(items);
          const Array a = target.place(some_numbers({items, 2, 2}));
          const Array b = target.place(some_numbers({items, 2, n}));
          const kiln::GufuncOptions options{.stream = target.options().stream};
          const std::string mapping = product.resolve({a, b}, options).variant;
          const bool some = beside > 1 && !target.device().is_cpu();
          CHECK((mapping.find("neighbours") != std::string::npos) == some);
          if (some) CHECK(mapping == std::to_string(beside) + " neighbours of an item's (i, j)");
          const std::vector<std::int32_t> x = target.fetch(a).to_vector<std::int32_t>();
          const std::vector<std::int32_t> y = target.fetch(b).to_vector<std::int32_t>();
          const std::vector<std::int32_t> got = target.fetch(product({a, b}, options)).to_vector<std::int32_t>();
          std::size_t wrong = 0;
          for (std::size_t at = 0; at < got.size(); ++at) {
            const auto columns = static_cast<std::size_t>(n);
            const std::size_t item = at / (2 * columns), i = at / columns % 2, j = at % columns;
            const auto a_at = [&](std::size_t l) { return static_cast<std::uint32_t>(x[item * 4 + i * 2 + l]); };
            const auto b_at = [&](std::size_t l) {
              return static_cast<std::uint32_t>(y[item * 2 * columns + l * columns + j]);
            };
            if (static_cast<std::uint32_t>(got[at]) != a_at(0) * b_at(0) + a_at(1) * b_at(1)) ++wrong;
          }
          CHECK(wrong == 0);
        }
      },
      {Mode::device});
}
