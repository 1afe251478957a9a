// What people's kernels are made of beside long contiguous arrays: short and odd rows, softmax, small products, windows,
// several outputs, masks. The names are those of bench/cub_peer.cu where CUB has the same.
#include <cmath>

#include "gpu_kernels.hpp"
#include "gpu_report.hpp"

namespace kiln::bench {
namespace {

using enum DType;

class Rows {
 public:
  Rows(Report& report, const Device& device, double copy) : report_(report), device_(device), copy_(copy) {}

  void reductions() {
    for (const auto& [name, n] : {std::pair{"1e6", 1'000'000}, {"4e6", 4'000'000}, {"16e6", 16'000'000}}) {
      const Array x = input({report_.sized(n)});
      row(std::string("sum of ") + name + " float32", bytes_of(x),
          [x, out = output({})] { math::add.reduce(x, {.out = out}); });
    }
    for (const std::int64_t n : {std::int64_t{16}, std::int64_t{1024}}) {
      const Array x = input({report_.sized((std::int64_t{1} << 26) / n), n});
      row("sums of rows of " + std::to_string(n) + " float32", bytes_of(x),
          [x, out = output({x.shape()[0]})] { math::add.reduce(x, {.axis = 1, .out = out}); });
    }
    const std::int64_t side = report_.sized(16384, 2);
    for (const auto& [name, from, to] : {std::tuple{"float16", float16, float16}, {"int8 in int64", int8, int64}}) {
      const Array x = input({side, side}, from);
      row(std::string("sum along axis 0, 16384^2 ") + name, bytes_of(x),
          [x, out = output({side}, to)] { math::add.reduce(x, {.axis = 0, .out = out}); });
    }
    const Array x = input({report_.sized(std::int64_t{1} << 26)});
    const Reduction argmax = reduction({.name = "argmax",
                                        .signatures = {"int64(T x)"},
                                        .accumulator = "T best; int64 at;",
                                        .map = "return {x, i};",
                                        .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
                                        .post = "return a.at;",
                                        .reorderable = true});
    row("argmax of 2^26 float32", bytes_of(x), [=, out = output({}, int64)] { argmax({x}, {.out = out}); });
  }

  void scans() {
    const Array x = input({report_.sized(std::int64_t{1} << 26)}, int32);
    row("cumulative sum of 2^26 int32", 2 * bytes_of(x),
        [x, out = output(x.shape(), int32)] { math::add.accumulate(x, {.dtype = int32, .out = out}); });
  }

  /// By a block for a row, by teams of 64 and 32, and by a thread.
  void softmax() {
    const Array x = input({report_.sized(65536), 1024});
    const Array out = output(x.shape());
    for (const char* const group : {"block", "64", "32", ""}) {
      const bool team = *group != '\0';
      const Gufunc softmax = guvectorize({.name = "softmax",
                                          .layout = "(n)->(n)",
                                          .signatures = {"void(float32[:] x, float32[:] y)"},
                                          .group = group,
                                          .body = team ? kTeamSoftmax : kPlainSoftmax});
      row(std::string("softmax of rows of 1024, ") + (team ? "teams: " : "a thread each") + group, 2 * bytes_of(x),
          [=] { softmax({x}, {.out = out}); });
    }
  }

  void products() {
    for (const std::int64_t n : {std::int64_t{8}, std::int64_t{64}}) {
      const Gufunc product =
          guvectorize({.name = "product",
                       .layout = "(m,k),(k,n)->(m,n)",
                       .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                       .each = "i:m, j:n",
                       .body = "float32 s = 0; for (index l = 0; l < k; ++l) s += A(i, l) * B(l, j); C(i, j) = s;"});
      const Shape shape{report_.sized((std::int64_t{1} << 25) / (n * n)), n, n};
      const Array a = input(shape), b = input(shape), out = output(shape);
      row("products of " + std::to_string(n) + "^2 matrices", 3 * bytes_of(a), [=] { product({a, b}, {.out = out}); });
    }
    const Array a = input({report_.sized(std::int64_t{1} << 19), 64}), b = input(a.shape());
    const Array out = output({a.shape()[0]});
    for (const char* const group : {"", "32"}) {
      const bool team = *group != '\0';
      const Gufunc inner =
          guvectorize({.name = "inner",
                       .layout = "(n),(n)->()",
                       .signatures = {"void(float32[:] a, float32[:] b, float32 r)"},
                       .group = group,
                       .body = team ? "float32 s = 0; for (index i = lane; i < n; i += lanes) s += a(i) * b(i); s = "
                                      "team_sum(s); if (lane == 0) r = s;"
                                    : "float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;"});
      row(std::string("inner products of 64, ") + (team ? "teams of 32" : "a thread each"), 2 * bytes_of(a),
          [=] { inner({a, b}, {.out = out}); });
    }
  }

  void elementwise() {
    const std::int64_t n = report_.sized(std::int64_t{1} << 26);
    const Array x = input({n}), y = input({n}, float32, 2.5F), out = output({n});
    const Array i = input({n}, int32), j = (input({n}, int32, 2.5F));
    const std::vector<Array> both{output({n}, int32), output({n}, int32)};
    row("divmod of 2^26 int32", 4 * bytes_of(i), [=] { (void)math::divmod.outputs<2>({i, j}, {.out = Outputs(both)}); });
    const Array mask = math::less(x, y);
    row("add where, 2^26 float32", 3 * bytes_of(x) + bytes_of(mask), [=] { math::add({x, y}, {.out = out, .where = mask}); });
    const Ufunc polar = vectorize("float32(float32 r, float32 t)", "float32 s, c; sincos(t, &s, &c); return r * s + r * c;");
    row("sine and cosine of one angle, 2^26 float32", 3 * bytes_of(x), [=] { polar({x, y}, {.out = out}); });
    const Ufunc add = vectorize("T(T a, T b)", "return a + b;");
    const std::int64_t rows = report_.sized(500'000);
    const Array wide = input({rows, 104}, float16), odd = output({rows, 104}, float16);
    const auto part = [](const Array& all) { return all[{all_of_axis, Slice{.stop = 100}}]; };
    row("add, rows of 100 of 104 float16", 3 * bytes_of(wide) * 100 / 104,
        [=, a = part(wide), r = part(odd)] { add({a, a}, {.out = r}); });
    const Array bytes = input({report_.sized(std::int64_t{1} << 28) + 16}, int8), sums = output(bytes.shape(), int8);
    const auto behind = [](const Array& all) { return all[{Slice{.start = 1, .stop = -15}}]; };
    row("add, 2^28 int8 from the second on", 3 * bytes_of(bytes),
        [=, a = behind(bytes), r = behind(sums)] { add({a, a}, {.out = r}); });
  }

  /// Raw kernels: what people write by hand.
  void kernels() {
    const std::int64_t side = report_.sized(8192, 2);
    const Array x = input({side, side}), y = output({side, side});
    const RawKernel by_views = kernel({.name = "stencil", .signature = "void(const float32[:,:] x, float32[:,:] y)", .body = R"(
      const auto [j, i] = grid(2);
      if (i < 1 || j < 1 || i + 1 >= x.shape(0) || j + 1 >= x.shape(1)) return;
      y(i, j) = 0.5f * x(i, j) + 0.1f * (x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1))
          + 0.025f * (x(i - 1, j - 1) + x(i - 1, j + 1) + x(i + 1, j - 1) + x(i + 1, j + 1));)"});
    const RawKernel by_pointers = kernel({.name = "stencil_of_pointers",
                                          .signature = "void(const float32* x, float32* y, int32 rows, int32 columns)",
                                          .body = R"(
      const int32 j = block.x * block_size.x + thread.x, i = block.y * block_size.y + thread.y;
      if (i < 1 || j < 1 || i + 1 >= rows || j + 1 >= columns) return;
      const float32* p = x + i * columns + j;
      y[i * columns + j] = 0.5f * p[0] + 0.1f * (p[-columns] + p[columns] + p[-1] + p[1])
          + 0.025f * (p[-columns - 1] + p[-columns + 1] + p[columns - 1] + p[columns + 1]);)"});
    const LaunchOptions grid{.grid = {(side + 31) / 32, (side + 7) / 8}, .block = {32, 8}};
    row("3 x 3 stencil by views, 8192^2", 2 * bytes_of(x), [=] { by_views(grid, x, y); });
    row("3 x 3 stencil by pointers, 8192^2", 2 * bytes_of(x), [=] { by_pointers(grid, x, y, side, side); });
    const RawKernel transpose =
        kernel({.name = "transpose", .signature = "void(const float32[:,:] a, float32[:,:] r)", .body = R"(
      KILN_SHARED float32 tile[32][33];
      index x = block.x * 32 + thread.x, y = block.y * 32 + thread.y;
      for (index j = 0; j < 32; j += 8) if (x < a.shape(1) && y + j < a.shape(0)) tile[thread.y + j][thread.x] = a(y + j, x);
      barrier();
      x = block.y * 32 + thread.x; y = block.x * 32 + thread.y;
      for (index j = 0; j < 32; j += 8) if (x < r.shape(1) && y + j < r.shape(0)) r(y + j, x) = tile[thread.x][thread.y + j];)"});
    row("transpose by tiles, 8192^2", 2 * bytes_of(x),
        [=] { transpose(LaunchOptions{.grid = {(side + 31) / 32, (side + 31) / 32}, .block = {32, 8}}, x, y); });
    row("transposed copy, 8192^2", 2 * bytes_of(x), [=] { y.assign(x.transpose()); });
    const RawKernel histogram =
        kernel({.name = "histogram", .signature = "void(const uint32[:] fours, int64 chunk, int64[:] bins)", .body = R"(
      KILN_SHARED int32 counts[8 * 256];
      for (uint32 i = thread.x; i < 8 * 256; i += block_size.x) counts[i] = 0;
      barrier();
      int32* own = counts + thread.x / 32 * 256;
      const index begin = block.x * chunk, end = min(begin + chunk, fours.size());
      for (index i = begin + thread.x; i < end; i += block_size.x) {
        const uint32 values = fours[i];
        for (int32 k = 0; k < 32; k += 8) atomic_add(&own[values >> k & 255], 1);
      }
      barrier();
      for (uint32 bin = thread.x; bin < 256; bin += block_size.x) {
        int32 sum = 0;
        for (uint32 part = 0; part < 8; ++part) sum += counts[part * 256 + bin];
        atomic_add(&bins[bin], sum);
      })"});
    const std::int64_t fours = report_.sized(std::int64_t{1} << 26), chunk = std::max<std::int64_t>(fours / 1024, 1);
    const Array values = input({fours}, uint32), bins = to_device(Array::zeros({256}, int64), device_);
    row("histogram of 2^28 uint8", bytes_of(values),
        [=] { histogram(LaunchOptions{.grid = {(fours + chunk - 1) / chunk}, .block = {256}}, values, chunk, bins); });
  }

 private:
  static constexpr const char* kPlainSoftmax = R"(
    float32 most = x(0);
    for (index i = 1; i < n; ++i) most = x(i) > most ? x(i) : most;
    float32 sum = 0;
    for (index i = 0; i < n; ++i) { const float32 e = exp(x(i) - most); y(i) = e; sum += e; }
    for (index i = 0; i < n; ++i) y(i) /= sum;)";
  static constexpr const char* kTeamSoftmax = R"(
    float32 most = -INFINITY;
    for (index i = lane; i < n; i += lanes) most = x(i) > most ? x(i) : most;
    most = team_max(most);
    float32 sum = 0;
    for (index i = lane; i < n; i += lanes) sum += exp(x(i) - most);
    sum = team_sum(sum);
    for (index i = lane; i < n; i += lanes) y(i) = exp(x(i) - most) / sum;)";
  static constexpr Slice all_of_axis{};

  [[nodiscard]] Array input(const Shape& shape, DType dtype = float32, float low = 0.1F) const {
    return varied(device_, shape, dtype, low);
  }
  [[nodiscard]] Array output(const Shape& shape, DType dtype = float32) const { return device_array(shape, dtype, device_); }
  static double bytes_of(const Array& array) { return static_cast<double>(array.nbytes()); }

  void row(const std::string& name, double bytes, const std::function<void()>& work) {
    constexpr int kBatch = 10;
    const Timing timing = report_.time(device_, kBatch, work);
    const double rate = bytes / timing.median;
    report_.row(to_string(device_), name, rate / 1e9, "GB/s", timing.spread, rate / copy_);
  }

  Report& report_;
  Device device_;
  double copy_;
};

}  // namespace

void time_rows(Report& report, const Device& device, double copy) {
  Rows rows(report, device, copy);
  rows.reductions();
  rows.scans();
  rows.softmax();
  rows.products();
  rows.elementwise();
  rows.kernels();
}

}  // namespace kiln::bench
