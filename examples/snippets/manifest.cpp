// Snippets of docs/manifest.md.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  setenv("KILN_GPU_COMPILER", "clang", 1);
  std::ofstream("kernels.json") << R"({"kiln_manifest": 2, "kernels": [{"kernel": "float32 half(float32 a) = a / 2"}]})";
  const bool cancelled = false;
  // clang-format off
  // snippet: compile
  const kiln::Manifest manifest = kiln::Manifest::read("kernels.json");
  const auto report = manifest.compile({"sm_90", "native"}, {
      .jobs = 8,
      .cache = kiln::Cache(kiln::CacheOptions{.directory = "shipped-kernels"}),
      .progress = [&](const kiln::ManifestKernel&, const kiln::ManifestOutcome&) { return !cancelled; },
  });
  std::cout << report.compiled << " compiled, " << report.failed << " failed\n";
  // end
  // clang-format on
  // snippet: definition
  const kiln::Ufunc half = kiln::vectorize("float32 half(float32 a) = a / 2");
  const std::string text = kiln::definition_text(half);
  const auto again = std::get<kiln::Ufunc>(kiln::define(text));
  std::cout << text << again(3.0F) << "\n";
  // end
}
