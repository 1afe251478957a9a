// A thousand calls of generalized ufuncs, with NumPy's answers: golden/make_gufuncs.py.
#include <list>

#include "driver.hpp"
#include "golden_call.hpp"
#include "gufunc_kernels.hpp"

using namespace conformance;
using kiln::Array;

namespace {

std::vector<std::string> split(std::string text, char at) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end != std::string::npos) text.erase(0, end + 1);
  }
  return parts;
}

/// A case on a target: its operands live here while it runs.
class GufuncRun {
 public:
  GufuncRun(const GoldenCall& call, const Target& target) : call_(call), target_(target) {
    for (const char* name : {"a", "b", "c"}) {
      if (!call.has(name)) continue;
      const std::string& text = call.fields.at(name);
      if (text.starts_with("scalar/")) {
        args_.push_back(scalar(text.substr(7)));
      } else {
        args_.emplace_back(*arrays_.insert(arrays_.end(), GoldenOperand::parse(text).make(target)));
      }
    }
    if (call.has("out")) {
      for (const std::string& text : split(call.fields.at("out"), ';'))
        outs_.push_back(GoldenOperand::parse(text).make(target));
    }
    for (const Array& out : outs_) before_.push_back(read(target.fetch(out)));
  }
  GufuncRun(const GufuncRun&) = delete;
  GufuncRun& operator=(const GufuncRun&) = delete;
  ~GufuncRun() = default;

  std::vector<Array> results(const Driver& driver, const kiln::Gufunc& gufunc) {
    kiln::GufuncOptions options;
    options.stream = target_.options({}).stream;
    if (!outs_.empty()) options.out = kiln::Outputs(outs_);
    if (call_.has("where")) options.where = GoldenOperand::parse(call_.fields.at("where")).make(target_);
    if (call_.has("casting")) options.casting = casting_named(call_.fields.at("casting"));
    if (call_.has("dtype")) options.dtype = dtype_named(call_.fields.at("dtype"));
    if (call_.has("axis")) options.axis = std::stoi(call_.fields.at("axis"));
    options.keepdims = call_.has("keepdims");
    if (call_.has("axes")) {
      for (const std::string& entry : split(call_.fields.at("axes"), ';')) {
        const std::vector<std::int64_t> axes = golden_numbers(entry);
        options.axes.emplace_back(axes.begin(), axes.end());
      }
    }
    return driver.call(gufunc, args_, options);
  }

  /// Whether every out has the values that it had.
  [[nodiscard]] bool untouched() const {
    for (std::size_t i = 0; i < outs_.size(); ++i) {
      if (!difference(read(target_.fetch(outs_[i])), before_[i]).empty()) return false;
    }
    return true;
  }

 private:
  static kiln::Arg scalar(const std::string& text) {
    if (text.find('.') == std::string::npos) return std::int64_t{std::stoll(text)};
    return std::stod(text);
  }

  const GoldenCall& call_;
  const Target& target_;
  std::list<Array> arrays_;
  std::vector<kiln::Arg> args_;
  std::vector<Array> outs_;
  std::vector<std::vector<Exact>> before_;
};

}  // namespace

TEST_CASE("gufuncs: NumPy's answers") {
  REQUIRE(golden("gufuncs.txt").size() >= 1000);
  on_every_device(
      [&](const Target& target) {
        const std::vector<Golden> lines = golden_in_turn("gufuncs.txt", target);
        for (std::size_t i = 0; i < lines.size(); ++i) {
          // By one of the kernel's bodies; by all of them over the file.
          const GoldenCall call = GoldenCall::parse(lines[i].text);
          const std::vector<kiln::Gufunc>& bodies = golden_gufuncs(call.ufunc);
          for (const Driver* const driver : drivers()) {
            INFO(driver->name());
            GufuncRun run(call, target);
            check_golden(
                call, target, [&] { return run.results(*driver, bodies[i % bodies.size()]); }, [&] { return run.untouched(); });
          }
        }
      },
      kEveryMode);
}
