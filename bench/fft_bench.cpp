// kiln::fft against FFTW called directly, with the same library, planning and threads, in turn: ratios above 1 mean that kiln
// is faster. usage: kiln-fft-bench [SECONDS OF EACH CASE]
#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kiln/kiln.hpp"

namespace {

using kiln::Array;
using Clock = std::chrono::steady_clock;

/// FFTW of one precision, under the same names.
struct Single {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr kiln::DType dtype = kiln::DType::complex64;
  static constexpr auto plan = fftwf_plan_many_dft;
  static constexpr auto execute = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto threads = fftwf_plan_with_nthreads;
  using Real = float;
};
struct Double {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr kiln::DType dtype = kiln::DType::complex128;
  static constexpr auto plan = fftw_plan_many_dft;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto threads = fftw_plan_with_nthreads;
  using Real = double;
};

struct Case {
  std::string name;
  std::vector<int> n;  ///< transformed, the last axes
  int batch;
  bool inverse;
  bool measured;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Fftw>
void compare(const Case& one, int threads, double seconds) {
  kiln::Shape shape;
  if (one.batch > 1) shape.push_back(one.batch);
  std::int64_t points = 1;
  for (const int n : one.n) {
    shape.push_back(n);
    points *= n;
  }
  const Array in = Array::zeros(shape, Fftw::dtype);
  const Array out = Array::zeros(shape, Fftw::dtype);
  using Real = typename Fftw::Real;
  auto* const values = static_cast<Real*>(in.data());
  for (std::int64_t i = 0; i < 2 * in.size(); ++i) values[i] = static_cast<Real>(i * 7919 % 1000) / 1000;
  auto* const from = static_cast<typename Fftw::Complex*>(in.data());
  auto* const to = static_cast<typename Fftw::Complex*>(out.data());

  Fftw::threads(threads);
  const auto distance = static_cast<int>(points);
  const Array scratch = Array::empty(shape, Fftw::dtype);
  const Array more = Array::empty(shape, Fftw::dtype);
  const auto plan =
      Fftw::plan(static_cast<int>(one.n.size()), one.n.data(), one.batch, static_cast<typename Fftw::Complex*>(scratch.data()),
                 nullptr, 1, distance, static_cast<typename Fftw::Complex*>(more.data()), nullptr, 1, distance,
                 one.inverse ? FFTW_BACKWARD : FFTW_FORWARD, one.measured ? FFTW_MEASURE : FFTW_ESTIMATE);
  const auto factor = Real(1) / static_cast<Real>(points);
  const std::int64_t reals = 2 * out.size();
  const auto direct = [&] {
    Fftw::execute(plan, from, to);
    auto* const scaled = static_cast<Real*>(out.data());
    if (one.inverse) {
      for (std::int64_t i = 0; i < reals; ++i) scaled[i] *= factor;
    }
  };
  kiln::fft::OptionsN options;
  options.axes = std::vector<int>();
  for (int axis = -static_cast<int>(one.n.size()); axis < 0; ++axis) options.axes->push_back(axis);
  options.out = out;
  options.plan = one.measured ? kiln::fft::Planning::measure : kiln::fft::Planning::estimate;
  const kiln::fft::Options options_of_one{.out = out, .plan = options.plan};
  const auto by_kiln = [&] {
    if (one.n.size() == 1) {
      one.inverse ? kiln::fft::ifft(in, options_of_one) : kiln::fft::fft(in, options_of_one);
    } else {
      one.inverse ? kiln::fft::ifftn(in, options) : kiln::fft::fftn(in, options);
    }
  };
  direct();
  by_kiln();
  const auto start = Clock::now();
  direct();
  const int calls = std::max(1, static_cast<int>(seconds / 40 / (seconds_since(start) + 1e-9)));
  std::vector<double> of_fftw;
  std::vector<double> of_kiln;
  std::vector<double> ratios;
  const auto begin = Clock::now();
  while (ratios.size() < 6 || (seconds_since(begin) < seconds && ratios.size() < 101)) {
    const auto time_fftw = [&] {
      const auto first = Clock::now();
      for (int i = 0; i < calls; ++i) direct();
      of_fftw.push_back(seconds_since(first) / calls);
    };
    const auto time_kiln = [&] {
      const auto first = Clock::now();
      for (int i = 0; i < calls; ++i) by_kiln();
      of_kiln.push_back(seconds_since(first) / calls);
    };
    // In turn: FFTW takes a buffer for each large execution, and every second one is a tenth slower.
    if (ratios.size() % 2 == 0) time_fftw();
    time_kiln();
    if (ratios.size() % 2 != 0) time_fftw();
    ratios.push_back(of_fftw.back() / of_kiln.back());
  }
  const auto spread = [](const std::vector<double>& of) {
    std::vector<double> sorted = of;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4]) / median(of) * 100;
  };
  std::printf("| %s | %s | %d | %.4g | %.4g | %.2f | %.0f%% |\n", one.name.c_str(),
              Fftw::dtype == kiln::DType::complex64 ? "float32" : "float64", threads, median(of_fftw) * 1e6,
              median(of_kiln) * 1e6, median(ratios), spread(ratios));
  std::fflush(stdout);
  Fftw::destroy(plan);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  fftw_init_threads();
  fftwf_init_threads();
  std::vector<Case> cases;
  for (int power = 10; power <= 24; power += 2) {
    cases.push_back({"fft 2^" + std::to_string(power), {1 << power}, 1, false, false});
  }
  cases.push_back({"fft 2^10 measured", {1 << 10}, 1, false, true});
  cases.push_back({"fft 2^20 measured", {1 << 20}, 1, false, true});
  cases.push_back({"fft 1000 x 1024", {1024}, 1000, false, false});
  cases.push_back({"fft 100000 x 16", {16}, 100000, false, false});
  cases.push_back({"fft2 512 x 512", {512, 512}, 1, false, false});
  cases.push_back({"fft2 2048 x 2048", {2048, 2048}, 1, false, false});
  cases.push_back({"fft2 10 x (256 x 256)", {256, 256}, 10, false, false});
  for (const int power : {10, 14, 20, 24}) {
    cases.push_back({"ifft 2^" + std::to_string(power), {1 << power}, 1, true, false});
  }
  cases.push_back({"ifft 10000 x 1024", {1024}, 10000, true, false});
  cases.push_back({"ifft2 2048 x 2048", {2048, 2048}, 1, true, false});
  const char* const device = std::getenv("KILN_DEVICE");
  const int threads = device != nullptr && std::string(device) == "cpu:1" ? 1 : 2;
  std::printf(
      "| transform | dtype | threads | FFTW us | kiln us | ratio | spread |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Case& one : cases) {
    compare<Single>(one, threads, seconds);
    compare<Double>(one, threads, seconds);
  }
  return 0;
}
