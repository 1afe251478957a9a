#include "text_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "options.hpp"
#include "usage_error.hpp"

namespace kiln::tool {

void TextOptions::add_to(CLI::App& app) {
  add_text_that_may_be_empty(app, "--functions", functions_, "Device functions that the kernel calls: C++ text, or @FILE",
                             "TEXT");
  add_text_that_may_be_empty(app, "--preamble", preamble_, "C++ text that stands before the functions, or @FILE", "TEXT");
  add_list(app, "-D,--define", defines_, "Define a macro", "NAME[=VALUE]");
  add_list(app, "-I,--include-dir", include_dirs_, "Look for #include files in DIR", "DIR");
  add_list(app, "-L,--link", link_, "Link with the compiled device code of FILE: PTX, cubin, fatbin, bitcode, object, archive",
           "FILE");
  add_flag(app, "--contract", contract_, "Allow a*b+c to be rounded once (fused multiply-add)");
  add_flag(app, "--fast-math", fast_math_, "Allow any reordering, and assume no nan and no inf");
  add_flag(app, "--same-bits", same_bits_, "Have functions give the same bits on every device");
  add_flag(
      app, "--debug", debug_,
      "Have the kernel check itself (out of bounds, division by zero, assert), and write what it prints to standard error");
}

void TextOptions::check() const {
  for (const std::string& name : include_dirs_) {
    std::error_code fault;
    const std::filesystem::file_status there = std::filesystem::status(name, fault);
    if (std::filesystem::is_directory(there)) continue;
    throw UsageError(std::filesystem::exists(there) ? fmt::format("--include-dir \"{}\" is no folder", name)
                                                    : fmt::format("there is no folder \"{}\" for --include-dir", name));
  }
}

void TextOptions::check_none(std::string_view function) const {
  const std::pair<const char*, bool> given[] = {{"--functions", !functions_.empty()},
                                                {"--preamble", !preamble_.empty()},
                                                {"--define", !defines_.empty()},
                                                {"--include-dir", !include_dirs_.empty()},
                                                {"--link", !link_.empty()},
                                                {"--contract", contract_},
                                                {"--fast-math", fast_math_},
                                                {"--same-bits", same_bits_},
                                                {"--debug", debug_}};
  for (const auto& [option, present] : given) {
    if (present) throw UsageError(fmt::format("{} is for a kernel's text: the library's \"{}\" is as it is", option, function));
  }
}

}  // namespace kiln::tool
