// Thousands of calls of ufuncs and their methods, with NumPy's answers: golden/make_calls.py.
#include <cstdlib>

#include "driver.hpp"
#include "golden_call.hpp"
#include "kiln/math.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

std::vector<Array> outs_of(const GoldenCall& call, const Target& target) {
  std::vector<Array> outs;
  if (!call.has("out")) return outs;
  std::string rest = call.fields.at("out");
  for (std::size_t end = 0; end != std::string::npos;) {
    end = rest.find(';');
    outs.push_back(GoldenOperand::parse(rest.substr(0, end)).make(target));
    if (end != std::string::npos) rest = rest.substr(end + 1);
  }
  return outs;
}

/// A case on a target: its operands live here while it runs.
class Run {
 public:
  Run(const Driver& driver, const GoldenCall& call, const Target& target)
      : driver_(driver), call_(call), target_(target), outs_(outs_of(call, target)) {
    for (const char* name : {"a", "b", "where"}) {
      if (!call.has(name)) continue;
      const std::string& text = call.fields.at(name);
      if (text.starts_with("scalar/")) continue;
      arrays_.emplace(name, GoldenOperand::parse(text).make(target));
    }
    written_ = outs_;
    if (call.method == "at") written_.push_back(arrays_.at("a"));
    for (const Array& array : written_) before_.push_back(read(target.fetch(array)));
  }

  std::vector<Array> results() {
    const kiln::Ufunc* const ufunc = kiln::math::find(call_.ufunc);
    REQUIRE(ufunc != nullptr);
    if (call_.method == "call") return called(*ufunc);
    if (call_.method == "reduce") return {driver_.reduce(*ufunc, arrays_.at("a"), reduce_options())};
    if (call_.method == "accumulate") return {driver_.accumulate(*ufunc, arrays_.at("a"), accumulate_options())};
    if (call_.method == "reduceat") return {driver_.reduceat(*ufunc, arrays_.at("a"), indices(), accumulate_options())};
    if (call_.method == "outer") return {driver_.outer(*ufunc, arrays_.at("a"), arrays_.at("b"), target_.options({}))};
    REQUIRE(call_.method == "at");
    const kiln::Stream stream = target_.options({}).stream;
    driver_.at(*ufunc, arrays_.at("a"), indices(), call_.has("b") ? &arrays_.at("b") : nullptr, {.stream = stream});
    return {arrays_.at("a")};
  }

  /// Whether every array that the call writes has the values that it had.
  [[nodiscard]] bool untouched() const {
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (!difference(read(target_.fetch(written_[i])), before_[i]).empty()) return false;
    }
    return true;
  }

 private:
  std::vector<Array> called(const kiln::Ufunc& ufunc) {
    kiln::CallOptions options;
    if (!outs_.empty()) options.out = kiln::Outputs(outs_);
    if (call_.has("where")) options.where = arrays_.at("where");
    if (call_.has("casting")) options.casting = casting_named(call_.fields.at("casting"));
    if (call_.has("dtype")) options.dtype = dtype_named(call_.fields.at("dtype"));
    std::vector<kiln::Arg> args{arrays_.at("a")};
    if (call_.has("b")) {
      const std::string& text = call_.fields.at("b");
      if (!text.starts_with("scalar/")) {
        args.emplace_back(arrays_.at("b"));
      } else if (text.find('.') == std::string::npos) {
        args.emplace_back(std::int64_t{std::stoll(text.substr(7))});
      } else {
        args.emplace_back(std::stod(text.substr(7)));
      }
    }
    return driver_.call(ufunc, args, target_.options(options));
  }

  [[nodiscard]] kiln::ReduceOptions reduce_options() const {
    kiln::ReduceOptions options;
    if (call_.has("axis")) {
      const std::string& axis = call_.fields.at("axis");
      const std::vector<std::int64_t> list =
          axis == "all" || axis == "none" ? std::vector<std::int64_t>{} : golden_numbers(axis);
      options.axis = axis == "all" ? kiln::all_axes : kiln::Axes(std::vector<int>(list.begin(), list.end()));
    }
    options.keepdims = call_.has("keepdims");
    if (call_.has("initial")) options.initial = kiln::Arg(std::int64_t{std::stoll(call_.fields.at("initial"))});
    if (call_.has("dtype")) options.dtype = dtype_named(call_.fields.at("dtype"));
    if (call_.has("where")) options.where = arrays_.at("where");
    if (!outs_.empty()) options.out = outs_.front();
    options.stream = target_.options({}).stream;
    return options;
  }

  [[nodiscard]] kiln::AccumulateOptions accumulate_options() const {
    kiln::AccumulateOptions options;
    if (call_.has("axis")) options.axis = std::stoi(call_.fields.at("axis"));
    if (call_.has("dtype")) options.dtype = dtype_named(call_.fields.at("dtype"));
    if (!outs_.empty()) options.out = outs_.front();
    options.stream = target_.options({}).stream;
    return options;
  }

  [[nodiscard]] Array indices() const {
    std::vector<Exact> values;
    for (const std::int64_t index : call_.numbers("indices")) values.emplace_back(static_cast<long double>(index));
    return target_.place(make(DType::int64, values, kiln::Shape{static_cast<std::int64_t>(values.size())}));
  }

  const Driver& driver_;
  const GoldenCall& call_;
  const Target& target_;
  std::map<std::string, Array> arrays_;
  std::vector<Array> outs_;
  std::vector<Array> written_;
  std::vector<std::vector<Exact>> before_;
};

}  // namespace

TEST_CASE("calls: NumPy's answers") {
  REQUIRE(golden("calls.txt").size() >= 2000);
  on_every_device(
      [&](const Target& target) {
        for (const Golden& line : golden_in_turn("calls.txt", target)) {
          const GoldenCall call = GoldenCall::parse(line.text);
          for (const Driver* const driver : drivers()) {
            // A repeated call may take a shorter way.
            for (const char* const time : {"first", "again"}) {
              INFO(driver->name(), " ", time);
              Run run(*driver, call, target);
              check_golden(call, target, [&] { return run.results(); }, [&] { return run.untouched(); });
            }
          }
        }
      },
      kEveryMode);
}
