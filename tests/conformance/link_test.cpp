// Kernels linked with device code from files, and bodies exported as device functions, run where they can run.
#include <dlfcn.h>
#include <link.h>

#include <complex>
#include <fstream>
#include <iterator>
#include <vector>

#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DeviceCode;
using kiln::DeviceKind;
using kiln::DType;
using kiln::LinkFile;

namespace {

// Of x86-64.
[[maybe_unused]] std::string file_of(const std::string& name) {
  return std::string(KILN_GOLDEN_DIR) + "/../../golden/link/" + name;
}

kiln::UfuncDefinition scaled(std::vector<LinkFile> files) {
  return {.name = "scaled",
          .signatures = {"float32(float32 x)"},
          .body = "return scale(x) - 1;",
          .compile = {.functions = kiln::declare_device("scale", "float32(float32 x)"), .link = std::move(files)}};
}

std::vector<double> results(const Target& target, const kiln::Ufunc& f, std::initializer_list<Array> arrays) {
  std::vector<kiln::Arg> arguments;
  for (const Array& array : arrays) arguments.emplace_back(target.place(array));
  return list_of(target.fetch(target.outputs(f, arguments)[0]));
}

/// What the body above gives, with scale(x) = 2.5 x + 1.
void check_scaled(const Target& target, const kiln::Ufunc& f) {
  std::vector<std::complex<long double>> values;
  for (int i = 0; i < 1000; ++i) values.emplace_back(i * 0.25L - 100);
  const std::vector<double> got = results(target, f, {make(DType::float32, values)});
  REQUIRE(got.size() == values.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == static_cast<double>(static_cast<float>(values[i].real()) * 2.5F + 1.0F - 1.0F));
}

}  // namespace

TEST_CASE("link: one list for several devices, of which each takes its own") {
  if (!has_cpu()) return;
#if defined(__x86_64__)
  const kiln::Ufunc f = kiln::vectorize(scaled({file_of("nvcc.ptx"), file_of("x86_64.bc"), file_of("amd.bc")}));
  on_every_device([&](const Target& target) { check_scaled(target, f); });
#endif
}

TEST_CASE("link: objects, archives, shared objects and bitcode on the CPU") {
  if (!has_cpu()) return;
#if defined(__x86_64__)
  on_every_device([&](const Target& target) {
    if (target.device().kind() != DeviceKind::cpu) return;
    for (const char* const name : {"x86_64.bc", "x86_64.o", "libx86_64.a", "libx86_64.so"}) {
      CAPTURE(name);
      check_scaled(target, kiln::vectorize(scaled({file_of(name)})));
    }
    kiln::UfuncDefinition missing = scaled({file_of("x86_64.o")});
    missing.compile.functions += kiln::declare_device("nowhere", "float32(float32 x)");
    missing.body = "return nowhere(scale(x));";
    const std::string undefined =
        message_of<kiln::CompileError>([&] { (void)results(target, kiln::vectorize(missing), {make(DType::float32, {1})}); });
    CHECK(undefined.find("undefined function 'nowhere': it is declared and used, but neither the kernel, nor what it is linked "
                         "with, nor the C math library defines it") != std::string::npos);
    const std::string not_pic = message_of<kiln::CompileError>(
        [&] { (void)results(target, kiln::vectorize(scaled({file_of("x86_64_not_pic.o")})), {make(DType::float32, {1})}); });
    CHECK(not_pic.find("recompile with -fPIC") != std::string::npos);
    CHECK(not_pic.find("x86_64_not_pic.o") != std::string::npos);
    CHECK(not_pic.find("/proc/self") == std::string::npos);
    std::ifstream file(file_of("libx86_64.so"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto by_bytes = [&] {
      (void)results(target, kiln::vectorize(scaled({LinkFile::of_bytes("f.so", bytes)})), {make(DType::float32, {1})});
    };
    CHECK(message_of<kiln::CompileError>(by_bytes).find(
              "cannot link f.so: a shared object is loaded from its file: give its path, not its bytes") != std::string::npos);
  });
#endif
}

#if defined(__x86_64__) && defined(__GLIBCXX__)
TEST_CASE("link: linked code on the CPU may throw what it catches itself") {
  if (!has_cpu()) return;
  std::vector<LinkFile> files{file_of("x86_64_throws.o")};
  for (const char* const name : {"libstdc++.so.6", "libgcc_s.so.1"}) {
    void* const library = dlopen(name, RTLD_LAZY);
    link_map* loaded = nullptr;
    REQUIRE((library != nullptr && dlinfo(library, RTLD_DI_LINKMAP, &loaded) == 0));
    files.emplace_back(loaded->l_name);
  }
  const kiln::Ufunc f =
      kiln::vectorize({.name = "f",
                       .signatures = {"float32(float32 x)"},
                       .body = "return checked(x);",
                       .compile = {.functions = kiln::declare_device("checked", "float32(float32 x)"), .link = files}});
  on_every_device([&](const Target& target) {
    if (target.device().kind() != DeviceKind::cpu) return;
    CHECK(results(target, f, {make(DType::float32, {1, -2, 3, -4})}) == std::vector<double>{1, -20, 3, -40});
  });
}
#endif

TEST_CASE("link: a file that changes is another kernel, and one that does not is found in the cache") {
  if (!has_cpu()) return;
  on_every_device([&](const Target& target) {
    if (target.device().kind() != DeviceKind::cpu) return;
    const kiln::Cache cache(kiln::CacheOptions{.directory = ""});
    const auto exported = [&](const char* body) {
      return kiln::vectorize({.name = "scale", .signatures = {"float32(float32 x)"}, .body = body}).device_code("native").bytes;
    };
    const auto call = [&](const std::string& bytes) {
      kiln::UfuncDefinition definition = scaled({LinkFile::of_bytes("scale.bc", bytes)});
      definition.compile.cache = cache;
      return results(target, kiln::vectorize(definition), {make(DType::float32, {2})})[0];
    };
    CHECK(call(exported("return 10 * x;")) == 19);
    CHECK(call(exported("return 20 * x;")) == 39);
    const std::uint64_t compiles = cache.stats().compiles;
    CHECK(call(exported("return 10 * x;")) == 19);
    CHECK(cache.stats().compiles == compiles);
  });
}

TEST_CASE("link: a body exported as a device function runs in another kernel") {
  if (!has_cpu()) return;
  const kiln::Ufunc scale = kiln::vectorize({.name = "scale",
                                             .signatures = {"float32(float32 x)"},
                                             .body = "return factor * x + 1;",
                                             .compile = {.preamble = "constexpr float factor = 2.5f;"}});
  on_every_device([&](const Target& target) {
    if (target.device().kind() == DeviceKind::hip) return;
    for (const kiln::DeviceCodeForm form :
         {kiln::DeviceCodeForm::ptx, kiln::DeviceCodeForm::bitcode, kiln::DeviceCodeForm::object}) {
      const bool gpu = target.device().kind() == DeviceKind::cuda;
      if (gpu != (form == kiln::DeviceCodeForm::ptx)) continue;
      const DeviceCode code = scale.device_code(target_of(target.device()), {.form = form});
      CHECK(code.name == "scale");
      CHECK(code.form == form);
      check_scaled(target, kiln::vectorize(scaled({LinkFile::of_bytes("exported", code.bytes)})));
    }
  });
}

TEST_CASE("link: several results go to pointers, and Numba's convention gives a status") {
  if (!has_cpu()) return;
  const kiln::Ufunc both = kiln::vectorize(
      {.name = "both", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  const kiln::Ufunc less = kiln::vectorize({.name = "less", .signatures = {"bool(int64 a, int64 b)"}, .body = "return a < b;"});
  on_every_device([&](const Target& target) {
    if (target.device().kind() == DeviceKind::hip) return;
    const std::string arch = target_of(target.device());
    const auto form = target.device().kind() == DeviceKind::cpu ? kiln::DeviceCodeForm::bitcode : kiln::DeviceCodeForm::ptx;
    const DeviceCode two = both.device_code(arch, {.form = form});
    CHECK(two.declaration == "extern \"C\" void both(int32_t*, int32_t*, int32_t, int32_t);");
    const DeviceCode status = less.device_code(arch, {.name = "is_less", .abi = kiln::DeviceAbi::numba, .form = form});
    CHECK(status.declaration == "extern \"C\" int32_t is_less(bool*, int64_t, int64_t);");
    const kiln::Ufunc user = kiln::vectorize(
        {.name = "user",
         .signatures = {"int32(int32 a, int32 b)"},
         .body = "int32 q, r; both(&q, &r, a, b); bool l; if (is_less(&l, a, b) != 0) return -1; return 100 * q + 10 * r + l;",
         .compile = {
             .functions =
                 "extern \"C\" void both(int32*, int32*, int32, int32); extern \"C\" int32 is_less(bool*, int64, int64);",
             .link = {LinkFile::of_bytes("both", two.bytes), LinkFile::of_bytes("less", status.bytes)}}});
    CHECK(results(target, user, {make(DType::int32, {7, 3}), make(DType::int32, {2, 5})}) == std::vector<double>{310, 31});
  });
  CHECK(message_of<kiln::TypeError>([&] { (void)both.device_code("native", {.abi = kiln::DeviceAbi::numba}); }) ==
        "both has 2 results, and a function of Numba's convention has one: leave .abi out");
  const kiln::Ufunc halves = kiln::vectorize({.name = "halves", .signatures = {"float16(float16 a)"}, .body = "return a;"});
  CHECK(message_of<kiln::TypeError>([&] { (void)halves.device_code("native"); }) ==
        "halves: float16(float16 a) is no device function: compilers pass float16 in different ways");
  const kiln::Ufunc several =
      kiln::vectorize({.name = "several", .signatures = {"float32(float32 a)", "float64(float64 a)"}, .body = "return a;"});
  CHECK(message_of<kiln::TypeError>([&] { (void)several.device_code("native"); }) ==
        "several: a device function is one loop: give .signature, as \"float32, float32 -> float32\"; its loops are "
        "float32(float32 a); "
        "float64(float64 a)");
  CHECK(message_of<kiln::TypeError>([&] { (void)several.device_code("native", {.signature = "int8 -> int8"}); }) ==
        "several has no loop int8 -> int8: its loops are float32(float32 a); float64(float64 a)");
  CHECK(message_of<kiln::SignatureError>([&] {
          (void)several.device_code("native", {.name = "a b"});
        }).starts_with("\"a b\" cannot be the name of a device function"));
}

TEST_CASE("link: a status other than 0 of a function of Numba's convention fails the call, and the device lives on") {
  if (!has_cpu()) return;
#if defined(__x86_64__)
  const std::string declared = kiln::declare_device("quotient", "int32(int32 a, int32 b)", {.abi = kiln::DeviceAbi::numba});
  for (const bool debug : {false, true}) {
    const kiln::Ufunc ratio =
        kiln::vectorize({.name = "ratio",
                         .signatures = {"int32(int32 a, int32 b)"},
                         .body = "return quotient(a, b) + 1;",
                         .compile = {.functions = declared,
                                     .link = {file_of("nvcc.ptx"), file_of("x86_64.o"), file_of("amd.bc")},
                                     .debug = {.on = debug}}});
    on_every_device([&](const Target& target) {
      const std::vector<std::complex<long double>> good{7, 5, 9};
      CHECK(results(target, ratio, {make(DType::int32, good), make(DType::int32, {2, 5, -3})}) ==
            std::vector<double>{4, 2, -2});
      const std::string failed = message_of<kiln::DeviceError>(
          [&] { (void)results(target, ratio, {make(DType::int32, good), make(DType::int32, {2, 0, 3})}); });
      const std::string where = target.device().is_cpu() ? "cpu" : to_string(target.device());
      CHECK(failed ==
            "ratio failed on " + where + (debug ? " at item 1" : "") + ": device function quotient returned status 7");
      CHECK(results(target, ratio, {make(DType::int32, good), make(DType::int32, {1, 1, 1})}) == std::vector<double>{8, 6, 10});
    });
  }
#endif
}
