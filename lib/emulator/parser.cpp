// The text of a PTX module to its functions and statements.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "emulator/lexer.hpp"
#include "emulator/program.hpp"

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

std::optional<Space> space_named(std::string_view name) {
  if (name == ".global") return Space::global;
  if (name == ".shared") return Space::shared;
  if (name == ".local") return Space::local;
  if (name == ".const") return Space::constant;
  if (name == ".param") return Space::parameter;
  return std::nullopt;
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
      if (integer() != 64) lexer_.fail("only addresses of 64 bits are known");
    } else if (word == ".file") {
      file();
    } else if (word == ".section") {
      section();
    } else if (word == ".pragma") {
      while (!lexer_.skip(";")) lexer_.take();
    } else if (word == ".alias") {
      lexer_.fail(".alias is not known here");
    } else {
      declaration(word);
    }
  }

  void version() {
    const std::string_view number = lexer_.take().text;
    const std::size_t dot = number.find('.');
    int major = 0;
    int minor = 0;
    const auto parsed = [](std::string_view digits, int& value) {
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return error == std::errc() && end == digits.data() + digits.size();
    };
    if (dot == std::string_view::npos || !parsed(number.substr(0, dot), major) || !parsed(number.substr(dot + 1), minor)) {
      lexer_.fail("a version is two numbers");
    }
    constexpr int kOldest = 60;
    constexpr int kNewest = 93;
    module_.version = 10 * major + minor;
    if (module_.version < kOldest || module_.version > kNewest) {
      lexer_.fail("PTX " + std::string(number) + " is not known: versions 6.0 to 9.3 are");
    }
  }

  void file() {
    const auto number = static_cast<int>(integer());
    if (lexer_.peek().kind != Token::Kind::string) lexer_.fail("expected the name of a file");
    module_.files[number] = lexer_.take().text;
    while (lexer_.skip(",")) integer();  // time and size
  }

  void section() {
    lexer_.take();
    lexer_.expect("{");
    while (!lexer_.skip("}")) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail("a section does not end");
      lexer_.take();
    }
  }

  std::uint64_t integer() {
    const bool negative = lexer_.skip("-");
    if (lexer_.peek().kind != Token::Kind::number) lexer_.fail("expected an integer");
    std::string_view digits = lexer_.take().text;
    if (!digits.empty() && digits.back() == 'U') digits.remove_suffix(1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
      base = 2;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits.front() == '0') {
      base = 8;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size())
      lexer_.fail("\"" + std::string(digits) + "\" is no integer");
    return negative ? 0 - value : value;
  }

  // .visible .entry name(…), .func (…) name(…), variables.
  void declaration(std::string_view word) {
    bool external = false;
    while (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") {
      external |= word == ".extern";
      word = lexer_.word();
    }
    if (word == ".entry" || word == ".func") {
      function(word == ".entry");
      return;
    }
    const std::optional<Space> space = space_named(word);
    if (!space) lexer_.fail("the directive " + std::string(word) + " is not known");
    variables(*space, module_.variables, external);
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
      std::uint64_t threads = integer();
      while (lexer_.skip(",")) threads *= integer();
      made.most_threads = static_cast<int>(threads);
    } else if (word == ".minnctapersm" || word == ".maxnreg" || word == ".maxclusterrank") {
      integer();
    } else if (word == ".pragma") {
      while (!lexer_.skip(";")) lexer_.take();
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
      all.push_back(variable(Space::parameter));
    }
    return all;
  }

  // After the space: .align 8 .b8 name[64] = {…}
  Variable variable(Space space) {
    Variable made;
    made.space = space;
    std::string_view word = lexer_.word();
    std::uint64_t lanes = 1;
    while (true) {
      if (word == ".align") {
        made.alignment = integer();
        constexpr std::uint64_t kMostAligned = 1024;
        if (made.alignment == 0 || made.alignment > kMostAligned || (made.alignment & (made.alignment - 1)) != 0) {
          lexer_.fail("an alignment is a power of two up to 1024");
        }
      } else if (word == ".ptr" || word == ".attribute" || space_named(word)) {
        if (lexer_.skip("(")) {
          while (!lexer_.skip(")")) lexer_.take();
        }
      } else if (word == ".v2" || word == ".v4") {
        lanes = word == ".v2" ? 2 : 4;
      } else if (const std::optional<Type> type = word.starts_with('.') ? type_named(word.substr(1)) : std::nullopt) {
        made.type = *type;
      } else if (word.starts_with('.')) {
        lexer_.fail("the type " + std::string(word) + " of a variable is not known");
      } else {
        break;
      }
      word = lexer_.word();
    }
    made.name = word;
    std::uint64_t count = lanes;
    while (lexer_.skip("[")) {
      count *= lexer_.at("]") ? 0 : integer();
      lexer_.expect("]");
    }
    const std::uint64_t size = made.type.bytes();
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32U;
    if (count > kMost / size) lexer_.fail("the variable " + std::string(word) + " is too large");
    made.bytes = size * count;
    made.alignment = std::max(made.alignment, size);
    if (lexer_.skip("=")) initialize(made);
    return made;
  }

  void initialize(Variable& made) {
    if (!lexer_.skip("{")) {
      append(made);
      return;
    }
    int depth = 1;
    while (depth > 0) {
      if (lexer_.skip("{")) {
        ++depth;
      } else if (lexer_.skip("}")) {
        --depth;
      } else if (!lexer_.skip(",")) {
        append(made);
      }
    }
  }
  void append(Variable& made) {
    const Operand value = number();
    std::array<std::uint8_t, 8> bytes{};
    const std::uint64_t bits = value.kind == Operand::Kind::floating ? float_bits(value, made.type) : value.number;
    std::memcpy(bytes.data(), &bits, bytes.size());
    made.initial.insert(made.initial.end(), bytes.begin(), bytes.begin() + made.type.bytes());
    if (made.initial.size() > made.bytes) lexer_.fail("too many values for " + std::string(made.name));
  }
  static std::uint64_t float_bits(const Operand& value, const Type& type) {
    if (value.is_single || type.bits == 64) return value.number;
    double wide = 0;
    std::memcpy(&wide, &value.number, sizeof(wide));
    const auto narrow = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof(bits));
    return bits;
  }

  void variables(Space space, std::vector<Variable>& all, bool external) {
    all.push_back(variable(space));
    all.back().is_external = external;
    while (lexer_.skip(",")) {
      Variable next = all.back();
      next.initial.clear();
      next.name = lexer_.word();
      all.push_back(std::move(next));
    }
    lexer_.expect(";");
  }

  void registers() {
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
        const std::uint64_t count = integer();
        lexer_.expect(">");
        constexpr std::uint64_t kMost = 1'000'000;
        if (count > kMost) lexer_.fail("so many registers are not known");
        declare(word, {*type, count});
      } else {
        declare(word, {*type});
      }
      if (!lexer_.skip(",")) break;
      word = lexer_.word();
    }
    lexer_.expect(";");
  }

  // A name that a block declares hides the one of a block around it; blocks beside each other may share registers.
  struct Declared {
    std::string_view as;
    bool is_set = false;  ///< "%r<4>"
  };
  using Scope = std::map<std::string_view, Declared>;

  static std::string_view without_number(std::string_view name) {
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
  }
  static const Declared* declared_in(const Scope& scope, std::string_view name) {
    if (const auto exact = scope.find(name); exact != scope.end()) return &exact->second;
    const std::string_view start = without_number(name);
    const auto set = start.size() == name.size() ? scope.end() : scope.find(start);
    return set == scope.end() || !set->second.is_set ? nullptr : &set->second;
  }
  void declare(std::string_view name, const Registers& made) {
    const bool is_set = made.count != 0;
    // A set gets a name of its own in any case: which of its names stand around it need not be known.
    const bool hides = std::any_of(scopes_.begin(), scopes_.end() - 1,
                                   [&](const Scope& around) { return is_set || declared_in(around, name) != nullptr; });
    const std::string_view as =
        hides ? *module_.inner_names.insert(std::string(name) + ":" + std::to_string(scopes_.size()) + ":").first : name;
    scopes_.back().insert_or_assign(name, Declared{as, is_set});
    function_->registers.insert_or_assign(as, made);
  }
  /// What a name of a register means here; other names stay.
  std::string_view meant(std::string_view name) {
    for (std::size_t i = scopes_.size(); i > 1; --i) {
      const Declared* const found = declared_in(scopes_[i - 1], name);
      if (found == nullptr) continue;
      if (!found->is_set) return found->as;
      return *module_.inner_names.insert(std::string(found->as) + std::string(name.substr(without_number(name).size()))).first;
    }
    return name;
  }

  void block() {
    lexer_.expect("{");
    if (++depth_ > kDeepest) lexer_.fail("blocks so deep in one another are not known");
    scopes_.emplace_back();
    while (!lexer_.skip("}")) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail("a function does not end");
      if (lexer_.at("{")) {
        block();
      } else {
        line();
      }
    }
    scopes_.pop_back();
    --depth_;
  }

  void line() {
    Statement made;
    made.line = lexer_.peek().line;
    if (lexer_.skip("@")) {
      made.guard_negated = lexer_.skip("!");
      made.guard = meant(lexer_.word());
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
    while (!lexer_.skip(";")) {
      if (!made.operands.empty()) lexer_.expect(",");
      made.operands.push_back(operand());
    }
    function_->body.push_back(std::move(made));
  }

  void label(std::string_view name) {
    // A list of targets or a prototype has its name in front.
    if (lexer_.peek().kind == Token::Kind::word && lexer_.peek().text == ".branchtargets") {
      lexer_.take();
      auto& targets = function_->branch_targets[name];
      do targets.push_back(lexer_.word());
      while (lexer_.skip(","));
      lexer_.expect(";");
      return;
    }
    if (lexer_.peek().kind == Token::Kind::word && lexer_.peek().text == ".callprototype") {
      while (!lexer_.skip(";")) lexer_.take();
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
      while (!lexer_.skip(";")) lexer_.take();
    } else if (const std::optional<Space> space = space_named(word)) {
      variables(*space, function_->variables, false);
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
        if (lexer_.skip("+")) integer();
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
    made.file = static_cast<int>(integer());
    made.line = static_cast<int>(integer());
    made.column = static_cast<int>(integer());
    return made;
  }

  Operand number() {
    Operand made;
    made.kind = Operand::Kind::integer;
    if (!lexer_.at("-") && lexer_.peek().kind == Token::Kind::number) {
      const std::string_view text = lexer_.peek().text;
      const bool is_single = text.starts_with("0f") || text.starts_with("0F");
      if (is_single || text.starts_with("0d") || text.starts_with("0D")) {
        made.kind = Operand::Kind::floating;
        made.is_single = is_single;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), made.number, 16);
        if (error != std::errc() || end != text.data() + text.size()) lexer_.fail("expected the bits of a number");
        lexer_.take();
        return made;
      }
      if (text.find('.') != std::string_view::npos) {
        made.kind = Operand::Kind::floating;
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) lexer_.fail("expected a number");
        std::memcpy(&made.number, &value, sizeof(value));
        lexer_.take();
        return made;
      }
    }
    made.number = integer();
    return made;
  }

  Operand operand() {
    if (++depth_ > kDeepest) lexer_.fail("operands so deep in one another are not known");
    Operand made = one_operand();
    --depth_;
    return made;
  }

  Operand one_operand() {
    Operand made;
    if (lexer_.skip("{")) {
      made.kind = Operand::Kind::vector;
      do made.parts.push_back(operand());
      while (lexer_.skip(","));
      lexer_.expect("}");
      return made;
    }
    if (lexer_.skip("(")) {
      made.kind = Operand::Kind::list;
      while (!lexer_.skip(")")) {
        if (!made.parts.empty()) lexer_.expect(",");
        made.parts.push_back(operand());
      }
      return made;
    }
    if (lexer_.skip("[")) {
      made.kind = Operand::Kind::memory;
      if (lexer_.peek().kind == Token::Kind::word) {
        made.name = meant(lexer_.word());
        if (lexer_.skip("+") || lexer_.at("-")) made.number = integer();
      } else {
        made.number = integer();
      }
      lexer_.expect("]");
      return made;
    }
    if (lexer_.skip("!")) made.negated = true;
    if (lexer_.peek().kind != Token::Kind::word) return number();
    made.name = meant(lexer_.word());
    if (lexer_.skip("+")) {
      // An address of a variable: only in mov.
      made.number = integer();
    }
    if (!lexer_.skip("|")) return made;
    Operand pair;
    pair.kind = Operand::Kind::predicates;
    pair.parts = {made, operand()};
    return pair;
  }

  Module module_;
  Lexer lexer_;
  Function* function_ = nullptr;
  std::size_t location_ = 0;
  std::vector<Scope> scopes_;  ///< the blocks around, the function's first
  static constexpr int kDeepest = 64;
  int depth_ = 0;
};

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  struct Named {
    std::string_view name;
    Type type;
  };
  static constexpr std::array kTypes = {Named{"b8", {Scalar::bits, 8}},
                                        Named{"b16", {Scalar::bits, 16}},
                                        Named{"b32", {Scalar::bits, 32}},
                                        Named{"b64", {Scalar::bits, 64}},
                                        Named{"b128", {Scalar::bits, 128}},
                                        Named{"u8", {Scalar::unsigned_int, 8}},
                                        Named{"u16", {Scalar::unsigned_int, 16}},
                                        Named{"u32", {Scalar::unsigned_int, 32}},
                                        Named{"u64", {Scalar::unsigned_int, 64}},
                                        Named{"s8", {Scalar::signed_int, 8}},
                                        Named{"s16", {Scalar::signed_int, 16}},
                                        Named{"s32", {Scalar::signed_int, 32}},
                                        Named{"s64", {Scalar::signed_int, 64}},
                                        Named{"f16", {Scalar::floating, 16}},
                                        Named{"f16x2", {Scalar::floating, 32, true}},
                                        Named{"bf16", {Scalar::bfloat, 16}},
                                        Named{"bf16x2", {Scalar::bfloat, 32, true}},
                                        Named{"tf32", {Scalar::bfloat, 32}},
                                        Named{"f32", {Scalar::floating, 32}},
                                        Named{"f64", {Scalar::floating, 64}},
                                        Named{"pred", {Scalar::predicate, 8}}};
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Named& each) { return each.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

Module parse(std::string text) {
  return Parser(std::move(text)).parse();
}

}  // namespace kiln::emulator
