// Reads the examples of a grammar on a page, `(* yes RULE: TEXT *)` and `(* no RULE: TEXT *)`, and holds kiln to them.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <kiln/kiln.hpp>
#include <map>
#include <regex>
#include <string>
#include <tuple>

namespace {

using Reader = std::function<void(const std::string&)>;

/// A signature of views for a layout: "(m,n),()->(m)" has void(float32[:,:] a0, float32 a1, float32[:] a2).
std::string signature_of(const std::string& layout) {
  std::string signature = "void(";
  const std::regex operand("\\(([^)]*)\\)");
  int count = 0;
  for (std::sregex_iterator at(layout.begin(), layout.end(), operand), end; at != end; ++at) {
    const std::string dimensions = (*at)[1];
    signature += count == 0 ? "float32" : ", float32";
    if (dimensions.find_first_not_of(' ') != std::string::npos) {
      signature += '[';
      for (const char c : ',' + dimensions) signature += c == ',' ? (signature.back() == '[' ? ":" : ",:") : "";
      signature += ']';
    }
    signature += " a" + std::to_string(count++);
  }
  return signature + ")";
}

void gufunc(kiln::GufuncDefinition definition) {
  definition.body = ";";
  std::ignore = kiln::guvectorize(std::move(definition));
}

std::map<std::string, Reader> readers_of(const std::string& grammar) {
  if (grammar == "signatures") {
    return {{"signature", [](auto& text) { std::ignore = kiln::vectorize({.signatures = {text}, .body = ";"}); }},
            {"kernel", [](auto& text) { std::ignore = kiln::parse_kernel(text); }}};
  }
  if (grammar == "raw_kernels") {
    return {{"signature", [](auto& text) { std::ignore = kiln::kernel({.signature = text, .body = ";"}); }}};
  }
  const std::string one = "void(float32[:] x, float32[:] y)";
  return {
      {"layout", [](auto& text) { gufunc({.layout = text, .signatures = {signature_of(text)}}); }},
      {"rules",
       [](auto& text) {
         gufunc({.layout = "(m),(n)->(p),(q)", .signatures = {signature_of("(m),(n)->(p),(q)")}, .sizes = text});
       }},
      {"shared", [=](auto& text) { gufunc({.layout = "(n)->(n)", .signatures = {one}, .group = "block", .shared = text}); }},
      {"signature", [](auto& text) { gufunc({.layout = "(n)->(n)", .signatures = {text}}); }},
      {"kernel", [](auto& text) { std::ignore = kiln::parse_gufunc("(n)->(n)", text); }},
      {"each", [=](auto& text) { gufunc({.layout = "(n)->(n)", .signatures = {one}, .each = text}); }},
      {"group", [=](auto& text) { gufunc({.layout = "(n)->(n)", .signatures = {one}, .group = text}); }},
  };
}

/// Whether kiln reads the text. Errors of other kinds come behind the grammar.
std::string refusal(const Reader& read, const std::string& text) {
  try {
    read(text);
  } catch (const kiln::SignatureError& error) {
    return error.what();
  } catch (const kiln::Error&) {
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto readers = readers_of(std::filesystem::path(arguments[1]).stem());
  std::ifstream file(arguments[1]);
  const std::regex example("\\(\\* (yes|no) (\\w+): (.*) \\*\\)");
  int wrong = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, example)) continue;
    const std::string why = refusal(readers.at(match[2]), match[3]);
    if (why.empty() == (match[1] == "yes")) continue;
    std::cerr << line << ": kiln " << (why.empty() ? "reads it" : why) << "\n";
    ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}
