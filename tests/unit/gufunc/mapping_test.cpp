// What a CPU maps items and indices to, and which become lanes of vectors.
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

Gufunc product(const std::string& each) {
  const std::string element = "T s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;";
  const std::string loops = "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) {" + element + "}";
  return kiln::guvectorize({.name = "product",
                            .layout = "(m,n),(n,p)->(m,p)",
                            .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                            .each = each,
                            .body = each.empty() ? loops : element});
}

#if KILN_HAVE_CPU && defined(__x86_64__)
Gufunc of_two(const char* layout, const char* result, const std::string& body) {
  return kiln::guvectorize({.name = "some",
                            .layout = layout,
                            .signatures = {std::string("void(float32[:] a, float32[:] b, float32") + result + " y)"},
                            .body = body});
}
#endif

}  // namespace

TEST_CASE("mapping: items whole where lanes may take them, else the indices of .each") {
  const Gufunc by_index = product("i:m, j:p");
  const Gufunc by_item = product("");
  const struct {
    const char* what;
    const Gufunc& gufunc;
    Array a;
    Array b;
    Array out;
    std::string mapping;
  } rows[] = {
      {"one item", by_index, aos({100, 40}), aos({40, 100}), aos({100, 100}), "an item's (i, j)"},
      {"by item", by_item, aos({7, 50, 50}), aos({50, 10}), aos({7, 50, 10}), "an item"},
      {"in one piece", by_index, aos({40, 10, 10}), aos({40, 10, 10}), aos({40, 10, 10}), "an item"},
      {"cores too large", by_index, aos({40, 70, 70}), aos({40, 70, 70}), aos({40, 70, 70}), "an item's (i, j)"},
      {"side by side", by_index, soa({40, 70, 70}), soa({40, 70, 70}), soa({40, 70, 70}), "an item"},
      {"one side by side", by_index, soa({40, 10, 10}), aos({10, 10}), aos({40, 10, 10}), "an item"},
      {"few small items", by_index, aos({5, 8, 8}), aos({5, 8, 8}), aos({5, 8, 8}), "an item"},
      {"few larger items", by_index, aos({5, 20, 20}), aos({5, 20, 20}), aos({5, 20, 20}), "an item's (i, j)"},
      {"few items", by_index, soa({15, 20, 20}), aos({20, 20}), soa({15, 20, 20}), "an item's (i, j)"},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    INFO(std::string(row.what));
    CHECK(cpu.mapping(row.gufunc, {row.a, row.b}, {.out = row.out}) == row.mapping);
  }
}

#if KILN_HAVE_CPU && defined(__x86_64__)
TEST_CASE("mapping: what of a core is a chain goes by lanes of items, what is a row along it") {
  const std::string sum = "float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); y = s;";
  const std::string running = "float32 s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(i); y(i) = s; }";
  const std::string scaled = "for (index i = 0; i < n; ++i) y(i) = a(i) * b(i) + 1;";
  const auto apart = [](std::int64_t n) { return aos({40, 2 * n})[{kiln::all, Slice{.step = 2}}]; };
  const struct {
    const char* what;
    Gufunc gufunc;
    Array a;
    Array b;
    bool vectors;
    bool tiles;
  } rows[] = {
      {"sums in one piece", of_two("(n),(n)->()", "", sum), aos({40, 64}), aos({40, 64}), true, true},
      {"long sums", of_two("(n),(n)->()", "", sum), aos({40, 4000}), aos({40, 4000}), true, true},
      {"sums of a size that is no constant", of_two("(n),(n)->()", "", sum), aos({40, 100}), aos({40, 100}), true, true},
      {"short sums", of_two("(n),(n)->()", "", sum), aos({40, 3}), aos({40, 3}), true, false},
      {"sums side by side", of_two("(n),(n)->()", "", sum), soa({40, 64}), soa({40, 64}), true, false},
      {"sums, one side by side", of_two("(n),(n)->()", "", sum), soa({40, 64}), aos({40, 64}), true, true},
      {"sums of few items", of_two("(n),(n)->()", "", sum), aos({2, 64}), aos({2, 64}), true, true},
      {"sums of one item", of_two("(n),(n)->()", "", sum), aos({1, 64}), aos({1, 64}), false, false},
      {"sums of too large cores", of_two("(n),(n)->()", "", sum), aos({40, 5000}), aos({40, 5000}), false, false},
      {"sums of elements apart", of_two("(n),(n)->()", "", sum), apart(64), apart(64), false, false},
      {"running sums", of_two("(n),(n)->(n)", "[:]", running), aos({40, 64}), aos({40, 64}), true, true},
      {"rows", of_two("(n),(n)->(n)", "[:]", scaled), aos({40, 64}), aos({40, 64}), true, false},
      {"rows of one item", of_two("(n),(n)->(n)", "[:]", scaled), aos({1, 64}), aos({1, 64}), true, false},
      {"rows into columns", product("i:m, j:p"), aos({40, 10, 10}), aos({40, 10, 10}), true, false},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    INFO(std::string(row.what));
    const kiln::cache::Contents kernel = cpu.kernel(row.gufunc, {row.a, row.b});
    const kiln::inspect::Resources found = kiln::inspect::resources(kernel);
    CHECK((found.vector_bits.value_or(0) >= 128) == row.vectors);
    const std::string text = kiln::inspect::text(kernel, kiln::inspect::Form::llvm_ir);
    CHECK((text.find("call void @kiln_tile.in.4.") != std::string::npos) == row.tiles);
    if (row.vectors) continue;
    REQUIRE(found.scalar_because);
    CHECK(found.scalar_because->text == "elements of one item are adjacent, those of several are not");
  }
}

TEST_CASE("mapping: items side by side are vectors, and their body is part of the loop over them") {
  const OnCpu cpu;
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
    const kiln::cache::Contents kernel = cpu.kernel(gufunc, {soa({40, 40}), soa({40, 40})}, {.out = soa({40, 40})});
    CHECK(kiln::inspect::resources(kernel).vector_bits.value_or(0) >= 128);
    const std::string text = kiln::inspect::text(kernel, kiln::inspect::Form::llvm_ir);
    CHECK(text.find("@kiln_kernel(") != std::string::npos);
    CHECK(text.find("define internal") == std::string::npos);
  }
}

TEST_CASE("mapping: a kernel has the memory that its team declares, rounded up so that sizes share it") {
  const OnCpu cpu;
  const auto words = [&](const std::string& shared, const std::string& body, std::int64_t n, DType dtype = DType::float32) {
    const Gufunc gufunc = kiln::guvectorize({.name = "shared",
                                             .layout = "(n)->(n)",
                                             .signatures = {"void(T[:] x, T[:] y)"},
                                             .group = "64",
                                             .shared = shared,
                                             .body = body + "for (index i = lane; i < n; i += lanes) y(i) = x(i);"});
    const std::string variant = cpu.kernel(gufunc, {Array::zeros({3, n}, dtype)}).entry.variant;
    const std::size_t end = variant.find(" bytes shared");
    return end == std::string::npos ? "none"
                                    : variant.substr(variant.rfind(' ', end - 1) + 1, end - variant.rfind(' ', end - 1) - 1);
  };
  const std::string one = "T* a = shared<T>(n); a[lane % n] = 1; ";
  CHECK(words("", "", 300) == "none");
  CHECK(words("", "T s = team_sum(T(lane)); y(0) = s; sync(); ", 300) == "none");
  CHECK(words("", one, 300) == "48896");
  CHECK(words("T[n]", one, 300) == "2048");
  CHECK(words("T[n]", one, 10) == "1024");
  CHECK(words("T[n]", one, 256) == "1024");
  CHECK(words("T[n]", one, 257) == "2048");
  CHECK(words("T[n]", one, 1000, DType::float64) == "8192");
  CHECK(words("T[n]", one, 12000) == "48896");
  CHECK(words("T[n], index[2 * lanes + 1]", one, 300) == "4096");  // 1200 and 1040
  CHECK(words("T[n]", "", 300) == "2048");
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
        CHECK(gufunc.resolve({x}, {.stream = stream}).variant == "a part of an item, in a team of " + threads);
        const kiln::cache::Contents kernel = gufunc.compiled({x}, {.stream = stream});
        CHECK(kiln::inspect::resources(kernel).vector_bits.value_or(0) >= 128);
        const std::string text = kiln::inspect::text(kernel, kiln::inspect::Form::llvm_ir);
        CHECK((text.find("@kiln_threads.resume(") != std::string::npos) == (waits && group == "256"));
      }
    }
  }
}
#endif
