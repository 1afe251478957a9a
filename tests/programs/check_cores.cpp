#include "check_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "conformance/fenced.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

namespace programs {
namespace {

using kiln::Array;
using kiln::Shape;
using kiln::Slice;

/// How the cores of an operand lie in memory.
enum class Layout : std::uint8_t { rows, fenced, columns, apart, reversed };
constexpr std::array kLayouts = {Layout::rows, Layout::fenced, Layout::columns, Layout::apart, Layout::reversed};
constexpr std::array<const char*, kLayouts.size()> kNames = {"rows", "rows, with no memory beyond them", "columns",
                                                             "rows of elements that lie apart", "rows backwards"};

class CoresChecker {
 public:
  CoresChecker(const Program& program, std::uint64_t seed, const kiln::Cache& cache, const BeforeCall& before)
      : program_(program), before_(before), random_(seed) {
    Text text = text_of(program);
    gufunc_ = kiln::guvectorize(
        {.name = "program",
         .layout = std::move(text.layout),
         .signatures = {std::move(text.signature)},
         .each = std::move(text.each),
         .body = std::move(text.body),
         .compile = {.preamble = std::move(text.preamble), .functions = std::move(text.functions), .cache = cache}});
  }

  Verdict run() {
    constexpr int kCalls = 3;
    Verdict verdict;
    for (int i = 0; i < kCalls && verdict.difference.empty(); ++i) {
      constexpr std::array<std::size_t, 10> kLengths = {1, 2, 3, 7, 16, 20, 33, 40, 66, 81};
      extent_ = kLengths[random_() % kLengths.size()];
      const std::size_t most = kiln::Device::best().is_emulated() ? 200 : 1500;
      rows_ = random_() % 4 == 0 ? 1 + random_() % 4 : std::max<std::size_t>(most / extent_, 1);
      const std::size_t layout = random_() % kLayouts.size();
      if (!make_items()) continue;
      verdict.ran = true;
      verdict.difference = difference(kLayouts[layout]);
      if (!verdict.difference.empty())
        verdict.difference = fmt::format("{} x {} {}: {}", rows_, extent_, kNames[layout], verdict.difference);
    }
    return verdict;
  }

 private:
  struct Operand {
    Type type;
    bool view;
  };
  [[nodiscard]] Operand input(std::size_t k) const {
    const Variable& variable = program_.body().variables[k];
    return {variable.in_memory(), variable.view};
  }
  [[nodiscard]] Operand output(std::size_t k) const {
    return {program_.outputs[k], program_.kind == Program::Kind::each || k + 1 < program_.outputs.size()};
  }

  /// What goes in, and what the interpreter makes of it; false where an item takes too long.
  bool make_items() {
    inputs_.clear();
    expected_.clear();
    for (std::size_t row = 0; row < rows_; ++row) {
      Item item(static_cast<std::size_t>(program_.body().parameters));
      for (std::size_t k = 0; k < item.size(); ++k) {
        for (std::size_t i = 0; i < (input(k).view ? extent_ : 1); ++i) item[k].push_back(any_value(input(k).type, random_));
      }
      std::optional<Item> results = interpret(program_, item, kSteps);
      if (!results) return false;
      inputs_.push_back(std::move(item));
      expected_.push_back(*std::move(results));
    }
    return true;
  }

  Array place(const Operand& operand, Layout layout) {
    const auto n = static_cast<std::int64_t>(extent_);
    const auto rows = static_cast<std::int64_t>(rows_);
    const kiln::DType of = dtype(operand.type);
    const Shape shape = operand.view ? Shape{rows, n} : Shape{rows};
    switch (layout) {
      case Layout::fenced:
        memory_.emplace_back(rows_ * (operand.view ? extent_ : 1) * kiln::itemsize(of), memory_.size() % 3 != 0);
        return Array::view(memory_.back().data(), shape, of, {});
      case Layout::columns:
        return operand.view ? Array::zeros({n, rows}, of).transpose() : Array::zeros(shape, of);
      case Layout::apart:
        return operand.view ? Array::zeros({rows, 2 * n}, of)[{Slice{}, Slice{.step = 2}}] : Array::zeros(shape, of);
      case Layout::reversed:
        return operand.view ? Array::zeros({rows, n}, of)[{Slice{}, Slice{.step = -1}}] : Array::zeros(shape, of);
      default:
        return Array::zeros(shape, of);
    }
  }

  static char* element(const Array& of, std::size_t row, std::size_t i) {
    std::int64_t offset = static_cast<std::int64_t>(row) * of.strides()[0];
    if (of.ndim() > 1) offset += static_cast<std::int64_t>(i) * of.strides()[1];
    return static_cast<char*>(of.data()) + offset;
  }

  std::string difference(Layout layout) {
    memory_.clear();
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < inputs_[0].size(); ++k) {
      const Array made = place(input(k), layout);
      for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t i = 0; i < inputs_[row][k].size(); ++i)
          write(input(k).type, inputs_[row][k][i], element(made, row, i));
      }
      args.emplace_back(made);
    }
    std::vector<Array> out;
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) out.push_back(place(output(k), layout));
    const kiln::GufuncOptions options{.out = kiln::Outputs(out)};
    before_();
    static_cast<void>(gufunc_.outputs(args, options));
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t k = 0; k < out.size(); ++k) {
        for (std::size_t i = 0; i < expected_[row][k].size(); ++i) {
          const Value got = read(output(k).type, element(out[k], row, i));
          if (same(output(k).type, got, expected_[row][k][i])) continue;
          return fmt::format("item {}, output {}, element {}: expected {}, got {}", row, k, i,
                             print(output(k).type, expected_[row][k][i]), print(output(k).type, got));
        }
      }
    }
    return {};
  }

  const Program& program_;
  const BeforeCall& before_;
  Random random_;
  kiln::Gufunc gufunc_;
  std::size_t extent_ = 0;
  std::size_t rows_ = 0;
  std::vector<Item> inputs_;
  std::vector<Item> expected_;
  std::deque<conformance::Fenced> memory_;
};

}  // namespace

Verdict check_cores(const Program& program, std::uint64_t seed, const kiln::Cache& cache, const BeforeCall& before) {
  return CoresChecker(program, seed, cache, before).run();
}

}  // namespace programs
