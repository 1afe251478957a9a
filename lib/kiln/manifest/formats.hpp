// How values stand in JSON: for each form its name among the schema's $defs, its reader and its writer. A form without a name
// is called as the member that has it. Readers throw CacheError, located; writers throw TypeError for what no JSON can hold.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/device_code.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

/// A text of the user's.
struct Text {
  static constexpr std::string_view type = "text";
  static std::string read(const Node& node) { return node.text(); }
  static Json write(const std::string& text) { return text_json(text); }
};
/// A text of the user's that is not empty.
struct Code {
  static constexpr std::string_view type = "some_text";
  static std::string read(const Node& node);
  static Json write(const std::string& text) { return text_json(text); }
};
/// A path of the file system, which need not be UTF-8.
struct Path {
  static std::string read(const Node& node) { return node.has("latin1") ? node.text() : node.word(); }
  static Json write(const std::string& path) { return text_json(path); }
};
/// A word, whose grammar is the member's own.
struct Word {
  static constexpr std::string_view type = {};
  static std::string read(const Node& node) { return node.word(); }
  static Json write(const std::string& word);
};
/// A kernel's name with the arguments of its template.
struct KernelName : Word {
  static constexpr std::string_view type = "kernel_name";
};
/// A name that a definition may have.
struct Name {
  static constexpr std::string_view type = "name";
  static std::string read(const Node& node);
  static Json write(const std::string& name) { return name; }
};
struct Flag {
  static constexpr std::string_view type = "flag";
  static bool read(const Node& node) { return node.flag(); }
  static Json write(bool flag) { return flag; }
};
struct Limit {
  static constexpr std::string_view type = "limit";
  static int read(const Node& node);
  static Json write(int limit) { return limit; }
};
struct Milliseconds {
  static constexpr std::string_view type = "milliseconds";
  static std::chrono::milliseconds read(const Node& node);
  static Json write(std::chrono::milliseconds time) { return time.count(); }
};
/// A text for each name.
struct Headers {
  static constexpr std::string_view type = {};
  static std::map<std::string, std::string> read(const Node& node);
  static Json write(const std::map<std::string, std::string>& headers);
};
/// A path, or a name with bytes.
struct Linked {
  static LinkFile read(const Node& node);
  static Json write(const LinkFile& file);
};

template <class Element>
struct List {
  static constexpr std::string_view type = {};
  static auto read(const Node& node) {
    std::vector<decltype(Element::read(node))> list;
    for (const Node& each : node.list()) list.push_back(Element::read(each));
    return list;
  }
  static Json write(const auto& list) {
    Json json = Json::array();
    for (const auto& each : list) json.push_back(Element::write(each));
    return json;
  }
};

}  // namespace kiln::manifest
