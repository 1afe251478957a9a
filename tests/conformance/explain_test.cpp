// Codes of errors: each has an error with it, whose message is the example that is shown for it.
#include "kiln/explain.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kiln/kiln.hpp"

namespace {

using namespace kiln;

Ufunc sum_of_two() {
  return vectorize("T add(T a, T b) where T: int8, float32, float64 = a + b");
}

Ufunc not_reorderable() {
  return vectorize("float64 half_sum(float64 a, float64 b) = a / 2 + b");
}

Array halves() {
  return Array::from(std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}, {2, 3});
}

void load_text_as_npy() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "kiln-explain";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "data.npy") << "x,y\n1,2\n";
  static_cast<void>(load_npy(folder / "data.npy"));
}

/// Where calls run whose messages name the device or its compiler.
CallOptions on_cpu() {
  return {.device = Device::cpu()};
}

void read_out_of_bounds() {
  const Ufunc f = vectorize({.name = "next",
                             .signatures = {"float64(float64 x, raw float64 table)"},
                             .body = "return table[int(x) + 3];",
                             .compile = {.debug = {.on = true}}});
  static_cast<void>(f(Array::from({1.0}), Array::from({1.0, 2.0, 3.0}), on_cpu()));
}

const std::map<std::string, std::function<void()>>& errors() {
  static const std::map<std::string, std::function<void()>> all = {
      {"arguments", [] { static_cast<void>(sum_of_two()(1.0)); }},
      {"axis", [] { static_cast<void>(sum_of_two().reduce(halves(), {.axis = 2})); }},
      {"broadcast", [] { static_cast<void>(sum_of_two()(halves(), Array::from({1.0, 2.0}))); }},
      {"cache",
       [] { static_cast<void>(define(R"x({"kind": "ufunk", "signatures": ["float64(float64 a)"], "expression": "a"})x")); }},
      {"capture",
       [] {
         static_cast<void>(capture(Stream(Device::cpu()), [] { static_cast<void>(capture(Stream(Device::cpu()), [] {})); }));
       }},
      {"casting", [] { static_cast<void>(sum_of_two()(halves(), 1.0, {.out = Array::zeros({2, 3}, DType::int32)})); }},
      {"compile", [] { static_cast<void>(vectorize("float64 f(float64 a) = sqroot(a)")(1.0, on_cpu())); }},
      {"contiguous", [] { static_cast<void>(halves().transpose().as<double>()); }},
      {"core",
       [] {
         const Gufunc dot = guvectorize({.name = "dot",
                                         .layout = "(n),(n)->()",
                                         .signatures = {"void(float64[:] a, float64[:] b, float64 c)"},
                                         .body = "c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i);"});
         static_cast<void>(dot(halves(), Array::from({1.0, 2.0})));
       }},
      {"device", [] { static_cast<void>(Device::from_string("gpu:0")); }},
      {"empty", [] { static_cast<void>(Ufunc()(1.0)); }},
      {"fault", &read_out_of_bounds},
      {"file", [] { static_cast<void>(load_npy("/nowhere/data.npy")); }},
      {"format", &load_text_as_npy},
      {"header",
       [] {
         static_cast<void>(vectorize({.name = "f",
                                      .signatures = {"float64(float64 a)"},
                                      .expression = "twice(a)",
                                      .compile = {.preamble = "#include \"twice.hpp\""}})(1.0, on_cpu()));
       }},
      {"identity", [] { static_cast<void>(sum_of_two().reduce(Array::zeros({0, 3}))); }},
      {"index", [] { sum_of_two().at(halves(), Array::from({0, 2}), 1.0); }},
      {"internal", [] { throw std::runtime_error("std::bad_function_call"); }},
      {"loop", [] { static_cast<void>(sum_of_two()(Array::from(std::vector<std::complex<double>>{1.0}), 1.0)); }},
      {"memory", [] { static_cast<void>(Array::zeros({std::int64_t{1} << 50})); }},
      {"order", [] { static_cast<void>(not_reorderable().reduce(halves(), {.axis = all_axes})); }},
      {"out", [] { static_cast<void>(sum_of_two()(halves(), 1.0, {.out = Array::zeros({3})})); }},
      {"overflow", [] { static_cast<void>(sum_of_two()(Array::from(std::vector<std::int8_t>{1}), 300)); }},
      {"overlap",
       [] {
         const Array a = Array::zeros(100);
         static_cast<void>(chunked(sum_of_two(), {.chunk_bytes = 256})(a[{Slice{0, 50}}], 1.0, {.out = a[{Slice{1, 51}}]}));
       }},
      {"places",
       [] {
         static_cast<void>(sum_of_two()(to_device(halves(), Device::emulated("sm_90")), to_device(halves(), Device::cpu())));
       }},
      {"rank", [] { throw RankError(3, "kiln::warm: rank 3 of 8: it did not come within 60 s"); }},
      {"read_only",
       [] {
         const std::vector<double> memory(3);
         static_cast<void>(sum_of_two()(1.0, 2.0, {.out = Array::view(memory.data(), Shape{3})}));
       }},
      {"reshape", [] { static_cast<void>(halves().reshape({4, 2})); }},
      {"shape", [] { static_cast<void>(halves()[{Slice{0, 2, 0}}]); }},
      {"signature", [] { static_cast<void>(vectorize("float64 f(float63 a) = a")); }},
      {"stopped",
       [] {
         const Ufunc slow =
             vectorize("float64 slow(float64 a) { for (int64 i = 0; i < 100000000; ++i) a = a * 0.5 + 1; return a; }");
         static_cast<void>(slow(Array::zeros(1000), {.device = Device::cpu(), .timeout = std::chrono::milliseconds(1)}));
       }},
      {"truth", [] { static_cast<void>(static_cast<bool>(halves())); }},
      {"type",
       [] {
         static_cast<void>(sum_of_two()(1.0, 2.0, {.dtype = DType::float32, .signature = "float32, float32 -> float32"}));
       }},
      {"undecided",
       [] {
         const Ufunc next = vectorize({.name = "next", .signatures = {"(T y)(float32 x)"}, .body = "y = T(x) + T(1);"});
         static_cast<void>(next(1.0F));
       }},
  };
  return all;
}

/// A message without what differs between machines.
std::string example_of(std::string message) {
  const std::string folder = std::filesystem::temp_directory_path() / "kiln-explain/";
  if (const std::size_t at = message.find(folder); at != std::string::npos) message.erase(at, folder.size());
  return message.substr(0, message.find('\n'));
}

}  // namespace

TEST_CASE("errors: each code is that of an error, whose message is its example") {
  // What needs a GPU or its driver, a call of C, or a process of its own.
  std::set<std::string> left = {"argument", "compiler", "driver", "fork"};
  for (const auto& [code, call] : errors()) {
    CAPTURE(code);
    left.insert(code);
    try {
      call();
      FAIL_CHECK("no error");
    } catch (const std::exception& error) {
      CHECK(explain(error).code == code);
      CHECK(example_of(error.what()).starts_with(explain(error).example));
    }
  }
  std::set<std::string> codes;
  for (const ErrorTopic& topic : error_topics()) {
    codes.emplace(topic.code);
    CHECK(&explain(topic.code) == &topic);
  }
  CHECK(codes == left);
}

TEST_CASE("errors: codes of exceptions that are not kiln's") {
  CHECK(explain(std::bad_alloc()).code == "memory");
  CHECK(explain(std::bad_function_call()).code == "internal");
}

TEST_CASE("errors: the code nearest to an unknown one") {
  CHECK_THROWS_WITH_AS(static_cast<void>(explain("brodcast")), "unknown code \"brodcast\": did you mean \"broadcast\"?",
                       TypeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(explain("")), "unknown code \"\": `kiln explain` lists all codes", TypeError);
}
