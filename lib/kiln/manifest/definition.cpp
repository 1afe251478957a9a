#include "manifest/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "program/link_files.hpp"
#include "source/embedded.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {

std::string read_text(const Node& node) {
  std::string text = node.text();
  if (text.empty()) node.fail("an empty text");
  return text;
}

std::string read_name(const Node& node) {
  std::string name = node.word();
  try {
    detail::check_name(name);
  } catch (const SignatureError& error) {
    node.fail(error.what());
  }
  return name;
}

namespace {

/// A path, or a name with bytes.
LinkFile read_file_to_link(const Node& node) {
  if (!node.json().is_object()) return {node.word()};
  node.check_members({"name", "bytes"});
  return LinkFile::of_bytes(node.at("name").word(), read_text(node.at("bytes")));
}

}  // namespace

void read_options(const Node& node, CompileOptions& options) {
  if (const auto text = node.find("preamble")) options.preamble = text->text();
  if (const auto text = node.find("functions")) options.functions = text->text();
  if (const auto headers = node.find("headers")) {
    for (const auto& [name, text] : headers->members()) {
      if (name.empty()) headers->fail("a header without a name");
      options.headers.emplace(name, text.text());
    }
  }
  if (const auto folders = node.find("include_dirs")) {
    for (const Node& each : folders->list()) options.include_dirs.push_back(each.word());
  }
  if (const auto defines = node.find("defines")) {
    for (const Node& each : defines->list()) options.defines.push_back(read_text(each));
  }
  if (const auto files = node.find("link")) {
    for (const Node& each : files->list()) options.link.push_back(read_file_to_link(each));
  }
  if (const auto flag = node.find("contract")) options.contract = flag->flag();
  if (const auto flag = node.find("fast_math")) options.fast_math = flag->flag();
  if (const auto debug = node.find("debug")) {
    debug->check_members({"on", "nan", "race"});
    if (const auto flag = debug->find("on")) options.debug.on = flag->flag();
    if (const auto flag = debug->find("nan")) options.debug.nan = flag->flag();
    if (const auto flag = debug->find("race")) options.debug.race = flag->flag();
  }
}

void write_options(const CompileOptions& options, Json& json) {
  if (!options.preamble.empty()) json["preamble"] = text_json(options.preamble);
  if (!options.functions.empty()) json["functions"] = text_json(options.functions);
  for (const auto& [name, header] : options.headers) json["headers"][name] = text_json(header);
  if (!options.include_dirs.empty()) json["include_dirs"] = options.include_dirs;
  for (const std::string& define : options.defines) json["defines"].push_back(text_json(define));
  for (const LinkFile& file : options.link) {
    json["link"].push_back(file.bytes == nullptr ? Json(file.name)
                                                 : Json{{"name", file.name}, {"bytes", text_json(*file.bytes)}});
  }
  if (options.contract) json["contract"] = true;
  if (options.fast_math) json["fast_math"] = true;
  if (options.debug.on) json["debug"]["on"] = true;
  if (options.debug.nan) json["debug"]["nan"] = true;
  if (options.debug.race) json["debug"]["race"] = true;
}

void fail_text(const Node& node, const std::string& name, const char* body, const CompileError& error) {
  if (error.diagnostics().empty()) node.fail(error.what());
  const Diagnostic& first = error.diagnostics().front();
  const std::string member = first.file.starts_with(name + ".") ? first.file.substr(name.size() + 1) : "";
  node.at(node.has(member) ? std::string_view(member) : body)
      .fail(fmt::format("{}:{}: {}", first.line, first.column, first.text));
}

void check_alone(const Node& node, std::initializer_list<const char*> instead) {
  const auto is = [](const char* wanted) { return [=](std::string_view member) { return member == wanted; }; };
  const bool of_loops = std::any_of(instead.begin(), instead.end(), is("loops"));
  for (const std::string_view other : instead) {
    const auto found = node.find(other);
    if (!found) continue;
    const std::string_view what = of_loops && is("types")(other) ? "loops" : other;
    found->fail(fmt::format("\"calls\" say their {} themselves: leave this out", what));
  }
}

void add_call(const Node& node, Json call, Json& written) {
  if (const auto same = std::find(written.begin(), written.end(), call); same != written.end()) {
    node.fail(fmt::format("the same call as number {} of the list, counted from 0", same - written.begin()));
  }
  written.push_back(std::move(call));
}

void resolve_folders(CompileOptions& options, const std::string& folder) {
  for (std::string& include : options.include_dirs) {
    if (!folder.empty()) include = (std::filesystem::path(folder) / include).lexically_normal().string();
  }
  for (LinkFile& file : options.link) {
    if (!folder.empty() && file.bytes == nullptr)
      file.name = (std::filesystem::path(folder) / file.name).lexically_normal().string();
  }
}

void collect_headers(const std::string& name, CompileOptions& options, std::string body) {
  const auto reached = codegen::resolve_includes(
      {{name + ".preamble", options.preamble}, {name + ".functions", options.functions}, {name, std::move(body)}},
      options.headers, options.include_dirs);
  options.link = program::with_bytes(name, options.link);
  options.headers.clear();
  options.include_dirs.clear();
  for (const auto& [file, text] : reached) {
    if (!codegen::is_embedded(file, text)) options.headers.emplace(file, text);
  }
}

}  // namespace kiln::manifest
