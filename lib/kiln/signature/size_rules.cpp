// Size rules and shared arrays: a parser by recursive descent, and the evaluation of its postfix code. The grammar stands in
// docs/gufuncs.md.
#include "signature/size_rules.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "kiln/error.hpp"
#include "signature/cursor.hpp"

namespace kiln::signature {
namespace {

using Operation = SizeRule::Operation;

/// What a host program's stack takes many times over.
constexpr int kMaxDepth = 64;

class RuleParser {
 public:
  RuleParser(std::string_view text, const Layout& layout)
      : cursor_(text), layout_(layout), known_(layout.dimensions.size(), false) {
    for (std::size_t i = 0; i < known_.size(); ++i) known_[i] = layout.dimensions[i].size || layout.in_inputs(i);
  }

  SizeRules rules() {
    SizeRules rules;
    cursor_.skip_blanks();
    if (cursor_.at_end()) return rules;
    do {
      rules.push_back(rule());
    } while (cursor_.accept(','));
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("expected an operator, ',' or the end of the size rules" + cursor_.found());
    return rules;
  }

  std::vector<SharedArray> shared_arrays() {
    std::vector<SharedArray> arrays;
    known_.assign(known_.size(), true);
    cursor_.skip_blanks();
    if (cursor_.at_end()) return arrays;
    do {
      arrays.push_back(shared_array());
    } while (cursor_.accept(','));
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("expected ',' or the end of the shared arrays" + cursor_.found());
    return arrays;
  }

 private:
  SharedArray shared_array() {
    rule_ = {};
    rule_.what = "shared array";
    cursor_.skip_blanks();
    SharedArray array{.position = cursor_.position()};
    array.type = std::string(cursor_.name());
    if (array.type.empty()) cursor_.fail("expected the type of a shared array, as in \"float32[n]\"" + cursor_.found());
    cursor_.expect('[', "and the number of elements after the type of a shared array");
    sum(0);
    cursor_.expect(']', "or an operator after the number of elements");
    rule_.text = std::string(cursor_.text().substr(array.position, cursor_.position() - array.position));
    array.count = std::move(rule_);
    return array;
  }

  SizeRule rule() {
    rule_ = {};
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    const std::string name(cursor_.name());
    if (name.empty()) cursor_.fail("expected the name of the core dimension that a size rule is for" + cursor_.found());
    const auto dimension = layout_.find(name);
    if (!dimension) fail_unknown(at, name);
    if (layout_.in_inputs(*dimension)) {
      cursor_.fail_at(at, "the inputs decide \"" + name + "\"; size rules are for dimensions that only outputs have");
    }
    if (layout_.dimensions[*dimension].optional) {
      cursor_.fail_at(at, "\"" + name + "\" may be left out ('?'); a size rule is for a dimension that is always there");
    }
    if (known_[*dimension]) cursor_.fail_at(at, "\"" + name + "\" has two size rules");
    cursor_.expect('=', "after the core dimension");
    sum(0);
    rule_.dimension = *dimension;
    known_[*dimension] = true;
    std::string_view text = cursor_.text().substr(at, cursor_.position() - at);
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    rule_.text = std::string(text);
    return std::move(rule_);
  }

  void emit(Operation operation, std::int64_t value = 0) { rule_.steps.push_back({operation, value}); }

  void sum(int depth) {
    product(depth);
    while (true) {
      if (cursor_.accept('+')) {
        product(depth);
        emit(Operation::add);
      } else if (cursor_.accept('-')) {
        product(depth);
        emit(Operation::subtract);
      } else {
        return;
      }
    }
  }

  void product(int depth) {
    factor(depth);
    while (true) {
      Operation operation = Operation::multiply;
      if (cursor_.accept('/')) {
        operation = Operation::divide;
      } else if (cursor_.accept('%')) {
        operation = Operation::remainder;
      } else if (!cursor_.accept('*')) {
        return;
      }
      factor(depth);
      emit(operation);
    }
  }

  void factor(int depth) {
    cursor_.skip_blanks();
    if (depth > kMaxDepth) cursor_.fail("the size rule is nested more than 64 deep");
    if (cursor_.accept('-')) {
      factor(depth + 1);
      emit(Operation::negate);
    } else if (cursor_.accept('(')) {
      sum(depth + 1);
      cursor_.expect(')', "or an operator in a size rule");
    } else if (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
      number();
    } else {
      named(depth);
    }
  }

  void number() {
    const std::string_view rest = cursor_.rest();
    std::int64_t value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto digits = static_cast<std::size_t>(read.ptr - rest.data());
    if (read.ec != std::errc{}) {
      cursor_.fail("the number " + std::string(rest.substr(0, digits)) + " does not fit in 64 bits");
    }
    emit(Operation::constant, value);
    cursor_.advance(digits);
  }

  void named(int depth) {
    const std::size_t at = cursor_.position();
    const std::string name(cursor_.name());
    if (name.empty()) cursor_.fail("expected a core dimension, a number or '('" + cursor_.found());
    // A dimension may be called min: only the parenthesis makes it the function.
    if ((name == "min" || name == "max") && cursor_.accept('(')) {
      extremum(name == "min" ? Operation::min : Operation::max, depth);
      return;
    }
    const auto dimension = layout_.find(name);
    if (!dimension) fail_unknown(at, name);
    if (!known_[*dimension]) {
      cursor_.fail_at(at, "the size of \"" + name + "\" is not known here: no input has it, and no size rule before this one");
    }
    emit(Operation::dimension, static_cast<std::int64_t>(*dimension));
  }

  void extremum(Operation operation, int depth) {
    sum(depth + 1);
    while (cursor_.accept(',')) {
      sum(depth + 1);
      emit(operation);
    }
    cursor_.expect(')', operation == Operation::min ? "after the arguments of min" : "after the arguments of max");
  }

  [[noreturn]] void fail_unknown(std::size_t at, const std::string& name) const {
    std::string names;
    for (const CoreDimension& dimension : layout_.dimensions) {
      if (!dimension.size) names += (names.empty() ? "" : ", ") + dimension.name;
    }
    cursor_.fail_at(at, "\"" + name + "\" is no core dimension of " + layout_.text +
                            (names.empty() ? ": it has none with a name" : "; it has " + names));
  }

  Cursor cursor_;
  const Layout& layout_;
  std::vector<bool> known_;
  SizeRule rule_;
};

[[noreturn]] void fail(const SizeRule& rule, const Layout& layout, std::span<const std::int64_t> sizes, std::string_view name,
                       const std::string& why, const std::string& advice = {}) {
  std::map<std::size_t, bool> named;
  std::string values;
  for (const SizeRule::Step& step : rule.steps) {
    const auto dimension = static_cast<std::size_t>(step.value);
    if (step.operation != Operation::dimension || !named.emplace(dimension, true).second) continue;
    values += (values.empty() ? " with " : ", ") + layout.dimensions[dimension].name + " = " + std::to_string(sizes[dimension]);
  }
  throw ShapeError(std::string(name) + ": the " + rule.what + " \"" + rule.text + "\" " + why + values + advice);
}

struct Arithmetic {
  std::int64_t value = 0;
  const char* failure = nullptr;
};

Arithmetic apply(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (operation) {
    case Operation::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operation::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operation::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operation::divide:
    case Operation::remainder: {
      if (b == 0) return {0, "divides by zero"};
      if (b == -1) {  // the smallest number has no quotient
        overflow = operation == Operation::divide && __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const bool down = a % b != 0 && (a % b < 0) != (b < 0);
      result = operation == Operation::divide ? a / b - (down ? 1 : 0) : a % b + (down ? b : 0);
      break;
    }
    case Operation::min:
      result = std::min(a, b);
      break;
    default:
      result = std::max(a, b);
      break;
  }
  return {result, overflow ? "overflows" : nullptr};
}

}  // namespace

SizeRules parse_size_rules(std::string_view text, const Layout& layout) {
  return RuleParser(text, layout).rules();
}

std::vector<SharedArray> parse_shared_arrays(std::string_view text, const Layout& layout) {
  return RuleParser(text, layout).shared_arrays();
}

std::int64_t evaluate(const SizeRule& rule, const Layout& layout, std::span<const std::int64_t> sizes, std::string_view name) {
  std::vector<std::int64_t> stack;
  stack.reserve(rule.steps.size());
  for (const SizeRule::Step& step : rule.steps) {
    if (step.operation == Operation::constant) {
      stack.push_back(step.value);
    } else if (step.operation == Operation::dimension) {
      stack.push_back(sizes[static_cast<std::size_t>(step.value)]);
    } else {
      const bool unary = step.operation == Operation::negate;
      const std::int64_t b = stack.back();
      stack.pop_back();
      const Arithmetic done = unary ? apply(Operation::subtract, 0, b) : apply(step.operation, stack.back(), b);
      if (done.failure != nullptr) fail(rule, layout, sizes, name, done.failure);
      if (!unary) stack.pop_back();
      stack.push_back(done.value);
    }
  }
  if (stack.back() < 0) {
    fail(rule, layout, sizes, name, "gives " + std::to_string(stack.back()), "; a size is 0 or more");
  }
  return stack.back();
}

}  // namespace kiln::signature
