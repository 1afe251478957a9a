#include "completion.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache_list_command.hpp"
#include "cache_options.hpp"
#include "device_option.hpp"
#include "eval_command.hpp"
#include "inspect_command.hpp"
#include "kiln/kiln.hpp"
#include "method.hpp"
#include "output.hpp"
#include "target_option.hpp"
#include "terminal.hpp"
#include "usage.hpp"

namespace kiln::tool {
namespace {

class Completion {
 public:
  explicit Completion(const CLI::App& app) : command_(&app) {}

  /// A word before the cursor. Bash makes three of "--sort=size", and of "emulated:sm_90".
  void pass(const std::string& word) {
    if (word == ":" && last_option_ != nullptr) {
      option_ = std::exchange(last_option_, nullptr);
      passed_ = last_value_ + ":";
      return;
    }
    last_option_ = nullptr;
    if (option_ != nullptr) {
      if (word == "=") return;
      if (option_->check_name("--dir")) directory_ = word;
      last_option_ = std::exchange(option_, nullptr);
      last_value_ = std::exchange(passed_, "") + word;
    } else if (!options_ended_ && word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      const CLI::Option* const option = command_->get_option_no_throw(word.substr(0, equals));
      if (option != nullptr && option->get_items_expected_max() > 0) option_ = option;
      if (option != nullptr && option->check_name("--file")) ++operands_;  // the kernel, which is the first word otherwise
      options_ended_ = word == "--";
      if (equals != std::string::npos) pass(word.substr(equals + 1));
    } else if (const CLI::App* const named = command_named(*command_, word)) {
      command_ = named;
    } else {
      ++operands_;
    }
  }

  void offer_at(std::string_view word) {
    if (word == ":") {
      pass(std::string(word));
      word = "";
    }
    word_ = word == "=" ? "" : word;
    if (option_ == nullptr && !options_ended_ && word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) return offer_options();
      pass(std::string(word.substr(0, equals)));
      repeat(equals + 1);
    }
    if (option_ == nullptr) {
      for (const CLI::App* const command : command_->get_subcommands([](const CLI::App*) { return true; })) {
        offer(command->get_name(), command->get_description());
      }
    }
    offer_values(type());
  }

  [[nodiscard]] const std::string& lines() const noexcept { return lines_; }

 private:
  void offer(std::string_view name, std::string_view help = "") {
    if (!name.starts_with(passed_)) return;
    name.remove_prefix(passed_.size());
    if (!name.starts_with(word_)) return;
    lines_ += printable(fmt::format("{}{}", repeated_, name)) + (help.empty() ? "" : "\t") + printable(help) + "\n";
  }
  /// Candidates begin with so much of the word, and are compared with the rest of it.
  void repeat(std::size_t size) {
    repeated_ += word_.substr(0, size);
    word_.erase(0, size);
  }

  void offer_options() {
    for (const CLI::Option* const option : command_->get_options()) {
      if (option->get_group().empty()) continue;  // hidden
      for (const std::string& name : option->get_snames()) offer("-" + name, option->get_description());
      for (const std::string& name : option->get_lnames()) offer("--" + name, option->get_description());
    }
  }

  /// What the help calls the value at the cursor; empty where none is wanted.
  [[nodiscard]] std::string type() const {
    if (option_ != nullptr) return option_->get_type_name();
    for (const CLI::Option* const option : command_->get_options()) {
      if (!option->get_positional() || (option->get_items_expected_max() == 1 && operands_ > 0)) continue;
      const std::string type = option->get_type_name();  // "KERNEL OPERAND": one of the former, then the latter
      return operands_ == 0 ? type.substr(0, type.find(' ')) : type.substr(type.find(' ') + 1);
    }
    return "";
  }

  void offer_values(const std::string& type) {
    const auto is = [&](auto... names) { return ((type == names) || ...); };
    if (type.ends_with(",...")) repeat(word_.rfind(',') + 1);
    if (is("FILE", "MANIFEST", "OPERAND", "KERNEL", "ID|MANIFEST")) lines_ += ":files\n";
    if (is("DIR")) lines_ += ":folders\n";
    if (is("DEVICE")) offer_each(kDevices);
    if (is("FORM")) offer_each(kForms);
    if (is("TARGET,...")) offer_each(kUsualTargets);
    if (is("CODE")) {
      for (const ErrorTopic& topic : error_topics()) offer(topic.code, topic.title);
    }
    if (is("VARIABLE")) {
      for (const auto& each : reply_of({{"command", "environment"}}).at("variables")) offer(each.at("name").get<std::string>());
    }
    if (is("KERNEL", "FUNCTION")) {
      for (const math::FunctionInfo& info : math::functions()) offer(info.name, info.description);
    } else if (is("DTYPE")) {
      for (int i = 0; i < kDTypeCount; ++i) offer(name(static_cast<DType>(i)));
    } else if (is("RULE")) {
      for (const Casting casting : kCastings) offer(name(casting));
    } else if (is("METHOD")) {
      for (const MethodRow& row : kMethods) offer(row.name);
    } else if (is("ORDER")) {
      for (const ListOrder& order : kOrders) offer(order.name);
    } else if (is("ID", "ID|MANIFEST")) {
      for (const cache::Entry& each : entries()) {
        offer(each.id, fmt::format("{} {} {}", each.kernel, each.signature, each.target));
      }
    }
  }
  [[nodiscard]] std::vector<cache::Entry> entries() const {
    try {
      return CacheChoice(directory_).cache().list();
    } catch (const std::exception&) {
      return {};  // a message would stand in the line that is edited
    }
  }
  template <std::size_t n>
  void offer_each(const char* const (&names)[n]) {
    for (const char* const name : names) offer(name);
  }

  const CLI::App* command_;
  const CLI::Option* option_ = nullptr;       // whose value is at the cursor
  const CLI::Option* last_option_ = nullptr;  // whose value was the word before
  std::string last_value_;
  std::string passed_;        // of the value at the cursor, in words before it
  std::size_t operands_ = 0;  // before the cursor
  bool options_ended_ = false;
  std::string directory_;  // of --dir
  std::string word_, repeated_, lines_;
};

}  // namespace

int complete(const CLI::App& app, std::vector<std::string> words) {
  cache::set_log([](std::string_view) {});  // a line of the log would stand in the line that is edited
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty()) words.emplace_back();
  Completion completion(app);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) completion.pass(words[i]);
  completion.offer_at(words.back());
  std::cout << completion.lines() << std::flush;
  return kDone;
}

}  // namespace kiln::tool
