// The caller's rounding mode, its treatment of subnormal numbers and its traps have no say in what calls compute, and are as
// they were afterwards.
#include <array>
#include <cfenv>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "devices.hpp"
#include "kiln/fuse.hpp"
#include "kiln/graph.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Device;
using kiln::DType;

namespace {

/// What a program may have set for its own thread.
struct Environment {
  std::string name;
  std::function<void()> set;
};

std::vector<Environment> environments() {
  std::vector<Environment> all;
  all.push_back({"rounding up", [] { std::fesetround(FE_UPWARD); }});
  all.push_back({"rounding towards zero", [] { std::fesetround(FE_TOWARDZERO); }});
#if defined(__x86_64__)
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kSubnormalsAreZero = 0x0040;
  all.push_back({"subnormal numbers as zeros", [] { _mm_setcsr(_mm_getcsr() | kFlushToZero | kSubnormalsAreZero); }});
  constexpr unsigned kMasks = 0x0680;  // of invalid operations, divisions by zero and overflows
  all.push_back({"traps", [] { _mm_setcsr(_mm_getcsr() & ~kMasks); }});
#endif
  return all;
}

/// The control bits of the thread.
std::vector<int> controls() {
#if defined(__x86_64__)
  constexpr unsigned kControls = 0xffc0;
  return {std::fegetround(), static_cast<int>(_mm_getcsr() & kControls)};
#else
  return {std::fegetround()};
#endif
}

using Bytes = std::vector<unsigned char>;

Bytes bytes_of(const Array& host) {
  const Array packed = host.copy();
  const auto* const first = static_cast<const unsigned char*>(packed.data());
  return {first, first + packed.nbytes()};
}

Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

template <class T>
Bytes bytes_of_value(T value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

constexpr std::int64_t kMany = 1 << 18;  // enough for several threads
constexpr std::int64_t kFew = 1 << 12;   // where a device is emulated

Array thirds(std::int64_t size = kMany) {
  std::vector<float> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) / 3 + 0.1F;
  return Array::from(values);
}

Array subnormals(std::int64_t size = kMany) {
  std::vector<float> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1000) * std::numeric_limits<float>::denorm_min();
  }
  return Array::from(values);
}

/// A value of each kind of call, by name.
std::map<std::string, Bytes> computed(const Device& device, const Array& x, const Array& tiny) {
  std::map<std::string, Bytes> all;
  const auto keep = [&](const std::string& name, const Array& result) { all[name] = bytes_of(result.copy_to_host()); };
  const std::int64_t size = x.size();
  const Array a = to_device(x, device);
  const Array small = to_device(tiny, device);
  // Compiled in the caller's environment.
  const kiln::Ufunc scale = kiln::vectorize({.name = "scale",
                                             .signatures = {"float32(float32 a)"},
                                             .body = unique_comment() + "return a * 0.1f / 3 + sin(0.7f) * exp(-100.0f);"});
  const kiln::Ufunc plus =
      kiln::vectorize({.name = "plus", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  keep("ufunc", scale(a));
  keep("ufunc of subnormal numbers", plus(small, small));
  keep("scalars", plus(a, 0.1));
  keep("reduce", plus.reduce(a));
  keep("reduce of subnormal numbers", plus.reduce(small));
  keep("reduce along an axis", plus.reduce(a.reshape({size / 64, 64}), {.axis = 1}));
  keep("accumulate", plus.accumulate(a));
  const Array at = to_device(x.copy(), device);
  std::vector<std::int64_t> each(1000);
  std::iota(each.begin(), each.end(), 0);
  plus.at(at, Array::from(each), 0.1F);
  keep("at", at);
  keep("gufunc",
       kiln::guvectorize("(n)->()", "void(float32[:] x, float32 r)",
                         "float32 s = 0; for (index i = 0; i < n; ++i) s += x(i) / 3; r = s;")(a.reshape({size / 64, 64})));
  const Array raw = to_device(Array::zeros({size}, DType::float32), device);
  kiln::kernel({.name = "divide", .signature = "void(const float32* x, float32* y)", .body = "y[item] = x[item] / 7;"})(
      {.size = size}, a, raw);
  keep("raw kernel", raw);
  keep("fused", kiln::fuse("f", [](const kiln::Expr& e) { return (e + 0.1) / 3.0 - 0.7; })(a));
  keep("reduction", kiln::reduction(scale, plus)(a));
  kiln::Stream stream(device);
  keep("stream", [&] {
    const Array result = scale({a}, {.stream = stream});
    stream.synchronize();
    return result;
  }());
  const Array target = to_device(Array::zeros({size}, DType::float32), device);
  const kiln::Graph graph = kiln::capture(stream, [&] { scale({a}, {.out = target, .stream = stream}); });
  graph.launch();
  stream.synchronize();
  keep("graph", target);
  return all;
}

std::map<std::string, Bytes> converted(const Array& x, const Array& tiny) {
  std::map<std::string, Bytes> all;
  const Array wide = Array::from<double>({0.1, -0.1, 1e-40, 1e-7, 2049.0 / 2048});
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
    all["astype " + std::string(name(dtype))] = bytes_of(wide.astype(dtype));
  }
  all["half to float"] = bytes_of_value(static_cast<float>(kiln::float16::from_bits(1)));
  all["float16"] = bytes_of_value(kiln::float16(0.1));
  all["bfloat16"] = bytes_of_value(kiln::bfloat16(1e-40));
  const Array filled = Array::zeros({4}, DType::float32);
  filled.fill(0.1);
  all["fill"] = bytes_of(filled);
  all["item"] = bytes_of_value(tiny[{kiln::Index(3)}].item<double>());
  all["text"] = bytes_of(to_string(x[{kiln::Slice{0, 8}}]) + to_string(tiny[{kiln::Slice{0, 8}}]));
  return all;
}

template <class Call>
void check_everywhere(const Call& call) {
  const auto expected = call();
  for (const Environment& environment : environments()) {
    INFO(environment.name);
    std::fenv_t before;
    std::fegetenv(&before);
    environment.set();
    const std::vector<int> set = controls();
    std::remove_cvref_t<decltype(expected)> got;
    std::string failure;
    try {
      got = call();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const std::vector<int> after = controls();
    std::fesetenv(&before);
    CHECK(failure == "");
    CHECK(after == set);
    for (const auto& [name, bytes] : expected) {
      INFO(name);
      const bool same = got[name] == bytes;
      CHECK(same);
    }
  }
}

}  // namespace

TEST_CASE("float environment: the caller's has no say in what calls compute") {
  std::vector<Device> all = devices();
  if (has_cpu()) {
    all.push_back(Device::cpu({.threads = 1}));
    all.push_back(Device::cpu({.threads = 4}));
  }
  count_case();
  for (const Device& device : all) {
    const std::string where = to_string(device);
    INFO(where);
    const std::int64_t size = device.is_cpu() ? kMany : kFew;
    check_everywhere([&, x = thirds(size), tiny = subnormals(size)] { return computed(device, x, tiny); });
  }
}

TEST_CASE("float environment: the caller's has no say in conversions and texts of the host") {
  check_everywhere([x = thirds(), tiny = subnormals()] { return converted(x, tiny); });
}

TEST_CASE("float environment: workers that a thread with another one started compute as all do") {
  if (!has_cpu()) return;
  const Array x = thirds();
  const kiln::Ufunc sum = kiln::vectorize({.name = "sum",
                                           .signatures = {"float32(float32 a, float32 b)"},
                                           .body = unique_comment() + "return a + b;",
                                           .identity = "0"});
  const auto values = [&](const Device& device) { return bytes_of(sum.accumulate(to_device(x, device)).copy_to_host()); };
  const Bytes expected = values(Device::cpu({.threads = 1}));
  const Device device = Device::cpu({.threads = 3});  // whose threads nobody has started
  Bytes first;
  std::thread starter([&] {
    std::fesetround(FE_UPWARD);
    first = values(device);
  });
  starter.join();
  const bool same = first == expected;
  CHECK(same);
  const bool still_same = values(device) == expected;
  CHECK(still_same);
}
