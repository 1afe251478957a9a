#include "rewriting.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace kiln_emulated;

namespace {

std::set<std::string> kernels(const std::string& text) {
  std::set<std::string> names;
  find_kernels(text, names);
  return names;
}

}  // namespace

TEST_CASE("rewriting: kernels are found by what marks them") {
  using Names = std::set<std::string>;
  CHECK(kernels("extern \"C\" __global__ void one(int* x) {}") == Names{"one"});
  CHECK(kernels("__global__ __launch_bounds__(256) void one () {} KILN_KERNEL two(int) {") == Names{"one", "two"});
  CHECK(kernels("__global__ void __launch_bounds__(f(2), 3)\n  one(\n") == Names{"one"});
  CHECK(kernels("#define KILN_KERNEL extern \"C\" __global__ __launch_bounds__(256) void\n#define OTHER(x) x") == Names{});
  CHECK(kernels("int my__global__ (int); not_KILN_KERNEL(x)") == Names{});
}

TEST_CASE("rewriting: dynamic shared memory becomes a pointer") {
  CHECK(with_dynamic_shared("extern __shared__ float x[]; int y[3];") ==
        " float * const x = ::kiln_emulated::dynamic_shared(); int y[3];");
  CHECK(with_dynamic_shared("a\nextern  __shared__\n__align__(16) unsigned char raw [ ] ;\nextern \"C\" int z[2];") ==
        "a\n\n__align__(16) unsigned char * const raw = ::kiln_emulated::dynamic_shared() ;\nextern \"C\" int z[2];");
  CHECK(with_dynamic_shared("#define D(T, name) extern __shared__ T name[]") ==
        "#define D(T, name)  T * const name = ::kiln_emulated::dynamic_shared()");
  CHECK(with_dynamic_shared("__shared__ float x[3];") == "__shared__ float x[3];");
}
