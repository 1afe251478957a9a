#include "declaration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <variant>

#include "kernel_text.hpp"
#include "kiln/error.hpp"
#include "operand.hpp"
#include "scalar_text.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using Names = std::vector<std::string>;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), in_a_name);
}

/// The variables of an expression in the order of their first use: names that are not called, and not of a member or a
/// namespace.
Names variables_of(std::string_view text) {
  Names names;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_a_name(text[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    const std::string word(text.substr(at, end - at));
    const std::string_view behind = without_blanks(text.substr(end));
    const bool qualified = at > 0 && (text[at - 1] == '.' || text[at - 1] == ':');
    if (word == "np" && behind.starts_with('.')) return {};  // Python
    const bool variable = is_letter(word.front()) && !qualified && !behind.starts_with('(') && !behind.starts_with("::") &&
                          word != "true" && word != "false";
    if (variable && std::find(names.begin(), names.end(), word) == names.end()) names.push_back(word);
    at = end;
  }
  return names;
}

struct Expression {
  std::string name = "f";
  Names parameters = {};
  std::string text = {};
};

/// The '=' that assigns; npos where there is none.
std::size_t assignment(std::string_view text) {
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    const bool compares = (at > 0 && std::string_view("=!<>").find(text[at - 1]) != std::string_view::npos) ||
                          (at + 1 < text.size() && text[at + 1] == '=');
    if (!compares) return at;
  }
  return std::string_view::npos;
}

std::optional<Expression> read_expression(std::string_view text) {
  text = without_blanks(text);
  if (text.find_first_of("{};#@") != std::string_view::npos || text.starts_with("lambda ")) return std::nullopt;
  if (text.find_last_of("+-*/%&|^<>=,!~?:(") + 1 == text.size()) return std::nullopt;  // nothing follows: no expression, either
  Expression expression;
  const std::size_t equals = assignment(text);
  if (equals == std::string_view::npos) {
    expression.text = text;
    expression.parameters = variables_of(text);
    return expression;
  }
  expression.text = without_blanks(text.substr(equals + 1));
  std::string_view left = without_blanks(text.substr(0, equals));
  const std::size_t open = left.find('(');
  expression.name = without_blanks(left.substr(0, open));
  if (!is_name(expression.name)) return std::nullopt;
  if (open == std::string_view::npos) {
    expression.parameters = variables_of(expression.text);
    return expression;
  }
  if (left.back() != ')') return std::nullopt;
  left = left.substr(open + 1, left.size() - open - 2);
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t comma = std::min(left.find(',', at), left.size());
    const std::string_view parameter = without_blanks(left.substr(at, comma - at));
    if (!is_name(parameter)) return std::nullopt;
    expression.parameters.emplace_back(parameter);
    at = comma + 1;
  }
  return expression;
}

/// Of a file that is soon read; a message is not to wait for gigabytes.
std::optional<DType> dtype_of(const std::string& operand) {
  constexpr std::uintmax_t kSoonRead = std::uintmax_t{64} << 20;
  if (is_standard_stream(operand)) return std::nullopt;
  try {
    if (const auto scalar = read_scalar(operand)) return to_arg(*scalar).dtype();
    std::error_code fault;
    if (std::filesystem::file_size(operand, fault) > kSoonRead || fault) return std::nullopt;
    return std::get<Array>(read_operand(operand)).dtype();
  } catch (const std::exception&) {  // what is wrong with it is for the next message
    return std::nullopt;
  }
}

/// A number takes the dtype of the arrays beside it, as in a call.
std::optional<std::vector<DType>> dtypes_of(const std::vector<std::string>& operands) {
  std::vector<DType> dtypes;
  std::optional<DType> arrays;
  for (const std::string& operand : operands) {
    const std::optional<DType> dtype = dtype_of(operand);
    if (!dtype) return std::nullopt;
    dtypes.push_back(*dtype);
    if (!read_scalar(operand)) arrays = arrays ? promote(*arrays, *dtype) : *dtype;
  }
  for (std::size_t i = 0; i < dtypes.size() && arrays; ++i) {
    if (read_scalar(operands[i]) && kind(dtypes[i]) <= kind(*arrays)) dtypes[i] = *arrays;
  }
  return dtypes;
}

/// "float32 f(float32 a, float32 b) = a + b"; with type variables where the dtypes are not known.
std::string declaration_of(const Expression& expression, const std::optional<std::vector<DType>>& dtypes) {
  std::string result = "T";
  Names parameters;
  for (std::size_t i = 0; i < expression.parameters.size(); ++i) {
    parameters.push_back(fmt::format("{} {}", dtypes ? name((*dtypes)[i]) : "T", expression.parameters[i]));
  }
  if (dtypes) {
    DType all = dtypes->front();
    for (const DType dtype : *dtypes) all = promote(all, dtype);
    result = name(all);
  }
  return fmt::format("{} {}({}) = {}", result, expression.name, fmt::join(parameters, ", "), expression.text);
}

bool can_be_parsed(const std::string& declaration) {
  try {
    static_cast<void>(vectorize(parse_kernel(declaration)));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<std::string> explain_expression(std::string_view text, const std::vector<std::string>& operands) {
  const std::optional<Expression> expression = read_expression(text);
  if (!expression || expression->parameters.empty()) return std::nullopt;
  if (text.find("**") != std::string_view::npos) {
    return fmt::format("\"{}\" is Python: in C++ it is pow(a, b) for a**b, in a declaration that names the types, as in {}",
                       without_blanks(text), shell_word("T f(T a, T b) = pow(a, b)"));
  }
  const std::size_t count = expression->parameters.size();
  const bool matches = count == operands.size();
  const std::string declaration =
      declaration_of(*expression, matches ? dtypes_of(operands) : std::optional<std::vector<DType>>());
  if (!can_be_parsed(declaration)) return std::nullopt;
  const std::string what =
      fmt::format("\"{}\" is an expression without a declaration, which names the types", without_blanks(text));
  if (!matches) {
    return fmt::format("{}: write {} and give {} operand{}, not {}", what, shell_word(declaration), count,
                       count == 1 ? "" : "s", operands.size());
  }
  std::string command = "kiln eval " + shell_word(declaration);
  for (const std::string& operand : operands) command += " " + shell_word(operand);
  return fmt::format("{}: {}", what, command);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "./:@%+,-_";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return in_a_name(c) || kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

}  // namespace kiln::tool
