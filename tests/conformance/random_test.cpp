// Random numbers: the published answers of the generators, the same bits on every device and for any split, and numbers that
// have the distributions they are named after.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/random.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::Ufunc;

namespace {

/// Of Random123's kat_vectors: philox4x32 of 10 rounds and threefry4x32 of 20.
struct Answer {
  std::uint64_t seed, counter, stream, seed_high;
  std::vector<std::uint32_t> philox, threefry;
};
constexpr std::uint64_t kOnes = ~std::uint64_t(0);
const Answer kAnswers[] = {
    {0, 0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}},
    {kOnes,
     kOnes,
     kOnes,
     kOnes,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
     {0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}},
    {0x299f31d0a4093822,
     0x85a308d3243f6a88,
     0x0370734413198a2e,
     0xec4e6c89082efa98,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
     {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}}};

Array first_integers(std::size_t count) {
  std::vector<std::uint64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return Array::from(all);
}

std::uint64_t hash_of(const Array& host) {
  const auto* const bytes = static_cast<const unsigned char*>(host.data());
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (std::int64_t i = 0; i < host.nbytes(); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

kiln::random::Options options_on(const Target& target, kiln::random::Options options) {
  options.stream = target.options().stream;
  if (target.mode() != Mode::host) options.device = target.device();
  return options;
}

struct Distribution {
  std::string name;
  Array (*make)(const Shape&, const kiln::random::Options&);
  std::uint64_t single, twice;  ///< the hash of 10007 numbers of seed 7
};
const Distribution kDistributions[] = {
    {"uniform", kiln::random::uniform, 12893943138111430355ULL, 9083996681782333542ULL},
    {"normal", kiln::random::normal, 1551454063958378686ULL, 10870587624677476826ULL},
    {"exponential", kiln::random::exponential, 5379809470599909965ULL, 1282353929005395929ULL}};
constexpr std::int64_t kCount = 10007;

/// The largest distance of the empirical distribution from the exact one, times the root of how many there are.
double kolmogorov_smirnov(std::vector<double> values, const std::function<double(double)>& exact) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = exact(values[i]);
    worst = std::max({worst, static_cast<double>(i + 1) / n - p, p - static_cast<double>(i) / n});
  }
  return worst * std::sqrt(n);
}

struct Moments {
  double mean, variance, skewness, kurtosis, correlation;
};
Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double x : values) mean += x / n;
  std::array<double, 5> sums{};
  double neighbours = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = values[i] - mean;
    for (std::size_t k = 2; k < 5; ++k) sums[k] += std::pow(d, static_cast<double>(k)) / n;
    if (i > 0) neighbours += d * (values[i - 1] - mean) / n;
  }
  return {mean, sums[2], sums[3] / std::pow(sums[2], 1.5), sums[4] / (sums[2] * sums[2]), neighbours / sums[2]};
}

}  // namespace

TEST_CASE("random: the published answers of Philox and Threefry, in every kind of kernel") {
  const std::string signature = "uint32(uint64 seed, uint64 counter, uint64 stream, uint64 high, int64 word)";
  static const Ufunc philox = kiln::vectorize({.name = "philox_word",
                                               .signatures = {signature},
                                               .expression = "philox(seed, counter, stream)[word + 0 * int64(high)]"});
  static const Ufunc threefry = kiln::vectorize(
      {.name = "threefry_word", .signatures = {signature}, .expression = "threefry(seed, counter, stream, high)[word]"});
  static const kiln::Gufunc rows = kiln::guvectorize(
      {.name = "philox_row", .layout = "(3)->(4)", .signatures = {"void(uint64[:] keys, uint32[:] words)"}, .body = R"(
      const random_bits bits = philox(keys(0), keys(1), keys(2));
      for (index i = 0; i < 4; ++i) words(i) = bits[i];)"});
  static const kiln::RawKernel raw = kiln::kernel({.name = "philox_raw",
                                                   .signature = "void(const uint64* keys, uint32* words)",
                                                   .body = "words[item] = philox(keys[0], keys[1], keys[2])[item];"});
  static const kiln::Reduction sum = kiln::reduction({.name = "philox_sum",
                                                      .signatures = {"uint64(uint64 x)"},
                                                      .map = "return philox(x, x, x)[0];",
                                                      .reduce = "return a + b;",
                                                      .identity = "0"});
  const Array word = Array::from<std::uint64_t>({0, 1, 2, 3}).astype(DType::int64);
  on_every_device([&](const Target& target) {
    for (const Answer& each : kAnswers) {
      CAPTURE(each.seed);
      const auto full = [&](std::uint64_t x) { return target.place(Array::full({4}, x)); };
      const std::vector<kiln::Arg> args = {full(each.seed), full(each.counter), full(each.stream), full(each.seed_high),
                                           target.place(word)};
      CHECK(target.fetch(target.outputs(philox, args)[0]).to_vector<std::uint32_t>() == each.philox);
      CHECK(target.fetch(target.outputs(threefry, args)[0]).to_vector<std::uint32_t>() == each.threefry);
      const Array keys = target.place(Array::from<std::uint64_t>({each.seed, each.counter, each.stream}));
      CHECK(target.fetch(rows({keys}, {.stream = target.options().stream})).to_vector<std::uint32_t>() == each.philox);
      const Array words = target.place(Array::zeros({4}, DType::uint32));
      raw({.size = 4, .stream = target.options().stream}, keys, words);
      CHECK(target.fetch(words).to_vector<std::uint32_t>() == each.philox);
    }
    const Array keys = target.place(Array::from<std::uint64_t>({0, kOnes}));
    CHECK(target.fetch(sum({keys}, reduction_on(target))).to_vector<std::uint64_t>()[0] == 0x6627e8d5ULL + 0x408f276dULL);
  });
}

TEST_CASE("random: the same bits on every device, whole, in parts and in bodies") {
  on_every_device([&](const Target& target) {
    for (const Distribution& each : kDistributions) {
      CAPTURE(each.name);
      for (const DType dtype : {DType::float32, DType::float64}) {
        CAPTURE(std::string(name(dtype)));
        const auto made = [&](std::int64_t begin, std::int64_t end) {
          return target.fetch(each.make(
              {end - begin}, options_on(target, {.seed = 7, .offset = static_cast<std::uint64_t>(begin), .dtype = dtype})));
        };
        const Array whole = made(0, kCount);
        CHECK(hash_of(whole) == (dtype == DType::float32 ? each.single : each.twice));
        for (const auto& [begin, end] : {std::pair{1, 9}, {2, 4}, {3, 3}, {5, 6}, {6, 4000}, {4001, 10007}}) {
          CAPTURE(begin);
          CHECK(hash_of(made(begin, end)) == hash_of(whole[{kiln::Slice{begin, end}}].copy()));
        }
        if (target.mode() != Mode::device) continue;
        for (const kiln::CompileOptions& compile :
             {kiln::CompileOptions{}, kiln::CompileOptions{.contract = true}, kiln::CompileOptions{.fast_math = true}}) {
          const Ufunc body = kiln::vectorize({.name = each.name,
                                              .signatures = {std::string(name(dtype)) + "(uint64 k)"},
                                              .expression = each.name + "<" + std::string(name(dtype)) + ">(7, k)",
                                              .compile = compile});
          const Array got = target.fetch(target.call(body, {target.place(first_integers(4096))}));
          CHECK(hash_of(got) == hash_of(whole[{kiln::Slice{0, 4096}}].copy()));
        }
      }
    }
    for (const auto& [mean, hash] : {std::pair{0.5, 17416405912824454434ULL},
                                     {15.5, 6211904293034457897ULL},
                                     {16.0, 2767327764652387816ULL},
                                     {1e3, 7686149749385476375ULL},
                                     {1e15, 8184192627842960119ULL}}) {
      CAPTURE(mean);
      const Array whole = kiln::random::poisson(mean, {500}, options_on(target, {.seed = 7}));
      CHECK(hash_of(target.fetch(whole)) == hash);
      const Array part = kiln::random::poisson(mean, {200}, options_on(target, {.seed = 7, .offset = 300}));
      CHECK(hash_of(target.fetch(part)) == hash_of(target.fetch(whole)[{kiln::Slice{300, 500}}].copy()));
    }
  });
}

TEST_CASE("random: numbers are functions of the words") {
  constexpr std::int64_t kBlocks = 1000;
  const Ufunc philox =
      kiln::vectorize({.name = "words", .signatures = {"uint32(uint64 k)"}, .expression = "philox(11, k / 4)[index(k % 4)]"});
  const std::vector<std::uint32_t> words = philox(first_integers(4 * kBlocks)).to_vector<std::uint32_t>();
  const auto whole = [&](std::size_t at) { return (words[at] >> 5) * 0x1p26L + (words[at + 1] >> 6); };
  const long double turn = 2 * std::acos(-1.0L);
  const kiln::random::Options single{.seed = 11, .dtype = DType::float32}, twice{.seed = 11};
  const Shape of_single{4 * kBlocks}, of_twice{2 * kBlocks};
  const auto uniforms = kiln::random::uniform(of_single, single).to_vector<float>();
  const auto normals = kiln::random::normal(of_single, single).to_vector<float>();
  const auto exponentials = kiln::random::exponential(of_single, single).to_vector<float>();
  for (std::size_t k = 0; k < words.size(); ++k) {
    CAPTURE(k);
    CHECK(uniforms[k] == static_cast<float>(words[k] >> 8) * 0x1p-24F);
    const long double above = (words[k] + 1.0L) * 0x1p-32L, first = (words[k & ~1ULL] + 1.0L) * 0x1p-32L;
    CHECK(exponentials[k] == doctest::Approx(static_cast<double>(-std::log(above))).epsilon(4e-7).scale(1));
    const long double angle = words[k | 1] * 0x1p-32L * turn;
    const long double want = std::sqrt(-2 * std::log(first)) * (k % 2 == 0 ? std::cos(angle) : std::sin(angle));
    CHECK(normals[k] == doctest::Approx(static_cast<double>(want)).epsilon(1e-6).scale(1));
  }
  const auto uniforms_64 = kiln::random::uniform(of_twice, twice).to_vector<double>();
  const auto normals_64 = kiln::random::normal(of_twice, twice).to_vector<double>();
  const auto exponentials_64 = kiln::random::exponential(of_twice, twice).to_vector<double>();
  for (std::size_t k = 0; k < uniforms_64.size(); ++k) {
    CAPTURE(k);
    CHECK(uniforms_64[k] == static_cast<double>(whole(2 * k) * 0x1p-53L));
    const long double minus_log = -std::log((whole(2 * k) + 1) * 0x1p-53L);
    CHECK(exponentials_64[k] == doctest::Approx(static_cast<double>(minus_log)).epsilon(1e-15).scale(0));
    const std::size_t block = k & ~std::size_t(1);
    const long double angle = whole(2 * block + 2) * 0x1p-53L * turn;
    const long double size = std::sqrt(-2 * std::log((whole(2 * block) + 1) * 0x1p-53L));
    const long double want = size * (k % 2 == 0 ? std::cos(angle) : std::sin(angle));
    CHECK(normals_64[k] == doctest::Approx(static_cast<double>(want)).epsilon(2e-15).scale(1));
  }
}

TEST_CASE("random: numbers at the ends of the words") {
  // All words 0, and all words 2^32 - 1.
  const Ufunc ends = kiln::vectorize({.name = "ends", .signatures = {"float64(uint32 word, int32 which)"}, .body = R"(
      const random_bits bits{word, word, word, word};
      const random_bits least_first{word, 0, word, 0};
      const float64 all[] = {uniform(bits), uniform<float32>(bits), exponential(bits), exponential<float32>(bits), normal(bits),
                             normal<float32>(least_first), normal(bits, 1), normal<float32>(bits, 3)};
      return all[which];)"});
  on_every_device([&](const Target& target) {
    const auto all = [&](std::uint32_t word) {
      const Array which = Array::from(std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
      return list_of(target.fetch(target.call(ends, {target.place(Array::full({8}, word)), target.place(which)})));
    };
    const std::vector<double> least = all(0), most = all(0xffffffff);
    CHECK((least[0] == 0 && least[1] == 0));
    CHECK(least[2] == doctest::Approx(53 * std::log(2)).epsilon(1e-15));
    CHECK(least[3] == doctest::Approx(32 * std::log(2)).epsilon(1e-7));
    CHECK(least[4] == doctest::Approx(std::sqrt(106 * std::log(2))).epsilon(1e-15));
    CHECK(least[5] == doctest::Approx(std::sqrt(64 * std::log(2))).epsilon(1e-7));
    CHECK(most[0] == 1 - 0x1p-53);
    CHECK(most[1] == 1 - 0x1p-24);
    for (std::size_t i = 2; i < 8; ++i) CHECK(most[i] == 0);
    CHECK_FALSE((std::signbit(most[2]) || std::signbit(most[3])));
  });
}

TEST_CASE("random: moments and distributions") {
  constexpr std::int64_t kMany = 400'000;
  struct Exact {
    const Distribution& distribution;
    std::function<double(double)> cumulative;
    Moments moments;
  };
  const Exact exact[] = {{kDistributions[0], [](double x) { return x; }, {0.5, 1.0 / 12, 0, 1.8, 0}},
                         {kDistributions[1], [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }, {0, 1, 0, 3, 0}},
                         {kDistributions[2], [](double x) { return -std::expm1(-x); }, {1, 1, 2, 9, 0}}};
  for (const Exact& each : exact) {
    CAPTURE(each.distribution.name);
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const std::uint64_t seed : {0ULL, 1ULL, 0x123456789abcdefULL}) {
        const std::vector<double> values = list_of(each.distribution.make({kMany}, {.seed = seed, .dtype = dtype}));
        const Moments got = moments_of(values);
        CHECK(std::abs(got.mean - each.moments.mean) < 0.007);
        CHECK(std::abs(got.variance - each.moments.variance) < 0.02);
        CHECK(std::abs(got.skewness - each.moments.skewness) < 0.06);
        CHECK(std::abs(got.kurtosis - each.moments.kurtosis) < 0.7);
        CHECK(std::abs(got.correlation) < 0.006);
        CHECK(kolmogorov_smirnov(values, each.cumulative) < 1.95);  // 1 of 1000
      }
    }
  }
}

TEST_CASE("random: Poisson's distribution") {
  constexpr std::int64_t kMany = 200'000;
  for (const double mean : {0.01, 1.0, 7.0, 15.9, 16.0, 40.0, 1000.0}) {
    CAPTURE(mean);
    for (const DType dtype : {DType::int32, DType::int64}) {
      const std::vector<double> values = list_of(kiln::random::poisson(mean, {kMany}, {.seed = 5, .dtype = dtype}));
      std::vector<double> seen(static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 12));
      for (const double k : values) seen.at(static_cast<std::size_t>(k)) += 1.0 / kMany;
      double off = 0, worst = 0;  // of the cumulative distributions
      for (std::size_t k = 0; k < seen.size(); ++k) {
        const auto count = static_cast<double>(k);
        off += seen[k] - std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
        worst = std::max(worst, std::abs(off));
      }
      CHECK(worst * std::sqrt(kMany) < 1.95);
    }
  }
  for (const double mean : {1e6, 1e12, 1e17}) {
    std::vector<double> values = list_of(kiln::random::poisson(mean, {kMany}, {.seed = 5}));
    for (double& k : values) k = (k - mean) / std::sqrt(mean);
    CHECK(kolmogorov_smirnov(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }) < 1.95);
  }
  CHECK(list_of(kiln::random::poisson(0, {3})) == std::vector<double>{0, 0, 0});
  const Ufunc body =
      kiln::vectorize({.name = "arrivals", .signatures = {"int64(float64 mean)"}, .expression = "poisson(1, 2, mean)"});
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK(list_of(body(Array::from(std::vector<double>{-1, nan, infinity}))) == std::vector<double>{-1, -1, -1});
}

TEST_CASE("random: shapes, dtypes and devices") {
  CHECK(kiln::random::uniform({2, 3}).shape() == Shape{2, 3});
  CHECK(kiln::random::uniform({2, 3}).dtype() == DType::float64);
  CHECK(kiln::random::uniform({}).shape() == Shape{});
  CHECK(kiln::random::normal({0, 3}, {.dtype = DType::float32}).size() == 0);
  CHECK(kiln::random::poisson(1, {0}).dtype() == DType::int64);
  CHECK(kiln::random::uniform({2}).is_host());
  CHECK(list_of(kiln::random::uniform({6})) == list_of(kiln::random::uniform({2, 3}).reshape({6})));
  CHECK(list_of(kiln::random::uniform({6})) != list_of(kiln::random::uniform({6}, {.seed = 1})));
  // Sequences go on beyond 2^64.
  const std::vector<double> around = list_of(kiln::random::uniform({4}, {.offset = kOnes - 1}));
  CHECK(around[2] == list_of(kiln::random::uniform({1}))[0]);
  on_every_device([&](const Target& target) {
    const Array made = kiln::random::normal({5}, options_on(target, {}));
    CHECK(made.device() == (target.mode() == Mode::host ? kiln::Device::cpu() : target.device()));
  });
}

TEST_CASE("random: arrays that are given") {
  using kiln::Slice;
  on_every_device([&](const Target& target) {
    const auto filled = [&](const Array& out, const std::string& name, kiln::random::Options options) {
      options.out = out;
      options.stream = target.options().stream;
      Array result = name == "poisson"   ? kiln::random::poisson(20.5, out.shape(), options)
                     : name == "normal"  ? kiln::random::normal(out.shape(), options)
                     : name == "uniform" ? kiln::random::uniform(out.shape(), options)
                                         : kiln::random::exponential(out.shape(), options);
      CHECK(result.data() == out.data());
      return target.fetch(result).copy();
    };
    for (const std::string name : {"uniform", "normal", "exponential", "poisson"}) {
      CAPTURE(name);
      for (const bool small : {true, false}) {
        const DType dtype = name == "poisson" ? small ? DType::int32 : DType::int64 : small ? DType::float32 : DType::float64;
        CAPTURE(std::string(kiln::name(dtype)));
        const kiln::random::Options options{.seed = 7, .offset = 3};
        const auto zeros = [&](const Shape& shape) { return target.place(Array::zeros(shape, dtype)); };
        const Array packed = filled(zeros({4, 6}), name, options);
        CHECK(packed.dtype() == dtype);
        const std::uint64_t expected = hash_of(packed);
        if (name == "uniform")
          CHECK(expected == hash_of(kiln::random::uniform({4, 6}, {.seed = 7, .offset = 3, .dtype = dtype})));
        CHECK(hash_of(filled(zeros({6, 4}).T(), name, options)) == expected);
        CHECK(hash_of(filled(zeros({4, 6})[{Slice{.step = -1}, Slice{.step = -1}}], name, options)) == expected);
        CHECK(filled(zeros({0, 2}), name, options).size() == 0);
        // What lies between the elements stays.
        const Array around = zeros({4, 14});
        CHECK(hash_of(filled(around[{kiln::all, Slice{1, 13, 2}}], name, options)) == expected);
        const Array whole = target.fetch(around).copy();
        CHECK(hash_of(whole[{kiln::all, Slice{1, 13, 2}}].copy()) == expected);
        for (const Slice& other : {Slice{0, 14, 2}, Slice{13, 14}}) {
          CHECK(hash_of(whole[{kiln::all, other}].copy()) == hash_of(Array::zeros(whole[{kiln::all, other}].shape(), dtype)));
        }
      }
    }
  });
}

TEST_CASE("random: errors say what is wrong") {
  const Array out = Array::zeros({2, 3}, DType::float32);
  CHECK(message_of([&] { (void)kiln::random::normal({6}, {.out = out}); }) ==
        "random::normal: .out has shape (2, 3), the result has shape (6,); .out is never broadcast");
  CHECK(message_of([&] { (void)kiln::random::normal({2, 3}, {.dtype = DType::float64, .out = out}); }) ==
        "random::normal: .dtype is float64, and .out is float32; give an .out of that dtype");
  CHECK(message_of([&] { (void)kiln::random::uniform({2, 3}, {.out = out.as_read_only()}); }) ==
        "random::uniform: .out is read-only; give a writable array as .out");
  CHECK(message_of([&] { (void)kiln::random::poisson(1, {2, 3}, {.out = out}); }) ==
        "random::poisson: .out is float32, and the numbers are int32 or int64: give an .out of one of these");
  CHECK(message_of([&] {
          (void)kiln::random::uniform({2, 3, 3}, {.out = out.reshape({2, 3, 1}).broadcast_to({2, 3, 3})});
        }).find("read-only") != std::string::npos);
  const Array twice = Array::view(out.data(), {3, 2}, DType::float32, {.strides = kiln::Strides{4, 4}});
  CHECK(message_of([&] { (void)kiln::random::uniform({3, 2}, {.out = twice}); }) ==
        "random::uniform: elements of .out share memory with one another; give an .out whose elements are distinct");

  CHECK(message_of([] { (void)kiln::random::normal({2}, {.dtype = DType::float16}); }) ==
        "random::normal: .dtype is float16, and the numbers are float32 or float64: convert them with astype()");
  CHECK(message_of([] { (void)kiln::random::poisson(1, {2}, {.dtype = DType::float64}); }) ==
        "random::poisson: .dtype is float64, and the numbers are int32 or int64: convert them with astype()");
  CHECK(message_of([] { (void)kiln::random::poisson(-1, {2}); }) ==
        "random::poisson: the mean is -1, and has to be from 0 to 2^60 for int64");
  CHECK(message_of([] { (void)kiln::random::poisson(std::nan(""), {2}, {.dtype = DType::int32}); }) ==
        "random::poisson: the mean is nan, and has to be from 0 to 2^30 for int32");
  CHECK(message_of([] { (void)kiln::random::uniform({-1}); }).find("-1") != std::string::npos);
}
