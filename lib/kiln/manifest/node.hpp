// A value of a manifest with its place: every look at it says what must be there, and fails with the JSON path.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "manifest/json_text.hpp"

namespace kiln::manifest {

/// Refers to the JSON value and the name that it was made from. Every function throws CacheError, located, for what is wrong.
class Node {
 public:
  Node(const Json& value, const std::string& name, std::string path = {})
      : value_(&value), name_(&name), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const Json& json() const noexcept { return *value_; }
  [[noreturn]] void fail(const std::string& message) const;
  /// What make() gives. Where it refuses a signature or a dtype, this place is reported.
  template <class Make>
  auto locate(const Make& make) const {
    try {
      return make();
    } catch (const SignatureError& error) {
      fail(error.what());
    } catch (const TypeError& error) {
      fail(error.what());
    }
  }

  /// Checks that this is an object with no members but these.
  void check_members(std::span<const std::string_view> known) const;
  void check_members(std::initializer_list<std::string_view> known) const {
    check_members(std::span(known.begin(), known.size()));
  }
  [[nodiscard]] bool has(std::string_view member) const { return value_->is_object() && value_->contains(member); }
  [[nodiscard]] std::optional<Node> find(std::string_view member) const;
  [[nodiscard]] Node at(std::string_view member) const;

  /// Checks that this is a list.
  [[nodiscard]] std::vector<Node> list() const;
  /// Checks that this is an object, and gives its members.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;

  /// A string of ASCII or UTF-8 that is not empty.
  [[nodiscard]] std::string word() const;
  /// A user's text: a string, or {"latin1": "…"} for bytes that are not UTF-8.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;

 private:
  [[nodiscard]] std::string kind() const;

  const Json* value_;
  const std::string* name_;
  std::string path_;
};

/// A user's text as text() reads it.
[[nodiscard]] Json text_json(std::string_view text);

}  // namespace kiln::manifest
