// Snippets of docs/signatures.md.
#include <kiln/kiln.hpp>
#include <string_view>
#include <tuple>

int main() {
  // clang-format off
  const char* const signatures[] = {
      // snippet: forms
      "float32(float32 a, float32 b)",          // one output, returned
      "float64(float64, float64)",              // names left out: they come from the ufunc's first signature
      "(int32 q, int32 r)(int32 a, int32 b)",   // several outputs, assigned by name
      "T(T x, T y)",                            // T is any dtype: the promotion of what x and y are
      "T(T x, T y) where T: float32, float64",  // T is one of these, in this order of preference
      "bool(T x, T y)",                         // a type variable beside a fixed type
      "float32(float32 x, constant int32 n)",   // the value of n is part of the kernel
      "float32(int32 k, raw float32 table)",    // each element sees the whole table
      "(float32 y)()",                          // no input: .out or .size gives the shape
      // end
  };
  // clang-format on
  for (const char* const signature : signatures) {
    const std::string_view text = signature;
    const char* const body = text[0] != '(' ? "return 0;" : text[1] == 'i' ? "q = r = 0;" : "y = 0;";
    std::ignore = text == signatures[1] ? kiln::vectorize({.signatures = {signatures[0], signature}, .body = "return a + b;"})
                                        : kiln::vectorize({.signatures = {signature}, .body = body});
  }

  const auto x = kiln::Array::from({0.5F, 2.0F});
  // snippet: constants
  auto polynomial = kiln::vectorize({
      .name = "polynomial",
      .signatures = {"float32(float32 x, float32 a, constant int32 degree)"},
      .body = "float32 r = a; for (int32 i = degree; i > 0; --i) r = r * x + 1.0f / i; return r;",
  });

  polynomial(x, 0.5F, 5);   // compiles a kernel of degree 5
  polynomial(x, 0.5F, 8);   // another one
  polynomial(x, 0.25F, 5);  // the first one again
  // end
}
