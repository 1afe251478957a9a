#include "cupy/parameters.hpp"

#include <algorithm>
#include <vector>

#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "source/textures.hpp"

namespace kiln::cupy {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
struct Word {
  std::string_view text;
  std::size_t position;
};

class Parameters {
 public:
  Parameters(const std::string& kernel, const std::string& text, const ParameterRules& rules)
      : kernel_(kernel), text_(text), rules_(rules) {}

  std::string signature() const {
    std::string result;
    if (text_.find_first_not_of(kBlanks) == std::string::npos) return result;
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      result += (begin == 0 ? "" : ", ") + parameter(begin, end);
      begin = end + 1;
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& why) const {
    throw SignatureError(kernel_ + ": " + why, text_, position);
  }

  [[nodiscard]] std::vector<Word> words(std::size_t begin, std::size_t end) const {
    std::vector<Word> found;
    while ((begin = text_.find_first_not_of(kBlanks, begin)) < end) {
      const std::size_t behind = std::min(text_.find_first_of(kBlanks, begin), end);
      found.push_back({std::string_view(text_).substr(begin, behind - begin), begin});
      begin = behind;
    }
    return found;
  }

  [[nodiscard]] std::string parameter(std::size_t begin, std::size_t end) const {
    const std::vector<Word> all = words(begin, end);
    if (all.size() < 2)
      fail(all.empty() ? std::min(begin, text_.size()) : all[0].position, "expected a type and a name, as in \"T x\"");
    const Word& name = all.back();
    const Word& type = all[all.size() - 2];
    bool raw = false;
    for (std::size_t k = 0; k + 2 < all.size(); ++k) {
      if (all[k].text == "raw") {
        if (!rules_.no_raw.empty()) fail(all[k].position, std::string(rules_.no_raw));
        raw = true;
      } else if (all[k].text != "_non_const") {  // inputs are copies here, which a body may change
        fail(all[k].position,
             "the word \"" + std::string(all[k].text) + "\" is unknown; before a type stands \"raw\" or nothing");
      }
    }
    for (const std::string_view own : rules_.taken) {
      if (name.text == own) {
        fail(name.position, "\"" + std::string(own) + "\" cannot be a parameter's name: bodies have it of their own");
      }
    }
    check_type(type);
    check_once(name);
    return (raw ? "raw " : std::string(rules_.before)) + std::string(type.text) + " " + std::string(name.text);
  }

  /// Each name stands for one parameter of both lists.
  void check_once(const Word& name) const {
    for (const std::string_view list : {std::string_view(text_).substr(0, name.position), rules_.others}) {
      for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string_view each = list.substr(begin, end - begin);
        const std::size_t last = each.find_last_not_of(kBlanks);
        const std::string_view whole = each.substr(0, last == std::string_view::npos ? 0 : last + 1);
        const std::size_t blank = whole.find_last_of(kBlanks);
        if (blank != std::string_view::npos && whole.substr(blank + 1) == name.text) {
          fail(name.position, "the name \"" + std::string(name.text) + "\" is used twice");
        }
        begin = end + 1;
      }
    }
  }

  void check_type(const Word& type) const {
    if (codegen::is_texture(type.text)) {
      fail(type.position, "\"" + std::string(type.text) + "\": " + std::string(codegen::kNoTextures));
    }
    if (type.text.size() == 1) {
      if (type.text[0] >= 'A' && type.text[0] <= 'Z') return;
      fail(type.position, "a type variable is one capital letter");
    }
    try {
      static_cast<void>(dtype_from_name(type.text));
    } catch (const TypeError& error) {
      fail(type.position, std::string(error.what()) + "; a type variable is one capital letter");
    }
  }

  const std::string& kernel_;
  const std::string& text_;
  const ParameterRules& rules_;
};

}  // namespace

std::string parameters_of(const std::string& kernel, const std::string& text, const ParameterRules& rules) {
  return Parameters(kernel, text, rules).signature();
}

}  // namespace kiln::cupy
