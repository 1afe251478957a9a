#include "fusion/options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "source/directives.hpp"
#include "source/embedded.hpp"
#include "source/user_text.hpp"

namespace kiln::fusion {
namespace {

class Merge {
 public:
  Merge(const Graph& graph, const FuseDefinition& wanted) : graph_(graph), wanted_(wanted) {}

  UfuncDefinition options() {
    check_own();
    UfuncDefinition options;
    options.name = wanted_.name;
    options.compile.cache = wanted_.compile.cache;
    options.compile.time_limit = wanted_.compile.time_limit;
    options.compile.constant_variants = wanted_.compile.constant_variants;
    Arithmetic arithmetic = arithmetic_of(wanted_.compile);
    for (const ArithmeticFlag& flag : kArithmeticFlags) {
      arithmetic.*flag.member = arithmetic.*flag.member || all_steps(flag);
    }
    set_arithmetic(options.compile, arithmetic);
    options.compile.debug = wanted_.compile.debug;
    add_headers(wanted_.name, wanted_.compile);
    for (const Graph::Step& step : graph_.steps) {
      const UfuncDefinition& definition = step.ufunc->definition();
      options.compile.debug.on |= definition.compile.debug.on;
      options.compile.debug.nan |= definition.compile.debug.nan;
      options.compile.debug.race |= definition.compile.debug.race;
      check_includes(definition);
      add_headers(definition.name, definition.compile);
      add_folders(definition);
      add_link(definition.compile);
      add_macros(definition);
    }
    add_link(wanted_.compile);
    options.compile.link = link_;
    for (const auto& [preamble, includer] : includers_) check_macros(*includer);
    options.compile.headers = headers_;
    if (folders_ != nullptr) options.compile.include_dirs = folders_->compile.include_dirs;
    return options;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw TypeError("in fused \"" + wanted_.name + "\": " + why); }

  /// A fused ufunc has no body, and what stands beside its ufuncs' is theirs.
  void check_own() const {
    const CompileOptions& own = wanted_.compile;
    const char* const given = !own.preamble.empty()       ? "preamble"
                              : !own.functions.empty()    ? "functions"
                              : !own.include_dirs.empty() ? "include_dirs"
                              : !own.defines.empty()      ? "defines"
                                                          : nullptr;
    if (given == nullptr) return;
    fail(std::string("it has .compile.") + given + ", which no text of its own could use; give it to the ufuncs that do");
  }

  /// The flag's value in all steps; TypeError if they differ in it.
  [[nodiscard]] bool all_steps(const ArithmeticFlag& flag) const {
    if (graph_.steps.empty()) return false;
    const Graph::Step& first = graph_.steps.front();
    for (const Graph::Step& step : graph_.steps) {
      const bool value = step.arithmetic.*flag.member;
      if (value == first.arithmetic.*flag.member) continue;
      const Graph::Step& with = value ? step : first;
      const Graph::Step& without = value ? first : step;
      fail(with.ufunc->name() + " has .compile." + flag.name + " and " + without.ufunc->name() +
           " has not, and one kernel is compiled one way; set .compile." + flag.name +
           " for the fused ufunc, or for none of them");
    }
    return first.arithmetic.*flag.member;
  }

  void check_includes(const UfuncDefinition& definition) const {
    for (const auto& [text, where] :
         {std::pair{&definition.compile.functions, ".compile.functions"}, std::pair{&definition.body, "the body"}}) {
      if (!codegen::includes_files(*text)) continue;
      fail(definition.name + " includes a file in " + where + "; move the #include to .compile.preamble");
    }
  }

  void add_headers(const std::string& giver, const CompileOptions& options) {
    for (const auto& [name, text] : options.headers) {
      const auto [known, fresh] = headers_.emplace(name, text);
      if (fresh) {
        giver_of_[name] = giver;
      } else if (known->second != text) {
        fail(giver_of_[name] + " and " + giver + " give different texts for the header \"" + name + "\"; rename one of them");
      }
    }
  }

  void add_folders(const UfuncDefinition& definition) {
    if (definition.compile.include_dirs.empty()) return;
    if (folders_ == nullptr) folders_ = &definition;
    if (folders_->compile.include_dirs == definition.compile.include_dirs) return;
    fail(folders_->name + " and " + definition.name +
         " search different folders for headers; give both the same .compile.include_dirs, or the files as .compile.headers");
  }

  /// Once, however many ufuncs are linked with it.
  void add_link(const CompileOptions& options) {
    for (const LinkFile& file : options.link) {
      const auto same = [&](const LinkFile& known) {
        return known.bytes == nullptr && file.bytes == nullptr && known.name == file.name;
      };
      if (std::none_of(link_.begin(), link_.end(), same)) link_.push_back(file);
    }
  }

  /// A file is included once, so under one set of macros.
  void add_macros(const UfuncDefinition& definition) {
    if (!codegen::includes_files(definition.compile.preamble)) return;
    includers_.emplace(definition.compile.preamble, &definition);
    if (includer_ == nullptr) includer_ = &definition;
    if (includer_->compile.defines == definition.compile.defines) return;
    fail(includer_->name + " and " + definition.name +
         " include files under different .compile.defines; give both the same ones");
  }

  /// Those of its preamble and of the files that this includes.
  static std::set<std::string> macros_before_all(const UfuncDefinition& includer) {
    const CompileOptions& compile = includer.compile;
    std::set<std::string> macros = codegen::macros_of(compile.preamble);
    for (const auto& [name, text] :
         codegen::resolve_includes({{includer.name + ".preamble", compile.preamble}}, compile.headers, compile.include_dirs)) {
      if (!codegen::is_embedded(name, text)) macros.merge(codegen::macros_of(text));
    }
    return macros;
  }

  /// What stands before all ufuncs is seen by all.
  void check_macros(const UfuncDefinition& includer) const {
    const auto alike = [&](const Graph::Step& step) {
      return step.ufunc->definition().compile.preamble == includer.compile.preamble;
    };
    if (std::ranges::all_of(graph_.steps, alike)) return;
    for (const std::string& macro : macros_before_all(includer)) {
      const std::array<std::string_view, 1> name{macro};
      const auto names = [&](const std::string& text) { return codegen::names_any(text, name); };
      for (const Graph::Step& step : graph_.steps) {
        const UfuncDefinition& other = step.ufunc->definition();
        const CompileOptions& beside = other.compile;
        if (beside.preamble == includer.compile.preamble) continue;
        if (!names(beside.preamble) && !names(beside.functions) && !names(other.body) && !names(other.expression) &&
            !names(codegen::defines_text(beside.defines)) &&
            !std::any_of(other.signatures.begin(), other.signatures.end(), names)) {
          continue;
        }
        fail(includer.name + " defines " + macro +
             " in a .compile.preamble that includes files, which stands before all ufuncs, and " + other.name +
             " has that name, too; #define it in .compile.functions, or rename one of them");
      }
    }
  }

  const Graph& graph_;
  const FuseDefinition& wanted_;
  std::map<std::string, std::string> headers_;
  std::map<std::string, std::string> giver_of_;
  std::vector<LinkFile> link_;
  const UfuncDefinition* folders_ = nullptr;
  const UfuncDefinition* includer_ = nullptr;
  std::map<std::string, const UfuncDefinition*> includers_;  // by their preambles
};

}  // namespace

UfuncDefinition options_of(const Graph& graph, const FuseDefinition& wanted) {
  return Merge(graph, wanted).options();
}

}  // namespace kiln::fusion
