// Times kiln for bench/peers.py, bench/math.py and bench/gufuncs.py, so that kiln and its peers take turns in one run. Each
// line asks for nanoseconds per element: "OPERATION N THREADS SECONDS" for those of the median call, or "math N THREADS SECONDS
// FUNCTION DTYPE:LOW:HIGH…" for a function of kiln::math on uniform values, for those of the shortest call, one DTYPE:LOW:HIGH
// for each input. "gufunc ITEMS THREADS SECONDS NAME" asks for nanoseconds per item of the shortest call of one of
// bench/gufuncs.py; with 0 threads of the plain loop. "loop NAME N THREADS SECONDS FOLDER" asks for nanoseconds per element of
// the median call of one of bench/loops.cpp, N elements. Its inputs are FOLDER/0.npy, FOLDER/1.npy and so on; its results
// become FOLDER/kiln0.npy and so on.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <tuple>

#include "gufuncs.hpp"
#include "loops.hpp"
#include "operations.hpp"

namespace {

using namespace kiln;
using Clock = std::chrono::steady_clock;

/// Nanoseconds per element of each call, in rising order.
std::vector<double> times_of(std::int64_t n, double seconds, const std::function<void()>& call) {
  call();
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 5 || std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    // Short calls are timed in groups, so that reading the clock does not show.
    const int group = static_cast<int>(std::max<std::int64_t>(1, 20'000 / n));
    const auto begin = Clock::now();
    for (int i = 0; i < group; ++i) call();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / group / static_cast<double>(n));
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// "float64:0.1:0.9" to an array.
Array uniform(const std::string& text, std::int64_t n) {
  std::istringstream words(text);
  std::string dtype;
  double low = 0;
  double high = 1;
  char colon = ':';
  std::getline(words, dtype, ':');
  words >> low >> colon >> high;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> real(low, high);
  const DType type = dtype_from_name(dtype);
  if (kind(type) == Kind::complex) {
    Array values = Array::empty({n}, DType::complex128);
    for (std::int64_t i = 0; i < n; ++i) values.as<std::complex<double>>()[i] = {real(random), real(random)};
    return values.astype(type, Casting::unsafe);
  }
  Array values = Array::empty({n}, DType::float64);
  for (std::int64_t i = 0; i < n; ++i) values.as<double>()[i] = real(random);
  return values.astype(type, Casting::unsafe);
}

double time_math(std::int64_t n, int threads, double seconds, std::istream& words) {
  std::string name;
  words >> name;
  const Ufunc* const function = math::find(name);
  if (function == nullptr) throw std::runtime_error("unknown function " + name);
  const Device device = Device::cpu({.threads = threads});
  static std::map<std::string, Array> cached;
  std::vector<Array> inputs;
  for (std::string text; words >> text;) {
    Array& made = cached[text + "/" + std::to_string(n) + (inputs.empty() ? "" : "b")];
    if (!made.valid()) made = uniform(text, n);
    inputs.push_back(to_device(made, device));
  }
  const std::vector<Arg> args(inputs.begin(), inputs.end());
  const CallOptions options{.out = function->outputs(args)};
  return times_of(n, seconds, [&] { function->outputs(args, options); }).front();
}

double time_operation(const std::string& name, std::int64_t n, int threads, double seconds) {
  struct Prepared {
    std::vector<Array> inputs;
    Array out;
  };
  static std::map<std::tuple<std::string, std::int64_t, int>, Prepared> prepared;
  const auto all = bench::operations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& operation) { return operation.name == name; });
  if (found == all.end()) throw std::runtime_error("unknown operation " + name);
  const Device device = Device::cpu({.threads = threads});
  Prepared& arrays = prepared[{name, n, threads}];
  if (!arrays.out.valid()) arrays = {bench::make_inputs(*found, n, device), to_device(Array::zeros({n}, found->dtype), device)};
  const auto args = bench::arguments(*found, arrays.inputs);
  const CallOptions options{.out = arrays.out};
  const std::vector<double> times = times_of(n, seconds, [&] { found->ufunc(std::span<const Arg>(args), options); });
  return times[times.size() / 2];
}

double time_gufunc(std::int64_t items, int threads, double seconds, std::istream& words) {
  std::string name;
  words >> name;
  const auto all = bench::gufuncs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& gufunc) { return gufunc.name == name; });
  if (found == all.end()) throw std::runtime_error("unknown gufunc " + name);
  const Device device = Device::cpu({.threads = std::max(threads, 1)});
  std::vector<Array> inputs;
  for (const Shape& core : found->cores) {
    Shape shape{items};
    for (const std::int64_t extent : core) shape.push_back(extent);
    Array values = Array::empty(shape, DType::float32);
    for (std::int64_t i = 0; i < values.size(); ++i) values.as<float>()[i] = static_cast<float>(i % 1000) / 1000;
    inputs.push_back(to_device(values, device));
  }
  const std::vector<Arg> args(inputs.begin(), inputs.end());
  const GufuncOptions options{.out = found->gufunc.outputs(args)};
  if (threads > 0) return times_of(items, seconds, [&] { found->gufunc.outputs(args, options); }).front();
  const float* const b = inputs.size() > 1 ? inputs[1].as<float>() : nullptr;
  return times_of(items, seconds,
                  [&] { found->plain(inputs[0].as<float>(), b, options.out.list()[0].array().as<float>(), items); })
      .front();
}

double time_loop(std::istream& words) {
  std::string name;
  std::int64_t n = 0;
  int threads = 0;
  double seconds = 0;
  std::filesystem::path folder;
  words >> name >> n >> threads >> seconds >> folder;
  const auto all = bench::loops();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& loop) { return loop.name == name; });
  if (found == all.end()) throw std::runtime_error("unknown loop " + name);
  const Device device = Device::cpu({.threads = threads});
  std::vector<Arg> inputs;
  for (int i = 0; i < found->inputs; ++i)
    inputs.emplace_back(to_device(load_npy(folder / (std::to_string(i) + ".npy")), device));
  const std::vector<Array> results = found->call(inputs, {});
  const Outputs out = results;
  const std::vector<double> times = times_of(n, seconds, [&] { found->call(inputs, out); });
  for (std::size_t i = 0; i < results.size(); ++i) save_npy(folder / ("kiln" + std::to_string(i) + ".npy"), results[i]);
  return times[times.size() / 2];
}

/// Answers one line.
double answer(std::istream& words) {
  std::string name;
  words >> name;
  if (name == "loop") return time_loop(words);
  std::int64_t n = 0;
  int threads = 0;
  double seconds = 0;
  words >> n >> threads >> seconds;
  if (name == "math") return time_math(n, threads, seconds, words);
  if (name == "gufunc") return time_gufunc(n, threads, seconds, words);
  return time_operation(name, n, threads, seconds);
}

}  // namespace

int main() try {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::cout << answer(words) << "\n" << std::flush;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
