// Definitions of raw kernels, and the form in which a launch runs. Nothing is compiled.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

namespace {

using kiln::Array;
using kiln::Device;
using kiln::DType;

const std::string kSignature = "void(const float32[:] x, float32[:] y)";

kiln::RawKernel scale() {
  return kiln::kernel({.name = "scale", .signature = kSignature, .body = "y(item) = 2 * x(item);"});
}

}  // namespace

TEST_CASE("raw: a launch runs by items or by blocks") {
  const Array x = Array::zeros({8}, DType::float32);
  const Array y = Array::zeros({8}, DType::float32);
  const auto form = [&](const kiln::LaunchOptions& options) { return scale().resolve(options, x, y).variant; };
  CHECK(form({.size = 8, .device = Device::cpu()}) == "items");
  CHECK(form({.grid = 2, .block = 4, .device = Device::cpu()}) == "blocks");
  CHECK(form({.grid = 8, .device = Device::cpu()}) == "single");
}

TEST_CASE("raw: arguments are held to the signature") {
  const Array x = Array::zeros({8}, DType::float32);
  const kiln::LaunchOptions options{.size = 8, .device = Device::cpu()};
  const auto error = [&](const Array& given) -> std::string {
    try {
      static_cast<void>(scale().resolve(options, x, given));
    } catch (const kiln::Error& e) {
      return e.what();
    }
    return "taken";
  };
  CHECK(error(Array::zeros({8}, DType::float32)) == "taken");
  CHECK(error(Array::zeros({8}, DType::float64)) ==
        "scale: argument 1 (y) is float64, and the parameter float32; raw kernels cast no arrays: give astype(DType::float32)");
  CHECK(error(Array::zeros({2, 4}, DType::float32)) ==
        "scale: argument 1 (y) has shape (2, 4), and the parameter 1 dimension; declare float32[:,:] y, or float32* y for "
        "elements "
        "in C order, or give a reshape()");
}

TEST_CASE("raw: an empty handle is a TypeError") {
  CHECK_FALSE(kiln::RawKernel().valid());
  CHECK_THROWS_AS(kiln::RawKernel().launch({}, {}), kiln::TypeError);
}
