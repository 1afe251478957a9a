// Programs that are shipped with their kernels: calls that nobody compiles for run any compiled kernel that is right for them.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "kiln/compilers.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/manifest.hpp"
#include "kiln/operators.hpp"

using namespace conformance;
using namespace kiln;
using kiln::test::TemporaryDirectory;

namespace {

/// Takes Clang away as long as it lives.
class NoClang {
 public:
  NoClang() {
    if (const char* const value = std::getenv("KILN_CLANG")) before_ = value;
    setenv("KILN_CLANG", "none", 1);
  }
  ~NoClang() { before_ ? setenv("KILN_CLANG", before_->c_str(), 1) : unsetenv("KILN_CLANG"); }
  NoClang(const NoClang&) = delete;
  NoClang& operator=(const NoClang&) = delete;

 private:
  std::optional<std::string> before_;
};

/// Whether the device's kernels are compiled by Clang, which can be taken away.
bool by_clang(const Device& device) {
  for (const CompilerInfo& info : compilers()) {
    if (info.kind == device.kind() && info.taken) return info.name == "Clang";
  }
  return false;
}

/// 0, 1, 2, … in C order.
Array counted_up(const Shape& shape) {
  std::vector<std::int64_t> numbers(
      static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Array::from(numbers).reshape(shape);
}

/// What a definition that is made for the cache gives for the array.
using Program = std::function<Array(const Cache&, const Array&)>;

/// Runs `first` on `recorded`, and then the program on `shipped`, with the kernels of `first` alone.
void ship(const std::string& what, const Target& target, const Program& first, const Array& recorded, const Program& program,
          const Array& shipped) {
  CAPTURE(what);
  const TemporaryDirectory folder;
  static_cast<void>(target.fetch(first(Cache(CacheOptions{.directory = folder.path()}), target.place(recorded))));
  const std::vector<std::int64_t> expected =
      target.fetch(program(Cache(CacheOptions{}), target.place(shipped))).to_vector<std::int64_t>();
  const Cache fresh(CacheOptions{.directory = folder.path()});
  const NoClang none;
  CHECK(target.fetch(program(fresh, target.place(shipped))).to_vector<std::int64_t>() == expected);
  if (by_clang(target.device())) CHECK(fresh.list().size() == 1);
}
void ship(const std::string& what, const Target& target, const Program& program, const Array& recorded, const Array& shipped) {
  ship(what, target, program, recorded, program, shipped);
}

const Slice kEveryOther{.step = 2};
const Slice kBehindFirst{.start = 1};

}  // namespace

TEST_CASE("shipping: elementwise calls run a kernel for other layouts that is right for theirs") {
  const Program affine = [](const Cache& cache, const Array& x) {
    return vectorize(
        {.name = "affine", .signatures = {"int64(int64 x)"}, .body = "return 3 * x + 1;", .compile = {.cache = cache}})(x);
  };
  const Program both = [](const Cache& cache, const Array& x) {
    return vectorize(
        {.name = "both", .signatures = {"int64(int64 x, int64 y)"}, .body = "return 5 * x - y;", .compile = {.cache = cache}})(
        x, x.transpose());
  };
  on_every_device([&](const Target& target) {
    const Array grid = counted_up({10, 12});
    const Array strided = counted_up({10, 24})[{all, kEveryOther}];
    ship("strides for none", target, affine, strided, grid);
    ship("strides for others", target, affine, strided, counted_up({10, 24})[{kEveryOther, all}]);
    ship("strides for a row", target, affine, strided, counted_up({7}));
    ship("more dimensions", target, affine, counted_up({4, 5, 12})[{all, kEveryOther, kEveryOther}], strided);
    ship("no alignment for some", target, affine, counted_up({100})[{kBehindFirst}], counted_up({100}));
    ship("a square for a column", target, both, counted_up({9, 9}), counted_up({1, 1}));
    ship("a square for a larger one", target, both, counted_up({9, 9}), counted_up({40, 40}));
    ship("a square for a smaller one", target, both, counted_up({40, 40}), counted_up({9, 9}));
  });
}

TEST_CASE("shipping: the plain kernel stands in for values of constants that no cache has") {
  const auto ufunc = [](int most) -> Program {
    return [most](const Cache& cache, const Array& x) {
      return vectorize({.name = "times",
                        .signatures = {"int64(int64 x, constant int64 n)"},
                        .body = "return x * n;",
                        .compile = {.constant_variants = most, .cache = cache}})(x, 3);
    };
  };
  const auto gufunc = [](int most) -> Program {
    return [most](const Cache& cache, const Array& x) {
      return guvectorize({.name = "times",
                          .layout = "(m),()->(m)",
                          .signatures = {"void(int64[:] x, constant int64 n, int64[:] y)"},
                          .body = "for (index i = 0; i < m; ++i) y(i) = x(i) * n;",
                          .compile = {.constant_variants = most, .cache = cache}})(x, 3);
    };
  };
  const auto reduced = [](int most) -> Program {
    return [most](const Cache& cache, const Array& x) {
      return reduction({.name = "sum",
                        .signatures = {"int64(int64 x, constant int64 n)"},
                        .map = "return x * n;",
                        .reduce = "return a + b;",
                        .identity = "0",
                        .compile = {.constant_variants = most, .cache = cache}})(x, 3);
    };
  };
  const auto raw = [](int most) -> Program {
    return [most](const Cache& cache, const Array& x) {
      const Array y = x.copy();
      kernel({.name = "times",
              .signature = "void(int64[:,:] x, constant int64 n)",
              .body = "x(item / x.shape(1), item % x.shape(1)) *= n;",
              .compile = {.constant_variants = most, .cache = cache}})({.size = y.size()}, y, 3);
      return y;
    };
  };
  on_every_device([&](const Target& target) {
    const Array grid = counted_up({10, 12});
    ship("a ufunc", target, ufunc(0), grid, ufunc(16), grid);
    ship("a generalized ufunc", target, gufunc(0), grid, gufunc(16), grid);
    ship("a reduction", target, reduced(0), grid, reduced(16), grid);
    ship("a raw kernel", target, raw(0), grid, raw(16), grid);
  });
}

TEST_CASE("shipping: a compiled manifest serves other values of constants") {
  const Manifest manifest = Manifest::parse(R"json({"kiln_manifest": 2, "kernels": [
    {"kernel": "int64 times(int64 x, constant int64 n) = x * n", "calls": [{"inputs": ["int64[10, 12]", "int64 = 2"]}]},
    {"kernel": "void times(int64[:] x, constant int64 n, int64[:] y) { for (index i = 0; i < m; ++i) y(i) = x(i) * n; }",
     "layout": "(m),()->(m)", "calls": [{"inputs": ["int64[10, 12]", "int64 = 2"]}]},
    {"kind": "reduction", "name": "sum", "signatures": ["int64(int64 x, constant int64 n)"], "map": "return x * n;",
     "reduce": "return a + b;", "identity": "0", "calls": [{"inputs": ["int64[10, 12]", "int64 = 2"]}]},
    {"kind": "kernel", "name": "times", "signature": "void(int64* x, constant int64 n)", "body": "x[item] *= n;",
     "calls": [{"launch": "items", "constants": {"n": "2"}}]}]})json");
  on_every_device(
      [&](const Target& target) {
        if (target.device().info().target.find(' ') != std::string::npos)
          return;  // what an emulated device runs has no target's name
        const TemporaryDirectory folder;
        const Cache fresh(CacheOptions{.directory = folder.path()});
        REQUIRE(manifest.compile({target_of(target.device())}, {.cache = fresh}).failed == 0);
        const std::size_t compiled = fresh.list().size();
        const Array grid = target.place(counted_up({10, 12}));
        for (const std::int64_t n : {2, 5}) {
          UfuncDefinition elementwise = parse_kernel("int64 times(int64 x, constant int64 n) = x * n");
          elementwise.compile.cache = fresh;
          const std::vector<std::int64_t> expected = (counted_up({10, 12}) * n).to_vector<std::int64_t>();
          const NoClang none;
          CHECK(target.fetch(vectorize(elementwise)(grid, n)).to_vector<std::int64_t>() == expected);
          const Gufunc rows = guvectorize({.name = "times",
                                           .layout = "(m),()->(m)",
                                           .signatures = {"void(int64[:] x, constant int64 n, int64[:] y)"},
                                           .body = " for (index i = 0; i < m; ++i) y(i) = x(i) * n; ",
                                           .compile = {.cache = fresh}});
          CHECK(target.fetch(rows(grid, n)).to_vector<std::int64_t>() == expected);
          const Reduction sum = reduction({.name = "sum",
                                           .signatures = {"int64(int64 x, constant int64 n)"},
                                           .map = "return x * n;",
                                           .reduce = "return a + b;",
                                           .identity = "0",
                                           .compile = {.cache = fresh}});
          CHECK(target.fetch(sum(grid, n)).item<std::int64_t>() == 119 * 60 * n);
          const Array changed = grid.copy();
          kernel({.name = "times",
                  .signature = "void(int64* x, constant int64 n)",
                  .body = "x[item] *= n;",
                  .compile = {.cache = fresh}})({.size = changed.size()}, changed, n);
          CHECK(target.fetch(changed).to_vector<std::int64_t>() == expected);
        }
        if (by_clang(target.device())) CHECK(fresh.list().size() == compiled);
      },
      {Mode::device});
}

TEST_CASE("shipping: calls with more than a cache holds run what was recorded with few elements, and the reverse") {
  const Program twice = [](const Cache& cache, const Array& x) {
    return vectorize({.name = "twice", .signatures = {"int64(int64 x)"}, .body = "return x + x;", .compile = {.cache = cache}})(
        x);
  };
  if (!chosen(DeviceKind::cpu) || !has_cpu()) return;
  const Target target(Device::cpu(), Mode::host);
  const Array many = counted_up({7'000'000});  // with the results more than 96 MiB
  ship("few for many", target, twice, counted_up({10, 10}), many);
  ship("many for few", target, twice, many, counted_up({10, 10}));
  ship("many for few that are not aligned", target, twice, many, counted_up({101})[{kBehindFirst}]);
}

TEST_CASE("shipping: a compiled manifest serves arrays with other extents of 1") {
  struct Recorded {
    const char* call;
    std::vector<Shape> first, second, masks;
  };
  const std::vector<Shape> rows{{9}, {1}};
  const std::vector<Shape> grids{{9, 9}, {9, 1}, {1, 9}, {1, 1}};
  const Recorded all[] = {
      {R"({"inputs": ["int64[9, 9]", "int64[9, 1]"]})", grids, grids, {}},
      {R"({"inputs": ["int64[9, 9]", "int64[9]"]})", grids, rows, {}},
      {R"({"inputs": ["int64[9]", "int64[9]"]})", rows, rows, {}},
      {R"({"inputs": ["int64[9]", "int64[1]"]})", rows, rows, {}},
      {R"({"inputs": ["int64[9, 1]", "int64[9]"]})", grids, rows, {}},
      {R"({"inputs": ["int64[9, 9]", "int64[9, 9]"], "where": "bool[9, 1]"})", {{9, 9}, {9, 1}}, {{9, 9}, {1, 1}}, grids},
  };
  const auto define = [](const Cache& cache) {
    return vectorize(
        {.name = "scaled", .signatures = {"int64(int64 x, int64 y)"}, .expression = "3 * x - y", .compile = {.cache = cache}});
  };
  on_every_device(
      [&](const Target& target) {
        // What an emulated device runs has places in its PTX, and no target's name.
        if (target.device().info().target.find(' ') != std::string::npos) return;
        for (const Recorded& recorded : all) {
          CAPTURE(recorded.call);
          const TemporaryDirectory folder;
          const Cache cache(CacheOptions{.directory = folder.path()});
          const Manifest manifest = Manifest::parse(
              std::string(
                  R"({"kiln_manifest": 2, "kernels": [{"kernel": "int64 scaled(int64 x, int64 y) = 3 * x - y", "calls": [)") +
              recorded.call + "]}]}");
          REQUIRE(manifest.compile({target_of(target.device())}, {.cache = cache}).failed == 0);
          const std::size_t compiled = cache.list().size();
          const Ufunc scaled = define(cache);
          for (const Shape& first : recorded.first) {
            for (const Shape& second : recorded.second) {
              const Array x = counted_up(first);
              const Array y = counted_up(second);
              const Array expected = x * 3 - y;
              for (const Shape& mask : recorded.masks.empty() ? std::vector<Shape>{{}} : recorded.masks) {
                CAPTURE(to_string(first) + " " + to_string(second) + " " + to_string(mask));
                const bool masked = !recorded.masks.empty();
                const Array where = (counted_up(masked ? mask : Shape{1}) % 2).astype(DType::bool_);
                const Array wanted = masked ? expected * where : expected;
                const NoClang none;
                const Array got = target.fetch(
                    target.call(scaled, {target.place(x), target.place(y)}, {.where = masked ? target.place(where) : Array()}));
                CHECK(got.to_vector<std::int64_t>() == wanted.to_vector<std::int64_t>());
              }
            }
          }
          if (by_clang(target.device())) CHECK(cache.list().size() == compiled);
        }
      },
      {Mode::device});
}

TEST_CASE("shipping: reductions of other sizes") {
  const auto sum_along = [](const Axes& axis) {
    return [axis](const Cache& cache, const Array& x) {
      return vectorize({.name = "sum",
                        .signatures = {"int64(int64 a, int64 b)"},
                        .expression = "a + b",
                        .identity = "0",
                        .compile = {.cache = cache}})
          .reduce(x, {.axis = axis});
    };
  };
  on_every_device([&](const Target& target) {
    ship("long rows for short ones", target, sum_along(1), counted_up({4, 701}), counted_up({40, 3}));
    ship("short rows for long ones", target, sum_along(1), counted_up({40, 3}), counted_up({4, 700}));
    ship("columns for rows", target, sum_along(0), counted_up({700, 40}), counted_up({700, 40}).transpose());
    ship("rows for columns", target, sum_along(1), counted_up({40, 301}), counted_up({300, 40}).transpose());
    ship("many rows for one", target, sum_along(1), counted_up({40, 300}), counted_up({1, 300}));
    ship("some axes for all", target, sum_along(Axes({0, 2})), counted_up({3, 20, 5}), counted_up({3, 1, 5}));
    ship("not aligned", target, sum_along(1), counted_up({8, 300})[{all, kBehindFirst}], counted_up({8, 300}));
  });
}

TEST_CASE("shipping: generalized ufuncs with cores of other sizes") {
  const Program rows = [](const Cache& cache, const Array& x) {
    return guvectorize(
        {.name = "rows",
         .layout = "(m,n)->(m)",
         .signatures = {"void(int64[:,:] A, int64[:] y)"},
         .body =
             "for (index i = 0; i < m; ++i) { int64 s = 0; for (index j = 0; j < n; ++j) s += A(i, j) * (i + j); y(i) = s; }",
         .compile = {.cache = cache}})(x);
  };
  on_every_device([&](const Target& target) {
    const Array large = counted_up({3, 40, 50});
    ship("large cores for small ones", target, rows, large, counted_up({3, 4, 5}));
    ship("few items for many", target, rows, large, counted_up({100, 4, 5}));
    ship("one item", target, rows, large, counted_up({4, 5}));
    const Array apart = counted_up({2, 50, 80}).transpose({0, 2, 1})[{all, kEveryOther, all}];
    ship("cores apart for cores in one piece", target, rows, apart, counted_up({30, 6, 7}));
  });
}

TEST_CASE("shipping: raw kernels with other strides and blocks") {
  const auto doubled = [](std::uint32_t block) {
    return [block](const Cache& cache, const Array& x) {
      const Array y = x.device().is_cpu() ? Array::zeros(x.shape(), DType::int64)
                                          : to_device(Array::zeros(x.shape(), DType::int64), x.device());
      const RawKernel kernel = kiln::kernel({.name = "doubled",
                                             .signature = "void(const int64[:] x, int64[:] y)",
                                             .body = "for (index i = grid(1); i < x.size(); i += gridsize(1)) y(i) = 2 * x(i);",
                                             .compile = {.cache = cache}});
      kernel({.grid = 3, .block = block}, x, y);
      return y;
    };
  };
  on_every_device(
      [&](const Target& target) {
        const Array strided = counted_up({100})[{kEveryOther}];
        ship("strides for none", target, doubled(32), strided, counted_up({70}));
      },
      {Mode::host, Mode::device});
}

TEST_CASE("shipping: without a compiler and a kernel the error names both, and what each cache has") {
  if (!chosen(DeviceKind::cpu) || !has_cpu()) return;
  const TemporaryDirectory folder;
  const Cache own(CacheOptions{.directory = folder / "own", .read_only = {folder / "absent"}});
  const auto define = [&](const char* body) {
    return vectorize({.name = "scaled",
                      .signatures = {"float32(float32 x, float32 k)", "float64(float64 x, float64 k)"},
                      .expression = body,
                      .compile = {.cache = own}});
  };
  const Array x = Array::full(Shape{5}, 2.0F);
  define("x * k")(x, x);
  const NoClang none;
  std::string message;
  try {
    define("x / k")(x, x);
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.starts_with("kernel \"scaled\", float32(float32 x, float32 k), variant \"contiguous\", for "));
  CHECK(message.find(
            " is in no cache and cannot be compiled: kiln's Clang is not used: KILN_CLANG=none; unset it; caches asked: " +
            folder / "own" + " (no entry), " + folder / "absent" + " (not there); the entry most like it, ") !=
        std::string::npos);
  CHECK(message.find(", differs in source") != std::string::npos);
  CHECK(message.ends_with("; compile it ahead with kiln compile, or install the compiler"));
}
