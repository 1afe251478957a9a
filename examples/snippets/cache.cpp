// Snippets of docs/cache.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  // snippet: own
  kiln::Cache cache({.directory = "app-kernels", .read_only = {"/usr/share/app/kernels"}, .memory_bytes = 16 << 20});
  auto f =
      kiln::vectorize({.name = "f", .signatures = {"float32(float32 a)"}, .body = "return a;", .compile = {.cache = cache}});
  f(1.0F);
  std::cout << cache.list().size() << " kernel in " << cache.directory() << "\n";
  // end
}
