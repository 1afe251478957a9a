// Every loop of every function on values that are hard to get right, on every device.
#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/math.hpp"
#include "numbers.hpp"
#include "report.hpp"

namespace {

using namespace math_tests;

std::string text_of(const std::vector<kiln::DType>& inputs, const std::vector<kiln::DType>& outputs) {
  std::string text;
  for (const kiln::DType dtype : inputs) text += (text.empty() ? "" : ", ") + std::string(kiln::name(dtype));
  text += " -> ";
  for (std::size_t i = 0; i < outputs.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(kiln::name(outputs[i]));
  return text;
}

/// What is wrong with the case on the device; empty where nothing is.
std::string run(const Case& golden, const kiln::Device& device) {
  const kiln::Ufunc* const function = kiln::math::find(golden.function);
  if (function == nullptr) return "there is no such function";
  std::vector<kiln::Array> host;
  std::vector<kiln::Array> placed;
  for (const std::string& set : golden.sets) {
    host.push_back(values().sets.at(set).values);
    placed.push_back(kiln::to_device(host.back(), device));
  }
  const std::vector<kiln::Arg> args(placed.begin(), placed.end());
  const std::vector<kiln::Array> results = function->outputs(args);
  std::string wrong;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const kiln::Array result = device.is_cpu() ? results[i] : results[i].copy_to_host();
    if (result.dtype() != golden.outputs.at(i)) return "dtype " + std::string(kiln::name(result.dtype()));
    wrong += difference(result, golden, i, host);
  }
  return wrong;
}

}  // namespace

TEST_CASE("math: every loop gives NumPy's values") {
  conformance::note_device_case();
  const std::vector<Case>& cases = values().cases;
  for (const kiln::Device& device : kiln::Device::all()) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::vector<std::string> failures;
    // Most of the time goes to compilers.
    std::vector<std::thread> threads;
    const unsigned count = std::max(1U, std::min(16U, std::thread::hardware_concurrency()));
    for (unsigned t = 0; t < count; ++t) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < cases.size(); i = next++) {
          std::string wrong;
          try {
            wrong = run(cases[i], device);
          } catch (const std::exception& error) {
            wrong = std::string(": ") + error.what();
          }
          if (wrong.empty()) continue;
          const std::lock_guard lock(mutex);
          failures.push_back(cases[i].text + wrong);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& failure : failures) FAIL_CHECK("on ", to_string(device), ": ", failure);
  }
}

TEST_CASE("math: the golden file has every loop") {
  std::set<std::string> covered;
  for (const Case& golden : values().cases) {
    covered.insert(golden.function + " " + text_of(golden.inputs, golden.outputs));
  }
  for (const kiln::math::FunctionInfo& info : kiln::math::functions()) {
    std::string_view rest = info.loops;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      CHECK_MESSAGE(covered.contains(std::string(info.name) + " " + std::string(line)), info.name, ": ", line);
    }
  }
}
