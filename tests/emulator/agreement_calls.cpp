// A call of every kind of kernel but the elementwise ones.
#include <utility>

#include "agreement_jobs.hpp"
#include "kiln/fuse.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "kiln/reduction.hpp"

namespace agreement {
namespace {

using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

void add_call(std::vector<Job>& jobs, const std::string& name, std::vector<Array> inputs,
              std::function<std::vector<Array>(const std::vector<Array>&)> run, int results = 1) {
  jobs.push_back({.names = std::vector<std::string>(static_cast<std::size_t>(results), name),
                  .inputs = std::move(inputs),
                  .by_element = false,
                  .run = std::move(run)});
}

using Arrays = std::vector<Array>;

/// Reductions, scans and scatters, in the forms that are compiled each for itself.
void add_methods(std::vector<Job>& jobs) {
  namespace math = kiln::math;
  Random random(11);
  for (const DType dtype : {DType::int8, DType::uint64, DType::float16, DType::float32, DType::float64, DType::complex64}) {
    const std::string of(kiln::name(dtype));
    const Array table = random.numbers(dtype, 37 * 53, true).reshape({37, 53});
    add_call(jobs, "add.reduce, rows of " + of, {table},
             [](const Arrays& x) { return Arrays{math::add.reduce(x[0], {.axis = 1})}; });
    add_call(jobs, "add.reduce, columns of " + of, {table}, [](const Arrays& x) { return Arrays{math::add.reduce(x[0])}; });
    add_call(jobs, "maximum.reduce of " + of, {table},
             [](const Arrays& x) { return Arrays{math::maximum.reduce(x[0], {.axis = kiln::all_axes})}; });
    add_call(jobs, "add.accumulate of " + of, {table},
             [](const Arrays& x) { return Arrays{math::add.accumulate(x[0], {.axis = 1})}; });
  }
  const Array wide = random.numbers(DType::float32, 20000, true);
  std::vector<std::int64_t> every_third(20000);
  for (std::size_t i = 0; i < every_third.size(); i += 3) every_third[i] = 1;
  const Array mask = Array::from(every_third).astype(DType::bool_);
  add_call(jobs, "add.reduce, whole", {wide}, [](const Arrays& x) { return Arrays{math::add.reduce(x[0])}; });
  add_call(jobs, "multiply.reduce, masked", {wide, mask},
           [](const Arrays& x) { return Arrays{math::multiply.reduce(x[0], {.where = x[1]})}; });
  add_call(jobs, "minimum.accumulate", {wide}, [](const Arrays& x) { return Arrays{math::minimum.accumulate(x[0])}; });
  add_call(jobs, "add.reduceat", {wide, Array::from<std::int64_t>({0, 5, 5, 700, 20, 19999})},
           [](const Arrays& x) { return Arrays{math::add.reduceat(x[0], x[1])}; });
  add_call(jobs, "subtract.outer", {random.numbers(DType::float64, 30), random.numbers(DType::float64, 40)},
           [](const Arrays& x) { return Arrays{math::subtract.outer(x[0], x[1])}; });
  std::vector<std::int64_t> places;
  for (int i = 0; i < 500; ++i) places.push_back(i * 7 % 50 - 25);
  add_call(jobs, "add.at, integers", {Array::zeros({50}, DType::int32), Array::from(places), random.numbers(DType::int32, 500)},
           [](const Arrays& x) {
             math::add.at(x[0], x[1], x[2]);
             return Arrays{x[0]};
           });
  add_call(jobs, "maximum.at, floats",
           {Array::zeros({50}, DType::float32), Array::from(places), random.numbers(DType::float32, 500, true)},
           [](const Arrays& x) {
             math::maximum.at(x[0], x[1], x[2]);
             return Arrays{x[0]};
           });
  // Of sums that are exact in any order.
  add_call(jobs, "add.at, floats",
           {Array::zeros({50}, DType::float16), Array::from(places), Array::full({500}, 1.0F).astype(DType::float16)},
           [](const Arrays& x) {
             math::add.at(x[0], x[1], x[2]);
             return Arrays{x[0]};
           });
  const kiln::Reduction statistics =
      kiln::reduction({.name = "mean_var",
                       .signatures = {"(float64 mean, float64 var)(float32 x)"},
                       .accumulator = "float64 n, mean, m2;",
                       .map = "return {1, x, 0};",
                       .reduce = "const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;"
                                 "return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};",
                       .post = "mean = a.mean; var = a.m2 / a.n;",
                       .reorderable = true});
  add_call(
      jobs, "mean_var", {wide},
      [statistics](const Arrays& x) {
        const auto both = statistics.outputs<2>(x[0]);
        return Arrays{both[0], both[1]};
      },
      2);
  const kiln::Reduction argmax =
      kiln::reduction({.name = "argmax",
                       .signatures = {"int64(T x)"},
                       .accumulator = "T best; int64 at;",
                       .map = "return {x, i};",
                       .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
                       .post = "return a.at;",
                       .reorderable = true});
  add_call(jobs, "argmax", {random.numbers(DType::int16, 4000).reshape({4, 1000})},
           [argmax](const Arrays& x) { return Arrays{argmax(x[0], {.axis = 1})}; });
}

void add_other_kinds(std::vector<Job>& jobs) {
  namespace math = kiln::math;
  Random random(13);
  for (const DType dtype : {DType::float32, DType::float64, DType::complex64, DType::int32}) {
    const std::string of(kiln::name(dtype));
    const kiln::Gufunc matmul =
        kiln::guvectorize({.name = "matmul",
                           .layout = "(m,n),(n,p)->(m,p)",
                           .signatures = {"void(" + of + "[:,:] A, " + of + "[:,:] B, " + of + "[:,:] C)"},
                           .each = "i:m, j:p",
                           .body = of + " sum = 0; for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j); C(i, j) = sum;"});
    add_call(
        jobs, "matmul of " + of,
        {random.numbers(dtype, 3 * 9 * 17, true).reshape({3, 9, 17}), random.numbers(dtype, 17 * 5, true).reshape({17, 5})},
        [matmul](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; });
    if (dtype == DType::complex64) continue;
    const kiln::Gufunc sort = kiln::guvectorize({.name = "sorted",
                                                 .layout = "(n)->(n)",
                                                 .signatures = {"void(" + of + "[:] x, " + of + "[:] y)"},
                                                 .body = "for (index i = 0; i < n; ++i) { const auto v = x(i); index j = i; "
                                                         "for (; j > 0 && y(j - 1) > v; --j) y(j) = y(j - 1); y(j) = v; }"});
    add_call(jobs, "sorted " + of, {random.numbers(dtype, 40 * 24, true).reshape({40, 24})},
             [sort](const Arrays& x) { return Arrays{sort(x[0])}; });
  }
  const kiln::Gufunc centred =
      kiln::guvectorize({.name = "centred",
                         .layout = "(n)->(n)",
                         .signatures = {"void(float32[:] x, float32[:] y)"},
                         .group = "64",
                         .body = "float32 sum = 0; for (index i = lane; i < n; i += lanes) sum += x(i);\n"
                                 "const float32 mean = team_sum(sum) / n;\n"
                                 "for (index i = lane; i < n; i += lanes) y(i) = x(i) - mean;"});
  add_call(jobs, "centred rows", {random.numbers(DType::float32, 20 * 150, true).reshape({20, 150})},
           [centred](const Arrays& x) { return Arrays{centred(x[0])}; });
  const kiln::RawKernel histogram = kiln::kernel(
      {.name = "histogram", .signature = "void(const uint8[:] x, int32[:] bins)", .body = "atomic_add(&bins[x[item]], 1);"});
  add_call(jobs, "histogram", {random.numbers(DType::uint8, 3000), Array::zeros({256}, DType::int32)},
           [histogram](const Arrays& x) {
             histogram({.size = 3000}, x[0], x[1]);
             return Arrays{x[1]};
           });

  // Layouts other than contiguous ones, masks, and casts on the way in and out.
  const Array table = random.numbers(DType::float32, 60 * 40).reshape({60, 40});
  const Array row = random.numbers(DType::int16, 40);
  add_call(jobs, "strided and broadcast", {table, row},
           [](const Arrays& x) { return Arrays{math::subtract(x[0].transpose(), x[1].reshape({40, 1}))}; });
  add_call(jobs, "masked", {table, row},
           [](const Arrays& x) { return Arrays{math::divide(x[0], x[1], {.where = math::greater(x[0], x[1])})}; });
  const std::pair<DType, DType> casts[] = {{DType::int64, DType::float32},        {DType::uint64, DType::float64},
                                           {DType::float64, DType::float16},      {DType::float64, DType::bfloat16},
                                           {DType::complex128, DType::complex64}, {DType::float64, DType::float32}};
  for (const auto& [from, to] : casts) {
    const DType dtype = to;
    add_call(jobs, "assigned, " + std::string(kiln::name(from)) + " to " + std::string(kiln::name(to)),
             {random.numbers(from, 500)}, [dtype](const Arrays& x) {
               const Array converted = kiln::device_array({500}, dtype, x[0].device());
               converted.assign(x[0], kiln::Casting::unsafe);
               return Arrays{converted};
             });
  }
  const Ufunc disc = kiln::fuse(
      "disc", [](const kiln::Expr& a, const kiln::Expr& b, const kiln::Expr& c) { return math::sqrt(b * b - 4 * a * c); });
  add_call(jobs, "fused, of several dtypes", {row, random.numbers(DType::float32, 40), random.numbers(DType::float64, 40)},
           [disc](const Arrays& x) { return Arrays{disc(x[0], x[1], x[2])}; });
}

}  // namespace

void add_calls(std::vector<Job>& jobs) {
  add_methods(jobs);
  add_other_kinds(jobs);
}

}  // namespace agreement
