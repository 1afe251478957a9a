#include "agreement_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "golden.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"
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

Array joined(const Array& a, const Array& b) {
  Bits bits = math_tests::bits_of(a);
  const Bits more = math_tests::bits_of(b);
  bits.insert(bits.end(), more.begin(), more.end());
  return math_tests::array_of(bits, a.dtype());
}

enum class Numbers : std::uint8_t { exact, contracted, fast };
void apply(Numbers numbers, kiln::CompileOptions& options) {
  options.contract = numbers == Numbers::contracted;
  options.fast_math = numbers == Numbers::fast;
}

/// Functions of the same inputs, as one kernel for as many as a kernel has operands.
struct Group {
  struct Member {
    std::string name;
    const Ufunc* function;
    std::optional<std::size_t> input = std::nullopt;  ///< it takes this one alone
  };
  std::vector<Array> inputs = {};
  Numbers numbers = Numbers::exact;
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
    apply(group.numbers, definition.compile);
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
  const char* dtypes;  ///< "i": integers, "f": floating, "s": float32 alone, "c": complex
  const char* signature;
  const char* body;
  Numbers numbers = Numbers::exact;
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
    {"contracted", "f", "T(T a, T b, T c)", "return a * b + c;", Numbers::contracted},
    {"contracted_horner", "f", "T(T a, T b, T c)", "return ((a * b + c) * b + a) * b + c;", Numbers::contracted},
    // The same instructions, which approximate, of which the emulator has one of each.
    {"fast_quotient", "s", "T(T a, T b, T c)", "return a / b + c;", Numbers::fast},
    {"fast_inverse_root", "s", "T(T a, T b, T c)", "return rsqrt(abs(a));", Numbers::fast},
    {"fast_root", "s", "T(T a, T b, T c)", "return sqrt(a * a + c);", Numbers::fast},
    {"fast_exp", "s", "T(T a, T b, T c)", "return exp(a);", Numbers::fast},
    {"fast_exp2", "s", "T(T a, T b, T c)", "return exp2(a);", Numbers::fast},
    {"fast_log", "s", "T(T a, T b, T c)", "return log(abs(a));", Numbers::fast},
    {"fast_log2", "s", "T(T a, T b, T c)", "return log2(abs(a));", Numbers::fast},
    {"fast_log10", "s", "T(T a, T b, T c)", "return log10(abs(a));", Numbers::fast},
    {"fast_sin", "s", "T(T a, T b, T c)", "return sin(a);", Numbers::fast},
    {"fast_cos", "s", "T(T a, T b, T c)", "return cos(a);", Numbers::fast},
    {"fast_tan", "s", "T(T a, T b, T c)", "return tan(a);", Numbers::fast},
    {"fast_pow", "s", "T(T a, T b, T c)", "return pow(abs(a), b);", Numbers::fast},
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
    if (kind == 'i') add(kIntegers);
    if (kind == 'f') add(kFloats);
    if (kind == 's') all.push_back(DType::float32);
    if (kind == 'c') add(kComplexes);
  }
  return all;
}

void add_bodies(std::vector<Job>& jobs) {
  static const std::vector<Ufunc> functions = [] {
    std::vector<Ufunc> all;
    for (const Body& body : kBodies) {
      std::string where;
      for (const DType dtype : dtypes_of(body)) where += (where.empty() ? " where T: " : ", ") + std::string(kiln::name(dtype));
      kiln::UfuncDefinition definition{.name = body.name, .signatures = {body.signature + where}, .body = body.body};
      apply(body.numbers, definition.compile);
      all.push_back(kiln::vectorize(std::move(definition)));
    }
    return all;
  }();
  // Where rounding is the compilers', a body stands alone: of a product that has several uses they differ in which they fuse.
  std::map<std::pair<DType, std::size_t>, Group> groups;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const DType dtype : dtypes_of(kBodies[i])) {
      Group& group = groups[{dtype, kBodies[i].numbers == Numbers::exact ? 0 : i + 1}];
      group.numbers = kBodies[i].numbers;
      if (group.inputs.empty()) {
        Random random(7);
        const std::string name(kiln::name(dtype));
        for (const char* const set : {"a_", "b_", "c_"}) {
          const Array& edges = math_tests::values().sets.at(set + name).values;
          group.inputs.push_back(group.numbers == Numbers::fast ? random.numbers(dtype, kRandom, /*moderate=*/true)
                                                                : joined(edges, random.numbers(dtype, kRandom)));
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

}  // namespace

Array Random::numbers(DType dtype, int count, bool moderate) {
  Bits bits;
  const int parts = kiln::kind(dtype) == Kind::complex ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    const bool near = moderate || i % 2 == 0;
    for (int part = 0; part < parts; ++part) bits.push_back(near ? near_1(dtype) : engine_());
  }
  return math_tests::array_of(bits, dtype);
}

Array Random::in_range_of(DType integer, int count) {
  std::vector<double> values = {0, -0.0, 0.5, 0.75, 1, 1.5, 2.5, 63.99};
  const int digits = static_cast<int>(8 * kiln::itemsize(integer)) - (kiln::is_signed(integer) ? 1 : 0);
  for (int i = 0; i < count; ++i) {
    const double size = std::ldexp(static_cast<double>(engine_() >> 11) * 0x1p-53 * 0.75,
                                   static_cast<int>(engine_() % static_cast<unsigned>(digits + 1)));
    values.push_back(kiln::is_signed(integer) && i % 2 == 0 ? -size : size);
  }
  return Array::from(values);
}

std::uint64_t Random::near_1(DType dtype) {
  const double x = std::ldexp(static_cast<double>(engine_() >> 11) * 0x1p-52 - 1, static_cast<int>(engine_() % 8));
  const Array one = Array::from({x}).astype(dtype == DType::complex64    ? DType::float32
                                            : dtype == DType::complex128 ? DType::float64
                                            : kiln::is_signed(dtype)     ? dtype
                                                                         : DType::int8);
  return math_tests::bits_of(one)[0];
}

std::vector<Job> jobs() {
  std::vector<Job> all;
  add_library(all);
  add_bodies(all);
  add_casts(all);
  add_calls(all);
  return all;
}

}  // namespace agreement
