// What arrays take on the heap, and what it takes to make them.
#include <malloc.h>

#include "growth/curve.hpp"
#include "kiln/array.hpp"

namespace growth {
namespace {

using kiln::Array;
using kiln::DType;

double bytes_of(int count, const std::function<Array()>& make) {
  std::vector<Array> arrays(static_cast<std::size_t>(count));
  const std::size_t before = mallinfo2().uordblks;
  for (Array& array : arrays) array = make();
  return static_cast<double>(mallinfo2().uordblks - before);
}

}  // namespace

std::vector<Curve> array_curves(Effort effort) {
  const std::vector<int> counts = up_to({100, 1'000, 10'000, 100'000, 1'000'000}, effort == Effort::check ? 10'000 : 1'000'000);
  Curve heap{.name = "arrays of 16 bytes, on the heap", .of = "arrays", .unit = "bytes", .most = 1.05};
  for (const int count : counts) {
    heap.points.push_back({double(count), bytes_of(count, [] { return Array::empty({4}, DType::float32); })});
  }
  Curve made{.name = "Array::empty of 16 bytes", .of = "arrays alive", .unit = "ns", .most = 0.3};
  Curve views{.name = "Array::view", .of = "axes", .unit = "ns", .most = 1.2};
  for (const int count : counts) {
    std::vector<Array> alive(static_cast<std::size_t>(count));
    for (Array& array : alive) array = Array::empty({4}, DType::float32);
    made.points.push_back({double(count), least_ns(10'000, [] { static_cast<void>(Array::empty({4}, DType::float32)); })});
  }
  float value = 0;
  for (const int axes : {1, 2, 4, 8, 16, 32}) {
    const kiln::Shape shape(axes, 1);
    views.points.push_back({double(axes), least_ns(10'000, [&] { static_cast<void>(Array::view(&value, shape)); })});
  }
  return {heap, made, views};
}

}  // namespace growth
