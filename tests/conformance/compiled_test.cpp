// From a function to the machine code of a call, without looking through the cache.
#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/inspect.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;

namespace {

/// The kernel is the one that the call runs: the call finds it compiled, whatever stands in the cache's directory.
template <class Compiled, class Call>
void same_kernel(const kiln::Cache& cache, const Compiled& compiled, const Call& call) {
  const kiln::cache::Contents kernel = compiled();
  CHECK(kernel.entry.id.size() == 32);
  CHECK(!kernel.code.empty());
  CHECK(kernel.source.find("kiln_kernel") != std::string::npos);
  CHECK(kernel.key.find(kernel.entry.target.substr(0, kernel.entry.target.find(' '))) != std::string::npos);
  const std::uint64_t compiles = cache.stats().compiles;
  CHECK(compiles > 0);
  call();
  CHECK(cache.stats().compiles == compiles);
  CHECK(kiln::inspect::text(kernel, kiln::inspect::Form::source) == kernel.source);
}

}  // namespace

TEST_CASE("compiled: the kernel that a call runs, as values") {
  on_every_device([&](const Target& target) {
    const kiln::Cache cache(kiln::CacheOptions{.directory = ""});
    const Array x = target.place(Array::full<float>({64, 3}, 2));
    const Array every = x[{kiln::all, kiln::Slice{.step = 2}}];
    const kiln::Stream stream = target.options().stream;
    const kiln::Ufunc twice = kiln::vectorize({.name = "twice",
                                               .signatures = {"float32(float32 x)"},
                                               .body = unique_comment() + "return 2 * x;",
                                               .compile = {.cache = cache}});
    kiln::cache::Contents packed;
    same_kernel(cache, [&] { return packed = twice.compiled(x, {.stream = stream}); }, [&] { twice(x, {.stream = stream}); });
    CHECK(packed.entry.kernel == "twice");
    CHECK(packed.entry.kind == "ufunc");
    CHECK(packed.entry.signature == "float32(float32 x)");
    CHECK(packed.body.find("return 2 * x;") != std::string::npos);
    same_kernel(
        cache,
        [&] {
          kiln::cache::Contents strided = twice.compiled({every}, {.stream = stream});
          if (target.mode() != Mode::host) CHECK(strided.entry.id != packed.entry.id);
          return strided;
        },
        [&] { twice(every, {.stream = stream}); });

    const kiln::Gufunc sum = kiln::guvectorize({.name = "sum",
                                                .layout = "(n)->()",
                                                .signatures = {"void(float32[:] a, float32 r)"},
                                                .body = unique_comment() + "r = 0; for (index i = 0; i < n; ++i) r += a(i);",
                                                .compile = {.cache = cache}});
    same_kernel(cache, [&] { return sum.compiled({x}, {.stream = stream}); }, [&] { sum(x, {.stream = stream}); });

    const kiln::Reduction most = kiln::reduction({.name = "most",
                                                  .signatures = {"float32(float32 x)"},
                                                  .reduce = unique_comment() + "return a < b ? b : a;",
                                                  .identity = "-INFINITY",
                                                  .compile = {.cache = cache}});
    same_kernel(
        cache, [&] { return most.compiled({x}, {.axis = 1, .stream = stream}); },
        [&] { most(x, {.axis = 1, .stream = stream}); });

    const kiln::RawKernel scale = kiln::kernel({.name = "scale",
                                                .signature = "void(float32* x, float32 by)",
                                                .body = unique_comment() + "x[item] *= by;",
                                                .compile = {.cache = cache}});
    const kiln::LaunchOptions launch{.size = 192, .stream = stream};
    same_kernel(cache, [&] { return scale.compiled(launch, x, 3); }, [&] { scale(launch, x, 3); });
    target.wait();
    CHECK(list_of(target.fetch(x)).back() == 6);  // compiled() has run nothing
  });
}

TEST_CASE("compiled: assembly of the CPU's kernel, and calls with none") {
  const kiln::Ufunc root = kiln::vectorize("float64 root(float64 x) = sqrt(x)");
  on_every_device(
      [&](const Target& target) {
        if (!target.device().is_cpu()) return;
        const Array x = target.place(Array::zeros({1000}, DType::float64));
        const std::string text = kiln::inspect::text(root.compiled(x), kiln::inspect::Form::assembly);
        CHECK(text.find("sqrt") != std::string::npos);
        CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(root.compiled(x[kiln::Slice{0, 0}])); }) ==
              "root: there is nothing to compute, so that no kernel would run; give arrays that have elements");
      },
      {Mode::host, Mode::device});
}
