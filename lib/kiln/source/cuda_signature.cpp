// The parameters of CUDA's kernels as signatures of raw kernels.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signature/reserved.hpp"
#include "source/cuda_kernels.hpp"
#include "types/each_dtype.hpp"

namespace kiln::codegen {
namespace {

/// Names that a raw kernel's parameters cannot have: lib/kiln/signature/kernel_signature.cpp.
constexpr std::string_view kTaken[] = {"item", "thread", "block", "block_size", "grid_size"};

/// Names of types in C++ and CUDA, and the dtype of their values.
constexpr std::pair<std::string_view, std::string_view> kTypeNames[] = {{"char", "int8"},
                                                                        {"short", "int16"},
                                                                        {"int", "int32"},
                                                                        {"long", "int64"},
                                                                        {"float", "float32"},
                                                                        {"uchar", "uint8"},
                                                                        {"ushort", "uint16"},
                                                                        {"uint", "uint32"},
                                                                        {"ulong", "uint64"},
                                                                        {"double", "float64"},
                                                                        {"int8_t", "int8"},
                                                                        {"int16_t", "int16"},
                                                                        {"int32_t", "int32"},
                                                                        {"int64_t", "int64"},
                                                                        {"size_t", "uint64"},
                                                                        {"uint8_t", "uint8"},
                                                                        {"uint16_t", "uint16"},
                                                                        {"uint32_t", "uint32"},
                                                                        {"uint64_t", "uint64"},
                                                                        {"ptrdiff_t", "int64"},
                                                                        {"half", "float16"},
                                                                        {"__half", "float16"},

                                                                        {"cuComplex", "complex64"},
                                                                        {"cuFloatComplex", "complex64"},
                                                                        {"cuDoubleComplex", "complex128"}};

/// Empty where it is none. "nv_half" is "half", "__nv_bfloat16" the dtype of that name.
std::string dtype_called(std::string_view word) {
  for (const std::string_view of_nvidia : {"__nv_", "nv_"}) {
    if (word.starts_with(of_nvidia)) word.remove_prefix(of_nvidia.size());
  }
  for (const auto& [name, dtype] : kTypeNames) {
    if (word == name) return std::string(dtype);
  }
  return std::string(std::ranges::find(kDTypeNames, word) != kDTypeNames.end() ? word : "");
}

/// The words of a built-in type, in any order, to its dtype; empty where they are none.
std::string built_in(std::vector<std::string> words) {
  if (words.empty()) return {};
  if (words.size() == 1 && words[0] != "unsigned" && words[0] != "signed") return dtype_called(words[0]);
  const bool is_unsigned = std::erase(words, "unsigned") > 0;
  std::erase(words, "signed");
  const std::size_t longs = static_cast<std::size_t>(std::ranges::count(words, "long"));
  if (longs > 0 || std::ranges::find(words, "short") != words.end()) std::erase(words, "int");
  std::string of;
  if (words.empty()) {
    of = "int32";
  } else if (longs == words.size()) {
    of = "int64";
  } else if (words.size() == 1 && (words[0] == "char" || words[0] == "short" || words[0] == "int")) {
    of = dtype_called(words[0]);
  } else {
    return {};
  }
  return (is_unsigned ? "u" : "") + of;
}

bool is_vector_type(std::string_view name) {
  static const std::set<std::string_view> kElements{"char", "uchar", "short",    "ushort",    "int",   "uint",
                                                    "long", "ulong", "longlong", "ulonglong", "float", "double"};
  static const std::set<std::string_view> kPairs{"half2", "__half2", "nv_half2", "__nv_bfloat162", "nv_bfloat162"};
  return name == "dim3" || kPairs.contains(name) ||
         (!name.empty() && name.back() >= '1' && name.back() <= '4' && kElements.contains(name.substr(0, name.size() - 1)));
}

constexpr std::string_view kSpaces[] = {"std", "thrust", "cupy", "cuda"};

/// Names of a parameter that a signature may have.
std::string allowed_name(std::string name, const std::set<std::string>& seen, std::size_t number) {
  if (name.empty()) name = fmt::format("argument{}", number);
  while (seen.contains(name) || signature::why_reserved(name) != nullptr ||
         std::ranges::find(kTaken, name) != std::end(kTaken)) {
    name += "_";
  }
  return name;
}

/// 0 where it is none.
std::size_t number_of(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_next(const CudaTokens& tokens, std::size_t t, std::string_view mark) {
  return t < tokens.size() && tokens[t].is(mark);
}

}  // namespace

CudaSource::Type CudaSource::type_of(const CudaTokens& tokens, const std::map<std::string, CudaTokens>& arguments,
                                     int depth) const {
  constexpr int kDeepest = 8;  // of names that mean each other
  std::vector<std::string> words;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    const bool qualified = is_next(tokens, t + 1, "::") && std::ranges::find(kSpaces, token.text) != std::end(kSpaces);
    if (qualified || token.is("::") || token.text == "struct") continue;
    if (token.text == "complex" && is_next(tokens, t + 1, "<")) {
      const Type of = type_of({tokens.begin() + static_cast<std::ptrdiff_t>(t) + 2, tokens.end() - 1}, arguments, depth + 1);
      return {.dtype = of.dtype == "float32" ? "complex64" : of.dtype == "float64" ? "complex128" : ""};
    }
    if (token.text == "mdspan" && is_next(tokens, t + 1, "<")) return type_of_mdspan(tokens, t + 1, arguments, depth);
    if (token.kind != Token::Kind::identifier) return {};
    words.push_back(token.text);
  }
  if (words.size() != 1 || depth > kDeepest) return {.dtype = built_in(std::move(words))};
  if (const auto found = arguments.find(words[0]); found != arguments.end()) return type_of(found->second, {}, depth + 1);
  if (is_vector_type(words[0]) || std::ranges::find(structures_, words[0]) != structures_.end())
    return {.dtype = {}, .by_bytes = true};
  if (const auto found = aliases_.find(words[0]); found != aliases_.end()) return type_of(found->second, arguments, depth + 1);
  return {.dtype = built_in(std::move(words))};
}

CudaSource::Type CudaSource::type_of_mdspan(const CudaTokens& tokens, std::size_t open,
                                            const std::map<std::string, CudaTokens>& arguments, int depth) const {
  const std::vector<CudaTokens> parts = separated(tokens, open + 1, tokens.size() - 1);
  if (parts.size() < 2) return {};
  CudaTokens element = parts[0];
  const bool read_only = std::erase_if(element, [](const Token& token) { return token.text == "const"; }) > 0;
  Type type = type_of(element, arguments, depth + 1);
  type.read_only = read_only;
  const auto at = std::ranges::find_if(parts[1], [](const Token& token) { return token.is("<"); });
  if (at == parts[1].begin() || at == parts[1].end()) return type;
  const std::vector<CudaTokens> of =
      separated(parts[1], static_cast<std::size_t>(at - parts[1].begin()) + 1, parts[1].size() - 1);
  type.dimensions = of.size() - 1;
  if ((at - 1)->text == "dextents") type.dimensions = of.size() == 2 && of[1].size() == 1 ? number_of(of[1][0].text) : 0;
  return type;
}

std::vector<CudaSource::Parameter> CudaSource::parameters_of(const CudaKernel& kernel, std::string_view expression) const {
  constexpr std::string_view kQualifiers[] = {"const",      "volatile", "__restrict__",
                                              "__restrict", "restrict", "__grid_constant__"};
  std::map<std::string, CudaTokens> arguments;
  const std::vector<CudaTokens> given = template_arguments(expression);
  for (std::size_t i = 0; i < kernel.types.size() && i < given.size(); ++i) {
    CudaTokens argument = given[i];
    std::erase_if(argument, [](const Token& token) { return token.kind == Token::Kind::end; });
    arguments[kernel.types[i]] = std::move(argument);
  }
  std::set<std::string> seen;
  std::vector<Parameter> parameters;
  for (const CudaTokens& declaration : kernel.parameters) {
    Parameter& parameter = parameters.emplace_back();
    CudaTokens type;
    int depth = 0;  // of template arguments
    for (const Token& token : declaration) {
      if (token.is("=")) break;
      depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
      if (depth > 0) {
        type.push_back(token);
      } else if (token.is("*") || token.is("[")) {
        ++parameter.pointers;
      } else if (token.text == "const" && parameter.pointers == 0) {
        parameter.read_only = true;
      } else if (std::ranges::find(kQualifiers, token.text) == std::end(kQualifiers) && !token.is("&") && !token.is("]")) {
        type.push_back(token);
      }
    }
    // The last word is the name, unless it is all of the type.
    if (type.size() > 1 && type.back().kind == Token::Kind::identifier &&
        (parameter.pointers > 0 || built_in({type.back().text}).empty() || type.size() > 2)) {
      parameter.name = type.back().text;
      type.pop_back();
    } else if (type.size() > 1 && type.back().kind == Token::Kind::number) {
      type.pop_back();  // "float x[3]"
      parameter.name = type.back().text;
      type.pop_back();
    }
    parameter.name = allowed_name(parameter.name, seen, parameters.size() - 1);
    seen.insert(parameter.name);
    parameter.type = type_of(type, arguments, 0);
  }
  return parameters;
}

std::string CudaSource::signature_of(const CudaKernel& kernel, std::string_view expression) const {
  std::string text;
  for (const auto& [type, name, pointers, read_only] : parameters_of(kernel, expression)) {
    const bool bytes = pointers > 1 || type.by_bytes || (pointers > 0 && (type.dtype == "int8" || type.dtype == "uint8"));
    const bool array = pointers > 0 || type.by_bytes;
    const bool is_const = type.dimensions > 0 ? type.read_only : array && (read_only || pointers == 0) && pointers < 2;
    std::string axes = array ? "*" : "";
    for (std::size_t d = 0; d < type.dimensions; ++d) axes += d == 0 ? "[:" : ",:";
    text += fmt::format("{}{}{}{}{} {}", text.empty() ? "" : ", ", is_const ? "const " : "",
                        type.dtype.empty() || bytes ? "Type_" + name : type.dtype, axes, type.dimensions > 0 ? "]" : "", name);
  }
  return "void(" + text + ")";
}

std::vector<std::size_t> CudaSource::structures_of(const CudaKernel& kernel, std::string_view expression) const {
  std::vector<std::size_t> places;
  const std::vector<Parameter> parameters = parameters_of(kernel, expression);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].type.by_bytes && parameters[i].pointers == 0) places.push_back(i);
  }
  return places;
}

}  // namespace kiln::codegen
