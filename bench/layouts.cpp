// x1 + x2 over operands as they lie in users' arrays: points, pixels, channels, columns. For each dtype the time of an element,
// and over that of contiguous operands. One thread; the shortest call of at least five in 40 ms.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::Slice;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSize = 120'000;  // elements: a few hundred KB, in the second-level cache
constexpr DType kDTypes[] = {DType::uint8, DType::int16, DType::float16, DType::float32, DType::float64, DType::complex128};

struct Layout {
  std::string name;
  Array a, b, out;
};

class Layouts {
 public:
  explicit Layouts(DType dtype) : dtype_(dtype) {
    add("contiguous", flat(kSize), flat(kSize), flat(kSize));
    for (const int step : {2, 3, 4, 5, 8, 16}) {
      add("every " + std::to_string(step) + ". element in", every(step), flat(kSize), flat(kSize));
    }
    for (const int step : {2, 3, 4, 5, 8}) {
      add("every " + std::to_string(step) + ". element out", flat(kSize), flat(kSize), every(step));
    }
    add("reversed", flat(kSize)[{Slice{.step = -1}}], flat(kSize), flat(kSize));
    add("(400, 300) transposed", ones({300, 400}).transpose(), ones({400, 300}), ones({400, 300}));
    const std::int64_t points = kSize / 3;
    add("(3, n) as points", ones({3, points}).transpose(), ones({points, 3}), ones({points, 3}));
    add("points to (3, n)", ones({points, 3}), ones({points, 3}), ones({3, points}).transpose());
    add("(n, 3) and (3,)", ones({points, 3}), ones({3}), ones({points, 3}));
    for (const std::int64_t columns : {3, 4, 10, 300}) {
      const std::int64_t rows = kSize / columns;
      add("(n, " + std::to_string(columns) + ") and (n, 1)", ones({rows, columns}), ones({rows, 1}), ones({rows, columns}));
    }
    add("(300, 1) and (1, 400)", ones({300, 1}), ones({1, 400}), ones({300, 400}));
    add("a channel of (n, 3)", ones({kSize, 3})[{Slice{}, Slice{.start = 0, .stop = 1}}], ones({kSize, 1}), ones({kSize, 1}));
    add("3 channels of (n, 4)", ones({points, 4})[{Slice{}, Slice{.start = 0, .stop = 3}}], ones({points, 3}),
        ones({points, 3}));
    add("a window of 300 of 310", ones({400, 310})[{Slice{}, Slice{.start = 5, .stop = 305}}], ones({400, 300}),
        ones({400, 300}));
    add("three axes permuted", ones({40, 50, 60}).transpose({2, 0, 1}), ones({60, 40, 50}), ones({60, 40, 50}));
  }

  std::vector<Layout> all;

 private:
  [[nodiscard]] Array ones(const Shape& shape) const { return to_device(Array::full(shape, 1.0F).astype(dtype_), device_); }
  [[nodiscard]] Array flat(std::int64_t size) const { return ones({size}); }
  [[nodiscard]] Array every(int step) const { return flat(kSize * step)[{Slice{.step = step}}]; }
  void add(std::string name, Array a, Array b, Array out) {
    all.push_back({std::move(name), std::move(a), std::move(b), std::move(out)});
  }

  DType dtype_;
  kiln::Device device_ = kiln::Device::cpu({.threads = 1});
};

/// Nanoseconds of an element.
double time(const Layout& layout) {
  const auto call = [&] { kiln::math::add({layout.a, layout.b}, {.out = layout.out}); };
  call();
  double shortest = 1e18;
  const auto start = Clock::now();
  for (int calls = 0; calls < 5 || Clock::now() - start < std::chrono::milliseconds(40); ++calls) {
    const auto begin = Clock::now();
    call();
    shortest = std::min(shortest, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return shortest / static_cast<double>(layout.out.size());
}

}  // namespace

int main() {
  std::vector<std::vector<double>> times;
  std::vector<std::string> names;
  std::printf("%-24s", "");
  for (const DType dtype : kDTypes) {
    std::printf("%15s", std::string(name(dtype)).c_str());
    times.emplace_back();
    names.clear();
    for (const Layout& layout : Layouts(dtype).all) {
      times.back().push_back(time(layout));
      names.push_back(layout.name);
    }
  }
  std::printf("\n");
  for (std::size_t row = 0; row < names.size(); ++row) {
    std::printf("%-24s", names[row].c_str());
    for (const std::vector<double>& column : times) std::printf("%7.3f (%4.1fx)", column[row], column[row] / column[0]);
    std::printf("\n");
  }
}
