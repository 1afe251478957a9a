// Snippets of docs/gufuncs.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const kiln::Array a = kiln::Array::ones({1000, 8, 4}, kiln::DType::float32),
                    b = kiln::Array::ones({4, 8}, kiln::DType::float32);
  // snippet: matmul
  auto matmul = kiln::guvectorize({
      .name = "matmul",
      .layout = "(m,n),(n,p)->(m,p)",
      .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
      .each = "i:m, j:p",
      .body = R"(
        float32 sum = 0;
        for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j);
        C(i, j) = sum;)",
  });
  const kiln::Array c = matmul(a, b);  // a: 1000 matrices, b: one for all; in one launch
  std::cout << a.shape() << " " << b.shape() << " " << c.shape() << "\n";
  // end

  // snippet: scalar
  auto moving = kiln::guvectorize("(n),()->(n)", "void(float32[:] x, float32 weight, float32[:] y)",
                                  "for (index i = 0; i < n; ++i) y(i) = weight * x(i) + (1 - weight) * x(i > 0 ? i - 1 : 0);");
  std::cout << moving(kiln::Array::from<float>({0, 4, 8}), 0.5F) << "\n";
  // end

  // snippet: misuse
  try {
    kiln::guvectorize(
        {.name = "mean", .layout = "(n)->()", .signatures = {"void(float32[:] x, float32[:] o)"}, .body = "float32 s = o();"})
        .compile("native");
  } catch (const kiln::CompileError& error) {
    std::cout << std::string_view(error.what()).substr(0, std::string_view(error.what()).find('\n')) << "\n";
  }
  // end
}
