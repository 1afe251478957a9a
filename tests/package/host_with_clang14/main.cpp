// Uses clang 14 itself, has kiln compile with its own clang, and uses clang 14 again.
#include <kiln/kiln.hpp>

#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

// Of libclang-cpp.so.14, which ships without headers.
namespace clang {
std::string getClangFullVersion();  // NOLINT(readability-identifier-naming): clang's own name
}

namespace {

bool loaded(const char* library) {
  std::ifstream maps("/proc/self/maps");
  const std::string all((std::istreambuf_iterator<char>(maps)), {});
  return all.find(library) != std::string::npos;
}

int fail(const std::string& why) {
  std::cerr << "host_with_clang14: " << why << "\n";
  return 1;
}

}  // namespace

int main() {
  if (clang::getClangFullVersion().find("14.") == std::string::npos) return fail("the host's clang is not 14");

  // A text that no cache has seen.
  std::ifstream random("/proc/sys/kernel/random/uuid");
  std::string unique;
  std::getline(random, unique);
  const auto hypotenuse = kiln::vectorize({.name = "hypotenuse",
                                           .signatures = {"float32(float32 a, float32 b)"},
                                           .body = "return sqrt(a * a + b * b);  // " + unique});
  const kiln::Array a = kiln::Array::from({3.0F, 5.0F, 8.0F});
  const kiln::Array b = kiln::Array::from({4.0F, 12.0F, 15.0F});
  const kiln::Array result = hypotenuse(a, b);
  if (result.to_vector<float>() != std::vector<float>{5.0F, 13.0F, 17.0F}) return fail("wrong result");
  if (!loaded("libkiln-clang.so")) return fail("kiln's own clang was not used");
  if (!loaded("libclang-cpp.so.14") || !loaded("libLLVM-14.so")) return fail("the host's clang was not there");

  // Errors come out of the right clang, too.
  try {
    static_cast<void>(kiln::vectorize("float32(float32 a)", "return b;  // " + unique)(a));
    return fail("a wrong body was accepted");
  } catch (const kiln::CompileError& error) {
    if (std::string(error.what()).find("use of undeclared identifier 'b'") == std::string::npos) return fail(error.what());
    if (error.compiler().find("Clang 19.") == std::string::npos) return fail("compiled by " + error.compiler());
  }
  if (clang::getClangFullVersion().find("14.") == std::string::npos) return fail("the host's clang is gone");
  std::cout << "ok: " << clang::getClangFullVersion() << " beside kiln's\n";
  return 0;
}
