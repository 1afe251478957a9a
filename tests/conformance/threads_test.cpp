// Many threads at once: one compile, right answers, shared arrays; and any number of CPU threads gives the same bits.
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <string>
#include <thread>

#include "../unit/base/sanitizer.hpp"
#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

constexpr int kThreads = 8;

/// Runs body(thread) in kThreads threads that start together.
template <class Body>
void together(Body body) {
  std::barrier start(kThreads);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      try {
        if (!body(t)) ++failures;
      } catch (const std::exception&) {
        ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

bool all_equal(const Array& host, float value) {
  for (const float v : host.to_vector<float>()) {
    if (v != value) return false;
  }
  return host.size() > 0;
}

}  // namespace

TEST_CASE("threads: eight that call one new ufunc compile it once") {
  on_every_device([&](const Target& target) {
    const Ufunc add = kiln::vectorize(
        {.name = "shared", .signatures = {"float32(float32 a, float32 b)"}, .body = unique_comment() + "return a + b;"});
    const Array x = target.place(Array::full({10000}, 1.5F));
    const std::uint64_t before = kiln::cache::stats().compiles;
    together([&](int t) {
      const auto scalar = static_cast<float>(t);
      for (int i = 0; i < 20; ++i) {
        if (!all_equal(target.fetch(target.call(add, {x, x})), 3.0F)) return false;
      }
      return all_equal(target.fetch(target.call(add, {x, scalar})), 1.5F + scalar);
    });
    // Two variants: both arrays, and an array with a scalar.
    CHECK(kiln::cache::stats().compiles == before + 2);
  });
}

TEST_CASE("threads: each with a ufunc and arrays of its own") {
  on_every_device([&](const Target& target) {
    together([&](int t) {
      const Ufunc scale = kiln::vectorize({.name = "own" + std::to_string(t),
                                           .signatures = {"float32(float32 a)"},
                                           .body = "return a * " + std::to_string(t + 1) + ";"});
      const Array x = target.place(Array::full({1000 + t}, 2.0F));
      return all_equal(target.fetch(target.call(scale, {x})), 2.0F * static_cast<float>(t + 1));
    });
  });
}

TEST_CASE("threads: handles and views of one array come and go everywhere") {
  on_every_device([&](const Target& target) {
    const Ufunc twice = kiln::vectorize("float32(float32 a)", "return 2 * a;");
    Array base = target.place(Array::full({64, 64}, 4.0F));
    together([view = base.transpose(), &twice, &target](int t) {
      for (int i = 0; i < 50; ++i) {
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): handles are copied in every thread at once.
        const Array copy = view;
        const Array part = copy[{Slice{.start = t}, Slice{.step = 2}}];
        if (i % 10 == 0 && !all_equal(target.fetch(target.call(twice, {part})), 8.0F)) return false;
      }
      return true;
    });
    base = Array();
  });
}

TEST_CASE("threads: the number of CPU threads changes no bit") {
  if (devices().empty() || !devices().front().is_cpu()) return;
  const Ufunc f = kiln::vectorize("float32(float32 a, float32 b)", "return exp(-a * a) * sin(b) / (1 + a * b);");
  auto source = random_source(7);
  std::vector<Exact> a;
  std::vector<Exact> b;
  for (int i = 0; i < 300'000; ++i) {
    a.push_back(rounded(DType::float32, static_cast<long double>(source() % 10000) / 1000));
    b.push_back(rounded(DType::float32, static_cast<long double>(source() % 10000) / 1000));
  }
  const Array x = make(DType::float32, a);
  const Array y = make(DType::float32, b);
  const auto bits = [&](int threads, std::int64_t from) {
    const kiln::Device cpu = kiln::Device::cpu({.threads = threads});
    const Slice rest{.start = from};
    const Array result = f(kiln::to_device(x[{rest}], cpu), kiln::to_device(y[{rest}], cpu));
    std::vector<std::uint32_t> words;
    for (const float value : result.to_vector<float>()) words.push_back(__builtin_bit_cast(std::uint32_t, value));
    return words;
  };
  const auto one = bits(1, 0);
  CHECK(bits(2, 0) == one);
  CHECK(bits(3, 0) == one);
  CHECK(bits(7, 0) == one);
  // Nor does the place of an element in its array.
  for (const std::int64_t from : {1, 7, 63, 1000}) {
    CHECK(bits(2, from) == std::vector<std::uint32_t>(one.begin() + from, one.end()));
  }
}

#ifndef KILN_SANITIZED  // whose frames are larger
TEST_CASE("threads: kernels are rendered and compiled for a thread with a stack of 64 KiB") {
  on_every_device([&](const Target& target) {
    if (!target.device().is_cpu()) return;
    static std::atomic<int> runs{0};
    const std::string unique = std::to_string(runs++);
    std::vector<double> items;
    std::vector<double> rows;
    std::string error;
    std::function<void()> work = [&] {
      const kiln::RawKernel kernel = kiln::kernel(
          {.name = "count", .signature = "void(float64* p)", .body = "p[item] = item + 1; // small stack " + unique});
      const Array numbers = Array::full({4}, 0.0);
      kernel({.size = 4}, numbers);
      items = numbers.to_vector<double>();
      const kiln::Gufunc twice = kiln::guvectorize("(n)->(n)", "void(float64[:] x, float64[:] y)",
                                                   "for (index i = 0; i < n; ++i) y(i) = 2 * x(i); // small stack " + unique);
      rows = twice(Array::full({2, 3}, 4.0)).to_vector<double>();
      error = message_of<kiln::CompileError>(
          [&] { (void)kiln::vectorize("float64(float64 x)", "return nothing; // " + unique)(Array::full({3}, 1.0)); });
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{64} << 10);
    pthread_t thread{};
    const auto run = [](void* argument) -> void* {
      (*static_cast<std::function<void()>*>(argument))();
      return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    CHECK(items == std::vector<double>{1, 2, 3, 4});
    CHECK(rows == std::vector<double>(6, 8.0));
    CHECK(error.find("use of undeclared identifier 'nothing'") != std::string::npos);
  });
}
#endif
