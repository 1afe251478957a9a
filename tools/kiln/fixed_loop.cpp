#include "fixed_loop.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>

#include "kiln/error.hpp"

namespace kiln::tool {
namespace {

constexpr std::string_view kBlank = " \t\n\r";

/// Empty where there is none.
std::string_view first_word(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of(kBlank), text.size());
  return text.substr(start, text.find_first_of(kBlank, start) - start);
}

/// The type of each parameter in "float32 a, constant int32 n, raw int32 t, int32".
std::vector<std::string_view> first_words(std::string_view parameters) {
  constexpr std::array<std::string_view, 3> kQualifiers{"constant", "raw", "inout"};
  std::vector<std::string_view> words;
  while (!parameters.empty()) {
    const std::string_view parameter = parameters.substr(0, parameters.find(','));
    std::string_view word = first_word(parameter);
    if (std::ranges::find(kQualifiers, word) != kQualifiers.end()) {
      word = first_word(parameter.substr(parameter.find(word) + word.size()));
    }
    if (!word.empty()) words.push_back(word);
    parameters.remove_prefix(std::min(parameters.size(), parameter.size() + 1));
  }
  return words;
}

/// Whether it is a dtype, and no type variable.
bool known(std::string_view word) {
  try {
    static_cast<void>(dtype_from_name(word));
    return true;
  } catch (const TypeError&) {
    return false;
  }
}

/// Of " T: int32, int64, U: float32" the choices of each variable, in order.
std::map<std::string_view, std::vector<DType>> choices_in(std::string_view restrictions) {
  std::map<std::string_view, std::vector<DType>> choices;
  std::string_view variable;
  while (!restrictions.empty()) {
    std::string_view part = restrictions.substr(0, restrictions.find(','));
    restrictions.remove_prefix(std::min(restrictions.size(), part.size() + 1));
    if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
      const auto words = first_words(part.substr(0, colon));
      if (!words.empty()) variable = words.front();
      part.remove_prefix(colon + 1);
    }
    const auto words = first_words(part);
    if (!words.empty() && known(words.front())) choices[variable].push_back(dtype_from_name(words.front()));
  }
  return choices;
}

std::string join(const std::vector<DType>& dtypes) {
  std::string text;
  for (const DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
  return text;
}

}  // namespace

std::string FixedLoop::text() const {
  return join(inputs) + " -> " + join(outputs);
}

Scalar FixedLoop::suited(const Scalar& scalar, std::size_t input) const {
  const DType dtype = inputs[input];
  const auto* integer = std::get_if<std::int64_t>(&scalar);
  if (integer == nullptr || *integer < 0 || kind(dtype) != Kind::integer || is_signed(dtype)) return scalar;
  return static_cast<std::uint64_t>(*integer);
}

std::optional<FixedLoop> fixed_loop(std::string_view signature, std::span<const Scalar> numbers) {
  // The inputs stand in the last pair of parentheses; the outputs before it, in one of their own where they have names.
  const std::size_t close = signature.rfind(')');
  const std::size_t open = signature.rfind('(', close);
  if (close == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  std::string_view outputs = signature.substr(0, open);
  const std::size_t from = outputs.find('(');
  if (from != std::string_view::npos) outputs = outputs.substr(from + 1, outputs.rfind(')') - from - 1);
  const std::vector<std::string_view> inputs = first_words(signature.substr(open + 1, close - open - 1));
  if (inputs.size() != numbers.size()) return std::nullopt;
  std::map<std::string_view, DType> variables;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (known(inputs[i])) continue;
    const DType own = to_arg(numbers[i]).dtype();
    const auto [variable, first] = variables.emplace(inputs[i], own);
    if (!first) variable->second = promote(variable->second, own);
  }
  if (std::all_of(inputs.begin(), inputs.end(), [&](std::string_view word) { return variables.contains(word); })) {
    return std::nullopt;
  }
  const std::string_view rest = signature.substr(close + 1);
  constexpr std::string_view kWhere = "where";
  const std::size_t where = rest.find(kWhere);
  if (where != std::string_view::npos) {
    for (const auto& [variable, choices] : choices_in(rest.substr(where + kWhere.size()))) {
      const auto own = variables.find(variable);
      if (own == variables.end() || std::find(choices.begin(), choices.end(), own->second) != choices.end()) continue;
      const auto wide = std::find_if(choices.begin(), choices.end(),
                                     [&](DType choice) { return can_cast(own->second, choice, Casting::safe); });
      if (wide != choices.end()) own->second = *wide;
    }
  }
  const auto dtype_of = [&](std::string_view word) {
    const auto variable = variables.find(word);
    return variable == variables.end() ? dtype_from_name(word) : variable->second;
  };
  const auto decided = [&](std::string_view word) { return variables.contains(word) || known(word); };
  if (!std::ranges::all_of(first_words(outputs), decided)) return std::nullopt;
  FixedLoop loop;
  for (const std::string_view word : inputs) loop.inputs.push_back(dtype_of(word));
  for (const std::string_view word : first_words(outputs)) loop.outputs.push_back(dtype_of(word));
  return loop;
}

}  // namespace kiln::tool
