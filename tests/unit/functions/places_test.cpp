// Indices in and out of range, in each mode.
#include "functions/places.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/message.hpp"

using kiln::Array;
using kiln::IndexMode;
using kiln::functions::checked_places;
using kiln::test::message_of;

namespace {

std::vector<std::int64_t> places(const Array& indices, std::int64_t extent, IndexMode mode) {
  return checked_places("f", indices, extent, mode).to_vector<std::int64_t>();
}

using List = std::vector<std::int64_t>;

/// Returns whether the error says that much.
bool refuses(const Array& indices, std::int64_t extent, IndexMode mode, std::string_view words) {
  const std::string message = message_of([&] { static_cast<void>(places(indices, extent, mode)); });
  CAPTURE(message);
  return message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("indices in range stay, negative ones too") {
  CHECK(places(Array::from<std::int8_t>({0, 2, -3}), 3, IndexMode::raise) == List{0, 2, -3});
  CHECK(places(Array::from<std::uint64_t>({2}), 3, IndexMode::raise) == List{2});
  CHECK(places(Array::from<int>({}), 0, IndexMode::raise).empty());
}

TEST_CASE("indices out of range") {
  const Array indices = Array::from({-7, -1, 0, 3, 10});
  CHECK(places(indices, 3, IndexMode::wrap) == List{2, 2, 0, 0, 1});
  CHECK(places(indices, 3, IndexMode::clip) == List{0, 0, 0, 2, 2});
  CHECK(refuses(indices, 3, IndexMode::raise, "index -7 "));
  CHECK(refuses(Array::from({3}), 3, IndexMode::raise, "index 3 "));
  CHECK(refuses(Array::from({-4}), 3, IndexMode::raise, "index -4 "));
  CHECK(refuses(Array::from<std::uint64_t>({std::uint64_t{1} << 63}), 3, IndexMode::raise, "index 9223372036854775808 "));
  for (const IndexMode mode : {IndexMode::raise, IndexMode::wrap, IndexMode::clip}) {
    CHECK(refuses(indices, 0, mode, mode == IndexMode::raise ? "extent 0" : "an axis without elements"));
  }
  CHECK(refuses(Array::from({1.0}), 3, IndexMode::raise, "float64"));
  CHECK(refuses(Array::from({true}), 3, IndexMode::clip, "bool"));
}
