// Compiling by the size of texts, and loading many kernels. Compilers work in a process of their own: what kiln counts as
// compile time is taken there.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "device/backend.hpp"
#include "growth/curve.hpp"
#include "growth/folder.hpp"
#include "kiln/array.hpp"
#include "kiln/cache.hpp"
#include "kiln/ufunc.hpp"
#include "registry/registry.hpp"

namespace growth {
namespace {

/// Milliseconds of the compiler for one call of a kernel with that body and those functions, the least of three. No two texts
/// are the same.
double compile_ms(const std::function<std::string(int)>& body, const std::function<std::string(int)>& functions) {
  static int made = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const int each = ++made;
    const kiln::Cache cache({.directory = ""});
    const kiln::Ufunc kernel = kiln::vectorize({.name = "grown",
                                                .signatures = {"int32(int32 a, int32 b)"},
                                                .body = body(each),
                                                .compile = {.functions = functions(each), .cache = cache}});
    static_cast<void>(kernel(kiln::Array::full({1}, 7), kiln::Array::full({1}, 2), {.device = kiln::Device::cpu()}));
    least = std::min(least, cache.stats().compile_ms);
  }
  return least;
}

Curve divisions(Effort effort) {
  Curve curve{.name = "compiling divisions of integers in a body", .of = "divisions", .unit = "ms", .most = 1.3};
  for (const int count : up_to({10, 30, 100, 300}, effort == Effort::check ? 100 : 300)) {
    const auto body = [count](int each) {
      std::string text = "int32 s = " + std::to_string(each) + ";\n";
      for (int i = 0; i < count; ++i) text += "s += a / (b + " + std::to_string(i) + ");\n";
      return text + "return s;";
    };
    curve.points.push_back({double(count), compile_ms(body, [](int) { return std::string(); })});
  }
  return curve;
}

Curve unused_functions(Effort effort) {
  Curve curve{.name = "compiling unused .functions", .of = "functions", .unit = "ms", .most = 1.3};
  for (const int count : up_to({10, 30, 100, 300, 1000}, effort == Effort::check ? 300 : 1000)) {
    const auto functions = [count](int each) {
      std::string text;
      for (int i = 0; i < count; ++i) {
        const std::string name = "f" + std::to_string(i);
        text += "inline int32 " + name + "(int32 x) { return x * " + std::to_string(each) + " + " + std::to_string(i) + "; }\n";
      }
      return text;
    };
    curve.points.push_back({double(count), compile_ms([](int) { return std::string("return a + b;"); }, functions)});
  }
  return curve;
}

/// One kernel's machine code, loaded again and again as kernels of a warm cache are.
Curve loading(Effort effort) {
  Curve curve{.name = "loading kernels", .of = "kernels", .unit = "ms", .most = 1.3};
  const Folder folder;
  const kiln::Cache cache({.directory = folder.path + "/cache"});
  const kiln::Ufunc kernel = kiln::vectorize(
      {.name = "loaded", .signatures = {"int32(int32 a, int32 b)"}, .body = "return a - b;", .compile = {.cache = cache}});
  kernel.compile("native");
  const std::string code = cache.find(cache.list().front().id)->code;
  kiln::backend::Backend& cpu = kiln::backend::backend_for(kiln::Device::cpu());
  std::vector<std::shared_ptr<kiln::backend::Module>> modules;  // none is unloaded between the points
  double total = 0;
  for (const int count : up_to({100, 300, 1'000, 3'000, 10'000, 30'000, 100'000}, effort == Effort::check ? 1'000 : 30'000)) {
    total += least_ms(1, [&] {
      while (static_cast<int>(modules.size()) < count) modules.push_back(cpu.load(code, "loaded"));
    });
    curve.points.push_back({double(count), total});
  }
  return curve;
}

}  // namespace

std::vector<Curve> kernel_curves(Effort effort) {
  return {loading(effort), divisions(effort), unused_functions(effort)};
}

}  // namespace growth
