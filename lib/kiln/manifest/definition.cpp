#include "manifest/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "program/link_files.hpp"
#include "source/embedded.hpp"

namespace kiln::manifest {

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
