// Snippets of docs/larger-than-memory.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  {
    const auto discriminant = kiln::vectorize("T disc(T a, T b, T c) where T: float32, float64 = b * b - 4 * a * c");
    const auto argmax = kiln::reduction({
        .name = "argmax",
        .signatures = {"(T best, int64 at)(T x) where T: float64"},
        .accumulator = "T best; int64 at;",
        .map = "return {x, i};",
        .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
        .post = "best = a.best; at = a.at;",
        .reorderable = true,
    });
    const auto a = kiln::Array::ones(3), b = kiln::Array::from({3.0, 4.0, 5.0}), c = kiln::Array::ones(3), mask = b > 3;
    const auto x = kiln::Array::from({{1.0, 7.0}, {2.0, 5.0}});
    // snippet: chunks
    const kiln::Array d = kiln::chunked(discriminant)(a, b, c);
    kiln::chunked(discriminant, {.chunk_bytes = 64 << 20})(a, b, c, {.out = d, .where = mask});
    const kiln::Array sums = kiln::chunked(kiln::math::add).reduce(x, {.axis = 0});
    const auto [best, at] = kiln::chunked(argmax).outputs<2>(x);  // a kiln::reduction, a kiln::guvectorize
    std::cout << d << " " << sums << " " << best << " " << at << "\n";
    // end
  }
  kiln::save_npy("a.npy", kiln::Array::from({1.0F, 4.0F}));
  // snippet: files
  const kiln::Array a = kiln::open_npy("a.npy");                              // read-only
  const kiln::Array out = kiln::create_npy("out.npy", a.shape(), a.dtype());  // zeros; the room on the disk is taken
  const kiln::Ufunc f = kiln::vectorize("float32(float32 a)", "return sqrt(a);");
  kiln::chunked(f)(a, {.out = out});
  kiln::flush_npy(out);  // on the disk
  std::cout << kiln::load_npy("out.npy") << "\n";
  // end
}
