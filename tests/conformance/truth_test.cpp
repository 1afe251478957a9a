// The truth of arrays wherever they are: one element, all and any.
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "kiln/operators.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::ShapeError;
using kiln::Slice;

namespace {

constexpr std::initializer_list<Mode> kHostAndDevice = {Mode::host, Mode::device};

}  // namespace

TEST_CASE("truth: comparisons ask all elements or any") {
  on_every_device(
      [&](const Target& target) {
        // Few elements, and more than a GPU's are fetched for.
        for (const std::int64_t n : {1, 5, 100000}) {
          CAPTURE(n);
          const Array host = Array::zeros({n}, DType::float32);
          host[n - 1] = 2.0F;
          const Array a = target.place(host);
          const Array b = target.place(Array::full<float>({n}, 2));
          CHECK((a == a).all());
          CHECK((a == b).any());
          CHECK((a == b).all() == (n == 1));
          CHECK_FALSE((a > b).any());
          CHECK(a.any());
          CHECK(b.all());
          CHECK(b[Slice{.step = -3}].all());
          CHECK(a[Slice{.step = 7}].any() == ((n - 1) % 7 == 0));
          CHECK(b[{Slice{0, 1}}].broadcast_to({300, n}).all());
          CHECK_FALSE(kiln::math::subtract(a, a).any());
        }
        const Array none = target.place(Array::zeros({0, 4}, DType::int64));
        CHECK(none.all());
        CHECK_FALSE(none.any());
      },
      kHostAndDevice);
}

TEST_CASE("truth: of one element in conditions, of several an error") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::from<double>({0, 0.25, NAN}));
        const auto truth = [](const Array& array) -> std::string { return array ? "yes" : "no"; };
        CHECK(truth(a[0]) == "no");
        CHECK(truth(a[1]) == "yes");
        CHECK(truth(a[{Slice{2, 3}}]) == "yes");
        CHECK(truth(a[1] == 0.25) == "yes");
        CHECK(truth(kiln::math::logical_and.reduce(a == a, {.axis = kiln::all_axes})) == "no");
        CHECK((!a[0] && a[1]));
        CHECK(message_of<ShapeError>([&] { truth(a == a); }) ==
              "the truth of an array of shape (3,), of several elements, is ambiguous: ask all() or any()");
      },
      kHostAndDevice);
}
