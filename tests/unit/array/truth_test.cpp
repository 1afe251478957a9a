// The truth of arrays on the host: one element, all, any; and handles, which have no truth.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "../types/golden.hpp"
#include "base/have_cpu.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "kiln/graph.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/reduction.hpp"

using namespace kiln;
using golden::message_of;

static_assert(std::is_constructible_v<bool, Array> && !std::is_convertible_v<Array, bool>);
static_assert(!std::is_constructible_v<bool, Ufunc> && !std::is_constructible_v<bool, Gufunc>);
static_assert(!std::is_constructible_v<bool, Reduction> && !std::is_constructible_v<bool, RawKernel>);
static_assert(!std::is_constructible_v<bool, Graph> && !std::is_constructible_v<bool, Event>);
static_assert(!std::is_constructible_v<bool, Stream> && !std::is_constructible_v<bool, Expr>);

namespace {

/// An array of zeros of that layout, but for one element.
struct Case {
  Array base;
  Array seen;
};
std::vector<Case> layouts(DType dtype) {
  std::vector<Case> cases;
  const auto add = [&](const Shape& shape, auto view) {
    const Array base = Array::zeros(shape, dtype);
    cases.push_back({base, view(base)});
  };
  add({3, 5}, [](const Array& a) { return a; });
  add({3, 5}, [](const Array& a) { return a.transpose(); });
  add({6, 5}, [](const Array& a) { return a[{Slice{.step = -2}, Slice{1, 4}}]; });
  add({5, 4, 3}, [](const Array& a) { return a[{Slice{1, 4}, Slice{.step = 3}, Slice{.step = -1}}]; });
  add({10000}, [](const Array& a) { return a; });
  add({2, 9001}, [](const Array& a) { return a[{1, Slice{.step = -2}}]; });
  add({}, [](const Array& a) { return a; });
  return cases;
}

}  // namespace

TEST_CASE("truth: of one element, whatever its axes") {
  CHECK(static_cast<bool>(Array::scalar(2)));
  CHECK_FALSE(static_cast<bool>(Array::scalar(0)));
  CHECK(static_cast<bool>(Array::from<double>({-0.5}, Shape{1, 1})));
  CHECK_FALSE(static_cast<bool>(Array::scalar(-0.0)));
  CHECK(static_cast<bool>(Array::scalar(std::nan(""))));
  CHECK(static_cast<bool>(Array::scalar(std::complex<float>(0, 1))));
  CHECK_FALSE(static_cast<bool>(Array::scalar(std::complex<float>(0, -0.0F))));
  CHECK_FALSE(static_cast<bool>(Array::scalar(float16(-0.0F))));
  CHECK(static_cast<bool>(Array::scalar(float16(6e-8F))));
  CHECK(static_cast<bool>(Array::scalar(bfloat16(1.0F))));
  CHECK(static_cast<bool>(Array::from<int>({0, 3})[1]));
  CHECK(!Array::scalar(false));
  if (Array::scalar(0) || !Array::scalar(1)) FAIL("operators of C++ ask the elements");
}

TEST_CASE("truth: of several elements, of none and of an empty handle is an error") {
  const auto truth = [](const Array& a) { return [a] { (void)static_cast<bool>(a); }; };
  CHECK(message_of<ShapeError>(truth(Array::zeros({2, 3}, DType::bool_))) ==
        "the truth of an array of shape (2, 3), of several elements, is ambiguous: ask all() or any()");
  CHECK(message_of<ShapeError>(truth(Array::zeros({0}, DType::bool_))) ==
        "the truth of an array of shape (0,), of no elements, is ambiguous: ask all() or any(), or size()");
  CHECK(message_of<TypeError>(truth(Array())) ==
        "the truth of an empty Array handle was asked: valid() says whether there is an array");
  CHECK(message_of<TypeError>([] { (void)Array().all(); }) == "an empty Array handle was used: make or assign an array first");
}

TEST_CASE("truth: all and any, of every dtype and layout, and each place of the element that counts") {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    for (const auto& [base, seen] : layouts(dtype)) {
      CAPTURE(name(dtype));
      CAPTURE(seen.shape());
      CHECK_FALSE(seen.any());
      CHECK_FALSE(seen.all());
      const std::vector<Index> last(seen.shape().size(), Index(-1));
      const std::vector<Index> first(seen.shape().size(), Index(0));
      for (const auto& place : {first, last}) {
        base.fill(false);
        seen.slice(place).fill(true);
        CHECK(seen.any());
        CHECK(seen.all() == (seen.size() == 1));
        base.fill(true);
        seen.slice(place).fill(false);
        CHECK(seen.any() == (seen.size() != 1));
        CHECK_FALSE(seen.all());
      }
      base.fill(false);
      seen.fill(true);
      CHECK(seen.all());
      base.fill(true);
      seen.fill(false);
      CHECK_FALSE(seen.any());
    }
  }
  CHECK(Array::zeros({3, 0}, DType::float32).all());
  CHECK_FALSE(Array::zeros({3, 0}, DType::float32).any());
  CHECK(Array::from<int>({0, 3}).broadcast_to({1000000, 1000000, 2}).any());
}

TEST_CASE("truth: a bool is any byte but 0") {
  const unsigned char bytes[] = {2, 255, 1};
  const Array a = Array::view(const_cast<unsigned char*>(bytes), {3}, DType::bool_, {});
  CHECK(a.all());
  CHECK(static_cast<bool>(a[0]));
}

TEST_CASE("handles: an empty one is not valid, whatever it is a handle on") {
  CHECK_FALSE(Array().valid());
  CHECK(Array::scalar(0).valid());
  CHECK_FALSE(Ufunc().valid());
  CHECK(vectorize("float32 f(float32 a) = a").valid());
  CHECK_FALSE(Gufunc().valid());
  CHECK_FALSE(Reduction().valid());
  CHECK_FALSE(RawKernel().valid());
  CHECK_FALSE(Graph().valid());
  CHECK_FALSE(Expr().valid());
  CHECK(Expr(1).valid());
  if (!KILN_HAVE_CPU) return;  // an event is a device's
  Event event(Device::cpu());
  CHECK(event.valid());
  const Event moved = std::move(event);
  CHECK(moved.valid());
  // NOLINTBEGIN(bugprone-use-after-move): what a handle is that was moved from, is the question
  CHECK_FALSE(event.valid());
  const std::string text = "an Event that was moved from was used: assign another one first";
  CHECK(message_of<TypeError>([&] { event.record(); }) == text);
  CHECK(message_of<TypeError>([&] { (void)event.done(); }) == text);
  CHECK(message_of<TypeError>([&] { event.synchronize(); }) == text);
  CHECK(message_of<TypeError>([&] { (void)moved.elapsed_ms(event); }) == text);
  CHECK(message_of<TypeError>([&] { Stream().wait(event); }) == text);
  // NOLINTEND(bugprone-use-after-move)
}
