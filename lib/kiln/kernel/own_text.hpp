// kiln's own text around and between the texts of the user's, whose macros must not change it.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/user_text.hpp"

namespace kiln::kinds {

class OwnText {
 public:
  /// `included`: the files that the texts include. Embedded headers among them are kiln's.
  OwnText(const codegen::UserText& text, const std::map<std::string, std::string>& included);

  /// A text of kiln's that stands behind one of the user's. A qualified name of kiln's ("::kiln::float32") that a macro may
  /// change becomes one of aliases(). `places` are names that kiln gives what the user's text may use, as `item`: where one is
  /// a macro, that is what the user's text means, and kiln's has another name. Of every other name that is a macro, which is
  /// the signature's, an #error tells.
  [[nodiscard]] std::string between(const std::string& text, std::span<const std::string_view> places = {});
  /// Directives that refuse the kernel where one of the signature's names is a macro that takes no arguments.
  [[nodiscard]] std::string refusals(std::span<const std::string> names) const;
  /// Declarations for what between() gave so far. They stand in front of the user's texts.
  [[nodiscard]] std::string aliases() const;
  /// What stands in front of the user's texts, and behind them: there are no macros of theirs then.
  [[nodiscard]] std::string before() const;
  [[nodiscard]] std::string behind() const;

 private:
  [[nodiscard]] std::string refusal(std::string_view name) const;

  std::string kernel_;
  std::set<std::string> macros_;
  std::set<std::string> called_;    ///< of these a name alone is no use
  std::vector<std::string> names_;  ///< that have an alias
};

}  // namespace kiln::kinds
