// The handles and the table: what a program sees before anything is computed.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kiln/error.hpp>
#include <kiln/fuse.hpp>
#include <kiln/math.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "devices.hpp"
#include "report.hpp"

namespace math = kiln::math;

namespace {

// Used before main(), in whatever order the files are initialized.
const int before_main = math::hypot.nin();
const kiln::Ufunc& bound_before_main = math::divmod;

}  // namespace

TEST_CASE("math: functions work in other variables' initializers") {
  CHECK(before_main == 2);
  CHECK(bound_before_main.nout() == 2);
}

TEST_CASE("math: a handle is called as a ufunc is") {
  if (conformance::devices().empty()) return conformance::note_not_run("cpu");
  const kiln::Array a = kiln::Array::from<double>({3, 8});
  const kiln::Array b = kiln::Array::from<double>({4, 15});
  CHECK(math::hypot(a, b).to_vector<double>() == std::vector<double>{5, 17});
  CHECK(math::hypot(a, 4.0).to_vector<double>().front() == 5);
  const kiln::Array out = kiln::Array::zeros({2}, kiln::DType::float64);
  math::add({a, b}, {.out = out});
  CHECK(out.to_vector<double>() == std::vector<double>{7, 23});
  const auto [q, r] = math::divmod.outputs<2>(b, a);
  CHECK(q.to_vector<double>() == std::vector<double>{1, 1});
  CHECK(r.to_vector<double>() == std::vector<double>{1, 7});
  const kiln::Ufunc& plain = math::add;
  CHECK(plain.name() == "add");
  CHECK(math::add->nin() == 2);
  CHECK(math::add.resolve({a, b}).loop == "float64(float64 x1, float64 x2)");
  CHECK(math::add.resolve(a, b).loop == "float64(float64 x1, float64 x2)");
  const std::vector<kiln::Arg> args = {a, 2.0F};
  CHECK(math::add.resolve(args, {.casting = kiln::Casting::unsafe, .dtype = kiln::DType::float32}).loop ==
        "float32(float32 x1, float32 x2)");
  CHECK(math::add.identity() == "0");
  CHECK(math::add.reorderable());
  CHECK_FALSE(math::subtract.reorderable());
  CHECK(&math::true_divide.ufunc() == &math::divide.ufunc());
}

TEST_CASE("math: logical functions take each argument's own dtype, under any casting") {
  if (conformance::devices().empty()) return conformance::note_not_run("cpu");
  // numpy.logical_and(a, b, casting="no") and so on, NumPy 2.4.
  const kiln::Array a = kiln::Array::from<std::int32_t>({0, 1, 300, 0});
  const kiln::Array b = kiln::Array::from<double>({0.5, 0, 2, 0});
  const kiln::Array c = kiln::Array::from<std::complex<float>>({{0, 1}, 0, 2, 0});
  for (const kiln::Casting casting : {kiln::Casting::no, kiln::Casting::equiv, kiln::Casting::safe}) {
    for (const kiln::Array& other : {b, c}) {
      CHECK(math::logical_and({a, other}, {.casting = casting}).to_vector<bool>() ==
            std::vector<bool>{false, false, true, false});
      CHECK(math::logical_or({a, other}, {.casting = casting}).to_vector<bool>() == std::vector<bool>{true, true, true, false});
      CHECK(math::logical_xor({other, a}, {.casting = casting}).to_vector<bool>() ==
            std::vector<bool>{true, true, false, false});
    }
    CHECK(math::logical_and({a, 1.5}, {.casting = casting}).to_vector<bool>() == std::vector<bool>{false, true, true, false});
  }
  CHECK(math::logical_and.resolve(a, b).loop == "bool(int32 x1, float64 x2)");
  CHECK(math::logical_and.reduce(a).item<bool>() == false);
  CHECK(math::logical_or.accumulate(b).to_vector<bool>() == std::vector<bool>{true, true, true, true});
  CHECK(math::logical_and.outer(a, b).shape() == kiln::Shape{4, 4});
  CHECK_THROWS_WITH_AS(math::add({a, b}, {.casting = kiln::Casting::no}),
                       doctest::Contains("cannot cast input 0 (x1) from int32 to float64 under casting \"no\""),
                       kiln::TypeError);
}

TEST_CASE("math: complex squares and signs at the ends of the numbers") {
  if (conformance::devices().empty()) return conformance::note_not_run("cpu");
  using complex = std::complex<double>;
  const auto of = [](const math::Function& function, complex z) {
    return function(kiln::Array::from<complex>({z})).item<complex>();
  };
  for (const complex z : {complex(-1, 1), complex(-2, -2), complex(-0.0, 0), complex(0, 1e-200)}) {
    CHECK(of(math::square, z).real() == 0);
    CHECK_FALSE(std::signbit(of(math::square, z).real()));
  }
  CHECK(of(math::square, {3, 1}) == complex(8, 6));
  CHECK(of(math::square, {1.2e308, 1.2e308}) == complex(0, INFINITY));
  CHECK(of(math::square, {1.2e308, 1e308}) == complex(INFINITY, INFINITY));
  for (const double size : {1e-310, 1e-160, 1e-3, 0.5, 1e3, 1e160, 0x1p1022}) {
    CHECK(std::abs(of(math::sign, {3 * size / 2, -2 * size}) - complex(0.6, -0.8)) < 1e-12);
    CHECK(of(math::sign, {0, -size}) == complex(0, -1));
  }
}

TEST_CASE("math: cosines and sines are no larger than 1") {
  if (conformance::devices().empty()) return conformance::note_not_run("cpu");
  std::vector<double> x;
  for (int i = 0; i < 20000; ++i) x.push_back(1e-13 * i + (i % 4) * 1.5707963267948966);
  for (const math::Function* const function : {&math::sin, &math::cos}) {
    const kiln::Array y = (*function)(kiln::Array::from<double>(x));
    const kiln::Array z = (*function)(kiln::Array::from<double>(x).astype(kiln::DType::float32, kiln::Casting::unsafe));
    for (const double value : y.to_vector<double>()) REQUIRE(std::abs(value) <= 1);
    for (const float value : z.to_vector<float>()) REQUIRE(std::abs(value) <= 1);
  }
}

TEST_CASE("math: every row of the table is found by its name and says what the ufunc is") {
  std::set<std::string_view> names;
  for (const math::FunctionInfo& info : math::functions()) {
    CHECK_MESSAGE(names.insert(info.name).second, info.name);
    const kiln::Ufunc* const function = math::find(info.name);
    REQUIRE_MESSAGE(function != nullptr, info.name);
    CHECK(function->name() == info.name);
    CHECK(function->nin() == info.nin);
    CHECK(function->nout() == info.nout);
    CHECK_MESSAGE(!info.description.empty(), info.name);
    CHECK_MESSAGE(info.description.find('\n') == std::string_view::npos, info.name);
    CHECK_MESSAGE(info.loops.find(" -> ") != std::string_view::npos, info.name);
  }
  CHECK(names.size() == 89);
  CHECK(math::functions().front().name == "add");
  CHECK(math::functions().front().identity == "0");
  CHECK(math::find("arcsine") == nullptr);
  CHECK(math::find("") == nullptr);
}

TEST_CASE("math: NumPy's second names lead to the same function") {
  for (const auto& [alias, name] : {std::pair{"abs", "absolute"}, {"pow", "power"}, {"mod", "remainder"}, {"acos", "arccos"}}) {
    CHECK_MESSAGE(math::find(alias) == math::find(name), alias);
  }
  CHECK(math::find("hypot") == &math::hypot.ufunc());
}

TEST_CASE("math: threads that come first together get one ufunc") {
  for (const math::Function* function : {&math::cbrt, &math::expm1, &math::frexp}) {
    std::vector<const kiln::Ufunc*> seen(8);
    std::vector<std::thread> threads;
    for (auto& one : seen) threads.emplace_back([&one, function] { one = &function->ufunc(); });
    for (std::thread& thread : threads) thread.join();
    for (const kiln::Ufunc* one : seen) CHECK(one == seen.front());
  }
}

TEST_CASE("math: a forked child can use a function for the first time") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  const kiln::Array a = kiln::Array::from<double>({27, 64});
  static_cast<void>(math::add({a, a}, {.stream = kiln::Stream(kiln::Device::cpu())}));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int status = 1;
    try {
      const std::vector<double> root = math::sqrt(kiln::to_device(a, kiln::Device::cpu())).to_vector<double>();
      status = root[1] == 8 ? 0 : 2;
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("math: errors name the function and its parameters") {
  const kiln::Array z = kiln::Array::zeros({2}, kiln::DType::complex64);
  try {
    static_cast<void>(math::floor_divide(z, z));
    FAIL_CHECK("nothing was thrown");
  } catch (const kiln::TypeError& error) {
    CHECK(std::string(error.what()).starts_with("floor_divide: no loop takes (complex64, complex64) by safe casts"));
  }
  const kiln::Array truths = kiln::Array::from({true, false});
  const kiln::Ufunc fused = kiln::fuse("fused", [](const kiln::Expr& x, const kiln::Expr& y) { return x - y; });
  const std::function<kiln::Array()> calls[] = {
      [&] { return math::subtract(truths, truths); }, [&] { return math::subtract.reduce(truths); },
      [&] { return math::subtract.accumulate(truths); }, [&] { return math::subtract.outer(truths, truths); },
      [&] { return fused(truths, truths); }};
  for (const auto& call : calls) {
    try {
      static_cast<void>(call());
      FAIL_CHECK("nothing was thrown");
    } catch (const kiln::TypeError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(": bools are no numbers here, and no loop takes (bool, bool); convert") !=
                        std::string::npos,
                    error.what());
    }
  }
  const kiln::Array forced = math::subtract({truths, true}, {.dtype = kiln::DType::int8});
  CHECK(forced.as<std::int8_t>()[1] == -1);
  CHECK(math::subtract(truths, 1).dtype() == kiln::DType::int64);
}
