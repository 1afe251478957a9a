#include "check.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <utility>

#include "conformance/fenced.hpp"

namespace programs {
namespace {

using kiln::Array;
using kiln::Shape;
using kiln::Slice;

/// Statements and calls of one item.
constexpr int kSteps = 20000;
constexpr std::size_t kItems = 1061;
constexpr std::size_t kColumns = 41;

using Random = std::mt19937_64;

kiln::DType dtype(Type type) {
  constexpr kiln::DType kTypes[] = {kiln::DType::bool_, kiln::DType::uint8,   kiln::DType::int32,  kiln::DType::uint32,
                                    kiln::DType::int64, kiln::DType::float32, kiln::DType::float64};
  return kTypes[static_cast<int>(type)];
}

void write(Type type, const Value& value, char* to) {
  const auto put = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (type) {
    case Type::boolean:
    case Type::u8:
      return put(static_cast<std::uint8_t>(value.integer));
    case Type::i32:
      return put(static_cast<std::int32_t>(value.integer));
    case Type::u32:
      return put(static_cast<std::uint32_t>(value.integer));
    case Type::i64:
      return put(value.integer);
    case Type::f32:
      return put(static_cast<float>(value.real));
    case Type::f64:
      return put(value.real);
  }
}

Value read(Type type, const char* from) {
  const auto get = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return number;
  };
  switch (type) {
    case Type::boolean:
    case Type::u8:
      return {.integer = get(std::uint8_t())};
    case Type::i32:
      return {.integer = get(std::int32_t())};
    case Type::u32:
      return {.integer = get(std::uint32_t())};
    case Type::i64:
      return {.integer = get(std::int64_t())};
    case Type::f32:
      return {.real = static_cast<double>(get(float()))};
    default:
      return {.real = get(double())};
  }
}

bool same(Type type, const Value& a, const Value& b) {
  if (!is_floating(type)) return a.integer == b.integer;
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && std::isnan(b.real);
  return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
}

std::string print(Type type, const Value& value) {
  return is_floating(type) ? fmt::format("{} ({:a})", value.real, value.real) : fmt::format("{}", value.integer);
}

/// An input's value: small ones and the ends of a type's range are likely.
Value any_value(Type type, Random& random) {
  const std::uint64_t bits = random();
  const auto kind = static_cast<int>(bits & 15U);
  const auto small = static_cast<std::int64_t>(bits >> 8U & 31U) - (type == Type::u8 || type == Type::u32 ? 0 : 8);
  if (is_floating(type)) {
    constexpr double kSpecial[] = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1e-310,
                                   1e30,
                                   -1e9};
    double real = static_cast<double>(small) / 4;
    if (kind == 0) real = kSpecial[bits >> 16U & 7U];
    if (kind > 10) real = std::ldexp(static_cast<double>(bits >> 11U), -53) * 40 - 20;
    return {.real = type == Type::f32 ? static_cast<double>(static_cast<float>(real)) : real};
  }
  std::int64_t number = small;
  if (kind == 0) number = type == Type::i64 ? INT64_MIN : INT32_MIN;
  if (kind == 1) number = type == Type::i64 ? INT64_MAX : INT32_MAX;
  if (kind == 2) number = -1;
  if (kind > 12) number = static_cast<std::int64_t>(random());
  Value value;
  char memory[8] = {};
  write(type, {.integer = number}, memory);  // cut to the type
  value = read(type, memory);
  return value;
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
    const char* const type = name(body.variables[k].type);
    layout += k == 0 ? "(n)" : ",(n)";
    signature += fmt::format("{}{}[:] x{}", k == 0 ? "" : ", ", type, k);
    parameters += fmt::format("{}{} v{}", k == 0 ? "" : ", ", type, k);
    arguments += fmt::format("{}x{}(i)", k == 0 ? "" : ", ", k);
  }
  layout += "->";
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const char* const type = name(program.outputs[k]);
    layout += "(n),";
    signature += fmt::format(", {}[:] y{}", type, k);
    if (!returns) parameters += fmt::format(", {}& v{}", type, static_cast<std::size_t>(body.parameters) + k);
    if (!returns) arguments += fmt::format(", r{}", k);
    results += fmt::format("{} r{} = 0; ", type, k);
    stores += fmt::format("y{0}(i) = r{0}; ", k);
  }
  return {.name = "items",
          .layout = layout + "(n)",
          .signatures = {fmt::format("void({}, uint32[:] running)", signature)},
          .body = fmt::format("uint32 number = 0;\nfor (index i = 0; i < n; ++i) {{ {}{}program({}); {}{}number = number * 3 + "
                              "uint32({} != 0); running(i) = number; }}",
                              results, returns ? "r0 = " : "", arguments, stores,
                              apart ? "}\nfor (index i = 0; i < n; ++i) { " : "", apart ? "y0(i)" : "r0"),
          .compile = {.preamble = text.preamble,
                      .functions = fmt::format("{}{} program({}) {{\n{}}}\n", text.functions,
                                               returns ? name(program.outputs[0]) : "void", parameters, text.body),
                      .cache = cache}};
}

class Checker {
 public:
  Checker(const Program& program, std::uint64_t seed, const kiln::Cache& cache)
      : program_(program), random_(seed), cache_(cache) {
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
      for (std::size_t i = 0; i < kItems; ++i) items.inputs[k].push_back(any_value(input_type(k), random_));
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
  [[nodiscard]] Type input_type(std::size_t k) const { return program_.body().variables[k].type; }

  bool interpreted(Items& items) const {
    items.outputs.assign(program_.outputs.size(), {});
    std::vector<Value> item(parameters());
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t k = 0; k < item.size(); ++k) item[k] = items.inputs[k][i];
      const auto results = interpret(program_, item, kSteps);
      if (!results) return false;
      for (std::size_t k = 0; k < results->size(); ++k) items.outputs[k].push_back((*results)[k]);
    }
    return true;
  }

  bool contiguous(const Items& items) {
    for (const std::size_t size : {kItems, std::size_t{1}, std::size_t{63}, std::size_t{64}}) {
      std::vector<kiln::Arg> args;
      for (std::size_t k = 0; k < parameters(); ++k) args.emplace_back(array(input_type(k), items.inputs[k], size));
      if (!call(fmt::format("{} items", size), items, size, args, {})) return false;
    }
    return true;
  }

  /// Operands end where memory ends, or begin where it begins.
  bool fenced(const Items& items) {
    for (const std::size_t size : {kItems, std::size_t{1}, std::size_t{63}}) {
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
      const Array plain = array(input_type(k), items.inputs[k], kItems);
      const std::int64_t step = k % 2 == 0 ? 2 : -1;
      const Array apart = Array::zeros({static_cast<std::int64_t>(kItems) * 2}, dtype(input_type(k)));
      const Array view = apart[Slice{.stop = step > 0 ? std::optional<std::int64_t>() : kItems - 1, .step = step}];
      view.assign(plain);
      args.emplace_back(view);
    }
    return call("strided", items, kItems, args, {});
  }

  bool masked(const Items& items) {
    const Array where = Array::zeros({static_cast<std::int64_t>(kItems)}, kiln::DType::bool_);
    Items some = items;
    std::vector<Array> out;
    for (std::size_t k = 0; k < items.outputs.size(); ++k)
      out.push_back(array(program_.outputs[k], items.inputs[0], 0, kItems));
    const std::uint64_t dense = random_() % 3;  // few, half or most
    for (std::size_t i = 0; i < kItems; ++i) {
      const bool on = random_() % 4 <= dense;
      where.as<bool>()[i] = on;
      for (std::size_t k = 0; !on && k < out.size(); ++k) some.outputs[k][i] = {};
    }
    std::vector<kiln::Arg> args;
    for (std::size_t k = 0; k < parameters(); ++k) args.emplace_back(array(input_type(k), items.inputs[k], kItems));
    return call("where", some, kItems, args, {.out = kiln::Outputs(out), .where = where});
  }

  /// The first input has one value for each row, the second one for each column.
  bool broadcast(const Items& items) {
    if (parameters() < 2) return true;
    Items spread = items;
    const std::size_t rows = kItems / kColumns;
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
    const std::size_t rows = kItems / n;
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

  /// The first `size` values, or zeros behind them.
  static Array array(Type type, const std::vector<Value>& values, std::size_t size, std::size_t length = 0) {
    const Array made = Array::zeros({static_cast<std::int64_t>(std::max(size, length))}, dtype(type));
    const std::size_t bytes = kiln::itemsize(made.dtype());
    for (std::size_t i = 0; i < size; ++i) write(type, values[i], static_cast<char*>(made.data()) + i * bytes);
    return made;
  }

  bool call(const std::string& way, const Items& expected, std::size_t size, const std::vector<kiln::Arg>& args,
            const kiln::CallOptions& options) {
    std::vector<Array> results(program_.outputs.size());
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
  Random random_;
  kiln::Cache cache_;
  kiln::Ufunc ufunc_;
  std::string difference_;
};

}  // namespace

Verdict check(const Program& program, std::uint64_t seed, const kiln::Cache& cache) {
  return Checker(program, seed, cache).run();
}

std::string report(const Program& program, std::uint64_t seed) {
  const Text text = text_of(program);
  return fmt::format("KILN_TEST_SEED={} KILN_TEST_PROGRAMS=1\n{}{}{} {{\n{}}}\n", seed, text.preamble, text.functions,
                     text.signature, text.body);
}

}  // namespace programs
