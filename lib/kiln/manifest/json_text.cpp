#include "manifest/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kiln/error.hpp"

namespace kiln::manifest {
namespace {

/// Builds the value as the parser reads, and knows where it is.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& name, const JsonLimits& limits)
      : text_(text), name_(name), limits_(limits) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (level.value->contains(name)) {
      throw CacheError(located(name_, path(), fmt::format("the member \"{}\" is there twice", printable(name))));
    }
    level.member = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: what": the place is given in our own form.
    std::string what = error.what();
    const std::size_t column = what.find("column ");
    const std::size_t colon = column == std::string::npos ? what.find("] ") : what.find(": ", column);
    if (colon != std::string::npos) what.erase(0, colon + 2);
    // The parser's own words for it differ between versions.
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos) what = "the text is empty";
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const std::string_view before = text_.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    throw CacheError(fmt::format("{}:{}:{}: not JSON: {}", name_, line, at - start + 1, printable(what)));
  }

  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json* value;
    std::string member;  // of an object: whose value comes next
  };

  static std::string printable(std::string text) {
    constexpr std::size_t kShown = 300;
    if (text.size() > kShown) text.resize(kShown);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return text;
  }

  std::string path() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const Level& level = levels_[i];
      path = level.value->is_object() ? join_path(path, level.member) : join_path(path, level.value->size() - 1);
    }
    return path;
  }

  Json* put(Json value) {
    if (++count_ > limits_.values) {
      throw CacheError(fmt::format("{}: more than {} values: this is no manifest that kiln reads", name_, limits_.values));
    }
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.value->is_object()) return &((*level.value)[level.member] = std::move(value));
    level.value->push_back(std::move(value));
    return &level.value->back();
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (levels_.size() == limits_.depth) {
      throw CacheError(located(name_, path(), fmt::format("more than {} brackets within one another", limits_.depth)));
    }
    levels_.push_back({put(std::move(value)), {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  const JsonLimits& limits_;
  Json root_;
  std::vector<Level> levels_;
  std::size_t count_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw CacheError(fmt::format("{}: {} bytes: kiln reads manifests of at most {}", name, text.size(), limits.bytes));
  }
  Builder builder(text, name, limits);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string join_path(const std::string& path, std::string_view member) {
  std::string joined = path + '/';
  for (const char c : member) {
    const auto byte = static_cast<unsigned char>(c);
    joined += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, byte < 0x20 || byte == 0x7f ? '?' : c);
  }
  return joined;
}

std::string join_path(const std::string& path, std::size_t index) {
  return fmt::format("{}/{}", path, index);
}

std::string located(const std::string& name, const std::string& path, const std::string& message) {
  return fmt::format("{}: {}: {}", name, path.empty() ? "/" : path, message);
}

}  // namespace kiln::manifest
