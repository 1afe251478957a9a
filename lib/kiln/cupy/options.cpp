#include "cupy/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln::cupy {
namespace {

/// Bodies are C++20, and Ufunc::warnings() reports warnings.
constexpr std::array<std::string_view, 9> kWithoutEffect{"-w",
                                                         "-std=",
                                                         "--std=",
                                                         "-lineinfo",
                                                         "--generate-line-info",
                                                         "-default-device",
                                                         "--device-as-default-execution-space",
                                                         "-arch=",
                                                         "--gpu-architecture="};

struct Switch {
  std::string_view option;
  bool CompileOptions::* member;
  bool value;
};
constexpr std::array kSwitches{
    Switch{"-use_fast_math", &CompileOptions::fast_math, true}, Switch{"--use_fast_math", &CompileOptions::fast_math, true},
    Switch{"-fmad=true", &CompileOptions::contract, true},      Switch{"--fmad=true", &CompileOptions::contract, true},
    Switch{"-fmad=false", &CompileOptions::contract, false},    Switch{"--fmad=false", &CompileOptions::contract, false},
};

}  // namespace

void add_options(const std::string& kernel, const std::vector<std::string>& options, CompileOptions& compile) {
  for (std::size_t k = 0; k < options.size(); ++k) {
    const std::string_view option = options[k];
    /// The value of "-DNAME", "-D NAME" and "--define-macro=NAME".
    const auto value_of = [&](std::string_view brief, std::string_view full) -> std::string {
      if (option.starts_with(full)) return std::string(option.substr(full.size()));
      if (!option.starts_with(brief)) return {};
      const std::size_t at = option.find_first_not_of(' ', brief.size());
      if (at != std::string_view::npos) return std::string(option.substr(at));
      return k + 1 < options.size() ? options[++k] : std::string();
    };
    const auto same = [&](const Switch& each) { return each.option == option; };
    const auto without_effect = [&](std::string_view each) {
      return each.ends_with('=') ? option.starts_with(each) : option == each;
    };
    if (const auto found = std::ranges::find_if(kSwitches, same); found != kSwitches.end()) {
      compile.*found->member = found->value;
    } else if (std::string macro = value_of("-D", "--define-macro="); !macro.empty()) {
      compile.defines.push_back(std::move(macro));
    } else if (std::string folder = value_of("-I", "--include-path="); !folder.empty()) {
      compile.include_dirs.push_back(std::move(folder));
    } else if (std::ranges::none_of(kWithoutEffect, without_effect)) {
      throw SignatureError(kernel + ": the option \"" + std::string(option) +
                               "\" is unknown; there are -D, -I, -use_fast_math, -fmad=true, -fmad=false, -std= and -w",
                           std::string(option), 0);
    }
  }
}

}  // namespace kiln::cupy
