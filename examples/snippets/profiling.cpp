// Snippets of docs/profiling.md.
#include <cstdlib>
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  setenv("KILN_CACHE_DIR", "cache", 1);
  const auto f = kiln::vectorize("float64 f(float64 a, float64 b) = a * b");
  const auto a = kiln::Array::ones(1000), b = kiln::Array::ones(1000), c = kiln::Array::ones(1000);
  const kiln::Stream stream(kiln::Device::best());
  // snippet: records
  const kiln::Profile profile = kiln::profile();
  f(a, b);
  kiln::math::add.reduce(c, {.stream = stream});
  for (const kiln::CallRecord& call : profile.records()) {  // waits for the work of these calls
    std::cout << call.function << ' ' << call.host.duration << " ms, on the device " << (call.run ? call.run->duration : 0)
              << " ms, " << kiln::name(call.origin) << '\n';
  }
  profile.write_trace("trace.json");
  // end
}
