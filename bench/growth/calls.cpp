// What is looked up and laid out for a call.
#include <cstdint>

#include "base/table.hpp"
#include "growth/curve.hpp"
#include "kiln/array.hpp"
#include "kiln/math.hpp"

namespace growth {
namespace {

using kiln::Array;
using kiln::CallOptions;
using kiln::Device;
using kiln::DType;
using kiln::Slice;

constexpr int kCalls = 2000;

/// A call for the pair of dtypes that was called first, and one for the last, where as many pairs have been called.
void add_pairs(Effort effort, std::vector<Curve>& curves) {
  std::vector<DType> dtypes{DType::int8,    DType::int16,     DType::int32,     DType::int64,   DType::uint8,
                            DType::uint16,  DType::uint32,    DType::uint64,    DType::float16, DType::float32,
                            DType::float64, DType::complex64, DType::complex128};
  if (effort == Effort::check) dtypes.resize(5);
  std::vector<Array> arrays;
  for (const DType dtype : dtypes) arrays.push_back(kiln::to_device(Array::zeros({1}, dtype), Device::cpu()));
  const CallOptions into{.out = kiln::to_device(Array::zeros({1}, DType::complex128), Device::cpu())};
  Curve first{.name = "a call for the dtypes that were called first", .of = "pairs of dtypes", .unit = "ns", .most = 0.3};
  Curve last{.name = "a call for the dtypes that were called last", .of = "pairs of dtypes", .unit = "ns", .most = 0.3};
  const auto call = [&](std::size_t pair) {
    kiln::math::add(arrays[pair / arrays.size()], arrays[pair % arrays.size()], into);
  };
  std::size_t called = 0;
  for (const std::size_t pairs : {1U, 5U, 25U, 80U, 169U}) {
    if (pairs > arrays.size() * arrays.size()) break;
    while (called < pairs) call(called++);
    first.points.push_back({double(pairs), least_ns(kCalls, [&] { call(0); })});
    last.points.push_back({double(pairs), least_ns(kCalls, [&] { call(called - 1); })});
  }
  curves.push_back(first);
  curves.push_back(last);
}

struct Number {
  std::uint64_t value = 0;
  friend bool operator==(const Number&, const Number&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return kiln::base::KeyHash().add(value).value(); }
};

Curve table(Effort effort) {
  Curve curve{.name = "a look-up in a table", .of = "keys", .unit = "ns", .most = 0.5};
  for (const int keys : up_to({1, 10, 100, 1'000, 10'000, 100'000}, effort == Effort::check ? 1'000 : 100'000)) {
    kiln::base::Table<Number, int> table;
    for (int i = 0; i < keys; ++i) table.add({static_cast<std::uint64_t>(i)}, i);
    std::uint64_t next = 0;
    int sum = 0;
    curve.points.push_back({double(keys), least_ns(20'000, [&] {
                              sum += *table.find({next});
                              next = next + 1 < static_cast<std::uint64_t>(keys) ? next + 1 : 0;
                            })});
    if (sum < 0) std::abort();
  }
  return curve;
}

/// A call on rows with gaps between them.
Curve ones() {
  Curve curve{.name = "a strided call", .of = "axes, all but two of extent 1", .unit = "ns", .most = 0.25};
  const Array whole = kiln::to_device(Array::full({16, 16}, 1.0F), Device::cpu());
  const Array result = kiln::to_device(Array::full({8, 16}, 1.0F), Device::cpu());
  for (const int axes : {2, 3, 4, 8, 16, 32}) {
    kiln::Shape shape{8};
    for (int i = 2; i < axes; ++i) shape.push_back(1);
    shape.push_back(8);
    const Array a = whole[{Slice{0, 16, 2}, Slice{0, 8}}].reshape(shape);
    const CallOptions into{.out = result[{kiln::all, Slice{0, 8}}].reshape(shape)};
    curve.points.push_back({double(axes), least_ns(kCalls, [&] { kiln::math::add(a, a, into); })});
  }
  return curve;
}

}  // namespace

std::vector<Curve> call_curves(Effort effort) {
  std::vector<Curve> curves;
  add_pairs(effort, curves);
  curves.push_back(table(effort));
  curves.push_back(ones());
  return curves;
}

}  // namespace growth
