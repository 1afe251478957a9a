// Whether a text is an operation that GPUs do in memory.
#include <algorithm>
#include <string>

#include "kernel/scatter/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

std::string without_blanks(const std::string& text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
  return out;
}

Atomic named(const std::string& text, const std::string& a, const std::string& b) {
  const auto call = [&](const char* function) { return text == function + ("(" + a + "," + b + ")"); };
  const auto sign = [&](const char* symbol) { return text == a + symbol + b; };
  if (call("wrapping_add") || sign("+")) return Atomic::add;
  if (call("minimum") || call("min")) return Atomic::minimum;
  if (call("maximum") || call("max")) return Atomic::maximum;
  if (sign("&")) return Atomic::bit_and;
  if (sign("|")) return Atomic::bit_or;
  if (sign("^")) return Atomic::bit_xor;
  return Atomic::none;
}

}  // namespace

Atomic atomic_of(const UserText& text, const ScatterSpec& spec) {
  const DType dtype = spec.target.storage;
  const bool one_dtype = spec.value && spec.target.compute == dtype && spec.result == dtype && spec.value->compute == dtype &&
                         spec.value->storage == dtype;
  const bool plain = text.preamble.empty() && text.functions.empty() && text.output_names.empty() &&
                     text.input_names.size() == 2 && !text.input_names[0].empty() && !text.input_names[1].empty();
  if (!one_dtype || !plain || itemsize(dtype) < 4) return Atomic::none;
  std::string body = without_blanks(text.body);
  if (!text.expression) {
    if (!body.starts_with("return") || !body.ends_with(";")) return Atomic::none;
    body = body.substr(6, body.size() - 7);
  }
  Atomic found = named(body, text.input_names[0], text.input_names[1]);
  if (found == Atomic::none) found = named(body, text.input_names[1], text.input_names[0]);
  // hipRTC 5.2 has no extrema of signed 64-bit words.
  if (dtype == DType::int64 && (found == Atomic::minimum || found == Atomic::maximum)) return Atomic::none;
  // Of floating numbers only sums: extrema have NaN and signed zeros to look at.
  const bool fits = kind(dtype) == Kind::integer || (kind(dtype) == Kind::floating && found == Atomic::add);
  return fits ? found : Atomic::none;
}

}  // namespace kiln::kinds
