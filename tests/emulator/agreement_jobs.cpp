#include "agreement_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "golden.hpp"
#include "numbers.hpp"

namespace agreement {
namespace {

using kiln::Array;
using kiln::DType;
using kiln::Kind;
using kiln::Ufunc;
using math_tests::Bits;

constexpr std::size_t kMaxOperands = 32;
constexpr int kRandom = 200;  // elements beside the edges'

constexpr DType kIntegers[] = {DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                               DType::int32, DType::uint32, DType::int64, DType::uint64};
constexpr DType kFloats[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
constexpr DType kComplexes[] = {DType::complex64, DType::complex128};

std::string text_of(std::span<const DType> inputs, std::span<const DType> outputs) {
  std::string text;
  for (const DType dtype : inputs) text += (text.empty() ? "" : ", ") + std::string(kiln::name(dtype));
  text += " -> ";
  for (std::size_t i = 0; i < outputs.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(kiln::name(outputs[i]));
  return text;
}

/// Numbers of any size, and as many near 1 as an exponent of a few bits allows.
class Random {
 public:
  explicit Random(std::size_t seed) : engine_(static_cast<std::mt19937_64::result_type>(seed)) {}

  Array numbers(DType dtype, int count, bool moderate = false) {
    Bits bits;
    const int parts = kiln::kind(dtype) == Kind::complex ? 2 : 1;
    for (int i = 0; i < count; ++i) {
      const bool near = moderate || i % 2 == 0;
      for (int part = 0; part < parts; ++part) bits.push_back(near ? near_1(dtype) : engine_());
    }
    return math_tests::array_of(bits, dtype);
  }

  /// Of every size that converts to the integer, up to three quarters of its range.
  Array in_range_of(DType integer, int count) {
    std::vector<double> values = {0, -0.0, 0.5, 0.75, 1, 1.5, 2.5, 63.99};
    const int digits = static_cast<int>(8 * kiln::itemsize(integer)) - (kiln::is_signed(integer) ? 1 : 0);
    for (int i = 0; i < count; ++i) {
      const double size = std::ldexp(static_cast<double>(engine_() >> 11) * 0x1p-53 * 0.75,
                                     static_cast<int>(engine_() % static_cast<unsigned>(digits + 1)));
      values.push_back(kiln::is_signed(integer) && i % 2 == 0 ? -size : size);
    }
    return Array::from(values);
  }

 private:
  std::uint64_t near_1(DType dtype) {
    const double x = std::ldexp(static_cast<double>(engine_() >> 11) * 0x1p-52 - 1, static_cast<int>(engine_() % 8));
    const Array one = Array::from({x}).astype(dtype == DType::complex64    ? DType::float32
                                              : dtype == DType::complex128 ? DType::float64
                                              : kiln::is_signed(dtype)     ? dtype
                                                                           : DType::int8);
    return math_tests::bits_of(one)[0];
  }

  std::mt19937_64 engine_;
};

Array joined(const Array& a, const Array& b) {
  Bits bits = math_tests::bits_of(a);
  const Bits more = math_tests::bits_of(b);
  bits.insert(bits.end(), more.begin(), more.end());
  return math_tests::array_of(bits, a.dtype());
}

/// Functions of the same inputs, as one kernel for as many as a kernel has operands.
struct Group {
  struct Member {
    std::string name;
    const Ufunc* function;
    std::optional<std::size_t> input = std::nullopt;  ///< it takes this one alone
  };
  std::vector<Array> inputs = {};
  bool contract = false;
  std::vector<Member> members = {};
};

void add(const Group& group, std::vector<Job>& jobs) {
  std::size_t next = 0;
  while (next < group.members.size()) {
    Job job{.inputs = group.inputs};
    std::vector<Group::Member> members;
    for (std::size_t outputs = group.inputs.size(); next < group.members.size(); ++next) {
      const Group::Member& member = group.members[next];
      outputs += static_cast<std::size_t>(member.function->nout());
      if (outputs > kMaxOperands) break;
      members.push_back(member);
      for (int i = 0; i < member.function->nout(); ++i) job.names.push_back(member.name);
    }
    kiln::FuseDefinition definition{.name = "together"};
    definition.compile.contract = group.contract;
    for (std::size_t i = 0; i < group.inputs.size(); ++i) definition.parameters.push_back("x" + std::to_string(i));
    const Ufunc fused = kiln::fuse(definition, [&](std::span<const kiln::Expr> x) {
      std::vector<kiln::Expr> all;
      for (const Group::Member& member : members) {
        for (const kiln::Expr& each : member.function->outputs(member.input ? x.subspan(*member.input, 1) : x))
          all.push_back(each);
      }
      return all;
    });
    job.run = [fused](const std::vector<Array>& x) { return fused.outputs(std::vector<kiln::Arg>(x.begin(), x.end())); };
    jobs.push_back(std::move(job));
  }
}

/// Every loop of kiln::math on the values that are hard to get right (tests/golden), and on others.
void add_library(std::vector<Job>& jobs) {
  std::map<std::vector<std::string>, Group> groups;
  for (const math_tests::Case& golden : math_tests::values().cases) {
    // The error of a logarithm is multiplied by the exponent, however large.
    const bool edges_alone = golden.function.ends_with("power") && kiln::kind(golden.outputs[0]) == Kind::complex;
    std::vector<std::string> key = golden.sets;
    key.emplace_back(edges_alone ? "edges" : "");
    Group& group = groups[key];
    if (group.inputs.empty()) {
      Random random(groups.size());
      for (const std::string& set : golden.sets) {
        const Array& edges = math_tests::values().sets.at(set).values;
        group.inputs.push_back(
            edges_alone || edges.dtype() == DType::bool_ ? edges : joined(edges, random.numbers(edges.dtype(), kRandom)));
      }
    }
    group.members.push_back(
        {golden.function + " " + text_of(golden.inputs, golden.outputs), kiln::math::find(golden.function)});
  }
  for (const auto& [key, group] : groups) add(group, jobs);
}

struct Body {
  const char* name;
  const char* dtypes;  ///< "i": of every integer type, "f": floating, "c": complex
  const char* signature;
  const char* body;
  bool contract = false;
};

constexpr Body kBodies[] = {
    {"saxpy", "fc", "T(T a, T b, T c)", "return a * b + c;"},
    {"discriminant", "fc", "T(T a, T b, T c)", "return b * b - T(4) * a * c;"},
    {"gaussian", "f", "T(T a, T b, T c)", "const auto z = (a - b) / c; return exp(-z * z / 2) / (c * sqrt(2 * pi));"},
    {"horner", "f", "T(T a, T b, T c)", "return ((a * b + c) * b - a) * b + T(0.1);"},
    {"quotients", "fc", "T(T a, T b, T c)", "return a / b / c + T(1) / a;"},
    {"inverse_root", "f", "T(T a, T b, T c)", "return rsqrt(a) + 1 / sqrt(b * b + c * c);"},
    {"selected", "if", "T(T a, T b, T c)", "return a < b ? (b < c ? b : c) : a;"},
    {"extrema", "if", "T(T a, T b, T c)", "return max(min(a, b), c);"},
    {"signs", "f", "T(T a, T b, T c)", "return copysign(abs(a), b) + sign(c) * T(0);"},
    {"compared", "if", "int32(T a, T b, T c)",
     "return (a < b) + 2 * (b <= c) + 4 * (a == c) + 8 * (a != b) + 16 * (a > c) + 32 * !(a >= b);"},
    {"ranges", "f", "int32(T a, T b, T c)",
     "return isnan(a) + 2 * isinf(b) + 4 * isfinite(c) + 8 * signbit(a) + 16 * !(b < c);"},
    {"quotient", "i", "T(T a, T b, T c)", "return a / b + c % b;"},
    {"halved", "i", "T(T a, T b, T c)", "return a / 7 + b % 10 + c / T(100) - a % 16;"},
    {"mixed", "i", "float32(T a, T b, T c)", "return a * 0.5f + float(b) / float(c);"},
    {"of_unsigned", "i", "uint32(T a, T b, T c)",
     "uint32 x = uint32(a) * 2654435761u; x ^= x >> 13; return x * uint32(b) + (x << (uint32(c) & 31));"},
    {"of_bits", "i", "int64(T a, T b, T c)",
     "return int64((uint64(a) & ~uint64(b)) | (uint64(c) ^ 0x5555)) >> (uint32(a) & 63);"},
    {"collatz", "i", "int32(T a, T b, T c)",
     "int32 n = 0; uint64 x = uint64(a) & 1023; while (x > 1 && n < 200) { x = (x & 1) != 0 ? 3 * x + 1 : x / 2; ++n; } return "
     "n;"},
    {"escapes", "f", "int32(T a, T b, T c)",
     "auto x = a, y = b; int32 n = 0; for (; n < 20 && x * x + y * y < 4; ++n) { const auto t = x * x - y * y + a; y = 2 * x * "
     "y + b; x = t; } return n;"},
    {"newton", "f", "T(T a, T b, T c)",
     "auto x = abs(a) + 1; for (int i = 0; i < 4; ++i) x = (x + abs(b) / x) / 2; return x - c;"},
    {"of_complex", "c", "T(T a, T b, T c)", "return conj(a) * b - c / a + norm(b);"},
    {"roundings", "f", "T(T a, T b, T c)", "return round(a) + rint(b) - nearbyint(c) + trunc(a * T(0.5));"},
    {"remainders", "f", "T(T a, T b, T c)", "return remainder(a, b);"},
    {"fdim", "f", "T(T a, T b, T c)", "return fdim(a, b);"},
    {"fmin_fmax", "f", "T(T a, T b, T c)", "return fmin(fmax(a, b), c);"},
    {"fused", "f", "T(T a, T b, T c)", "return fma(a, b, c);"},
    {"exponents", "f", "T(T a, T b, T c)", "return logb(a) + ldexp(b, 3) + (c != c ? 0 : ilogb(c) / 2);"},
    // Sums alone: of a difference NVRTC leaves the fusing to ptxas.
    {"contracted", "f", "T(T a, T b, T c)", "return a * b + c;", true},
    {"contracted_horner", "f", "T(T a, T b, T c)", "return ((a * b + c) * b + a) * b + c;", true},
    {"erf", "f", "T(T a, T b, T c)", "return erf(a);"},
    {"erfc", "f", "T(T a, T b, T c)", "return erfc(a);"},
    {"tgamma", "f", "T(T a, T b, T c)", "return tgamma(a);"},
    {"lgamma", "f", "T(T a, T b, T c)", "return lgamma(abs(a));"},
    {"rounded", "f", "int64(T a, T b, T c)", "return abs(a) < 1e6f ? lround(a) + llrint(a) : 0;"},
};

std::vector<DType> dtypes_of(const Body& body) {
  std::vector<DType> all;
  for (const char kind : std::string(body.dtypes)) {
    const auto add = [&](auto& list) { all.insert(all.end(), std::begin(list), std::end(list)); };
    kind == 'i' ? add(kIntegers) : kind == 'f' ? add(kFloats) : add(kComplexes);
  }
  return all;
}

void add_bodies(std::vector<Job>& jobs) {
  static const std::vector<Ufunc> functions = [] {
    std::vector<Ufunc> all;
    for (const Body& body : kBodies) {
      std::string where;
      for (const DType dtype : dtypes_of(body)) where += (where.empty() ? " where T: " : ", ") + std::string(kiln::name(dtype));
      all.push_back(kiln::vectorize({.name = body.name,
                                     .signatures = {body.signature + where},
                                     .body = body.body,
                                     .compile = {.contract = body.contract}}));
    }
    return all;
  }();
  // Of a product that has several uses compilers differ in which they fuse: those bodies stand alone.
  std::map<std::pair<DType, std::size_t>, Group> groups;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const DType dtype : dtypes_of(kBodies[i])) {
      Group& group = groups[{dtype, kBodies[i].contract ? i + 1 : 0}];
      group.contract = kBodies[i].contract;
      if (group.inputs.empty()) {
        Random random(7);
        const std::string name(kiln::name(dtype));
        for (const char* const set : {"a_", "b_", "c_"}) {
          const Array& edges = math_tests::values().sets.at(set + name).values;
          group.inputs.push_back(joined(edges, random.numbers(dtype, kRandom)));
        }
      }
      group.members.push_back({std::string(kBodies[i].name) + " " + std::string(kiln::name(dtype)), &functions[i]});
    }
  }
  for (const auto& [key, group] : groups) add(group, jobs);
}

/// From every dtype to every other, of numbers that the other has room for.
void add_casts(std::vector<Job>& jobs) {
  std::vector<DType> all = {DType::bool_};
  const auto append = [&](auto& list) { all.insert(all.end(), std::begin(list), std::end(list)); };
  append(kIntegers);
  append(kFloats);
  append(kComplexes);
  static const std::vector<Ufunc> casts = [&] {
    std::vector<Ufunc> made;
    std::string where;
    for (const DType dtype : all) where += (where.empty() ? " where T: " : ", ") + std::string(kiln::name(dtype));
    for (const DType dtype : all) {
      const std::string to(kiln::name(dtype));
      made.push_back(kiln::vectorize(
          {.name = "to_" + to, .signatures = {to + "(T x)" + where}, .body = "return convert<" + to + ">(x);"}));
    }
    return made;
  }();
  for (const DType from : all) {
    Random random(3);
    const std::string name(kiln::name(from));
    const auto member = [&](std::size_t i) { return Group::Member{casts[i].name() + " " + name, &casts[i]}; };
    Group all_numbers{.inputs = {from == DType::bool_ ? math_tests::array_of({0, 1, 2, 128, 255}, from)
                                                      : joined(math_tests::values().sets.at("u_" + name).values,
                                                               random.numbers(from, kRandom))}};
    Group of_range;  // what an integer has no room for is undefined
    for (std::size_t i = 0; i < casts.size(); ++i) {
      const bool bounded = kiln::kind(from) >= Kind::floating && kiln::kind(all[i]) == Kind::integer;
      (bounded ? of_range : all_numbers).members.push_back(member(i));
      if (!bounded) continue;
      of_range.members.back().input = of_range.inputs.size();
      of_range.inputs.push_back(random.in_range_of(all[i], kRandom).astype(from));
    }
    add(all_numbers, jobs);
    if (!of_range.members.empty()) add(of_range, jobs);
  }
}

void add_call(std::vector<Job>& jobs, std::string name, std::vector<Array> inputs,
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
  const Array mask = Array::from(std::vector<std::int64_t>(20000, 1)).astype(DType::bool_);
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
  const kiln::Gufunc softmax =
      kiln::guvectorize({.name = "centred",
                         .layout = "(n)->(n)",
                         .signatures = {"void(float32[:] x, float32[:] y)"},
                         .group = "64",
                         .body = "float32 sum = 0; for (index i = lane; i < n; i += lanes) sum += x(i);\n"
                                 "const float32 mean = team_sum(sum) / n;\n"
                                 "for (index i = lane; i < n; i += lanes) y(i) = x(i) - mean;"});
  add_call(jobs, "centred rows", {random.numbers(DType::float32, 20 * 150, true).reshape({20, 150})},
           [softmax](const Arrays& x) { return Arrays{softmax(x[0])}; });
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
    add_call(jobs, "astype " + text_of({&from, 1}, {&to, 1}), {random.numbers(from, 500)},
             [dtype](const Arrays& x) { return Arrays{x[0].astype(dtype)}; });
  }
  const Ufunc disc = kiln::fuse(
      "disc", [](const kiln::Expr& a, const kiln::Expr& b, const kiln::Expr& c) { return math::sqrt(b * b - 4 * a * c); });
  add_call(jobs, "fused, of several dtypes", {row, random.numbers(DType::float32, 40), random.numbers(DType::float64, 40)},
           [disc](const Arrays& x) { return Arrays{disc(x[0], x[1], x[2])}; });
}

}  // namespace

std::vector<Job> jobs() {
  std::vector<Job> all;
  add_library(all);
  add_bodies(all);
  add_casts(all);
  add_methods(all);
  add_other_kinds(all);
  return all;
}

}  // namespace agreement
