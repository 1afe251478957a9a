// Debug mode on a few items, fewer than the CPU's lanes or a GPU's warp: each print and the first fault name their item, and
// the other items get their results.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Ufunc;

namespace {

using Texts = std::vector<std::string>;

constexpr std::int64_t kFewest = 2;
constexpr std::int64_t kMost = 15;
constexpr std::int64_t kElements = 5;

/// What is printed while it lives, in any order: threads of a GPU have none.
class PrintedOfFew {
 public:
  PrintedOfFew() {
    kiln::set_print([this](std::string_view text) {
      const std::lock_guard guard(mutex_);
      texts_.emplace_back(text);
    });
  }
  ~PrintedOfFew() { kiln::set_print({}); }
  PrintedOfFew(const PrintedOfFew&) = delete;
  PrintedOfFew& operator=(const PrintedOfFew&) = delete;

  [[nodiscard]] Texts sorted() const {
    Texts texts = texts_;
    std::ranges::sort(texts);
    return texts;
  }

 private:
  std::mutex mutex_;
  Texts texts_;
};

/// How cores lie: one behind the other, or the items of each index side by side.
enum class Lie : std::uint8_t { packed, beside };

/// The items' rows: 10 * item + 0, 1, …; that of `faulty` begins with two equal elements.
Array rows(const Target& target, std::int64_t items, Lie lie, std::int64_t faulty = -1) {
  std::vector<std::int32_t> values;
  const bool packed = lie == Lie::packed;
  for (std::int64_t o = 0; o < (packed ? items : kElements); ++o) {
    for (std::int64_t i = 0; i < (packed ? kElements : items); ++i) {
      const std::int64_t item = packed ? o : i;
      const std::int64_t element = packed ? i : o;
      values.push_back(static_cast<std::int32_t>(10 * item + (item == faulty && element == 1 ? 0 : element)));
    }
  }
  const Array array = Array::from(values);
  return packed ? target.place(array.reshape({items, kElements})) : target.place(array.reshape({kElements, items})).transpose();
}

std::string on(const Target& target) {
  return " on " + (target.device().is_cpu() ? std::string("cpu") : to_string(target.device()));
}

/// The first line of what a call of the gufunc says, whose results are in `out`, without the column.
std::string fault_of(const Target& target, const Gufunc& gufunc, const Array& x, const Array& out) {
  const std::string message = message_of<kiln::DeviceError>([&] {
    gufunc({x}, kiln::GufuncOptions{.out = out, .stream = target.options().stream});
    (void)target.fetch(out);
  });
  const std::string line = message.substr(0, message.find('\n'));
  const std::size_t at = line.rfind("k:2:");
  return at == std::string::npos ? line : line.substr(0, at + 3);
}

Gufunc sums(const std::string& line) {
  return kiln::guvectorize({.name = "k",
                            .layout = "(n)->()",
                            .signatures = {"void(int32[:] x, int32 y)"},
                            .body = "int32 s = 0;\n" + line + "\nfor (index i = 0; i < n; ++i) s += x(i);\ny = s;",
                            .compile = {.debug = {.on = true}}});
}

std::vector<double> expected_sums(std::int64_t items) {
  std::vector<double> sums;
  for (std::int64_t k = 0; k < items; ++k) sums.push_back(static_cast<double>(kElements * 10 * k + 10));
  return sums;
}

}  // namespace

TEST_CASE("debug: each of a few items prints its own text, once") {
  const Gufunc gufunc = sums("for (index i = 0; i < n; i += 4) print(\"{} of {}\", i, x(i));");
  on_every_device([&](const Target& target) {
    for (const Lie lie : {Lie::packed, Lie::beside}) {
      for (std::int64_t items = kFewest; items <= kMost; ++items) {
        CAPTURE(items);
        Texts expected;
        for (std::int64_t k = 0; k < items; ++k) {
          for (const std::int64_t i : {0, 4}) expected.push_back(std::to_string(i) + " of " + std::to_string(10 * k + i));
        }
        std::ranges::sort(expected);
        const PrintedOfFew printed;
        const Array y =
            target.fetch(gufunc({rows(target, items, lie)}, kiln::GufuncOptions{.stream = target.options().stream}));
        CHECK(list_of(y) == expected_sums(items));
        CHECK(printed.sorted() == expected);
      }
    }
  });
}

TEST_CASE("debug: a fault of any of a few items names that item, and the others get their results") {
  const Gufunc gufunc = sums("if (x(0) == x(1)) s = x(n + 2);");
  on_every_device([&](const Target& target) {
    for (const Lie lie : {Lie::packed, Lie::beside}) {
      for (std::int64_t items = kFewest; items <= kMost; ++items) {
        CAPTURE(items);
        for (std::int64_t faulty = 0; faulty < items; ++faulty) {
          CAPTURE(faulty);
          const Array y = target.place(Array::full({items}, -1).astype(DType::int32));
          CHECK(fault_of(target, gufunc, rows(target, items, lie, faulty), y) ==
                "k failed" + on(target) + " at item " + std::to_string(faulty) +
                    ": index 7 of x is out of bounds, its shape is (5,): k:2");
          // A call that fails copies nothing back to the host.
          if (!target.device().is_cpu() && target.mode() == Mode::host) continue;
          std::vector<double> got = list_of(target.fetch(y));
          std::vector<double> expected = expected_sums(items);
          got[static_cast<std::size_t>(faulty)] = expected[static_cast<std::size_t>(faulty)] = 0;
          CHECK(got == expected);
        }
      }
    }
  });
}

TEST_CASE("debug: one of several faulty items is named, and all are counted") {
  const Gufunc gufunc = sums("if (x(0) % 20 == 10) s = 3 / (x(1) - x(0) - 1);");
  on_every_device([&](const Target& target) {
    for (std::int64_t items = kFewest; items <= kMost; ++items) {
      CAPTURE(items);
      const std::string faults = items / 2 == 1 ? "" : " (the first of " + std::to_string(items / 2) + " faults)";
      const Array y = target.place(Array::full({items}, -1).astype(DType::int32));
      const std::string message = fault_of(target, gufunc, rows(target, items, Lie::packed), y);
      CAPTURE(message);
      // Threads have no order: any of the odd items may be the first.
      const std::int64_t last = items - 1;
      bool named = false;
      for (std::int64_t k = 1; k <= last; k += 2) {
        named = named || message == "k failed" + on(target) + " at item " + std::to_string(k) +
                                        ": division of integers by zero, 3 / 0" + faults + ": k:2";
      }
      CHECK(named);
    }
  });
}

TEST_CASE("debug: a few elements print, and fail at their own place") {
  const Ufunc ufunc = kiln::vectorize({.name = "k",
                                       .signatures = {"int32(int32 a, int32 b)"},
                                       .body = "if (b == a) print(\"{} is {}\", a, b);\nreturn 60 / (a - b + 1);",
                                       .compile = {.debug = {.on = true}}});
  on_every_device([&](const Target& target) {
    for (std::int64_t items = kFewest; items <= kMost; ++items) {
      CAPTURE(items);
      std::vector<std::int32_t> a(static_cast<std::size_t>(items), 0);
      std::vector<std::int32_t> b(a.size(), 5);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int32_t>(10 + i);
      b.front() = 10;  // prints
      a.back() = 4;    // 60 / 0
      const PrintedOfFew printed;
      const std::string message = message_of<kiln::DeviceError>(
          [&] { (void)target.fetch(target.call(ufunc, {target.place(Array::from(a)), target.place(Array::from(b))})); });
      CHECK(message.starts_with("k failed" + on(target) + " at item " + std::to_string(items - 1) +
                                ": division of integers by zero, 60 / 0: k:2"));
      CHECK(printed.sorted() == Texts{"10 is 10"});
    }
  });
}
