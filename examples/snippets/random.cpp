// Snippets of docs/random.md.
// snippet: first
#include <kiln/random.hpp>  // or <kiln/kiln.hpp>

// end
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const std::int64_t n = 4, m = 2, rows = 2;
  const kiln::Device gpu = kiln::Device::emulated("sm_90");
  // snippet: first
  const kiln::Array x = kiln::random::normal({1000, 3}, {.seed = 7});  // float64, on the host
  const kiln::Array y = kiln::random::uniform({n}, {.seed = 7, .dtype = kiln::DType::float32, .device = gpu});

  auto noisy = kiln::vectorize("float32(float32 x, uint64 seed)", "return x + 0.1f * normal<float32>(seed, index());");
  std::cout << x.mean().item<double>() << "\n" << y.copy_to_host() << "\n" << noisy(kiln::Array::from({1.0F, 2.0F}), 7) << "\n";
  // end

  {
    auto fill = kiln::kernel({.signature = "void(float32[:] x, uint64 seed)", .body = R"(
        // snippet: block
        const random_bits bits = philox(seed, item);
        for (int k = 0; k < 4; ++k) x[4 * item + k] = uniform<float32>(bits, k);  // uniform<float32>(seed, 4 * item + k)
        // end
        )"});
    const auto filled = kiln::Array::zeros(n, kiln::DType::float32);
    fill({.size = 1}, filled, 7);
    if (!kiln::math::equal(filled, y.copy_to_host()).all()) return 1;
  }

  // snippet: offset
  auto first = kiln::random::normal({n}, {.seed = 7});
  auto more = kiln::random::normal({m}, {.seed = 7, .offset = n});  // the rest of normal({n + m}, {.seed = 7})
  // end
  if (!kiln::math::equal(kiln::concatenate({first, more}), kiln::random::normal({n + m}, {.seed = 7})).all()) return 1;

  const auto table = kiln::Array::zeros({rows, 4});
  // snippet: out
  kiln::random::normal({rows, 3}, {.seed = 7, .out = table[{kiln::all, kiln::Slice{.stop = 3}}]});
  // end
}
