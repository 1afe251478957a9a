// More than 2^31 elements. Takes gigabytes: on a GPU that has them, elsewhere with KILN_TEST_BIG=1.
#include <unistd.h>

#include <cstdlib>

#include "devices.hpp"
#include "report.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Slice;
using kiln::Ufunc;

namespace {

constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;

bool wanted(const kiln::Device& device) {
  const char* asked = std::getenv("KILN_TEST_BIG");
  if (asked != nullptr && std::string(asked) == "1") return true;
  if (device.is_cpu()) return false;
  const std::int64_t host = static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return device.info().memory_bytes >= 16 * kGigabyte && host >= 8 * kGigabyte;
}

std::uint8_t element(std::int64_t i, std::int64_t j) {
  return static_cast<std::uint8_t>(31 * i + 7 * j);
}

}  // namespace

TEST_CASE("big: more than 2^31 elements, packed, broadcast and strided") {
  constexpr std::int64_t kRows = 65539;
  constexpr std::int64_t kColumns = 32771;  // 2^31 + 294969 elements
  const Ufunc table = kiln::vectorize("uint8(int64 i, int64 j)", "return uint8(31 * i + 7 * j);");
  const Ufunc next = kiln::vectorize("uint8(uint8 a)", "return a + 1;");
  bool any = false;
  on_every_device(
      [&](const Target& target) {
        if (!wanted(target.device())) return;
        any = true;
        std::vector<std::int64_t> counting(static_cast<std::size_t>(kRows));
        for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<std::int64_t>(i);
        const Array numbers = target.place(Array::from(counting));
        const Array column = numbers.reshape({kRows, 1});
        const Array row = numbers[{Slice{.stop = kColumns}}];
        const Array all = target.call(table, {column, row});
        REQUIRE(all.shape() == kiln::Shape{kRows, kColumns});
        const auto check = [&](const Array& host, std::int64_t step, int added) {
          const auto* values = host.as<const std::uint8_t>();
          std::int64_t wrong = 0;
          for (std::int64_t k = 0; k < host.size(); ++k) {
            const std::int64_t flat = k * step;
            wrong += values[k] == static_cast<std::uint8_t>(element(flat / kColumns, flat % kColumns) + added) ? 0 : 1;
          }
          CHECK(wrong == 0);
        };
        check(target.fetch(all), 1, 0);
        const Array packed = all.reshape({-1});
        REQUIRE(packed.data() == all.data());
        // Every third one: fewer than 2^31 elements, whose addresses still need more than 32 bits.
        check(target.fetch(target.call(next, {packed[{Slice{.step = 3}}]})), 3, 1);
        target.call(next, {packed}, {.out = packed});
        check(target.fetch(packed), 1, 1);
      },
      {Mode::device});
  if (!any) note_not_run("gigabytes");
}

TEST_CASE("big: an input that repeats one element three thousand million times") {
  const Ufunc next = kiln::vectorize("uint8(uint8 a, uint8 b)", "return a + b;");
  bool any = false;
  on_every_device(
      [&](const Target& target) {
        if (!wanted(target.device())) return;
        any = true;
        constexpr std::int64_t kCount = 3'000'000'000;
        const Array one = target.place(Array::full({1}, std::uint8_t{41})).broadcast_to({kCount});
        const Array other = target.place(Array::full({1}, std::uint8_t{1})).broadcast_to({kCount});
        const Array host = target.fetch(target.call(next, {one, other}));
        const auto* values = host.as<const std::uint8_t>();
        std::int64_t right = 0;
        for (std::int64_t i = 0; i < kCount; ++i) right += values[i] == 42 ? 1 : 0;
        CHECK(right == kCount);
      },
      {Mode::device});
  if (!any) note_not_run("gigabytes");
}
