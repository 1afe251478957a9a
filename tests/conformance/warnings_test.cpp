// Warnings of kernels that compile: values of the definition and lines of the log, also where the kernel comes from a cache.
#include <algorithm>
#include <filesystem>
#include <mutex>

#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Diagnostic;
using kiln::DType;

namespace {

class Log {
 public:
  Log() {
    kiln::cache::set_log([this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    });
  }
  ~Log() { kiln::cache::set_log({}); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  [[nodiscard]] std::size_t count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(lines_, line));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

constexpr const char* kFraction = "1/2 divides integers and gives 0; write 1.0/2 for the fraction";

/// Those of compilers, whose words differ.
std::vector<Diagnostic> of_compilers(std::vector<Diagnostic> all) {
  std::erase_if(all, [](const Diagnostic& each) { return each.text == kFraction; });
  return all;
}

kiln::Ufunc shifts(const kiln::Cache& cache, const std::string& comment) {
  return kiln::vectorize({.name = "shifts",
                          .signatures = {"int32(int32 a, int32 b)"},
                          .body = comment + "int32 q = a / b;\nreturn q + (a << 40);",
                          .compile = {.cache = cache}});
}

}  // namespace

TEST_CASE("warnings: what kiln sees is there when the definition is made") {
  const Log log;
  const kiln::Ufunc half = kiln::vectorize("float32 half(float32 a) = 1/2 * a");
  REQUIRE(half.warnings().size() == 1);
  const Diagnostic found = half.warnings().front();
  CHECK(found.severity == kiln::Severity::warning);
  CHECK(to_string(found) == std::string("half:1:1: warning: ") + kFraction + "\n  1/2 * a\n  ^");
  CHECK(log.count(std::string("half:1:1: ") + kFraction) == 1);

  const kiln::Gufunc gufunc = kiln::guvectorize("(n)->()", "void g(float32[:] a, float32 r) { r = 1/2 * a(0); }");
  CHECK(gufunc.warnings().size() == 1);
  const kiln::RawKernel kernel = kiln::kernel({.name = "k", .signature = "void(float32[:] x)", .body = "x[item] = 1/2;"});
  CHECK(kernel.warnings().size() == 1);
  const kiln::Reduction reduction = kiln::reduction({.name = "s",
                                                     .signatures = {"float32(float32 x)"},
                                                     .map = "return 1/2 * x;",
                                                     .reduce = "return a + b;",
                                                     .identity = "0"});
  REQUIRE(reduction.warnings().size() == 1);
  CHECK(reduction.warnings().front().file == "s.map");
}

TEST_CASE("warnings: a constant that makes a loop of float32 compute in float64, in every kind of kernel") {
  const auto texts = [](const std::vector<Diagnostic>& all) {
    std::string joined;
    for (const Diagnostic& each : all) joined += each.file + ": " + each.text.substr(each.text.find("write")) + "\n";
    return joined;
  };
  CHECK(texts(kiln::vectorize("float32 f(float32 a) = a * 0.1").warnings()) == "f: write 0.1f\n");
  CHECK(texts(kiln::vectorize("float16 f(float16 a) = a * 0.1").warnings()) == "f: write 0.1f\n");
  CHECK(texts(kiln::vectorize({.name = "f", .signatures = {"float32(float32 a)", "float64(float64)"}, .expression = "a * 0.1"})
                  .warnings()) == "f: write T(0.1), where T is a type variable of the signature\n");
  CHECK(texts(kiln::vectorize("T f(T a) where T: float32, float64 = a * 0.1").warnings()) ==
        "f: write T(0.1), where T is a type variable of the signature\n");
  CHECK(texts(kiln::guvectorize("(n)->()", "void g(float32[:] a, float32 r) { r = 0.1 * a(0); }").warnings()) ==
        "g: write 0.1f\n");
  CHECK(texts(kiln::kernel({.name = "k", .signature = "void(float32[:] x)", .body = "x[item] *= 0.1;"}).warnings()) ==
        "k: write 0.1f\n");
  CHECK(texts(kiln::reduction({.name = "s",
                               .signatures = {"float32(float32 x)"},
                               .map = "return 0.1 * x;",
                               .reduce = "return a + b;",
                               .identity = "0"})
                  .warnings()) == "s.map: write 0.1f\n");
  for (const char* fine : {"float64 f(float64 a) = a * 0.1", "float64 f(float32 a) = a * 0.1", "int32 f(int32 a) = a * 0.1",
                           "float32 f(float32 a) = float32(float64(a) * 0.1)", "float32 f(float32 a) = a * 0.1f"}) {
    CAPTURE(fine);
    CHECK(kiln::vectorize(fine).warnings().empty());
  }
}

TEST_CASE("warnings: what a compiler says of a kernel, at the user's place, from the cache as well") {
  on_every_device([&](const Target& target) {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("kiln-warnings-" + std::to_string(random_source(1)()))).string();
    const std::string comment = unique_comment();
    const Array a = target.place(Array::from<std::int32_t>({9, 8}));
    std::vector<Diagnostic> first;
    for (const char* source : {"compiled", "disk"}) {
      CAPTURE(source);
      const Log log;
      const kiln::Cache cache(kiln::CacheOptions{.directory = folder});
      const kiln::Ufunc ufunc = shifts(cache, comment);
      CHECK(ufunc.warnings().empty());
      ufunc(a, 2, {.stream = target.options().stream});
      ufunc(a, a, {.stream = target.options().stream});
      target.wait();
      CHECK(cache.stats().compiles == (source[0] == 'c' ? 2 : 0));
      const std::vector<Diagnostic> found = of_compilers(ufunc.warnings());
      REQUIRE(found.size() == 1);
      CHECK(found.front().file == "shifts");
      CHECK(found.front().line == 3);
      // Clang points at the operator, NVRTC at the number.
      CHECK((found.front().column == 15 || found.front().column == 18));
      CHECK(found.front().source_line == "return q + (a << 40);");
      CHECK(found.front().text.find("shift count") != std::string::npos);
      CHECK(log.count("shifts:3:" + std::to_string(found.front().column) + ": " + found.front().text) == 1);
      if (first.empty()) first = found;
      CHECK(found == first);
    }
    std::filesystem::remove_all(folder);
  });
}

TEST_CASE("warnings: none of kiln's own texts, and none for what is as it should be") {
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from<float>({1, 2}));
    const Array i = target.place(Array::from<std::int32_t>({7, 2}));
    const kiln::Stream stream = target.options().stream;
    for (const auto& [name, args] :
         {std::pair{&kiln::math::hypot, x}, {&kiln::math::power, x}, {&kiln::math::floor_divide, i}, {&kiln::math::gcd, i}}) {
      (*name)(args, args, {.stream = stream});
      CHECK(name->warnings().empty());
    }
    const kiln::Ufunc fine = kiln::vectorize("int32 fine(int32 a, int32 b) { int32 unused = 3; return a / b + a % b; }");
    fine(i, i, {.stream = stream});
    CHECK(fine.warnings().empty());
  });
}

TEST_CASE("warnings: an output that nothing assigns is an error") {
  CHECK(message_of<kiln::CompileError>([] {
          static_cast<void>(kiln::vectorize("(int32 q, int32 r) f(int32 a) { q = a; }"));
        }) == "f:1:1: error: the output r is never assigned; write r = …\n   q = a; \n  ^");
  CHECK(message_of<kiln::CompileError>([] {
          static_cast<void>(kiln::guvectorize("(n)->()", "void g(float32[:] a, float32 r) { float32 s = a(0); }"));
        }).starts_with("g:1:1: error: the output r is never assigned; write r(…) = …"));
}
