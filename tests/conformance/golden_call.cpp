#include "golden_call.hpp"
#include "kiln/error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace conformance {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// Element k of a base; the same formula stands in golden/make_calls.py.
Exact base_value(kiln::DType dtype, std::int64_t k, std::int64_t seed) {
  const std::int64_t v = (k * 7 + seed * 5) % 19;
  switch (kind(dtype)) {
    case kiln::Kind::boolean:
      return v % 3 == 0 ? 1 : 0;
    case kiln::Kind::integer:
      return static_cast<long double>(is_signed(dtype) ? v - 6 : v);
    case kiln::Kind::floating:
      if (seed >= 100 && k % 7 == 2) return std::numeric_limits<long double>::infinity();
      if (seed >= 100 && k % 5 == 3) return std::numeric_limits<long double>::quiet_NaN();
      return static_cast<long double>(v - 6) / 2;
    case kiln::Kind::complex:
      break;
  }
  return {static_cast<long double>(v - 6), static_cast<long double>((k * 3 + seed) % 7 - 2)};
}

Exact parse_value(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  const auto number = [](const std::string& part) { return std::strtold(part.c_str(), nullptr); };
  return parts.size() == 2 ? Exact(number(parts[0]), number(parts[1])) : Exact(number(parts[0]));
}

}  // namespace

kiln::Casting casting_named(const std::string& text) {
  for (const auto casting :
       {kiln::Casting::no, kiln::Casting::equiv, kiln::Casting::safe, kiln::Casting::same_kind, kiln::Casting::unsafe}) {
    if (text == kiln::name(casting)) return casting;
  }
  throw std::runtime_error("no casting rule: " + text);
}

std::vector<std::int64_t> golden_numbers(const std::string& text) {
  std::vector<std::int64_t> values;
  if (text == "-") return values;
  for (const std::string& part : split(text, ',')) values.push_back(std::stoll(part));
  return values;
}

GoldenOperand GoldenOperand::parse(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 5) throw std::runtime_error("not an operand: " + text);
  return {.dtype = dtype_named(parts[0]),
          .shape = golden_numbers(parts[1]),
          .steps = golden_numbers(parts[2]),
          .order = golden_numbers(parts[3]),
          .seed = std::stoll(parts[4])};
}

kiln::Array GoldenOperand::make(const Target& target) const {
  kiln::Shape base_shape;
  std::vector<kiln::Index> slices;
  std::int64_t count = 1;
  for (const std::int64_t axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    base_shape.push_back(steps[a] == 0 ? 1 : shape[a] * std::abs(steps[a]));
    slices.emplace_back(kiln::Slice{.step = steps[a] == 0 ? 1 : steps[a]});
    count *= base_shape.back();
  }
  std::vector<Exact> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(rounded(dtype, base_value(dtype, k, seed)));
  kiln::Array view = target.place(conformance::make(dtype, values, base_shape));
  if (order.empty()) return view;
  kiln::Shape inverse(order.size(), 0);
  for (std::size_t j = 0; j < order.size(); ++j) inverse[static_cast<std::size_t>(order[j])] = static_cast<std::int64_t>(j);
  view = view.slice(slices).transpose(inverse);
  return view.shape() == shape ? view : view.broadcast_to(shape);
}

GoldenCall GoldenCall::parse(const std::string& text) {
  GoldenCall call;
  call.text = text;
  std::istringstream words(text);
  words >> call.method >> call.ufunc;
  for (std::string word; words >> word && word != "->";) {
    const std::size_t equals = word.find('=');
    call.fields.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  std::string word;
  words >> word;
  if (word == "error") return call;
  for (;;) {
    GoldenResult result{.dtype = dtype_named(word), .shape = {}, .values = {}};
    words >> word;
    result.shape = golden_numbers(word);
    bool more = false;
    while (words >> word) {
      more = word == "|";
      if (more) break;
      result.values.push_back(parse_value(word));
    }
    call.results.push_back(std::move(result));
    if (!more) return call;
    words >> word;
  }
}

std::vector<std::int64_t> GoldenCall::numbers(const std::string& field) const {
  return golden_numbers(fields.at(field));
}

void check_golden(const GoldenCall& call, const Target& target, const std::function<std::vector<kiln::Array>()>& make_call,
                  const std::function<bool()>& untouched) {
  INFO(call.text);
  std::vector<kiln::Array> results;
  try {
    results = make_call();
  } catch (const kiln::Error& error) {
    if (!call.results.empty() || !is_refusal(error)) FAIL_CHECK(std::string(error.what()));
    CHECK(untouched());
    return;
  }
  if (call.results.empty()) {
    FAIL_CHECK("NumPy refuses it, kiln gave ", to_string(target.fetch(results.front())));
    return;
  }
  REQUIRE(results.size() == call.results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(results[i].dtype() == call.results[i].dtype);
    CHECK(results[i].shape() == call.results[i].shape);
    CHECK(difference(read(target.fetch(results[i])), call.results[i].values) == "");
  }
}

}  // namespace conformance
