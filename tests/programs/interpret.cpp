// Programs by C++'s rules, one item at a time and one operation after the other.
#include <cmath>

#include "arithmetic.hpp"

namespace programs {
namespace {

/// Too long a run, or no program: only in what makes a program smaller.
struct Refused {};

class Interpreter {
 public:
  Interpreter(const Program& program, int steps) : program_(program), steps_(steps) {}

  Item run(const Item& inputs) {
    extent_ = inputs[0].size();
    Item results = program_.kind == Program::Kind::elementwise ? of_element(inputs)
                   : program_.kind == Program::Kind::cores     ? of_cores(inputs)
                                                               : of_each(inputs);
    for (std::size_t k = 0; k < results.size(); ++k) {
      for (Value& each : results[k]) each = stored(program_.outputs[k], each);
    }
    return results;
  }

 private:
  Item of_element(const Item& inputs) {
    Frame frame = enter(program_.body(), inputs);
    const bool left = run(program_.body().block, frame) == End::leave;
    if (program_.outputs.size() == 1) return {{left ? frame.result : evaluate(program_.body().end, frame)}};
    return outputs(frame, program_.outputs.size());
  }

  Item of_cores(const Item& inputs) {
    Frame frame = enter(program_.body(), inputs);
    run(program_.body().block, frame);
    Item results = outputs(frame, program_.outputs.size() - 1);
    results.push_back({evaluate(program_.body().end, frame)});
    return results;
  }

  Item of_each(const Item& inputs) {
    const auto index = static_cast<std::size_t>(program_.body().parameters);
    Item results(1);
    for (std::size_t i = 0; i < extent_; ++i) {
      Frame frame = enter(program_.body(), inputs);
      frame.values[index] = {{.integer = static_cast<std::int64_t>(i)}};
      run(program_.body().block, frame);
      results[0].push_back(evaluate(program_.body().end, frame));
    }
    return results;
  }

  enum class End : std::uint8_t { normal, stop, next, leave };
  struct Frame {
    const Function& function;
    std::vector<std::vector<Value>> values;
    Value result = {};
  };

  static Item outputs(const Frame& frame, std::size_t count) {
    const auto first = frame.values.begin() + frame.function.parameters;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  [[nodiscard]] std::vector<Value> begun(const Variable& variable) const {
    if (variable.view) return std::vector<Value>(extent_);
    if (variable.walks) return {};
    if (variable.length == 0) return {variable.initial};
    std::vector<Value> values;
    for (int i = 0; i < variable.length; ++i) values.push_back(initial(variable, static_cast<std::size_t>(i)));
    return values;
  }

  Frame enter(const Function& function, const Item& arguments) {
    step();
    Frame frame{.function = function, .values = arguments};
    for (std::size_t i = arguments.size(); i < function.variables.size(); ++i)
      frame.values.push_back(begun(function.variables[i]));
    return frame;
  }

  /// Only walks' counters are no variables at some places.
  static Value& scalar(int index, Frame& frame) {
    std::vector<Value>& values = frame.values[static_cast<std::size_t>(index)];
    if (values.empty()) throw Refused();
    return values[0];
  }

  /// Of a view.
  [[nodiscard]] std::size_t place(const Place& place, const Expression& index, Frame& frame) {
    const std::int64_t at = evaluate(index, frame).integer;
    const auto n = static_cast<std::int64_t>(extent_);
    if (place.kind == Place::Kind::any)
      return index.type == Type::i64 ? static_cast<std::uint64_t>(at) % extent_ : static_cast<std::uint32_t>(at) % extent_;
    const std::int64_t element = place.kind == Place::Kind::walk ? at - place.before : n - 1 - at + place.before;
    if (element < 0 || element >= n) throw Refused();
    return static_cast<std::size_t>(element);
  }

  void step() {
    if (--steps_ < 0) throw Refused();
  }

  Value call(int number, const Expression& e, std::size_t first, Frame& caller) {
    const Function& function = program_.functions[static_cast<std::size_t>(number)];
    Item arguments;
    for (std::size_t i = first; i < e.of.size(); ++i) arguments.push_back({evaluate(e.of[i], caller)});
    Frame frame = enter(function, arguments);
    return run(function.block, frame) == End::leave ? frame.result : evaluate(function.end, frame);
  }

  Value element(int index, std::size_t at, const Frame& frame) const {
    if (index >= 0) return frame.values[static_cast<std::size_t>(index)][at];
    return initial(program_.tables[static_cast<std::size_t>(-1 - index)], at);
  }
  [[nodiscard]] std::size_t length(int index, const Frame& frame) const {
    return static_cast<std::size_t>(program_.variable(frame.function, index).length);
  }

  Value evaluate(const Expression& e, Frame& frame) {
    const auto operand = [&](std::size_t i) { return evaluate(e.of[i], frame); };
    switch (e.op) {
      case Op::literal:
        return e.value;
      case Op::variable:
        return scalar(e.index, frame);
      case Op::extent:
        return {.integer = static_cast<std::int64_t>(extent_)};
      case Op::view:
        return frame.values[static_cast<std::size_t>(e.index)][place(e.place, e.of[0], frame)];
      case Op::element:
        return element(e.index, static_cast<std::size_t>(operand(0).integer) & (length(e.index, frame) - 1), frame);
      case Op::guarded: {
        const auto at = static_cast<std::uint64_t>(operand(0).integer);
        return at < length(e.index, frame) ? element(e.index, at, frame) : operand(1);
      }
      case Op::cast:
        return cast(e.type, e.of[0].type, operand(0));
      case Op::negate:
        if (is_floating(e.type)) return {.real = -operand(0).real};
        return integer(e.type, 0 - static_cast<std::uint64_t>(operand(0).integer));
      case Op::invert:
        return integer(e.type, ~static_cast<std::uint64_t>(operand(0).integer));
      case Op::multiply_add: {
        Expression product{.op = Op::multiply, .type = e.type, .value = {}, .of = {}};
        const Value first = floating(product, operand(0).real, operand(1).real);
        product.op = Op::add;
        return floating(product, first.real, operand(2).real);
      }
      case Op::square_root:
        return {.real = e.type == Type::f32 ? static_cast<double>(std::sqrt(static_cast<float>(operand(0).real)))
                                            : std::sqrt(operand(0).real)};
      case Op::magnitude:
        return {.real = std::fabs(operand(0).real)};
      case Op::least:
      case Op::greatest: {
        const Value a = operand(0);
        const Value b = operand(1);
        return compares(Op::less, e.type, e.op == Op::least ? b : a, e.op == Op::least ? a : b) ? b : a;
      }
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal:
        return {.integer = compares(e.op, e.of[0].type, operand(0), operand(1)) ? 1 : 0};
      case Op::logical_and:
        return {.integer = operand(0).integer != 0 && operand(1).integer != 0 ? 1 : 0};
      case Op::logical_or:
        return {.integer = operand(0).integer != 0 || operand(1).integer != 0 ? 1 : 0};
      case Op::logical_not:
        return {.integer = operand(0).integer != 0 ? 0 : 1};
      case Op::select:
        return operand(operand(0).integer != 0 ? 1 : 2);
      case Op::call:
        return call(e.index, e, 0, frame);
      case Op::call_through: {
        const std::vector<int>& all = program_.pointers[static_cast<std::size_t>(e.index)];
        const auto chosen = static_cast<std::size_t>(operand(0).integer) & (all.size() - 1);
        return call(all[chosen], e, 1, frame);
      }
      default:
        if (is_floating(e.type)) return floating(e, operand(0).real, operand(1).real);
        return whole(e, operand(0).integer, operand(1).integer);
    }
  }

  End run(const Block& block, Frame& frame) {
    for (const Statement& each : block) {
      if (const End end = run(each, frame); end != End::normal) return end;
    }
    return End::normal;
  }

  /// Whether a loop goes on.
  bool goes_on(const Block& block, Frame& frame, End& end) {
    step();
    end = run(block, frame);
    if (end == End::leave) return false;
    const bool stops = end == End::stop;
    end = End::normal;
    return !stops;
  }

  End run(const Statement& s, Frame& frame) {
    using Kind = Statement::Kind;
    step();
    const auto variable = [&]() -> Value& { return scalar(s.index, frame); };
    End end = End::normal;
    switch (s.kind) {
      case Kind::assign:
        variable() = evaluate(s.of[0], frame);
        return end;
      case Kind::store: {
        const Value value = evaluate(s.of[1], frame);
        if (const Variable& view = program_.variable(frame.function, s.index); view.view) {
          frame.values[static_cast<std::size_t>(s.index)][place(s.place, s.of[0], frame)] =
              assigned(view.in_memory(), s.of[1].type, value);
          return end;
        }
        const std::size_t at = static_cast<std::size_t>(evaluate(s.of[0], frame).integer) & (length(s.index, frame) - 1);
        frame.values[static_cast<std::size_t>(s.index)][at] = value;
        return end;
      }
      case Kind::branch:
        return run(s.blocks[evaluate(s.of[0], frame).integer != 0 ? 0 : 1], frame);
      case Kind::choose: {
        const auto first = static_cast<std::size_t>(evaluate(s.of[0], frame).integer) & (s.blocks.size() - 1);
        for (std::size_t i = first; i < s.blocks.size(); ++i) {
          end = run(s.blocks[i], frame);
          if (end == End::stop) return End::normal;
          if (end != End::normal || (s.number >> i & 1) == 0) return end;
        }
        return end;
      }
      case Kind::count: {
        const bool up = s.number > 0;
        const Type type = frame.function.variables[static_cast<std::size_t>(s.index)].type;
        variable() = evaluate(s.of[up ? 0 : 1], frame);
        for (;;) {
          const std::int64_t bound = evaluate(s.of[up ? 1 : 0], frame).integer;
          if (up ? variable().integer >= bound : variable().integer <= bound) return end;
          if (!goes_on(s.blocks[0], frame, end)) return end;
          variable() = integer(type, static_cast<std::uint64_t>(variable().integer + s.number));
        }
      }
      case Kind::walk: {
        std::vector<Value>& counter = frame.values[static_cast<std::size_t>(s.index)];
        for (auto i = static_cast<std::size_t>(s.number); i < extent_; ++i) {
          counter = {{.integer = static_cast<std::int64_t>(i)}};
          if (!goes_on(s.blocks[0], frame, end)) break;
        }
        counter.clear();
        return end;
      }
      case Kind::repeat:
        variable() = {};
        while (evaluate(s.of[0], frame).integer != 0 && variable().integer++ < s.number) {
          if (!goes_on(s.blocks[0], frame, end)) return end;
        }
        return end;
      case Kind::until:
        variable() = {};
        do {
          if (!goes_on(s.blocks[0], frame, end)) return end;
        } while (evaluate(s.of[0], frame).integer != 0 && ++variable().integer < s.number);
        return end;
      case Kind::forever:
        variable() = {};
        while (variable().integer++ < s.number) {
          if (!goes_on(s.blocks[0], frame, end)) return end;
        }
        return end;
      case Kind::stop:
        return End::stop;
      case Kind::next:
        return End::next;
      case Kind::leave:
        if (!s.of.empty()) frame.result = evaluate(s.of[0], frame);
        return End::leave;
    }
    return end;
  }

  const Program& program_;
  int steps_;
  std::size_t extent_ = 1;
};

}  // namespace

std::optional<Item> interpret(const Program& program, const Item& inputs, int steps) {
  try {
    return Interpreter(program, steps).run(inputs);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace programs
