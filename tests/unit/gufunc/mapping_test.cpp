// Which items and indices a CPU computes at once, as vectors.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/have_cpu.hpp"
#include "gufunc/mapping.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/inspect.hpp"

using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Slice;
using kiln::test::aos;
using kiln::test::OnCpu;
using kiln::test::soa;

namespace {

struct TwoInputs {
  const char* what;
  Array a;
  Array b;
  std::string mapping;
};

void check_inputs(const Gufunc& gufunc, const std::vector<TwoInputs>& rows) {
  const OnCpu cpu;
  for (const TwoInputs& row : rows) {
    INFO(std::string(row.what));
    CHECK(cpu.mapping(gufunc, {row.a, row.b}) == row.mapping);
  }
  for (const TwoInputs& row : rows) {
    INFO("after the calls: ", std::string(row.what));
    CHECK(cpu.mapping_after(gufunc, {row.a, row.b}) == row.mapping);
  }
}

Gufunc chain(const char* layout, const char* signature, const char* body) {
  return kiln::guvectorize({.name = "chain", .layout = layout, .signatures = {signature}, .body = body});
}

Gufunc doubled(bool fast) {
  return kiln::guvectorize({.name = "doubled",
                            .layout = "(n)->(n)",
                            .signatures = {"void(float32[:] x, float32[:] y)"},
                            .body = "for (index i = 0; i < n; ++i) y(i) = x(i) * 2;",
                            .compile = {.fast_math = fast}});
}

Gufunc product_of(const std::string& each, const std::string& body, const char* signature) {
  return kiln::guvectorize(
      {.name = "product", .layout = "(m,n),(n,p)->(m,p)", .signatures = {signature}, .each = each, .body = body});
}

Gufunc product_by_index() {
  return product_of("i:m, j:p", "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;",
                    "void(float32[:,:] A, float32[:,:] B, float32[:,:] C)");
}

Gufunc product_by_item() {
  return product_of("",
                    "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { T s = 0; for (index k = 0; k < n; ++k) "
                    "s += A(i, k) * B(k, j); C(i, j) = s; }",
                    "void(T[:,:] A, T[:,:] B, T[:,:] C)");
}

}  // namespace

TEST_CASE("mapping: inner products are vectors of items where that pays") {
  const Gufunc inner = chain("(n),(n)->()", "void(T[:] a, T[:] b, T r)",
                             "T sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;");
  constexpr DType kWide = DType::float64;
  check_inputs(inner, {{"in one piece", aos({40, 64}), aos({40, 64}), "an item, several at once"},
                       {"too few items", aos({15, 64}), aos({15, 64}), "an item"},
                       {"small items", aos({40, 11}), aos({40, 11}), "an item"},
                       {"cores not in one piece", aos({40, 128})[{kiln::all, Slice{.step = 2}}], aos({40, 64}), "an item"},
                       {"no room", aos({40, 400}), aos({40, 400}), "an item"},
                       {"beyond the caches", aos({40000, 64}), aos({40000, 64}), "an item"},
                       {"beyond the caches, with one for all", aos({40000, 64}), aos({64}), "an item, several at once"},
                       {"another dtype: float64", aos({40, 64}, kWide), aos({40, 64}), "an item"},
                       {"another dtype: int16", aos({40, 64}, DType::int16), aos({40, 64}), "an item"},
                       {"float64 that leaves little", aos({40, 64}, kWide), aos({40, 64}, kWide), "an item, several at once"},
                       {"float64, small", aos({40, 16}, kWide), aos({40, 16}, kWide), "an item"},
                       {"one side by side", soa({40, 64}), aos({40, 64}), "an item, several at once"},
                       {"both side by side", soa({40, 64}), soa({40, 64}), "an item"},
                       {"side by side, float64", soa({40, 64}, kWide), soa({40, 64}, kWide), "an item"},
                       {"one side by side, float64", soa({40, 64}, kWide), aos({40, 64}, kWide), "an item, several at once"},
                       {"side by side, beyond the caches", soa({40000, 300}), soa({40000, 300}), "an item"}});
  const OnCpu cpu;
  CHECK(cpu.mapping(inner, {aos({40, 64}), aos({40, 64})}, {.where = Array::zeros({40}, DType::bool_)}) == "an item");
}

TEST_CASE("mapping: running sums of float64 are vectors of items where they leave little for what they read") {
  const Gufunc running = chain("(n),(n)->(n)", "void(T[:] a, T[:] b, T[:] y)",
                               "T sum = 0; for (index i = 0; i < n; ++i) { sum += a(i) * b(i); y(i) = sum; }");
  const auto across = [](std::int64_t n) { return soa({40, n}, DType::float64); };
  check_inputs(running, {{"few elements", across(20), across(20), "an item"},
                         {"many elements", across(64), across(64), "an item, several at once"},
                         {"one in one piece", across(64), aos({40, 64}, DType::float64), "an item"},
                         {"no room for the result", across(2049), across(2049), "an item"}});
}

TEST_CASE("mapping: vectors of items, of outputs that keep elements, of numbers, and of no chain") {
  const Gufunc inside = chain("(n)->(n)", "void(T[:] x, T[:] y)", "for (index i = 1; i + 1 < n; ++i) y(i) = y(i - 1) + x(i);");
  const Gufunc scaled = chain("(n),()->(n)", "void(T[:] x, T k, T[:] y)", "for (index i = 0; i < n; ++i) y(i) = x(i) * k;");
  const Array across = soa({40, 64});
  const Array whole = aos({40, 64});
  const struct {
    const char* what;
    Gufunc gufunc;
    std::vector<kiln::Arg> args;
    Array out;
    std::string mapping;
  } rows[] = {{"kept elements", inside, {across}, soa({40, 64}), "an item"},
              {"kept elements, in one piece", inside, {whole}, aos({40, 64}), "an item, several at once"},
              {"one number for all items", scaled, {across, 2.0F}, soa({40, 64}), "an item"},
              {"a number for each item", scaled, {across, aos({40})}, soa({40, 64}), "an item"},
              {"no chain, side by side", doubled(false), {across}, soa({40, 64}), "an item"},
              {"no chain, fast", doubled(true), {across}, soa({40, 64}), "an item"},
              {"no chain, into one piece", doubled(false), {across}, aos({40, 64}), "an item, several at once"},
              {"no chain, in one piece", doubled(false), {whole}, aos({40, 64}), "an item"}};
  const OnCpu cpu;
  for (const auto& row : rows) {
    INFO(std::string(row.what));
    CHECK(cpu.mapping(row.gufunc, row.args, {.out = row.out}) == row.mapping);
    CHECK(cpu.mapping_after(row.gufunc, row.args, {.out = row.out}) == row.mapping);
  }
}

TEST_CASE("mapping: matrix products by index and by item") {
  const Gufunc by_index = product_by_index();
  const Gufunc by_item = product_by_item();
  const struct {
    const char* what;
    const Gufunc& gufunc;
    Array a;
    Array b;
    Array out;
    std::string mapping;
  } rows[] = {
      {"one item", by_index, aos({100, 40}), aos({40, 100}), aos({100, 100}), "an item's (i, j), several j at once"},
      {"5 × 5 by item", by_item, aos({40, 5, 5}), aos({40, 5, 5}), aos({40, 5, 5}), "an item, several at once"},
      {"large ones by item", by_item, aos({7, 50, 50}), aos({50, 10}), aos({7, 50, 10}), "an item"},
      // Beyond the caches, where each element is read more than once.
      {"many", by_item, aos({50000, 10, 10}), aos({50000, 10, 10}), aos({50000, 10, 10}), "an item, several at once"},
      {"rows side by side", by_index, soa({40, 10, 10}), aos({10, 10}), soa({40, 10, 10}), "an item"},
      {"columns side by side", by_index, soa({40, 20, 20}), aos({20, 20}).transpose(), soa({40, 20, 20}), "an item"},
      {"large ones side by side", by_index, soa({40, 70, 70}), soa({40, 70, 70}), soa({40, 70, 70}), "an item"},
      {"few items", by_index, soa({15, 20, 20}), aos({20, 20}), soa({15, 20, 20}), "an item's (i, j), several j at once"},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    INFO(std::string(row.what));
    CHECK(cpu.mapping(row.gufunc, {row.a, row.b}, {.out = row.out}) == row.mapping);
    CHECK(cpu.mapping_after(row.gufunc, {row.a, row.b}, {.out = row.out}) == row.mapping);
  }
}

#if KILN_HAVE_CPU && defined(__x86_64__)
TEST_CASE("mapping: items side by side are vectors, and their body is part of the loop over them") {
  const kiln::Stream stream{kiln::Device::cpu()};
  // The last is longer than what LLVM puts into a loop by itself.
  for (const char* body : {"for (index i = 0; i < n; ++i) y(i) = a(i) > b(i) ? a(i) : b(n - 1 - i) / a(i);",
                           "y(0) = a(n - 1) > b(0) ? a(0) : sqrt(b(1) * a(2));",
                           "for (index i = 0; i < n; ++i) { int32 at = 0; for (index k = 0; k < n; ++k) at += a(k) < a(i) || "
                           "(a(k) == a(i) && k < i) "
                           "? 1 : 0; y(at) = b(i); }"}) {
    CAPTURE(std::string(body));
    const Gufunc gufunc = kiln::guvectorize({.name = "some",
                                             .layout = "(n),(n)->(n)",
                                             .signatures = {"void(float32[:] a, float32[:] b, float32[:] y)"},
                                             .body = body});
    const kiln::cache::Contents kernel =
        gufunc.compiled({soa({40, 40}), soa({40, 40})}, {.out = soa({40, 40}), .stream = stream});
    CHECK(kiln::inspect::resources(kernel).vector_bits.value_or(0) >= 128);
    const std::string text = kiln::inspect::text(kernel, kiln::inspect::Form::llvm_ir);
    CHECK(text.find("@kiln_kernel(") != std::string::npos);
    CHECK(text.find("define internal") == std::string::npos);
  }
}

TEST_CASE("mapping: threads of a team are vectors, and those of one warp wait for nobody") {
  const kiln::Stream stream{kiln::Device::cpu()};
  for (const char* body : {"for (index i = lane; i < n; i += lanes) y(i) = x(i) * 2;",
                           "T s = 0; for (index i = lane; i < n; i += lanes) s += x(i); s = team_sum(s);"
                           "for (index i = lane; i < n; i += lanes) y(i) = s;"}) {
    CAPTURE(std::string(body));
    const bool waits = std::string(body).find("team_sum") != std::string::npos;
    for (const auto& [group, threads] : std::vector<std::pair<std::string, std::string>>{{"block", "32"}, {"256", "256"}}) {
      CAPTURE(group);
      const Gufunc gufunc = kiln::guvectorize(
          {.name = "shared", .layout = "(n)->(n)", .signatures = {"void(T[:] x, T[:] y)"}, .group = group, .body = body});
      for (const DType dtype : {DType::float32, DType::float64}) {
        const Array x = Array::zeros({3, 1000}, dtype);
        CHECK(gufunc.resolve({x}, {.stream = stream}).mapping == "a part of an item, in a team of " + threads);
        const kiln::cache::Contents kernel = gufunc.compiled({x}, {.stream = stream});
        CHECK(kiln::inspect::resources(kernel).vector_bits.value_or(0) >= 128);
        const std::string text = kiln::inspect::text(kernel, kiln::inspect::Form::llvm_ir);
        CHECK((text.find("@kiln_threads.resume(") != std::string::npos) == (waits && group == "256"));
      }
    }
  }
}
#endif

TEST_CASE("mapping: items side by side are computed whole, whatever each index reads") {
  const Gufunc scale = kiln::guvectorize({.name = "scale",
                                          .layout = "(m,n),(n),()->(m,n)",
                                          .signatures = {"void(T[:,:] A, T[:] b, T k, T[:,:] C)"},
                                          .each = "i:m, j:n",
                                          .body = "C(i, j) = A(i, j) * b(j) - k;"});
  const OnCpu cpu;
  const std::vector<kiln::Arg> args{soa({40, 20, 20}), aos({20}), 2.0F};
  CHECK(cpu.mapping(scale, args, {.out = soa({40, 20, 20})}) == "an item");
  CHECK(cpu.mapping_after(scale, args, {.out = soa({40, 20, 20})}) == "an item");
}

TEST_CASE("mapping: a body that the compiler refuses as vectors of items may be vectors of indices") {
  // The first compares what differs between items; the second takes a float's bits, which differ between indices.
  const Gufunc uniform = kiln::guvectorize({.name = "uniform",
                                            .layout = "(n),(m)->(n)",
                                            .signatures = {"void(float32[:] x, float32[:] b, float32[:] y)"},
                                            .each = "i:n",
                                            .body = "float32 s = 0; for (index k = 0; k < b(0); ++k) s += x(i); y(i) = s;"});
  const Gufunc positions = kiln::guvectorize({.name = "positions",
                                              .layout = "(n)->(n)",
                                              .signatures = {"void(float32[:] x, float32[:] y)"},
                                              .each = "i:n",
                                              .body = "float32 at = i; for (index k = 0; k < 2; ++k) at += x(i); y(i) = at;"});
  const OnCpu cpu;
  const std::vector<kiln::Arg> beside{soa({40, 10}), aos({40, 30})};
  CHECK(cpu.mapping(uniform, beside, {.out = soa({40, 10})}) == "an item, several at once");
  CHECK(cpu.mapping_after(uniform, beside, {.out = soa({40, 10})}) == "an item");
  CHECK(cpu.mapping_after(uniform, {aos({40, 10}), aos({40, 3})}) == "an item's (i), several i at once");

  CHECK(cpu.mapping_after(positions, {aos({40, 10})}) == "an item's (i)");
  CHECK(cpu.mapping_after(positions, {soa({40, 10})}, {.out = soa({40, 10})}) == "an item");
}

TEST_CASE("mapping: integers are vectors where no lane divides, shifts or counts") {
  constexpr const char* kIndices = "an item's (i, j), several j at once";
  const struct {
    const char* body;
    const char* each;
    std::string mapping;
  } rows[] = {
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p", kIndices},
      {"INT s = 3; for (index k = 0; k < n; ++k) s = s + A(i, k) * B(k, j) - INT(k); C(i, j) = s;", "i:m, j:p", kIndices},
      {"for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { INT s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * "
       "B(k, j) - k; C(i, j) = s; }",
       "", "an item, several at once"},
      {"int64 s = 3; for (index k = 0; k < n; ++k) s += int64(A(i, k)) * B(k, j) - k; C(i, j) = T(s);", "i:m, j:p", kIndices},
      {"T s = 3; for (int32 k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p", "an item's (i, j)"},
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k) / T(1); C(i, j) = s;", "i:m, j:p",
       "an item's (i, j)"},
  };
  const OnCpu cpu;
  for (const DType dtype : {DType::int32, DType::uint32, DType::int64, DType::uint64}) {
    const std::string type(kiln::name(dtype));
    CAPTURE(type);
    for (const auto& row : rows) {
      std::string body = row.body;
      for (std::size_t at = body.find("INT"); at != std::string::npos; at = body.find("INT")) body.replace(at, 3, type);
      CAPTURE(body);
      const Gufunc gufunc = product_of(row.each, body, "void(T[:,:] A, T[:,:] B, T[:,:] C)");
      const std::vector<kiln::Arg> args{aos({35, 3, 4}, dtype), aos({35, 4, 14}, dtype)};
      const std::vector<kiln::Arg> beside{soa({35, 3, 4}, dtype), soa({35, 4, 14}, dtype)};
      static_cast<void>(cpu.mapping_after(gufunc, beside, {.out = soa({35, 3, 14}, dtype)}));
      CHECK(cpu.mapping_after(gufunc, args) == row.mapping);
    }
  }
}
