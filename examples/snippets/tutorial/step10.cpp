// Snippets of docs/tutorial/10-shipping.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  const Array b = Array::from({3.0, 5.0});
  // snippet: cache
  const kiln::UfuncDefinition text = {
      .name = "disc", .signatures = {"float64(float64 a, float64 b, float64 c)"}, .expression = "sqrt(b*b - 4*a*c)"};
  const auto in_cache = [&](const kiln::Cache& cache) {
    auto definition = text;
    definition.compile.cache = cache;
    return kiln::vectorize(definition);
  };
  const kiln::Cache cache({.directory = "kernels"});
  const auto disc = in_cache(cache);
  disc(1.0, b, 2.0);
  disc(1.0, b, 2.0);
  std::cout << cache.stats().compiles << "\n";
  // end

  // snippet: warm
  const kiln::Cache warm({.directory = "kernels"});
  in_cache(warm)(1.0, b, 2.0);
  std::cout << warm.stats().compiles << " " << warm.stats().disk_hits << "\n";
  // end

  // snippet: bundle
  cache.export_bundle("disc.kiln");
  const kiln::Cache shipped({.read_only = {"disc.kiln"}});
  std::cout << in_cache(shipped)(1.0, b, 2.0) << "\n";
  std::cout << shipped.stats().compiles << " " << shipped.stats().read_only_hits << "\n";
  // end
}
