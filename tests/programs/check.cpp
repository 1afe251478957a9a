#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>

#include "check_cores.hpp"
#include "conformance/fenced.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

namespace programs {
namespace {

using kiln::Array;
using kiln::Shape;
using kiln::Slice;

constexpr std::size_t kColumns = 41;

/// An emulated device takes its time.
std::size_t number_of_items() {
  return kiln::Device::best().is_emulated() ? 197 : 1061;
}

/// A generalized ufunc over cores of n elements, of each of which the program makes one of each output. `apart`: what waits for
/// the element before comes in a loop behind that.
kiln::GufuncDefinition items_of(const Program& program, bool apart, const kiln::Cache& cache) {
  const Text text = text_of(program);
  const Function& body = program.body();
  const bool returns = program.outputs.size() == 1;
  std::string layout;
  std::string signature;
  std::string parameters;
  std::string results;
  std::string arguments;
  std::string stores;
  for (std::size_t k = 0; k < static_cast<std::size_t>(body.parameters); ++k) {
    const Variable& input = body.variables[k];
    layout += k == 0 ? "(n)" : ",(n)";
    signature += fmt::format("{}{}[:] x{}", k == 0 ? "" : ", ", name(input.in_memory()), k);
    parameters += fmt::format("{}{} v{}", k == 0 ? "" : ", ", name(input.type), k);
    arguments += fmt::format("{}x{}(i)", k == 0 ? "" : ", ", k);
  }
  layout += "->";
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const char* const type = name(computed(program.outputs[k]));
    layout += "(n),";
    signature += fmt::format(", {}[:] y{}", name(program.outputs[k]), k);
    if (!returns) parameters += fmt::format(", {}& v{}", type, static_cast<std::size_t>(body.parameters) + k);
    if (!returns) arguments += fmt::format(", r{}", k);
    results += fmt::format("{} r{} = 0; ", type, k);
    stores += fmt::format("y{0}(i) = r{0}; ", k);
  }
  const Type first = program.outputs[0];
  const std::string again = fmt::format("{}(y0(i))", name(computed(first)));  // as memory has it
  return {.name = "items",
          .layout = layout + "(n)",
          .signatures = {fmt::format("void({}, uint32[:] running)", signature)},
          .body = fmt::format("uint32 number = 0;\nfor (index i = 0; i < n; ++i) {{ {}{}program({}); {}{}number = number * 3 + "
                              "uint32({} != 0); running(i) = number; }}",
                              results, returns ? "r0 = " : "", arguments, stores,
                              apart ? "}\nfor (index i = 0; i < n; ++i) { " : "", apart || is_half(first) ? again : "r0"),
          .compile = {.preamble = text.preamble,
                      .functions = fmt::format("{}{} program({}) {{\n{}}}\n", text.functions,
                                               returns ? name(computed(first)) : "void", parameters, text.body),
                      .cache = cache}};
}

class Checker {
 public:
  Checker(const Program& program, std::uint64_t seed, const kiln::Cache& cache, const BeforeCall& before)
      : program_(program), before_(before), random_(seed), cache_(cache) {
    Text text = text_of(program);
    ufunc_ = kiln::vectorize(
        {.name = "program",
         .signatures = {std::move(text.signature)},
         .body = std::move(text.body),
         .compile = {.preamble = std::move(text.preamble), .functions = std::move(text.functions), .cache = cache}});
  }

  Verdict run() {
    Items items;
    for (std::size_t k = 0; k < parameters(); ++k) {
      items.inputs.emplace_back();
      for (std::size_t i = 0; i < items_; ++i) items.inputs[k].push_back(any_value(input_type(k), random_));
    }
    if (!interpreted(items)) return {};
    using Way = bool (Checker::*)(const Items&);
    if (!contiguous(items) || !fenced(items)) return {.ran = true, .difference = difference_};
    for (const Way way : {&Checker::strided, &Checker::masked, &Checker::broadcast, &Checker::cores}) {
      constexpr int kOneIn = 4;
      if (random_() % kOneIn != 0) continue;
      if (!(this->*way)(items)) return {.ran = true, .difference = difference_};
    }
    return {.ran = true, .difference = {}};
  }

 private:
  [[nodiscard]] std::size_t parameters() const { return static_cast<std::size_t>(program_.body().parameters); }
  [[nodiscard]] Type input_type(std::size_t k) const { return program_.body().variables[k].in_memory(); }

  bool interpreted(Items& items) const {
    items.outputs.assign(program_.outputs.size(), {});
    Item item(parameters());
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t k = 0; k < item.size(); ++k) item[k] = {items.inputs[k][i]};
      const auto results = interpret(program_, item, kSteps);
      if (!results) return false;
      for (std::size_t k = 0; k < results->size(); ++k) items.outputs[k].push_back((*results)[k][0]);
    }
    return true;
  }

  bool contiguous(const Items& items) {
    for (const std::size_t size : {items_, std::size_t{1}, std::size_t{63}, std::size_t{64}}) {
      std::vector<kiln::Arg> args;
      for (std::size_t k = 0; k < parameters(); ++k) args.emplace_back(array(input_type(k), items.inputs[k], size));
      if (!call(fmt::format("{} items", size), items, size, args, {})) return false;
    }
    return true;
  }

  /// Operands end where memory ends, or begin where it begins.
  bool fenced(const Items& items) {
    for (const std::size_t size : {items_, std::size_t{1}, std::size_t{63}}) {
      std::deque<conformance::Fenced> memory;
      const auto place = [&](Type type) {
        memory.emplace_back(size * kiln::itemsize(dtype(type)), (memory.size() + size) % 3 != 0);
        return Array::view(memory.back().data(), {static_cast<std::int64_t>(size)}, dtype(type), {});
      };
      std::vector<kiln::Arg> args;
      for (std::size_t k = 0; k < parameters(); ++k) {
        const Array input = place(input_type(k));
        input.assign(array(input_type(k), items.inputs[k], size));
        args.emplace_back(input);
      }
      std::vector<Array> out;
      for (const Type type : program_.outputs) out.push_back(place(type));
      if (!call(fmt::format("{} items, with no memory beyond them", size), items, size, args, {.out = kiln::Outputs(out)})) {
        return false;
      }
    }
    return true;
  }

  /// Each input has other strides.
  bool strided(const Items& items) {
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < parameters(); ++k) {
      const Array plain = array(input_type(k), items.inputs[k], items_);
      const std::int64_t step = k % 2 == 0 ? 2 : -1;
      const Array apart = Array::zeros({static_cast<std::int64_t>(items_) * 2}, dtype(input_type(k)));
      const Array view = apart[Slice{.stop = step > 0 ? std::optional<std::int64_t>() : items_ - 1, .step = step}];
      view.assign(plain);
      args.emplace_back(view);
    }
    return call("strided", items, items_, args, {});
  }

  bool masked(const Items& items) {
    const Array where = Array::zeros({static_cast<std::int64_t>(items_)}, kiln::DType::bool_);
    Items some = items;
    std::vector<Array> out;
    for (std::size_t k = 0; k < items.outputs.size(); ++k)
      out.push_back(array(program_.outputs[k], items.inputs[0], 0, items_));
    const std::uint64_t dense = random_() % 3;  // few, half or most
    for (std::size_t i = 0; i < items_; ++i) {
      const bool on = random_() % 4 <= dense;
      where.as<bool>()[i] = on;
      for (std::size_t k = 0; !on && k < out.size(); ++k) some.outputs[k][i] = {};
    }
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < parameters(); ++k) args.emplace_back(array(input_type(k), items.inputs[k], items_));
    return call("where", some, items_, args, {.out = kiln::Outputs(out), .where = where});
  }

  /// The first input has one value for each row, the second one for each column.
  bool broadcast(const Items& items) {
    if (parameters() < 2) return true;
    Items spread = items;
    const std::size_t rows = items_ / kColumns;
    const std::size_t size = rows * kColumns;
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < parameters(); ++k) {
      spread.inputs[k].resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = i / kColumns;
        const std::size_t column = i % kColumns;
        spread.inputs[k][i] = items.inputs[k][k == 0 ? row : k == 1 ? column : i];
      }
      const auto r = static_cast<std::int64_t>(rows);
      const auto c = static_cast<std::int64_t>(kColumns);
      const Shape shape = k == 0 ? Shape{r, 1} : k == 1 ? Shape{1, c} : Shape{r, c};
      args.emplace_back(array(input_type(k), items.inputs[k], k == 0 ? rows : k == 1 ? kColumns : size).reshape(shape));
    }
    return !interpreted(spread) || call("broadcast", spread, size, args, {});
  }

  /// Cores of a generalized ufunc: the program for each element in turn, and a number that waits for the element before.
  bool cores(const Items& items) {
    constexpr std::size_t kLengths[] = {3, 7, 20, 40, 66, 81};
    const std::size_t n = kLengths[random_() % std::size(kLengths)];
    const std::size_t rows = items_ / n;
    const bool beside = random_() % 3 == 0;  // items side by side, the elements of each apart
    const auto shape = beside ? Shape{static_cast<std::int64_t>(n), static_cast<std::int64_t>(rows)}
                              : Shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(n)};
    const auto laid = [&](const Array& flat) { return beside ? flat.reshape(shape).transpose() : flat.reshape(shape); };
    const auto value_at = [&](std::size_t row, std::size_t i) { return beside ? i * rows + row : row * n + i; };
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < parameters(); ++k) args.emplace_back(laid(array(input_type(k), items.inputs[k], rows * n)));
    std::vector<Array> flat;
    for (const Type type : program_.outputs) flat.push_back(array(type, {}, 0, rows * n));
    flat.push_back(array(Type::u32, {}, 0, rows * n));
    std::vector<Array> out;
    for (const Array& each : flat) out.push_back(laid(each));
    const kiln::GufuncOptions options{.out = kiln::Outputs(out)};
    const bool apart = random_() % 2 == 0;
    before_();
    static_cast<void>(kiln::guvectorize(items_of(program_, apart, cache_)).outputs(args, options));
    const std::string way = fmt::format("cores of {}{}{}", n, beside ? ", items side by side" : "", apart ? ", two loops" : "");
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint32_t running = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = value_at(row, i);
        const auto got = [&](std::size_t k, Type type) {
          return read(type, static_cast<const char*>(flat[k].data()) + at * kiln::itemsize(dtype(type)));
        };
        for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
          const Value is = got(k, program_.outputs[k]);
          if (!same(program_.outputs[k], is, items.outputs[k][at])) return describe(way, items, k, at, is), false;
        }
        const Value& first = items.outputs[0][at];
        running = running * 3 + (first.integer != 0 || first.real != 0 ? 1 : 0);
        const Value is = got(program_.outputs.size(), Type::u32);
        if (is.integer == running) continue;
        difference_ =
            fmt::format("{}: the running number of item {}, element {}: expected {}, got {}", way, row, i, running, is.integer);
        return false;
      }
    }
    return true;
  }

  bool call(const std::string& way, const Items& expected, std::size_t size, const std::vector<kiln::Arg>& args,
            const kiln::CallOptions& options) {
    std::vector<Array> results(program_.outputs.size());
    before_();
    ufunc_.call(args, &options, results);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Array flat = results[k].reshape({-1});
      const std::size_t bytes = kiln::itemsize(flat.dtype());
      for (std::size_t i = 0; i < size; ++i) {
        const Type type = program_.outputs[k];
        const Value got = read(type, static_cast<const char*>(flat.data()) + i * bytes);
        if (same(type, got, expected.outputs[k][i])) continue;
        describe(way, expected, k, i, got);
        return false;
      }
    }
    return true;
  }

  void describe(const std::string& way, const Items& items, std::size_t output, std::size_t i, const Value& got) {
    std::string inputs;
    for (std::size_t k = 0; k < parameters(); ++k) {
      inputs += fmt::format("{}v{} = {}", k == 0 ? "" : ", ", k, print(input_type(k), items.inputs[k][i]));
    }
    const Type type = program_.outputs[output];
    difference_ = fmt::format("{}: item {} ({}), output {}: expected {}, got {}", way, i, inputs, output,
                              print(type, items.outputs[output][i]), print(type, got));
  }

  const Program& program_;
  const BeforeCall& before_;
  std::size_t items_ = number_of_items();
  Random random_;
  kiln::Cache cache_;
  kiln::Ufunc ufunc_;
  std::string difference_;
};

/// What NVRTC compiles in seconds: it inlines functions of any size, takes minutes for some that are twice as large, and
/// nothing stops it.
constexpr std::uint64_t kInlined = 4000;

bool compiler_has_limits() {
  const char* const compiler = std::getenv("KILN_GPU_COMPILER");
  return kiln::Device::best().is_cpu() || (compiler != nullptr && std::string(compiler) == "clang");
}

}  // namespace

Verdict check(const Program& program, std::uint64_t seed, const kiln::Cache& cache, const BeforeCall& before) {
  if (!compiler_has_limits() && inlined_size(program) > kInlined) return {};
  try {
    if (program.kind != Program::Kind::elementwise) return check_cores(program, seed, cache, before);
    return Checker(program, seed, cache, before).run();
  } catch (const kiln::CompileError& error) {
    // A few programs are of minutes for Clang, which a slow processor has not.
    if (std::string(error.what()).find("did not end within") == std::string::npos) throw;
    return {};
  }
}

std::string report(const Program& program, std::uint64_t seed) {
  const Text text = text_of(program);
  return fmt::format("KILN_TEST_SEED={} KILN_TEST_PROGRAMS=1\n{}{}{}{}{} {{\n{}}}\n", seed, text.preamble, text.functions,
                     text.layout.empty() ? "" : text.layout + " ", text.each.empty() ? "" : text.each + " ", text.signature,
                     text.body);
}

}  // namespace programs
