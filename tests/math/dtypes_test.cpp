// Which loop the library takes for every combination of input dtypes, and which it refuses.
#include <doctest/doctest.h>

#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"

namespace {

std::string names(const std::vector<kiln::DType>& dtypes) {
  std::string text;
  for (const kiln::DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(kiln::name(dtype));
  return text;
}

}  // namespace

TEST_CASE("math: results have NumPy's dtypes") {
  std::size_t checked = 0;
  std::size_t refused = 0;
  for (const math_tests::Dtypes& golden : math_tests::dtypes()) {
    const kiln::Ufunc* const function = kiln::math::find(golden.function);
    REQUIRE_MESSAGE(function != nullptr, golden.function);
    REQUIRE(golden.inputs.size() == static_cast<std::size_t>(function->nin()));
    std::vector<kiln::Array> arrays;
    for (const kiln::DType dtype : golden.inputs) arrays.push_back(kiln::Array::empty({1}, dtype));
    try {
      const kiln::Resolution found = arrays.size() == 1   ? function->resolve({arrays[0]})
                                     : arrays.size() == 2 ? function->resolve({arrays[0], arrays[1]})
                                                          : function->resolve({arrays[0], arrays[1], arrays[2]});
      const std::vector<kiln::DType> outputs(found.dtypes.begin() + static_cast<std::ptrdiff_t>(arrays.size()),
                                             found.dtypes.end());
      CHECK_MESSAGE(outputs == golden.outputs, golden.function, "(", names(golden.inputs), ") gives ", names(outputs),
                    ", expected ", golden.outputs.empty() ? "an error" : names(golden.outputs));
    } catch (const kiln::TypeError& error) {
      CHECK_MESSAGE(golden.outputs.empty(), golden.function, "(", names(golden.inputs), "): ", error.what());
    }
    if (golden.outputs.empty()) ++refused;
    ++checked;
  }
  CHECK(checked > 7000);
  CHECK(refused > 1000);
}
