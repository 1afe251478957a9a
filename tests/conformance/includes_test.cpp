// What a text includes: files beside files, branches that are not taken, headers of the standard library, and macros, which
// reach nothing of kiln's.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::CompileOptions;
using kiln::DType;
using kiln::UfuncDefinition;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;

namespace {

float value_of(const Target& target, const UfuncDefinition& definition, float x) {
  const kiln::Ufunc ufunc = kiln::vectorize(definition);
  return target.fetch(target.call(ufunc, {target.place(make(DType::float32, {x, x, x}))})).to_vector<float>()[1];
}

UfuncDefinition ufunc_of(const std::string& body, CompileOptions options) {
  return {.name = "k", .signatures = {"float32(float32 a)"}, .body = body, .compile = std::move(options)};
}

}  // namespace

TEST_CASE("includes: files are found beside the file that includes them, and from there") {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "left");
  std::filesystem::create_directories(folder / "right");
  write_text(folder / "detail.h", "constexpr int top = 1;\n");
  for (const std::string side : {"left", "right"}) {
    write_text(folder / (side + "/detail.h"),
               "#pragma once\nconstexpr int " + side + " = " + (side == "left" ? "10" : "100") + ";\n");
    write_text(folder / (side + "/all.h"), "#pragma once\n#include \"detail.h\"\n#include \"../common.h\"\n");
  }
  write_text(folder / "common.h", "#pragma once\nconstexpr int common = 1000;\n");
  const UfuncDefinition definition = ufunc_of(
      "return a + top + left + right + common;",
      {.preamble = "#include \"left/all.h\"\n#include <right/all.h>\n#include \"detail.h\"", .include_dirs = {folder.path()}});
  // The same of two folders, of texts that are given, and both.
  const UfuncDefinition several =
      ufunc_of("return a + top + right + common;",
               {.preamble = "#include \"detail.h\"\n#include \"all.h\"", .include_dirs = {folder.path(), folder / "right"}});
  const UfuncDefinition given =
      ufunc_of("return a + top + left;", {.preamble = "#include \"x/all.h\"",
                                          .headers = {{"x/all.h", "#include \"sub/one.h\""},
                                                      {"x/sub/one.h", "#include \"../../detail.h\"\n#include \"two.h\""},
                                                      {"x/sub/two.h", "constexpr int left = 10;"},
                                                      {"two.h", "#error another file"},
                                                      {"sub/one.h", "#error another file"}},
                                          .include_dirs = {folder.path()}});
  on_every_device([&](const Target& target) {
    CHECK(value_of(target, definition, 0.5F) == 1111.5F);
    CHECK(value_of(target, several, 0.5F) == 1101.5F);
    CHECK(value_of(target, given, 0.5F) == 11.5F);
  });
}

TEST_CASE("includes: a file in a branch that is not taken need not be there") {
  const std::string header =
      "#ifndef SHARED_H\n#define SHARED_H\n#ifdef ON_THE_HOST\n#include <iostream>\n#include \"/usr/include/stdio.h\"\n#endif\n"
      "#if __has_include(<optional>)\n#include <optional>\n#define EXTRA 100\n#elif __has_include(\"more.h\")\n"
      "#include \"more.h\"\n#endif\n#endif\n";
  const auto with = [&](const std::string& preamble) {
    return ufunc_of("return a + EXTRA;",
                    {.preamble = preamble, .headers = {{"shared.h", header}, {"more.h", "#define EXTRA 7"}}});
  };
  on_every_device([&](const Target& target) {
    CHECK(value_of(target, with("#include \"shared.h\""), 1.0F) == 8);
    CHECK(value_of(target, with("#if 0\n#include <no.h>\n#endif\n#if __has_include(<no.h>)\n#error\n#endif\n#define EXTRA 3"),
                   1.0F) == 4);
    const std::string error =
        message_of<kiln::CompileError>([&] { value_of(target, with("\n#define ON_THE_HOST\n#include \"shared.h\""), 1.0F); });
    CAPTURE(error);
    CHECK(error.starts_with("shared.h:4:"));
    CHECK(error.find(
              "failed to find the header iostream: it is not among the headers of the kernel, nor in its include folders") !=
          std::string::npos);
  });
}

TEST_CASE("includes: a header that is the host's, too, finds the standard library's names") {
  const std::string header = R"(
#pragma once
#include <algorithm>
#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>
#if INT_MAX != 2147483647 || !defined(INT64_C) || UINT8_MAX != 255
#error limits are no macros
#endif
namespace shared {
struct point {
  double x, y;
  point mirrored() const { return {y, x}; }
};
static_assert(offsetof(point, y) == 8 && std::is_same<std::size_t, decltype(sizeof(0))>::value);
static_assert(std::numeric_limits<std::int64_t>::max() == INT64_C(9223372036854775807));
static_assert(std::is_floating_point_v<double> && std::is_same_v<std::make_unsigned_t<int>, unsigned>);
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
T bounded(T x) { return std::clamp(x, T(-3), T(3)); }
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
T bounded(T x) { return std::min(std::max(x, T(-2.5)), T(2.5)); }
inline double sum(std::initializer_list<double> all) {
  double s = 0;
  for (double x : all) s += x;
  return s;
}
inline double checked(double x) {
  std::array<double, 3> a{{x, 2, 3}};
  a[1] = std::sqrt(a[1] * 2);
  std::swap(a[0], a[2]);
  double total = 0;
  for (const double& v : a) total += v;
  static_assert(std::tuple_size_v<std::array<double, 3>> == 3);
  const auto [first, second, third] = a;
  total += 100 * first + 10 * second + third + std::get<1>(a) + a.at(0);
  const std::complex<double> z = std::complex<double>(x, 2) * std::complex<double>(1, 1);
  const std::pair<int, double> both{int(a.size()), a.back()};
  total += std::abs(z) + std::norm(z) + both.first + both.second;
  total += bounded(int(x)) + bounded(x) + sum({1, 2, x}) + std::max({1.0, x, 3.0});
  if (x > FLT_MAX || x < -DBL_MAX || int(x) == INT_MIN || std::isnan(x)) total = std::numeric_limits<double>::infinity();
  std::uint8_t small = static_cast<std::uint8_t>(200 + int(x));
  return total + small + point{1, x}.mirrored().x;
}
}  // namespace shared
)";
  const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "k",
                       .signatures = {"float64(float64 a)"},
                       .body = "return shared::checked(a);",
                       .compile = {.preamble = "#include \"shared.hpp\"", .headers = {{"shared.hpp", header}}}});
  const auto expected = [](double x) {
    const std::complex<double> z = std::complex<double>(x, 2) * std::complex<double>(1, 1);
    return 3 + 2 + x + 300 + 20 + x + 2 + 3 + std::abs(z) + std::norm(z) + 3 + x + std::clamp(static_cast<int>(x), -3, 3) +
           std::clamp(x, -2.5, 2.5) + 3 + x + std::max(3.0, x) + static_cast<std::uint8_t>(200 + static_cast<int>(x)) + x;
  };
  on_every_device([&](const Target& target) {
    const std::vector<double> got =
        target.fetch(target.call(ufunc, {target.place(Array::from(std::vector<double>{0.5, 7.25, -9, 60}))}))
            .to_vector<double>();
    std::size_t at = 0;
    for (const double x : {0.5, 7.25, -9.0, 60.0}) CHECK(got[at++] == doctest::Approx(expected(x)).epsilon(1e-14));
  });
}

TEST_CASE("includes: macros of a header reach nothing of kiln's") {
  // Names of kiln's templates, of what is generated around the texts, and of what bodies see.
  const std::string names =
      "N T size step stride begin end element item block thread index first count value state shape row kernel launch work "
      "data "
      "kiln float32 user loops debug operands view grid_size block_size n x convert one identity combine post mapped axis p "
      "always_inline reached load store last noinline section storage out work_ lanes get put r0 a0 p0 e0 core at of pool team "
      "device host global shared constant launch_bounds used visibility aligned amdgpu_flat_work_group_size "
      "amdgpu_waves_per_eu maybe_unused unused";
  std::string directives = "#ifndef __device__\n#define __device__\n#endif\n#define TWICE(v_) (2 * (v_))\n#define ";
  for (const char c : names) directives += c == ' ' ? std::string(" 3\n#define ") : std::string(1, c);
  directives += " 3\n";
  for (const bool in_header : {true, false}) {
    CAPTURE(in_header);
    const auto options_with = [&](const std::string& more) {
      return in_header ? CompileOptions{.preamble = "#include \"macros.h\"", .headers = {{"macros.h", directives + more}}}
                       : CompileOptions{.functions = directives + more};
    };
    const CompileOptions options = options_with("#define a 3\n#define b 3\n#define i 3\n");
    const kiln::Ufunc sum = kiln::vectorize({.name = "k_",
                                             .signatures = {"float32(float32 a_, float32 b_)"},
                                             .body = "return a_ + b_;",
                                             .identity = "0",
                                             .compile = options});
    const kiln::Ufunc twice =
        kiln::vectorize({.signatures = {"(float32 r_)(float32 q_)"}, .body = "r_ = TWICE(q_) + N + item;", .compile = options});
    const auto gufunc = [&](const std::string& each, const std::string& group, const std::string& body) {
      return kiln::guvectorize({.layout = "(m_)->(m_)",
                                .signatures = {"void(float32[:] a_, float32[:] r_)"},
                                .each = each,
                                .group = group,
                                .body = body,
                                .compile = options});
    };
    const kiln::Gufunc whole = gufunc("", "", "for (auto j_ = 0 * m_; j_ < m_; ++j_) r_(j_) = TWICE(a_(j_));");
    const kiln::Gufunc each = gufunc("j_:m_", "", "r_(j_) = TWICE(a_(j_));");
    const kiln::Gufunc team = gufunc("", "32", "for (auto j_ = 0 * m_ + lane; j_ < m_; j_ += 32) r_(j_) = TWICE(a_(j_));");
    const kiln::RawKernel items =
        kiln::kernel({.signature = "void(float32[:] q_)", .body = "q_(grid(1)) *= TWICE(1);", .compile = options});
    CompileOptions with_table = options;
    with_table.functions +=
        "__constant__ float table_[2] = {0, 0};\n__device__ __noinline__ float same_(float v_) { return v_; }\n";
    const kiln::RawKernel shared =
        kiln::kernel({.signature = "void(float32* q_)",
                      .body = "KILN_SHARED float both_[4]; const int g_ = grid(1); both_[g_ % 4] = same_(q_[g_]); barrier();\n"
                              "float* more_ = KILN_DYNAMIC_SHARED(float); assert(more_ != nullptr);\n"
                              "q_[g_] = both_[3 - g_ % 4] + table_[g_ % 2];",
                      .compile = with_table});
    const kiln::Reduction ends =
        kiln::reduction({.signatures = {"float32(float32 v_)"},
                         .accumulator = "float lo_, hi_;",
                         .map = "return {v_ + N, v_ + N};",
                         .reduce = "return {a.lo_ < b.lo_ ? a.lo_ : b.lo_, a.hi_ < b.hi_ ? b.hi_ : a.hi_};",
                         .post = "return a.hi_ - a.lo_;",
                         .identity = "{1e30f, -1e30f}",
                         .compile = options_with("#define accumulator 3\n")});
    const kiln::Reduction places = kiln::reduction({.signatures = {"int64(float32 v_)"},
                                                    .map = "return i;",
                                                    .reduce = "return a < b ? b : a;",
                                                    .compile = options_with("#define accumulator 3\n")});
    on_every_device([&](const Target& target) {
      const Array ones = target.place(Array::full({6, 4}, 1.0F));
      CHECK(target.fetch(target.call(sum, {ones, ones})).to_vector<float>()[5] == 2);
      CHECK(target.fetch(target.call(twice, {ones})).to_vector<float>()[5] == 8);
      CHECK(target.fetch(sum.reduce(ones, reduce_on(target, {.axis = 0}))).to_vector<float>()[3] == 6);
      CHECK(target.fetch(sum.accumulate(ones, accumulate_on(target, {.axis = 0}))).to_vector<float>()[4] == 2);
      const kiln::GufuncOptions gufunc_options{.stream = target.options().stream};
      for (const kiln::Gufunc* doubled : {&whole, &each, &team}) {
        CHECK(target.fetch((*doubled)({ones}, gufunc_options)).to_vector<float>()[7] == 2);
      }
      CHECK(target.fetch(ends({ones}, reduction_on(target, {.axis = 0}))).to_vector<float>()[3] == 0);
      CHECK(target.fetch(places({ones}, reduction_on(target, {.axis = 0}))).to_vector<std::int64_t>()[3] == 5);
      const Array counted = target.place(Array::from(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
      items.configure({8}, {}, target.options().stream)(counted);
      shared(kiln::LaunchOptions{.grid = {2}, .block = {4}, .shared_bytes = 64, .stream = target.options().stream}, counted);
      CHECK(target.fetch(counted).to_vector<float>() == std::vector<float>{6, 4, 2, 0, 14, 12, 10, 8});
    });
  }
}

TEST_CASE("includes: a parameter that is a macro is told, a macro that takes arguments is none") {
  const UfuncDefinition definition =
      ufunc_of("return a;", {.preamble = "#include \"h.h\"", .headers = {{"h.h", "#define a 3\n"}}});
  UfuncDefinition called = definition;
  called.compile.headers = {{"h.h", "#define a(x) 3\n"}};
  on_every_device([&](const Target& target) {
    const std::string error = message_of<kiln::CompileError>([&] { value_of(target, definition, 1.0F); });
    CAPTURE(error);
    CHECK(error.starts_with("k:1:"));
    CHECK(error.find("a is a macro, and a name in the signature; rename one of them") != std::string::npos);
    CHECK(value_of(target, called, 2.0F) == 2);
  });
}
