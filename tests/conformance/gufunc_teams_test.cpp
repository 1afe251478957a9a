// Teams that share an item: what threads do side by side, what they tell one another, and in which order a reduction combines
// it. Values come from loops over the threads.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "devices.hpp"
#include "fenced.hpp"
#include "golden.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::GufuncDefinition;
using kiln::Shape;

namespace {

const std::vector<std::string> kGroups = {"32", "96", "256"};

Array run(const Target& target, const Gufunc& gufunc, const Array& x) {
  return target.fetch(gufunc({target.place(x)}, {.stream = target.options().stream}));
}

/// Of the elements of each item, one behind the other.
using Item = std::function<void(const std::vector<double>& x, std::vector<double>& y)>;

std::vector<double> expected(const Array& x, std::size_t results, const Item& item) {
  const std::vector<double> all = list_of(x);
  const auto n = static_cast<std::size_t>(x.shape().back());
  std::vector<double> list;
  for (std::size_t first = 0; first < all.size(); first += n) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<double> y(results);
    item({begin, begin + static_cast<std::ptrdiff_t>(n)}, y);
    list.insert(list.end(), y.begin(), y.end());
  }
  return list;
}

Array numbers(std::int64_t items, std::int64_t n, DType dtype = DType::float32) {
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < items * n; ++i) values.emplace_back(static_cast<long double>((i * 7 + i / 5) % 23 - 9));
  return make(dtype, values, Shape{items, n});
}

struct TeamBody {
  const char* text;
  Item item;
  const char* shared = "";
};

double clipped(double x) {
  return x > 4 ? 4 : x;
}

/// Whole numbers, so that sums are exact in any order.
const std::vector<TeamBody> kTeamBodies = {
    // Variables of the team, alone and beside arrays.
    {"KILN_SHARED T own[520]; for (index i = lane; i < n; i += lanes) own[i] = x(i); barrier();"
     "for (index i = lane; i < n; i += lanes) y(i) = own[n - 1 - i] - own[(i + 1) % n];",
     [](const std::vector<double>& x, std::vector<double>& y) {
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i] - x[(i + 1) % x.size()];
     }},
    {"KILN_SHARED T first; KILN_SHARED index last[1]; T* own = shared<T>(n); if (lane == 0) { first = x(0); last[0] = n - 1; }"
     "for (index i = lane; i < n; i += lanes) own[i] = x(i); barrier();"
     "for (index i = lane; i < n; i += lanes) y(i) = own[last[0] - i] + first;",
     [](const std::vector<double>& x, std::vector<double>& y) {
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i] + x[0];
     },
     "T[n]"},
    // No function of a team.
    {"for (index i = lane; i < n; i += lanes) y(i) = x(i) > 4 ? T(4) : x(i);",
     [](const std::vector<double>& x, std::vector<double>& y) { std::transform(x.begin(), x.end(), y.begin(), clipped); }},
    // Elements of other threads.
    {"T* own = shared<T>(n); for (index i = lane; i < n; i += lanes) own[i] = x(i); sync();"
     "for (index i = lane; i < n; i += lanes) y(i) = own[n - 1 - i] - own[(i + 1) % n];",
     [](const std::vector<double>& x, std::vector<double>& y) {
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i] - x[(i + 1) % x.size()];
     },
     "T[n]"},
    // The same by what they wrote to the output.
    {"for (index i = lane; i < n; i += lanes) y(i) = x(i); sync(); T last = y(n - 1); sync();"
     "for (index i = lane; i < n; i += lanes) y(i) = T(y(i)) + last;",
     [](const std::vector<double>& x, std::vector<double>& y) {
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + x.back();
     }},
    // A tree of their own, and running sums, with waiting in loops.
    {"T* sums = shared<T>(lanes); T s = 0; for (index i = lane; i < n; i += lanes) s += x(i); sums[lane] = s; sync();"
     "index width = 256; while (width >= lanes) width /= 2;"
     "for (; width > 0; width /= 2) { if (lane < width && lane + width < lanes) sums[lane] += sums[lane + width]; sync(); }"
     "for (index i = lane; i < n; i += lanes) y(i) = sums[0];",
     [](const std::vector<double>& x, std::vector<double>& y) {
       double sum = 0;
       for (const double each : x) sum += each;
       std::fill(y.begin(), y.end(), sum);
     },
     "T[lanes]"},
    {"T* all = shared<T>(lanes); T before = 0;"
     "for (index first = 0; first < n; first += lanes) {"
     "  const index i = first + lane; all[lane] = i < n ? x(i) : T(0); sync();"
     "  for (index d = 1; d < lanes; d *= 2) { const T more = lane >= d ? all[lane - d] : T(0); sync(); all[lane] += more; "
     "sync(); }"
     "  if (i < n) y(i) = before + all[lane]; before += all[lanes - 1]; sync(); }",
     [](const std::vector<double>& x, std::vector<double>& y) {
       double sum = 0;
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = sum += x[i];
     },
     "T[lanes]"},
    // Threads that go different ways, with arrays of their own.
    {"for (index i = lane; i < n; i += lanes) { T last[3] = {0, 0, 0}; index k = 0;"
     "  for (index j = 0; j <= i; ++j) { if (x(j) == 7) continue; if (x(j) < -8) break; last[k] = x(j); k = (k + 1) % 3; }"
     "  switch (int64(i % 4)) { case 0: y(i) = last[0]; break; case 1: y(i) = last[1] + last[2]; break; default: y(i) = k; } }",
     [](const std::vector<double>& x, std::vector<double>& y) {
       for (std::size_t i = 0; i < x.size(); ++i) {
         double last[3] = {0, 0, 0};
         std::size_t k = 0;
         for (std::size_t j = 0; j <= i && x[j] >= -8; ++j) {
           if (x[j] == 7) continue;
           last[k] = x[j];
           k = (k + 1) % 3;
         }
         y[i] = i % 4 == 0 ? last[0] : i % 4 == 1 ? last[1] + last[2] : static_cast<double>(k);
       }
     }},
    // Reductions one behind the other, in a loop, and of what only some threads have.
    {"T most = x(0); T least = x(0); T s = 0;"
     "for (index i = lane; i < n; i += lanes) { most = x(i) > most ? x(i) : most; least = x(i) < least ? x(i) : least; s += "
     "x(i); }"
     "most = team_max(most); least = team_min(least); const T sum = team_sum(s); T more = 0;"
     "for (int k = 0; k < 5; ++k) more += team_sum(lane == lanes - 1 - k ? T(k) : T(0));"
     "for (index i = lane; i < n; i += lanes) y(i) = x(i) == most ? sum : x(i) == least ? more : most - least;",
     [](const std::vector<double>& x, std::vector<double>& y) {
       const auto [least, most] = std::minmax_element(x.begin(), x.end());
       double sum = 0;
       for (const double each : x) sum += each;
       for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] == *most ? sum : x[i] == *least ? 10 : *most - *least;
     }},
    // Not in this order, and of an earlier end.
    {"if (x(0) > 100) return; for (index i = n - 1 - lane; i >= 0; i -= lanes) { y(i) = x(i) + int32(i) / int32(lane + 1) * 0; "
     "}",
     [](const std::vector<double>& x, std::vector<double>& y) { y = x; }},
};

GufuncDefinition defined(const TeamBody& body, const std::string& group) {
  return {.name = "shared_work",
          .layout = "(n)->(n)",
          .signatures = {"void(T[:] x, T[:] y)"},
          .group = group,
          .shared = body.shared,
          .body = body.text};
}

/// What a GPU's threads and warps of 32 make of it: sums of each thread, of each warp in a tree, and of the warps.
template <class T>
T summed(const T* x, std::int64_t n, int threads) {
  constexpr int kWarp = 32;
  std::vector<T> of_thread(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    for (std::int64_t i = t; i < n; i += threads) of_thread[static_cast<std::size_t>(t)] += x[i];
  }
  T result = 0;
  for (int warp = 0; warp < threads; warp += kWarp) {
    T* const own = &of_thread[static_cast<std::size_t>(warp)];
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      for (int t = 0; t < distance; ++t) own[t] += own[t + distance];
    }
    result = warp == 0 ? own[0] : result + own[0];
  }
  return result;
}

template <class T>
void check_order(const Target& target, DType dtype, const std::string& group) {
  const Gufunc gufunc =
      kiln::guvectorize({.name = "sum",
                         .layout = "(n)->()",
                         .signatures = {"void(T[:] x, T r)"},
                         .group = group,
                         .body = "T s = 0; for (index i = lane; i < n; i += lanes) s += x(i); r = team_sum(s);"});
  for (const std::int64_t n : {1, 31, 100, 1000}) {
    CAPTURE(n);
    const Array x = Array::empty({3, n}, dtype);
    for (std::int64_t i = 0; i < x.size(); ++i) x.as<T>()[i] = T(1) / static_cast<T>(1 + i * 7 % 101);
    const Array sums = run(target, gufunc, x);
    for (std::int64_t item = 0; item < 3; ++item) {
      CHECK(sums.as<T>()[item] == summed(x.as<T>() + item * n, n, std::stoi(group)));
    }
  }
}

}  // namespace

TEST_CASE("teams: threads share work, memory and results") {
  on_every_device(
      [](const Target& target) {
        kiln::test::Sample sample = sample_of_combinations();
        for (const TeamBody& body : kTeamBodies) {
          CAPTURE(std::string(body.text));
          for (const std::string& group : kGroups) {
            CAPTURE(group);
            const Gufunc gufunc = kiln::guvectorize(defined(body, group));
            for (const DType dtype : {DType::float32, DType::float64}) {
              for (const std::int64_t n : {9, 517}) {
                if (!sample.takes_next()) continue;
                const Array x = numbers(3, n, dtype);
                CHECK(list_of(run(target, gufunc, x)) == expected(x, static_cast<std::size_t>(n), body.item));
              }
            }
          }
        }
      },
      {Mode::host});
}

TEST_CASE("teams: memory by KILN_SHARED and by shared<T>() is declared in .shared") {
  GufuncDefinition both = defined(kTeamBodies[1], "32");
  both.shared = "";
  CHECK(
      message_of([&] { (void)kiln::guvectorize(both); }) ==
      "shared_work: its KILN_SHARED variables and the arrays of shared<T>() are one memory; declare the arrays in .shared, as "
      "\"float32[n]\"\n32\n^");
}

TEST_CASE("teams: a body that has no vectors, and one that is debugged, mean the same") {
  on_every_device(
      [](const Target& target) {
        for (const TeamBody& body : kTeamBodies) {
          CAPTURE(std::string(body.text));
          GufuncDefinition scalar = defined(body, "64");
          scalar.body = "volatile int32 seen = 0; seen = 1;" + std::string(body.text);
          GufuncDefinition debugged = defined(body, "64");
          debugged.compile.debug.on = true;
          for (const GufuncDefinition& definition : {scalar, debugged}) {
            const Array x = numbers(2, 150);
            CHECK(list_of(run(target, kiln::guvectorize(definition), x)) == expected(x, 150, body.item));
          }
        }
      },
      {Mode::host});
}

TEST_CASE("teams: sums are those of warps of 32, bit for bit") {
  on_every_device(
      [](const Target& target) {
        if (target.device().kind() == kiln::DeviceKind::hip) return;  // whose warps may have 64 threads
        for (const char* group : {"32", "64", "96", "224", "256"}) {
          CAPTURE(std::string(group));
          check_order<float>(target, DType::float32, group);
          check_order<double>(target, DType::float64, group);
        }
      },
      {Mode::host});
}

TEST_CASE("teams: reductions of any type of 16 bytes, by functions of the user's") {
  on_every_device(
      [](const Target& target) {
        for (const char* group : {"32", "64", "160"}) {
          CAPTURE(std::string(group));
          const Gufunc largest = kiln::guvectorize({.name = "largest",
                                                    .layout = "(n)->(3)",
                                                    .signatures = {"void(float32[:] x, float64[:] y)"},
                                                    .group = group,
                                                    .body = R"(
            found best{-1e30f, 0};
            for (index i = lane; i < n; i += lanes) best = better(best, found{x(i), i});
            best = best_of(*this, best);
            int8 small = 0;
            for (index i = lane; i < n; i += lanes) small += x(i) < 0;
            const bool any = team_reduce(small != 0, [](bool a, bool b) { return a || b; });
            y(0) = best.value; y(1) = best.place; y(2) = any ? 1 : 0;)",
                                                    .compile = {.functions = R"(
            struct found { float32 value; index place; };
            found better(const found& a, const found& b) { return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a; }
            template <class Team> found best_of(const Team& team, found own) { return team.team_reduce(own, better); })"}});
          const Array x = numbers(4, 90);
          CHECK(list_of(run(target, largest, x)) == expected(x, 3, [](const auto& in, auto& out) {
                  const auto most = std::max_element(in.begin(), in.end());
                  out = {*most, static_cast<double>(most - in.begin()), 1};
                }));
          for (const DType dtype : {DType::int8, DType::uint64, DType::float16, DType::complex64, DType::complex128}) {
            CAPTURE(std::string(kiln::name(dtype)));
            const Gufunc sum = kiln::guvectorize(
                {.name = "sum",
                 .layout = "(n)->()",
                 .signatures = {"void(T[:] x, T r)"},
                 .group = group,
                 .body = "T s = T(0); for (index i = lane; i < n; i += lanes) s = T(s + x(i)); r = team_sum(s);"});
            const Array few = make(dtype, std::vector<Exact>(2 * 45, Exact(1)), Shape{2, 45});
            CHECK(difference(read(run(target, sum, few)), {Exact(45), Exact(45)}).empty());
          }
        }
      },
      {Mode::host});
}

TEST_CASE("teams: nothing is touched beyond an item's elements") {
  if (!kiln::Device::best().is_cpu()) return;
  kiln::test::Sample sample = sample_of_combinations();
  for (const TeamBody& body : kTeamBodies) {
    CAPTURE(std::string(body.text));
    for (const char* group : {"block", "256"}) {
      CAPTURE(std::string(group));
      const Gufunc gufunc = kiln::guvectorize(defined(body, group));
      for (const DType dtype : {DType::float32, DType::int16}) {
        for (const std::int64_t n : {1, 5, 63, 300}) {
          if (!sample.takes_next()) continue;
          CAPTURE(n);
          for (const bool at_end : {false, true}) {
            const Array from = numbers(2, n, dtype);
            const auto bytes = static_cast<std::size_t>(from.nbytes());
            const Fenced in(bytes, at_end);
            const Fenced out(bytes, at_end);
            std::memcpy(in.data(), from.data(), bytes);
            const Array y = Array::view(out.data(), {2, n}, dtype, {});
            gufunc({Array::view(in.data(), {2, n}, dtype, {})}, {.out = y});
            CHECK(list_of(y) == expected(from, static_cast<std::size_t>(n), body.item));
          }
        }
      }
    }
  }
}

TEST_CASE("gufunc teams: with enough items to fill a GPU a thread takes more elements, and the team is smaller") {
  const Gufunc gufunc = kiln::guvectorize(defined(kTeamBodies[0], "block"));
  on_every_device(
      [&](const Target& target) {
        const auto team_of = [&](std::int64_t items, std::int64_t n) {
          const Array rows = target.place(Array::zeros({1, n}, DType::float32)).broadcast_to({items, n});
          return gufunc.resolve({rows}, {.stream = target.options().stream}).variant;
        };
        const std::string what = "a part of an item, in a team of ";
        const bool cpu = target.device().is_cpu();
        CHECK(team_of(8, 1024) == what + (cpu ? "32" : "256"));
        CHECK(team_of(65536, 1024) == what + (cpu ? "32" : "64"));
        CHECK(team_of(8, 100) == what + (cpu ? "32" : "64"));
        CHECK(team_of(65536, 100) == what + "32");
        CHECK(team_of(65536, 100'000) == what + (cpu ? "32" : "256"));
      },
      {Mode::device});
}
