// Uses another clang itself, has kiln compile with its own clang, and uses the other one again.
#include <kiln/kiln.hpp>

#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

// In libclang-cpp.so, which ships without headers.
namespace clang {
std::string getClangFullVersion();  // NOLINT(readability-identifier-naming): clang's own name
}

namespace {

constexpr const char* kMajor = KILN_OTHER_CLANG_MAJOR;

bool is_the_hosts(const std::string& version) {
  return version.find(" " + std::string(kMajor) + ".") != std::string::npos;
}

bool loaded(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  const std::string all((std::istreambuf_iterator<char>(maps)), {});
  return all.find(library) != std::string::npos;
}

int fail(const std::string& why) {
  std::cerr << "host_with_other_clang: " << why << "\n";
  return 1;
}

}  // namespace

int main() {
  if (!is_the_hosts(clang::getClangFullVersion())) return fail("the host's clang is " + clang::getClangFullVersion());

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
  if (!loaded(std::string("libclang-cpp.so.") + kMajor)) return fail("the host's clang was not there");

  // Errors come out of the right clang, too.
  try {
    static_cast<void>(kiln::vectorize("float32(float32 a)", "return b;  // " + unique)(a));
    return fail("a wrong body was accepted");
  } catch (const kiln::CompileError& error) {
    if (std::string(error.what()).find("use of undeclared identifier 'b'") == std::string::npos) return fail(error.what());
    if (error.compiler().find("Clang 19.") == std::string::npos) return fail("compiled by " + error.compiler());
  }
  if (!is_the_hosts(clang::getClangFullVersion())) return fail("the host's clang is gone");
  std::cout << "ok: " << clang::getClangFullVersion() << " beside kiln's\n";
  return 0;
}
