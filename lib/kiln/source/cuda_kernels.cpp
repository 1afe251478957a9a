#include "source/cuda_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "signature/reserved.hpp"
#include "source/cuda_words.hpp"
#include "source/text_error.hpp"
#include "source/textures.hpp"

namespace kiln::codegen {
namespace {

bool is_word(const CudaTokens& tokens, std::size_t t, std::string_view word) {
  return t < tokens.size() && tokens[t].kind == Token::Kind::identifier && tokens[t].text == word;
}
bool is_mark(const CudaTokens& tokens, std::size_t t, std::string_view mark) {
  return t < tokens.size() && tokens[t].is(mark);
}

/// Behind the bracket that closes the one at t; the end where none does.
std::size_t behind(const CudaTokens& tokens, std::size_t t, std::string_view open, std::string_view close) {
  int depth = 0;
  for (; t < tokens.size(); ++t) {
    if (tokens[t].is(open)) ++depth;
    if (tokens[t].is(close) && --depth == 0) return t + 1;
  }
  return t;
}

/// The tokens that directives leave to the compiler, as far as that is known: those of all branches, without the directives,
/// and whether each stands in a branch.
struct CudaCode {
  CudaTokens tokens;
  std::vector<bool> conditional;
};
CudaCode cuda_code_of(std::string_view text) {
  CudaCode code;
  int depth = 0;
  bool directive = false;
  for (const Token& token : tokens_of(text)) {
    if (token.kind == Token::Kind::hash) {
      directive = true;
    } else if (token.kind == Token::Kind::newline || token.kind == Token::Kind::end) {
      directive = false;
    } else if (!directive) {
      code.tokens.push_back(token);
      code.conditional.push_back(depth > 0);
    } else if (token.text == "if" || token.text == "ifdef" || token.text == "ifndef") {
      ++depth;
    } else if (token.text == "endif") {
      --depth;
    }
  }
  return code;
}
/// Of a text that does not scan, an error with its place.
CudaCode checked_cuda_code_of(const std::string& file, const std::string& text) {
  try {
    return cuda_code_of(text);
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
}

/// The names of a template's parameters, whose "<" is at t.
std::vector<std::string> names_of_parameters(const CudaTokens& tokens, std::size_t t) {
  std::vector<std::string> names;
  for (const CudaTokens& part : separated(tokens, t + 1, behind(tokens, t, "<", ">") - 1)) {
    std::string name;
    for (const Token& token : part) {
      if (token.is("=")) break;
      if (token.kind == Token::Kind::identifier) name = token.text;
    }
    names.push_back(name);
  }
  return names;
}

/// What stands in front of a __global__ and belongs to it.
struct Head {
  std::size_t begin;                               ///< its first token
  std::optional<std::size_t> open = std::nullopt;  ///< the "<" of a template's parameters
};
Head head_before(const CudaTokens& tokens, std::size_t t) {
  constexpr std::string_view kSpecifiers[] = {"static", "inline", "__forceinline__", "__noinline__", "extern", "void", "const"};
  while (t > 0) {
    const Token& token = tokens[t - 1];
    const bool specifier =
        token.kind == Token::Kind::string ||
        (token.kind == Token::Kind::identifier && std::ranges::find(kSpecifiers, token.text) != std::end(kSpecifiers));
    if (!specifier) break;
    --t;
  }
  if (t == 0 || !tokens[t - 1].is(">")) return {.begin = t};
  int depth = 0;
  for (std::size_t at = t; at-- > 1;) {
    if (tokens[at].is(">")) ++depth;
    if (tokens[at].is("<") && --depth == 0)
      return is_word(tokens, at - 1, "template") ? Head{.begin = at - 1, .open = at} : Head{.begin = t};
  }
  return {.begin = t};
}

/// Whether another part of the text names the kernel, or lacks something without it: directives.
bool is_alone(const CudaKernel& kernel, const std::string& text, const CudaTokens& tokens) {
  const std::string name = kernel.name.substr(kernel.name.rfind(':') + 1);
  const bool named = std::ranges::any_of(tokens, [&](const Token& token) {
    return token.text == name && (token.offset < kernel.begin || token.offset >= kernel.end);
  });
  if (named) return false;
  const std::string_view own = std::string_view(text).substr(kernel.begin, kernel.end - kernel.begin);
  for (std::size_t at = own.find('#'); at != std::string_view::npos; at = own.find('#', at + 1)) {
    if (!own.substr(at + 1).starts_with("pragma")) return false;
  }
  return true;
}

/// "256, 2" where these are numbers; else nothing.
std::string numbers_in(const CudaTokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t t = begin; t < end; ++t) {
    if (tokens[t].is(",")) {
      text += ", ";
    } else if (tokens[t].kind == Token::Kind::number) {
      text += tokens[t].text;
    } else {
      return {};
    }
  }
  return text;
}

}  // namespace

CudaTokens tokens_without_directives(std::string_view text) {
  return cuda_code_of(text).tokens;
}

std::vector<CudaTokens> separated(const CudaTokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<CudaTokens> parts;
  int depth = 0;
  for (std::size_t t = begin; t < end; ++t) {
    const Token& token = tokens[t];
    if (token.is("(") || token.is("[") || token.is("{") || token.is("<")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || token.is(">")) --depth;
    if (parts.empty()) parts.emplace_back();
    if (depth == 0 && token.is(",")) {
      parts.emplace_back();
    } else {
      parts.back().push_back(token);
    }
  }
  return parts;
}

std::string name_of_expression(std::string_view expression) {
  std::string name;
  for (const char c : expression.substr(0, expression.find('<'))) {
    if (c != ' ' && c != '\t' && c != '&') name += c;
  }
  return name.starts_with("::") ? name.substr(2) : name;
}

std::vector<CudaTokens> template_arguments(std::string_view expression) {
  const CudaTokens tokens = tokens_of(expression);
  const auto open = std::ranges::find_if(tokens, [](const Token& token) { return token.is("<"); });
  if (open == tokens.end()) return {};
  const auto at = static_cast<std::size_t>(open - tokens.begin());
  return separated(tokens, at + 1, behind(tokens, at, "<", ">") - 1);
}

std::string constant_at(const CudaTokens& tokens, std::size_t t) {
  if (!is_word(tokens, t, "__constant__")) return {};
  if ((t > 0 && is_word(tokens, t - 1, "static")) || is_word(tokens, t + 1, "static")) return {};
  std::string name;
  for (std::size_t at = t + 1; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.is("=") || token.is("{") || token.is("(") || token.is(",") || is_word(tokens, at, "const")) return {};
    if (token.is(";")) return name;
    if (token.is("[")) {
      at = behind(tokens, at, "[", "]") - 1;
      continue;
    }
    if (token.kind == Token::Kind::identifier) name = token.text;
  }
  return {};
}

void check_no_assembly(const UserText& text, DeviceKind kind) {
  if (kind == DeviceKind::cuda) return;
  for (const auto& [file, part] : texts_of(text)) {
    check_no_assembly(file, part, kind == DeviceKind::cpu ? "the CPU" : "AMD's GPUs");
  }
}

void check_no_assembly(const std::string& file, const std::string& text, std::string_view device) {
  const CudaCode code = checked_cuda_code_of(file, text);
  for (std::size_t t = 0; t < code.tokens.size(); ++t) {
    const Token& token = code.tokens[t];
    const bool assembly = token.text == "asm" || token.text == "__asm__" || token.text == "__asm";
    if (!assembly || token.kind != Token::Kind::identifier || code.conditional[t]) continue;
    throw text_error(
        file, text,
        ScanError(
            fmt::format("PTX in asm() is for NVIDIA's GPUs, and this is compiled for {}; write what it does in C++, or put "
                        "it behind #ifdef __CUDA_ARCH__",
                        device),
            token.place));
  }
}

void check_no_threads(const UserText& text) {
  for (const auto& [file, part] : texts_of(text)) {
    const CudaCode code = checked_cuda_code_of(file, part);
    for (std::size_t t = 0; t < code.tokens.size(); ++t) {
      const Token& token = code.tokens[t];
      if (token.kind != Token::Kind::identifier || code.conditional[t] || !is_word_of_threads(token.text)) continue;
      throw text_error(file, part, ScanError(fmt::format("\"{}\": {}", token.text, kNoThreads), token.place));
    }
  }
}

CudaSource::CudaSource(const std::string& file, const std::string& text) {
  const CudaCode code = checked_cuda_code_of(file, text);
  for (std::size_t t = 0; t < code.tokens.size(); ++t) {
    const Token& token = code.tokens[t];
    if (token.kind != Token::Kind::identifier || code.conditional[t] || !is_texture(token.text)) continue;
    if ((token.text == "texture" || token.text == "surface") && !is_mark(code.tokens, t + 1, "<")) continue;
    throw text_error(file, text, ScanError(fmt::format("\"{}\": {}", token.text, kNoTextures), token.place));
  }
  for (std::size_t t = 0; t + 2 < code.tokens.size(); ++t) {
    const bool launch = code.tokens[t].is("<") && code.tokens[t + 1].is("<") && code.tokens[t + 2].is("<") &&
                        code.tokens[t + 2].offset == code.tokens[t].offset + 2;
    if (!launch || code.conditional[t]) continue;
    throw text_error(file, text,
                     ScanError("kernels launch no kernels; launch this one from the host, or make it a __device__ function",
                               code.tokens[t].place));
  }
  note_types(code.tokens);
  find_kernels(file, text, code.tokens);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (kernels_[k].name != kernels_[other].name) continue;
      const auto in_branch = [&](const CudaKernel& kernel) {
        const auto at = std::ranges::find_if(code.tokens, [&](const Token& token) {
          return token.place.line == kernel.place.line && token.place.column == kernel.place.column;
        });
        return code.conditional[static_cast<std::size_t>(at - code.tokens.begin())];
      };
      if (in_branch(kernels_[k]) || in_branch(kernels_[other])) continue;
      throw text_error(
          file, text,
          ScanError(fmt::format("two kernels are called \"{}\", at lines {} and {}, and a name means one; rename one of them",
                                kernels_[k].name, kernels_[other].place.line, kernels_[k].place.line),
                    kernels_[k].place));
    }
  }
}

void CudaSource::note_types(const CudaTokens& tokens) {
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    const bool structure = is_word(tokens, t, "struct") || is_word(tokens, t, "class") || is_word(tokens, t, "union");
    if (structure && tokens[t + 1].kind == Token::Kind::identifier) {
      std::size_t name = t + 1;
      if (is_word(tokens, name, "__align__") || is_word(tokens, name, "alignas")) name = behind(tokens, name + 1, "(", ")");
      if (name < tokens.size()) structures_.push_back(tokens[name].text);
    }
    if (is_word(tokens, t, "using") && is_mark(tokens, t + 2, "=")) {
      CudaTokens& of = aliases_[tokens[t + 1].text];
      of.clear();
      for (std::size_t at = t + 3; at < tokens.size() && !tokens[at].is(";"); ++at) of.push_back(tokens[at]);
    }
    if (is_word(tokens, t, "typedef")) {
      CudaTokens of;
      for (std::size_t at = t + 1; at < tokens.size() && !tokens[at].is(";"); ++at) {
        if (tokens[at].is("{")) {  // typedef struct { … } name
          at = behind(tokens, at, "{", "}");
          if (at < tokens.size()) structures_.push_back(tokens[at].text);
          of.clear();
          break;
        }
        of.push_back(tokens[at]);
      }
      if (of.size() < 2) continue;
      const std::string name = of.back().text;
      of.pop_back();
      aliases_[name] = std::move(of);
    }
  }
}

void CudaSource::find_kernels(const std::string& file, const std::string& text, const CudaTokens& tokens) {
  std::vector<std::string> scopes;  // of each open brace: "ns::" of a namespace, or nothing
  std::string next_scope;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (is_word(tokens, t, "namespace")) {
      next_scope.clear();
      for (std::size_t at = t + 1; at < tokens.size() && !tokens[at].is("{") && !tokens[at].is("=") && !tokens[at].is(";");
           ++at)
        next_scope += tokens[at].text;
      if (!next_scope.empty()) next_scope += "::";
    } else if (tokens[t].is("{")) {
      scopes.push_back(next_scope);
      next_scope.clear();
    } else if (tokens[t].is("}") && !scopes.empty()) {
      scopes.pop_back();
    } else if (tokens[t].is(";")) {
      next_scope.clear();
    }
    if (const std::string constant = constant_at(tokens, t); !constant.empty()) {
      std::string& name = constants_.emplace_back();
      for (const std::string& scope : scopes) name += scope;
      name += constant;
    }
    if (!is_word(tokens, t, "__global__")) continue;
    CudaKernel kernel;
    std::size_t at = t + 1;
    for (; at < tokens.size() && !tokens[at].is("{") && !tokens[at].is(";"); ++at) {
      if (is_word(tokens, at, "__launch_bounds__") && is_mark(tokens, at + 1, "(")) {
        const std::size_t end = behind(tokens, at + 1, "(", ")");
        kernel.bounds = numbers_in(tokens, at + 2, end - 1);
        at = end - 1;
      } else if (tokens[at].kind == Token::Kind::identifier && is_mark(tokens, at + 1, "(")) {
        break;
      }
    }
    if (!is_mark(tokens, at + 1, "(")) continue;
    const std::size_t end = behind(tokens, at + 1, "(", ")");
    if (!is_mark(tokens, end, "{")) continue;  // a declaration
    for (const std::string& scope : scopes) kernel.name += scope;
    kernel.name += tokens[at].text;
    kernel.place = tokens[at].place;
    kernel.parameters = separated(tokens, at + 2, end - 1);
    if (kernel.parameters.size() == 1 && kernel.parameters[0].size() == 1 && kernel.parameters[0][0].text == "void")
      kernel.parameters.clear();
    const Head head = head_before(tokens, t);
    if (head.open) {
      kernel.is_template = true;
      kernel.types = names_of_parameters(tokens, *head.open);
    }
    kernel.begin = tokens[head.begin].offset;
    kernel.end = tokens[behind(tokens, end, "{", "}") - 1].offset + 1;
    kernel.alone = is_alone(kernel, text, tokens);
    constexpr std::size_t kMost = 32;
    if (kernel.parameters.size() > kMost) {
      throw text_error(
          file, text,
          ScanError(
              fmt::format("the kernel \"{}\" has {} parameters, and kernels have at most {}; pass some of them in an array",
                          kernel.name, kernel.parameters.size(), kMost),
              kernel.place));
    }
    kernels_.push_back(std::move(kernel));
  }
}

std::string CudaSource::text_for(const CudaKernel& kernel, std::string text) const {
  for (const CudaKernel& other : kernels_) {
    if (&other == &kernel || !other.alone) continue;
    for (std::size_t at = other.begin; at < other.end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
  }
  return text;
}

const CudaKernel* CudaSource::find(std::string_view expression) const {
  const std::string name = name_of_expression(expression);
  const auto found = std::ranges::find(kernels_, name, &CudaKernel::name);
  return found == kernels_.end() ? nullptr : &*found;
}

std::string CudaSource::names() const {
  std::string all;
  for (const CudaKernel& kernel : kernels_) {
    all += (all.empty() ? "" : ", ") + kernel.name + (kernel.is_template ? " (a template)" : "");
  }
  return all;
}

}  // namespace kiln::codegen
