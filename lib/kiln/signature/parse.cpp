// The parser of type signatures and of eval's whole-kernel form. The grammar stands in docs/signatures.md.
#include <algorithm>
#include <map>

#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "signature/layout.hpp"
#include "signature/qualifiers.hpp"
#include "signature/reserved.hpp"
#include "signature/restrictions.hpp"
#include "signature/signature.hpp"

namespace kiln::signature {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
}

class Parser {
 public:
  /// With a layout, of a generalized ufunc.
  explicit Parser(std::string_view text, const Layout* layout = nullptr, bool of_cupy = false)
      : cursor_(text), layout_(layout), of_cupy_(of_cupy) {}

  TypeSignature signature() {
    outputs();
    parameters();
    read_restrictions(cursor_, result_.variables);
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("expected the end of the signature" + cursor_.found());
    check();
    result_.text = std::string(cursor_.text());
    return std::move(result_);
  }

  KernelText kernel() {
    KernelText kernel;
    outputs();
    cursor_.skip_blanks();
    const std::size_t outputs_end = cursor_.position();
    const std::size_t name_at = cursor_.position();
    kernel.name = std::string(cursor_.name());
    if (kernel.name.empty()) cursor_.fail("expected the kernel's name after its result" + cursor_.found());
    if (const char* why = why_reserved(kernel.name)) {
      cursor_.fail_at(name_at, "\"" + kernel.name + "\" cannot be the kernel's name: it is " + why);
    }
    cursor_.skip_blanks();
    const std::size_t inputs_begin = cursor_.position();
    parameters();
    read_restrictions(cursor_, result_.variables);
    cursor_.skip_blanks();
    const std::size_t signature_end = cursor_.position();
    check();
    kernel.expression = cursor_.peek() == '=';
    if (kernel.expression && layout_ != nullptr) {
      cursor_.fail("a gufunc has a body in braces, which writes its outputs, and no '= expression'");
    }
    if (cursor_.accept('=')) {
      // Blanks in front would shift every column of a diagnostic.
      cursor_.skip_blanks();
      kernel.body = std::string(cursor_.rest());
      kernel.body.resize(kernel.body.find_last_not_of(" \t\r\n;") + 1);
      if (kernel.body.empty()) cursor_.fail("expected an expression after '='" + cursor_.found());
      if (result_.named_outputs) {
        cursor_.fail("an expression gives one unnamed output; assign named outputs in a body in braces");
      }
    } else if (cursor_.accept('{')) {
      const std::string_view rest = cursor_.rest();
      const std::size_t close = rest.find_last_of('}');
      if (close == std::string_view::npos) cursor_.fail_at(cursor_.text().size(), "expected '}' after the body");
      if (const std::size_t junk = rest.find_first_not_of(kBlanks, close + 1); junk != std::string_view::npos) {
        cursor_.fail_at(cursor_.position() + junk, "expected the end of the text after the body's '}'");
      }
      kernel.body = std::string(rest.substr(0, close));
    } else {
      cursor_.fail((layout_ != nullptr ? "expected '{ body }'" : "expected '= expression' or '{ body }'") + cursor_.found());
    }
    const std::size_t begin = cursor_.text().find_first_not_of(kBlanks);
    std::string text(cursor_.text().substr(begin, outputs_end - begin));
    text.resize(text.find_last_not_of(kBlanks) + 1);
    text += cursor_.text().substr(inputs_begin, signature_end - inputs_begin);
    text.resize(text.find_last_not_of(kBlanks) + 1);
    result_.text = std::move(text);
    kernel.signature = std::move(result_);
    return kernel;
  }

 private:
  Type type(const char* what) {
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    const std::string_view name = cursor_.name();
    if (name.empty()) cursor_.fail(std::string("expected ") + what + cursor_.found());
    if (is_variable_name(name)) {
      for (std::size_t i = 0; i < result_.variables.size(); ++i) {
        if (result_.variables[i].name == name) return {std::nullopt, i};
      }
      if (const char* why = why_reserved(name)) {
        cursor_.fail_at(at, "\"" + std::string(name) + "\" cannot be a type variable's name: it is " + why);
      }
      result_.variables.push_back({std::string(name), {}});
      positions_.push_back(at);
      return {std::nullopt, result_.variables.size() - 1};
    }
    return {dtype(name, at), 0};
  }

  DType dtype(std::string_view name, std::size_t at) {
    if (name == "void" && layout_ != nullptr) cursor_.fail_at(at, "a parameter has a dtype, \"void\" is none");
    if (name == "void") {
      cursor_.fail_at(at, "a ufunc has an output: write its type instead of \"void\", or name the outputs: \"(float32 r)(…)\"");
    }
    try {
      return dtype_from_name(name);
    } catch (const TypeError& error) {
      cursor_.fail_at(at, error.what());
    }
  }

  Parameter parameter(const char* what, std::size_t operand = 0) {
    Parameter parameter;
    qualifiers(parameter);
    cursor_.skip_blanks();
    parameter.position = cursor_.position();
    parameter.type = type(what);
    if (layout_ != nullptr) {
      const std::string_view type = cursor_.text().substr(parameter.position, cursor_.position() - parameter.position);
      parameter.dimensions = core_dimensions(operand, type);
      if (parameter.constant && parameter.dimensions > 0) fail_constant_array(cursor_, parameter.position);
    }
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    parameter.name = std::string(cursor_.name());
    if (!parameter.name.empty()) {
      parameter.position = at;
      if (const char* why = why_reserved(parameter.name); why != nullptr && !is_like_cupys(parameter.name)) {
        cursor_.fail_at(at, "\"" + parameter.name + "\" cannot be a parameter's name: it is " + why);
      }
    }
    return parameter;
  }

  /// "_A", but no word of C's like "_Bool".
  [[nodiscard]] bool is_like_cupys(std::string_view name) const {
    return of_cupy_ && name.size() > 1 && name[0] == '_' && name[1] != '_' && (name.size() == 2 || name[2] == '_');
  }

  void qualifiers(Parameter& parameter) {
    parameter.constant = accept_qualifier(cursor_, kConstant);
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    parameter.inout = accept_qualifier(cursor_, kInout);
    parameter.raw = accept_qualifier(cursor_, kRaw);
    if (!parameter.inout && !parameter.raw) return;
    const std::string word = "\"" + std::string(parameter.inout ? kInout : kRaw) + "\"";
    if (layout_ != nullptr) {
      cursor_.fail_at(at, word + " is a word of ufuncs: a gufunc's body sees its arrays whole, and may read its outputs");
    }
    if (parameter.inout && parameter.raw) {
      cursor_.fail_at(at, "a raw output is there to read and to write: leave \"inout\" out");
    }
    if (parameter.constant) fail_constant_array(cursor_, at);
  }

  void add_output(Parameter output) {
    if (output.constant) {
      cursor_.fail_at(output.position, "an output cannot be \"constant\": only the value of an input is part of the kernel");
    }
    result_.outputs.push_back(std::move(output));
  }

  void outputs() {
    if (layout_ != nullptr) {
      cursor_.skip_blanks();
      const std::size_t at = cursor_.position();
      if (cursor_.name() != "void")
        cursor_.fail_at(at, "a gufunc's signature begins with \"void\": its outputs are its last parameters");
      result_.named_outputs = result_.outputs_last = true;
      return;
    }
    if (!cursor_.accept('(')) {
      result_.outputs.push_back({type("the type of the result"), "", 0});
      return;
    }
    result_.named_outputs = true;
    if (of_cupy_ && cursor_.accept(')')) return;
    do {
      add_output(parameter("the type of an output"));
      if (result_.outputs.back().name.empty()) {
        cursor_.fail("an output in parentheses needs a name: the body assigns to it");
      }
    } while (cursor_.accept(','));
    cursor_.expect(')', "or ',' after an output");
  }

  void parameters() {
    refuse_name(cursor_);
    cursor_.expect('(', layout_ != nullptr ? "before the parameters" : "before the inputs");
    if (layout_ != nullptr) {
      operands();
    } else {
      inputs();
    }
  }

  /// A gufunc's: as many as the layout has operands, outputs last.
  void operands() {
    std::size_t count = 0;
    do {
      cursor_.skip_blanks();
      if (cursor_.peek() == ')' || count == layout_->operands()) fail_count(cursor_.position());
      const bool output = count >= layout_->inputs.size();
      Parameter read = parameter("the type of a parameter", count);
      output ? add_output(std::move(read)) : result_.inputs.push_back(std::move(read));
      ++count;
    } while (cursor_.accept(','));
    cursor_.skip_blanks();
    const std::size_t end = cursor_.position();
    cursor_.expect(')', "or ',' after a parameter");
    if (count != layout_->operands()) fail_count(end);
  }

  [[noreturn]] void fail_count(std::size_t at) const {
    const auto counted = [](std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); };
    cursor_.fail_at(at, "the layout " + layout_->text + " has " + counted(layout_->inputs.size(), "input") + " and " +
                            counted(layout_->outputs.size(), "output") + ": give one parameter for each");
  }

  /// Reads "[:,:]" at the cursor and holds it against the layout.
  int core_dimensions(std::size_t operand, std::string_view type) {
    const std::size_t at = cursor_.position();
    int count = 0;
    if (cursor_.accept('[')) {
      do {
        cursor_.expect(':', "for each core dimension, as in \"float32[:,:]\"");
        ++count;
      } while (cursor_.accept(','));
      cursor_.expect(']', "or ',' after ':'");
    }
    const std::vector<std::size_t>& core = layout_->of(operand);
    const bool output = operand >= layout_->inputs.size();
    // Numba writes an operand of no core dimensions as an array of one element.
    if (count == static_cast<int>(core.size()) || (core.empty() && count == 1)) return count;
    std::string wanted(type);
    std::string names;
    for (std::size_t i = 0; i < core.size(); ++i) {
      wanted += i == 0 ? "[:" : ",:";
      names += (i == 0 ? "" : ",") + layout_->dimensions[core[i]].name;
    }
    if (!core.empty()) wanted += "]";
    if (core.empty()) wanted += "\" or \"" + std::string(type) + "[:]";
    cursor_.fail_at(
        at, (output ? "output " + std::to_string(operand - layout_->inputs.size()) : "input " + std::to_string(operand)) +
                " has " + (core.empty() ? "no core dimensions" : "the core dimensions (" + names + ")") + " in the layout " +
                layout_->text + ": write \"" + wanted + "\"");
  }

  void inputs() {
    cursor_.skip_blanks();
    if (cursor_.peek() == ')') {
      if (!result_.named_outputs) {
        cursor_.fail("a ufunc without inputs has named outputs, whose shape a call gives: \"(float32 y)()\"");
      }
      cursor_.expect(')', "after the inputs");
      return;
    }
    do {
      result_.inputs.push_back(parameter("the type of an input"));
      if (result_.inputs.back().inout) {
        cursor_.fail_at(result_.inputs.back().position, "an input cannot be \"inout\": it is an output that is read first");
      }
    } while (cursor_.accept(','));
    cursor_.expect(')', "or ',' after an input");
  }

  /// Core dimensions are names of the body, too.
  void check_core_names() const {
    if (layout_ == nullptr) return;
    for (const auto* list : {&result_.inputs, &result_.outputs}) {
      for (const Parameter& parameter : *list) {
        if (layout_->find(parameter.name)) {
          cursor_.fail_at(parameter.position,
                          "the name \"" + parameter.name + "\" is used twice: as a core dimension and as a parameter");
        }
      }
    }
    for (std::size_t i = 0; i < result_.variables.size(); ++i) {
      if (layout_->find(result_.variables[i].name)) {
        cursor_.fail_at(positions_[i],
                        "the name \"" + result_.variables[i].name + "\" is used twice: as a core dimension and as a type");
      }
    }
  }

  void check() {
    std::map<std::string_view, std::size_t> seen;
    check_core_names();
    const bool inputs_first = layout_ != nullptr;
    for (const auto* list :
         {inputs_first ? &result_.inputs : &result_.outputs, inputs_first ? &result_.outputs : &result_.inputs}) {
      for (const Parameter& parameter : *list) {
        if (parameter.name.empty()) continue;
        if (!seen.emplace(parameter.name, parameter.position).second) {
          cursor_.fail_at(parameter.position, "the name \"" + parameter.name + "\" is used twice");
        }
      }
    }
    for (std::size_t i = 0; i < result_.variables.size(); ++i) {
      const TypeVariable& variable = result_.variables[i];
      if (const auto clash = seen.find(variable.name); clash != seen.end()) {
        cursor_.fail_at(clash->second, "the name \"" + variable.name + "\" is used twice: as a type and as a parameter");
      }
      const auto has_it = [i](const Parameter& parameter) { return !parameter.type.dtype && parameter.type.variable == i; };
      // The array that a call gives for a named output decides it, too.
      const bool by_output = result_.named_outputs && layout_ == nullptr && std::ranges::any_of(result_.outputs, has_it);
      if (!by_output && std::ranges::none_of(result_.inputs, has_it)) {
        cursor_.fail_at(positions_[i], "the type variable \"" + variable.name +
                                           "\" stands in no input, so nothing decides it (dtypes have lower-case names)");
      }
    }
    if (result_.inputs.size() + result_.outputs.size() > kMaxOperands) {
      cursor_.fail_at(0, "a ufunc has at most 32 inputs and outputs together");
    }
  }

  Cursor cursor_;
  const Layout* layout_;
  const bool of_cupy_;
  TypeSignature result_;
  std::vector<std::size_t> positions_;  // where each type variable first stands
};

}  // namespace

TypeSignature parse(std::string_view text) {
  return Parser(text).signature();
}

TypeSignature parse_of_cupy(std::string_view text) {
  return Parser(text, nullptr, true).signature();
}

KernelText parse_kernel(std::string_view text) {
  return Parser(text).kernel();
}

TypeSignature parse(std::string_view text, const Layout& layout) {
  return Parser(text, &layout).signature();
}

KernelText parse_kernel(std::string_view text, const Layout& layout) {
  return Parser(text, &layout).kernel();
}

}  // namespace kiln::signature
