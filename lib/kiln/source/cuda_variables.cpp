// Variables of a source in CUDA's language that several of its kernels would have to share.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/cuda_kernels.hpp"

namespace kiln::codegen {
namespace {

/// Braces at the level of namespaces: bodies of functions and of types.
struct Region {
  std::string name = {};
  std::size_t begin = 0;  ///< tokens
  std::size_t end = 0;
};

/// A __device__ variable that is not constant.
struct Variable {
  Token name;
  bool initialized = false;
};

std::size_t closing(const CudaTokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t t = open; t < tokens.size(); ++t) {
    if (tokens[t].is("{")) ++depth;
    if (tokens[t].is("}") && --depth == 0) return t;
  }
  return tokens.size();
}

/// Of what the brace at `open` is the body: the function "f" of "f(int x) {", the type "S" of "struct S {". Empty: neither.
std::string owner(const CudaTokens& tokens, std::size_t open) {
  std::size_t begin = open;
  while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("}") && !tokens[begin - 1].is("{")) --begin;
  for (std::size_t t = begin; t + 1 < open; ++t) {
    const bool type = tokens[t].text == "struct" || tokens[t].text == "class" || tokens[t].text == "union";
    if (tokens[t].is("=")) return {};
    if (type || (tokens[t + 1].is("(") && tokens[t].text != "__launch_bounds__")) return tokens[t + (type ? 1 : 0)].text;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const CudaTokens& tokens) : tokens_(tokens) {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (tokens[t].text == "namespace" || tokens[t].text == "extern") {
        while (t < tokens.size() && !tokens[t].is("{") && !tokens[t].is(";") && tokens[t].text != "__global__" &&
               tokens[t].text != "__device__")
          ++t;
        if (t >= tokens.size()) break;
      }
      if (tokens[t].text == "__device__" || tokens[t].text == "__managed__") read_variables(t);
      const bool space = tokens[t].is("{") && is_space(t);
      if (!tokens[t].is("{") || space) continue;
      regions_.push_back({owner(tokens, t), t, closing(tokens, t)});
      t = regions_.back().end;
    }
  }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

  /// Every name in a kernel and in what it calls.
  [[nodiscard]] std::set<std::string> reached_from(const CudaKernel& kernel) const {
    std::set<std::string> names;
    std::vector<const Region*> waiting;
    for (const Region& each : regions_) {
      const std::size_t at = tokens_[each.begin].offset;
      if (at >= kernel.begin && at < kernel.end) waiting.push_back(&each);
    }
    while (!waiting.empty()) {
      const Region* const region = waiting.back();
      waiting.pop_back();
      for (std::size_t t = region->begin; t < region->end; ++t) {
        if (tokens_[t].kind != Token::Kind::identifier || !names.insert(tokens_[t].text).second) continue;
        for (const Region& each : regions_) {
          if (each.name == tokens_[t].text) waiting.push_back(&each);
        }
      }
    }
    return names;
  }

  /// Whether some function writes the variable, as far as marks beside its name tell.
  [[nodiscard]] bool is_written(const std::string& name) const {
    for (const Region& region : regions_) {
      for (std::size_t t = region.begin + 1; t + 1 < region.end; ++t) {
        if (tokens_[t].text != name || tokens_[t].kind != Token::Kind::identifier) continue;
        if (tokens_[t - 1].is("&") || tokens_[t - 1].is("+") || tokens_[t - 1].is("-")) return true;
        std::size_t next = t + 1;
        for (int depth = 0; next < region.end && (depth > 0 || tokens_[next].is("[")); ++next) {
          depth += tokens_[next].is("[") ? 1 : tokens_[next].is("]") ? -1 : 0;
        }
        if (tokens_[next].is("=") && !tokens_[next + 1].is("=")) return true;
        constexpr std::string_view kBefore = "+-*/%&|^<>";
        if (tokens_[next].text.size() == 1 && kBefore.find(tokens_[next].text[0]) != std::string_view::npos &&
            (tokens_[next + 1].is("=") || tokens_[next + 1].is(tokens_[next].text)))
          return true;
      }
    }
    return false;
  }

 private:
  /// "namespace a {", "extern "C" {".
  [[nodiscard]] bool is_space(std::size_t open) const {
    for (std::size_t t = open; t-- > 0;) {
      if (tokens_[t].text == "namespace") return true;
      if (tokens_[t].kind == Token::Kind::string) return t > 0 && tokens_[t - 1].text == "extern" && t + 1 == open;
      if (tokens_[t].kind != Token::Kind::identifier && !tokens_[t].is("::")) return false;
    }
    return false;
  }

  /// Those that the declaration at t declares, unless it is a function or constant.
  void read_variables(std::size_t t) {
    std::vector<Variable> found;
    const Token* name = nullptr;
    bool initialized = false;
    for (; t < tokens_.size(); ++t) {
      const Token& token = tokens_[t];
      if (token.is("(") && !initialized) return;
      if (token.text == "const" || token.text == "constexpr" || token.text == "__constant__" || token.text == "__shared__")
        return;
      if (token.is("=") || token.is("{")) initialized = true;
      if (token.is("{")) t = closing(tokens_, t);
      if (token.is("[")) {
        while (t < tokens_.size() && !tokens_[t].is("]")) ++t;
        continue;
      }
      if (token.is(";") || token.is(",")) {
        if (name != nullptr) found.push_back({*name, initialized});
        name = nullptr;
        initialized = false;
        if (token.is(";")) break;
      } else if (token.kind == Token::Kind::identifier && !initialized) {
        name = &token;
      }
    }
    variables_.insert(variables_.end(), found.begin(), found.end());
  }

  const CudaTokens& tokens_;
  std::vector<Region> regions_;
  std::vector<Variable> variables_;
};

}  // namespace

void CudaSource::check_variables(std::string_view text, const std::vector<std::string>& expressions) const {
  const CudaTokens tokens = tokens_without_directives(text);
  const Reader reader(tokens);
  for (const Variable& variable : reader.variables()) {
    std::vector<std::string> users;
    for (const CudaKernel& kernel : kernels_) {
      if (!reader.reached_from(kernel).contains(variable.name.text)) continue;
      users.push_back(kernel.name);
      const auto is_instance = [&](const std::string& each) { return kernel.is_template && find(each) == &kernel; };
      if (std::ranges::count_if(expressions, is_instance) > 1) users.push_back(kernel.name + " of other types");
    }
    if (users.size() < 2 || (variable.initialized && !reader.is_written(variable.name.text))) continue;
    throw ScanError(
        fmt::format("the kernels \"{}\" and \"{}\" share the variable \"{}\", and each kernel is compiled by itself; "
                    "pass an array instead, or the values by a __constant__ variable",
                    users[0], users[1], variable.name.text),
        variable.name.place);
  }
}

}  // namespace kiln::codegen
