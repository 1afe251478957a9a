// The text of a PTX module to its functions and statements.
#include <algorithm>
#include <utility>

#include "emulator/ptx/grammar.hpp"

namespace kiln::emulator {
namespace {

std::vector<std::string_view> split(std::string_view word) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t dot = word.find('.');
    parts.push_back(word.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    word.remove_prefix(dot + 1);
  }
}

class Parser {
 public:
  explicit Parser(std::string text) : module_(holding(std::move(text))), lexer_(*module_.text) {
    module_.locations.emplace_back();
  }

  static Module holding(std::string text) {
    Module made;
    made.text = std::make_shared<const std::string>(std::move(text));
    return made;
  }

  Module parse() {
    while (lexer_.peek().kind != Token::Kind::end) top_level();
    if (module_.version == 0) lexer_.fail("a module begins with .version");
    return std::move(module_);
  }

 private:
  void top_level() {
    const std::string_view word = lexer_.word();
    if (word == ".version") {
      version();
    } else if (word == ".target") {
      module_.target = lexer_.word();
      while (lexer_.skip(",")) lexer_.take();
    } else if (word == ".address_size") {
      if (take_integer(lexer_) != 64) lexer_.fail("only addresses of 64 bits are known");
    } else if (word == ".file") {
      file();
    } else if (word == ".section") {
      lexer_.take();
      lexer_.expect("{");
      lexer_.skip_past("}");
    } else if (word == ".pragma") {
      lexer_.skip_past(";");
    } else if (word == ".alias") {
      alias();
    } else {
      declaration(word);
    }
  }

  void version() {
    const std::string_view number = lexer_.take().text;
    const std::size_t dot = std::min(number.find('.'), number.size() - 1);
    const auto major = number_in<int>(number.substr(0, dot));
    const auto minor = number_in<int>(number.substr(dot + 1));
    if (!major || !minor) lexer_.fail("a version is two numbers");
    constexpr int kOldest = 60;
    constexpr int kNewest = 93;
    module_.version = 10 * *major + *minor;
    if (module_.version < kOldest || module_.version > kNewest) {
      lexer_.fail("PTX " + std::string(number) + " is not known: versions 6.0 to 9.3 are");
    }
  }

  // .alias name, function;
  void alias() {
    const std::string_view name = lexer_.word();
    lexer_.expect(",");
    module_.aliases[name] = lexer_.word();
    lexer_.expect(";");
  }

  void file() {
    const auto number = static_cast<int>(take_integer(lexer_));
    if (lexer_.peek().kind != Token::Kind::string) lexer_.fail("expected the name of a file");
    module_.files[number] = lexer_.take().text;
    while (lexer_.skip(",")) take_integer(lexer_);  // time and size
  }

  // .visible .entry name(…), .func (…) name(…), variables.
  void declaration(std::string_view word) {
    while (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") word = lexer_.word();
    if (word == ".entry" || word == ".func") {
      function(word == ".entry");
      return;
    }
    const std::optional<Space> space = space_named(word);
    if (!space) lexer_.fail("the directive " + std::string(word) + " is not known");
    variables(*space, module_.variables);
  }

  void function(bool is_kernel) {
    Function made;
    made.is_kernel = is_kernel;
    if (lexer_.skip("(")) made.results = formals();
    made.name = lexer_.word();
    if (lexer_.skip("(")) made.parameters = formals();
    function_ = &made;
    while (!lexer_.at("{") && !lexer_.at(";")) attribute(made);
    if (lexer_.skip(";")) {
      made.is_declared_only = true;
    } else {
      block();
    }
    function_ = nullptr;
    Function& kept = module_.functions[made.name];
    if (kept.name.empty() || kept.is_declared_only) kept = std::move(made);
  }

  void attribute(Function& made) {
    const std::string_view word = lexer_.word();
    if (word == ".noreturn") return;
    if (word == ".maxntid" || word == ".reqntid") {
      std::uint64_t threads = take_integer(lexer_);
      while (lexer_.skip(",")) threads *= take_integer(lexer_);
      made.most_threads = static_cast<int>(threads);
    } else if (word == ".minnctapersm" || word == ".maxnreg" || word == ".maxclusterrank") {
      take_integer(lexer_);
    } else if (word == ".pragma") {
      lexer_.skip_past(";");
    } else {
      lexer_.fail("the directive " + std::string(word) + " of a function is not known");
    }
  }

  std::vector<Variable> formals() {
    std::vector<Variable> all;
    while (!lexer_.skip(")")) {
      if (!all.empty()) lexer_.expect(",");
      std::string_view word = lexer_.word();
      if (word == ".reg") lexer_.fail("parameters in registers are not known");
      if (word != ".param") lexer_.fail("expected .param");
      all.push_back(take_variable(lexer_, Space::parameter));
    }
    return all;
  }

  void variables(Space space, std::vector<Variable>& all) {
    all.push_back(take_variable(lexer_, space));
    while (lexer_.skip(",")) {
      Variable next = all.back();
      next.initial.clear();
      next.addresses.clear();
      next.name = lexer_.word();
      all.push_back(std::move(next));
    }
    lexer_.expect(";");
  }

  void registers() {
    auto& declared = function_->scopes[scope_].registers;
    std::optional<Type> type;
    std::string_view word = lexer_.word();
    for (; word.starts_with('.'); word = lexer_.word()) {
      if (word == ".v2" || word == ".v4") lexer_.fail("registers of vectors are not known");
      type = type_named(word.substr(1));
      if (!type) lexer_.fail("the type " + std::string(word) + " of a register is not known");
    }
    if (!type) lexer_.fail("a register has a type");
    while (true) {
      if (lexer_.skip("<")) {
        const std::uint64_t count = take_integer(lexer_);
        lexer_.expect(">");
        constexpr std::uint64_t kMost = 1'000'000;
        if (count > kMost) lexer_.fail("so many registers are not known");
        declared.insert_or_assign(word, Registers{*type, count});
      } else {
        declared.insert_or_assign(word, Registers{*type});
      }
      if (!lexer_.skip(",")) break;
      word = lexer_.word();
    }
    lexer_.expect(";");
  }

  void block() {
    lexer_.expect("{");
    if (++depth_ > kDeepest) lexer_.fail("blocks so deep in one another are not known");
    const std::size_t outer = depth_ == 1 ? 0 : scope_;
    scope_ = function_->scopes.size();
    function_->scopes.push_back({outer, {}});
    while (!lexer_.skip("}")) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail("a function does not end");
      if (lexer_.at("{")) {
        block();
      } else {
        line();
      }
    }
    scope_ = outer;
    --depth_;
  }

  void line() {
    Statement made;
    made.line = lexer_.peek().line;
    if (lexer_.skip("@")) {
      made.guard_negated = lexer_.skip("!");
      made.guard = lexer_.word();
    }
    const std::string_view word = lexer_.word();
    if (word.starts_with('.') && made.guard.empty()) {
      directive(word);
      return;
    }
    if (lexer_.skip(":")) {
      label(word);
      return;
    }
    made.words = split(word);
    made.location = location_;
    made.scope = scope_;
    while (!lexer_.skip(";")) {
      if (!made.operands.empty()) lexer_.expect(",");
      made.operands.push_back(take_operand(lexer_));
    }
    function_->body.push_back(std::move(made));
  }

  void label(std::string_view name) {
    // Lists of targets and prototypes have their names in front.
    if (lexer_.peek().kind == Token::Kind::word && lexer_.peek().text == ".branchtargets") {
      lexer_.take();
      auto& targets = function_->branch_targets[name];
      do targets.push_back(lexer_.word());
      while (lexer_.skip(","));
      lexer_.expect(";");
      return;
    }
    if (lexer_.peek().kind == Token::Kind::word &&
        (lexer_.peek().text == ".callprototype" || lexer_.peek().text == ".calltargets")) {
      lexer_.skip_past(";");
      return;
    }
    if (!function_->labels.emplace(name, function_->body.size()).second)
      lexer_.fail("the label " + std::string(name) + " stands twice");
  }

  void directive(std::string_view word) {
    if (word == ".reg") {
      registers();
    } else if (word == ".loc") {
      location();
    } else if (word == ".pragma") {
      lexer_.skip_past(";");
    } else if (const std::optional<Space> space = space_named(word)) {
      variables(*space, function_->variables);
    } else {
      lexer_.fail("the directive " + std::string(word) + " is not known");
    }
  }

  // .loc 1 12 3, function_name $L__info_string0, inlined_at 1 20 5
  void location() {
    Location made;
    made.place = place();
    while (lexer_.skip(",")) {
      const std::string_view what = lexer_.word();
      if (what == "function_name") {
        lexer_.take();
        if (lexer_.skip("+")) take_integer(lexer_);
      } else if (what == "inlined_at") {
        made.inlined_at = place();
      } else {
        lexer_.fail("expected function_name or inlined_at");
      }
    }
    location_ = module_.locations.size();
    module_.locations.push_back(made);
  }
  SourcePlace place() {
    SourcePlace made;
    made.file = static_cast<int>(take_integer(lexer_));
    made.line = static_cast<int>(take_integer(lexer_));
    made.column = static_cast<int>(take_integer(lexer_));
    return made;
  }

  Module module_;
  Lexer lexer_;
  Function* function_ = nullptr;
  std::size_t location_ = 0;
  std::size_t scope_ = 0;
  static constexpr int kDeepest = 64;
  int depth_ = 0;
};

}  // namespace

Module parse(std::string text) {
  return Parser(std::move(text)).parse();
}

}  // namespace kiln::emulator
