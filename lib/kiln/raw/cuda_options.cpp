#include "raw/cuda_options.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln::raw {
namespace {

/// Options that change nothing of a kernel's results here: the standard is C++20 everywhere.
constexpr std::string_view kWithoutEffect[] = {
    "-w",        "-rdc=false",     "-default-device", "-lineinfo",  "-G",
    "-restrict", "-prec-div=true", "-prec-sqrt=true", "-ftz=false", "-extra-device-vectorization"};
constexpr std::string_view kBegins[] = {"-std=", "-arch=", "-gpu-architecture=", "-maxrregcount=", "-diag-suppress=", "-O"};

bool is_true(std::string_view value) {
  return value == "true" || value == "1";
}

}  // namespace

void add_cuda_options(CompileOptions& compile, const std::vector<std::string>& options, const std::string& kernel) {
  std::vector<std::string> includes;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string option = options[i];
    if (option.starts_with("--")) option.erase(0, 1);
    // "-D", "NAME" and "-DNAME", "-define-macro=NAME".
    const auto value = [&](std::string_view brief, std::string_view full) {
      if (option.starts_with(full) && option.size() > full.size() && option[full.size()] == '=')
        return option.substr(full.size() + 1);
      if (!option.starts_with(brief)) return std::string();
      if (option != brief) return option.substr(brief.size());
      return i + 1 < options.size() ? options[++i] : std::string();
    };
    if (std::string define = value("-D", "-define-macro"); !define.empty()) {
      compile.defines.push_back(std::move(define));
    } else if (std::string folder = value("-I", "-include-path"); !folder.empty()) {
      includes.push_back(std::move(folder));
    } else if (option == "-use_fast_math") {
      compile.fast_math = true;
    } else if (option.starts_with("-fmad=")) {
      compile.contract = is_true(std::string_view(option).substr(6));
    } else if (std::ranges::find(kWithoutEffect, option) == std::end(kWithoutEffect) &&
               std::ranges::none_of(kBegins, [&](std::string_view begin) { return option.starts_with(begin); })) {
      throw SignatureError(kernel + ": the option \"" + options[i] +
                               "\" is none that kiln knows; there are -DNAME=VALUE, -IFOLDER, -std=…, -use_fast_math, -fmad=…, "
                               "-w and those that change no results",
                           options[i], 0);
    }
  }
  compile.include_dirs.insert(compile.include_dirs.end(), includes.begin(), includes.end());
}

}  // namespace kiln::raw
