// What a command adds to its command line. CLI11 takes a sanitizing compiler 21 s, nlohmann/json 7 s: only options.cpp and
// what reads the command line itself include it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kiln::tool {

/// The first line of the command's help.
void set_usage(CLI::App& command, std::string usage);
/// What stands below the options: how they go together, examples.
void set_footer(CLI::App& command, std::string text);
/// The whole text of --help.
[[nodiscard]] std::string help_of(const CLI::App& command);

/// Each of these names what it takes by `type`, "FILE". `names` is "-o,--output" for an option, "MANIFEST" for a word of the
/// command line. An option's value that is empty is a UsageError.
void add_flag(CLI::App& command, const std::string& names, bool& to, const std::string& help);
void add_text(CLI::App& command, const std::string& names, std::string& to, const std::string& help, const std::string& type);
/// For text of which none is some: C++ that a kernel may do without.
void add_text_that_may_be_empty(CLI::App& command, const std::string& names, std::string& to, const std::string& help,
                                const std::string& type);
/// The help says what the text is where nothing is given.
void add_text_with_default(CLI::App& command, const std::string& names, std::string& to, const std::string& help,
                           const std::string& type);
void add_number(CLI::App& command, const std::string& names, int& to, const std::string& help, const std::string& type,
                int least, int most);
/// All words of the command line.
void add_words(CLI::App& command, const std::string& name, std::vector<std::string>& to, const std::string& help,
               const std::string& type);
/// An option that may be repeated, one value each time.
void add_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
              const std::string& type);
/// The same, and commas separate several values.
void add_comma_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
                    const std::string& type);

/// From now on a value " -1" of the command's options and words is "-1": the blank keeps CLI11 from taking it for an option.
void take_off_blanks(CLI::App& command);

}  // namespace kiln::tool
