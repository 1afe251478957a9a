// Statements to instructions: names to rows, words to what runs them.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "emulator/handlers.hpp"

namespace kiln::emulator {
namespace {

using Words = std::span<const std::string_view>;

bool has(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return alignment == 0 ? offset : (offset + alignment - 1) / alignment * alignment;
}

std::uint64_t bits_of(const Operand& number, const Type& type) {
  if (number.kind == Operand::Kind::integer || number.is_single || type.bits == 64) return number.number;
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.number)));
}

/// What may follow the name of an instruction, besides types.
constexpr std::array kWords = std::to_array<std::string_view>(
    {// rounding and range
     "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna", "ftz", "sat", "satfinite", "relu", "NaN", "xorsign", "abs",
     "approx", "full",
     // comparisons and what they are combined with
     "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "and",
     "or", "xor", "finite", "infinite", "number", "notanumber", "normal", "subnormal",
     // integers and bits
     "wide", "cc", "wrap", "clamp", "l", "r", "shiftamt", "b4e", "f4e", "rc8", "ecl", "ecr", "rc16",
     // memory: where, how, and hints that change nothing
     "global", "shared", "shared::cta", "local", "const", "param", "param::entry", "param::func", "v2", "v4", "volatile",
     "relaxed", "acquire", "release", "acq_rel", "sc", "weak", "cta", "cluster", "gpu", "sys", "gl", "nc", "ca", "cg", "cs",
     "lu", "cv", "wb", "wt", "L1", "L2", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
     "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B", "to",
     // atomic operations and reductions
     "add", "min", "max", "inc", "dec", "exch", "cas", "popc", "noftz",
     // threads
     "sync", "aligned", "arrive", "red", "warp", "up", "down", "bfly", "idx", "all", "any", "uni", "ballot", "wait",
     "launch_dependents"});

constexpr std::array<std::string_view, static_cast<std::size_t>(Special::zero)> kSpecials = {
    "%tid.x",          "%tid.y",       "%tid.z",    "%ntid.x",   "%ntid.y",      "%ntid.z",      "%ctaid.x",
    "%ctaid.y",        "%ctaid.z",     "%nctaid.x", "%nctaid.y", "%nctaid.z",    "%laneid",      "%warpid",
    "%nwarpid",        "%smid",        "%nsmid",    "%gridid",   "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
    "%lanemask_ge",    "%lanemask_gt", "%clock",    "%clock_hi", "%clock64",     "%globaltimer", "%dynamic_smem_size",
    "%total_smem_size"};

/// In front of the name that the user gave the kernel.
constexpr std::string_view kNameMark = "// kernel ";
/// What kiln names the translation unit.
constexpr std::string_view kMainFile = "kiln/kernel.cpp";

constexpr std::uint64_t kMostParameters = 32764;  ///< of a kernel, as CUDA 12.1 and later take
constexpr std::uint64_t kMostLocal = 512U << 10U;
constexpr std::uint64_t kMostShared = 228U << 10U;

class Decoder {
 public:
  Decoder(Program& program, Code& code, const Function& function) : program_(program), code_(code), function_(function) {}

  void decode() {
    place_variables();
    code_.instructions.reserve(function_.body.size() + 1);
    for (const Statement& statement : function_.body) {
      statement_ = &statement;
      Instruction made;
      made.statement = static_cast<std::uint32_t>(program_.statements.size());
      program_.statements.push_back(&statement);
      made.guard = guard(statement);
      instruction(made);
      code_.instructions.push_back(made);
    }
    // Behind the last statement is the end.
    Instruction end;
    end.flow = function_.is_kernel ? Flow::exit : Flow::ret;
    end.statement = static_cast<std::uint32_t>(program_.statements.empty() ? 0 : program_.statements.size() - 1);
    code_.instructions.push_back(end);
    code_.registers = static_cast<std::uint32_t>(rows_.size());
    code_.predicates = static_cast<std::uint32_t>(predicates_.size()) + 1;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::string words;
    for (const std::string_view word : statement_->words) words += (words.empty() ? "" : ".") + std::string(word);
    throw PtxError("line " + std::to_string(statement_->line) + " of the PTX, " + words + ": " + what);
  }
  [[noreturn]] void unknown() const { fail("this instruction is not known"); }

  // Variables of the function: local memory, parameters of calls. Shared ones are the module's.
  void place_variables() {
    std::uint64_t kernel_bytes = 0;
    const auto in_frame = [&](const Variable& variable) {
      // Scopes of calls use the same names one after the other.
      Place& place = frame_places_[variable.name];
      if (place.bytes >= variable.bytes && place.bytes != 0) return place;
      check_size(code_.parameter_bytes + variable.bytes, kMostParameters, "parameters");
      code_.parameter_bytes =
          static_cast<std::uint32_t>(aligned(code_.parameter_bytes, std::max<std::uint64_t>(variable.alignment, 8)));
      place = {code_.parameter_bytes, static_cast<std::uint32_t>(variable.bytes)};
      code_.parameter_bytes += place.bytes;
      return place;
    };
    for (const Variable& result : function_.results) {
      const Place place = in_frame(result);
      code_.results.push_back({place.offset, place.bytes});
    }
    for (const Variable& parameter : function_.parameters) {
      if (function_.is_kernel) {
        kernel_bytes = aligned(kernel_bytes, parameter.alignment);
        kernel_places_[parameter.name] = kernel_bytes;
        code_.parameters.push_back({static_cast<std::uint32_t>(kernel_bytes), static_cast<std::uint32_t>(parameter.bytes)});
        kernel_bytes += parameter.bytes;
      } else {
        const Place place = in_frame(parameter);
        code_.parameters.push_back({place.offset, place.bytes});
      }
    }
    for (const Variable& variable : function_.variables) {
      if (variable.space == Space::local) {
        check_size(code_.local_bytes + variable.bytes, kMostLocal, "local memory");
        code_.local_bytes =
            static_cast<std::uint32_t>(aligned(code_.local_bytes, std::max<std::uint64_t>(variable.alignment, 1)));
        local_places_[variable.name] = code_.local_bytes;
        code_.local_bytes += static_cast<std::uint32_t>(variable.bytes);
      } else if (variable.space == Space::parameter) {
        in_frame(variable);
      }
    }
    check_size(kernel_bytes, kMostParameters, "parameters");
    code_.parameter_bytes = static_cast<std::uint32_t>(aligned(code_.parameter_bytes, 16));
    code_.local_bytes = static_cast<std::uint32_t>(aligned(code_.local_bytes, 16));
  }

  void check_size(std::uint64_t bytes, std::uint64_t most, const char* what) const {
    if (bytes > most)
      throw PtxError("function " + code_.name + " has " + std::to_string(bytes) + " bytes of " + what + ": up to " +
                     std::to_string(most) + " are known");
  }

  // Registers.
  const Registers* declared(std::string_view name) const {
    const auto exact = function_.registers.find(name);
    if (exact != function_.registers.end() && exact->second.count == 0) return &exact->second;
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    // "%rd1" may be of %rd<2>, and of %r<…> only where the name is just that and a number.
    const auto set = function_.registers.find(name.substr(0, digits));
    if (set == function_.registers.end() || digits == name.size()) return nullptr;
    return &set->second;
  }
  bool is_predicate(const Operand& operand) const {
    if (operand.kind != Operand::Kind::name) return false;
    const Registers* const set = declared(operand.name);
    return set != nullptr && set->type.scalar == Scalar::predicate;
  }
  Row row(std::uint32_t index) const { return {Row::registers, index * kLanes}; }
  Row constant(std::uint64_t value) {
    const auto [found, is_new] = constants_.emplace(value, static_cast<std::uint32_t>(code_.constants.size()));
    if (is_new) code_.constants.insert(code_.constants.end(), kLanes, value);
    return {Row::constants, found->second};
  }
  Row written(const Operand& operand) {
    if (operand.kind != Operand::Kind::name) fail("a result goes to a register");
    return written(operand.name);
  }
  Row written(std::string_view name) {
    if (name == "_") return {Row::specials, static_cast<std::uint32_t>(Special::zero) * kLanes};
    const Registers* const set = declared(name);
    if (set == nullptr) fail(std::string(name) + " is no register");
    if (set->type.scalar == Scalar::predicate) fail(std::string(name) + " is a predicate");
    return row(rows_.emplace(name, static_cast<std::uint32_t>(rows_.size())).first->second);
  }
  Row read(const Operand& operand, const Type& type) {
    switch (operand.kind) {
      case Operand::Kind::integer:
      case Operand::Kind::floating:
        return constant(bits_of(operand, type));
      case Operand::Kind::name:
        break;
      default:
        fail("such an operand is not known here");
    }
    if (operand.name == "WARP_SZ") return constant(kLanes);
    if (declared(operand.name) != nullptr) return written(operand);
    for (std::size_t k = 0; k < kSpecials.size(); ++k) {
      if (kSpecials[k] == operand.name) return {Row::specials, static_cast<std::uint32_t>(k) * kLanes};
    }
    if (const std::optional<std::uint64_t> address = address_of(operand.name)) return constant(*address + operand.number);
    fail("the name " + std::string(operand.name) + " is not known");
  }
  /// Of what lies at the same place for all threads.
  std::optional<std::uint64_t> address_of(std::string_view name) const {
    if (const auto found = kernel_places_.find(name); found != kernel_places_.end()) return kParameterWindow | found->second;
    if (const auto found = program_.addresses.find(std::string(code_.name) + "/" + std::string(name));
        found != program_.addresses.end())
      return found->second;
    if (const auto found = program_.addresses.find(name); found != program_.addresses.end()) return found->second;
    const auto function = std::find_if(program_.functions.begin(), program_.functions.end(),
                                       [&](const Code* each) { return each->name == name; });
    if (function != program_.functions.end())
      return kFunctionWindow | static_cast<std::uint64_t>(function - program_.functions.begin());
    return std::nullopt;
  }
  std::uint32_t predicate_index(std::string_view name) {
    const Registers* const set = declared(name);
    if (set == nullptr || set->type.scalar != Scalar::predicate) fail(std::string(name) + " is no predicate");
    return predicates_.emplace(name, static_cast<std::uint32_t>(predicates_.size()) + 1).first->second;
  }
  Predicate predicate(const Operand& operand) {
    if (operand.kind == Operand::Kind::integer) return {0, operand.number == 0};
    if (operand.kind != Operand::Kind::name) fail("expected a predicate");
    return {predicate_index(operand.name), operand.negated};
  }
  std::uint32_t predicate_out(const Operand& operand) {
    return operand.kind == Operand::Kind::name && operand.name == "_" ? 0 : predicate(operand).index;
  }
  Predicate guard(const Statement& statement) {
    if (statement.guard.empty()) return {};
    return {predicate_index(statement.guard), statement.guard_negated};
  }
  const Operand& operand(std::size_t k) const {
    if (k >= statement_->operands.size()) fail("an operand is missing");
    return statement_->operands[k];
  }
  void require(std::size_t fewest, std::size_t most) const {
    if (statement_->operands.size() < fewest || statement_->operands.size() > most) fail("takes another number of operands");
  }
  std::uint32_t label(const Operand& operand) const { return label(operand.name); }
  std::uint32_t label(std::string_view name) const {
    const auto found = function_.labels.find(name);
    if (found == function_.labels.end()) fail("there is no label " + std::string(name));
    return static_cast<std::uint32_t>(found->second);
  }
  Type type() const {
    for (std::size_t k = statement_->words.size(); k-- > 1;) {
      if (const std::optional<Type> found = type_named(statement_->words[k])) return *found;
    }
    fail("has no type that is known");
  }

  void instruction(Instruction& made) {
    const Words words = statement_->words;
    // A word that nobody looks at could change what the instruction does.
    for (const std::string_view word : words.subspan(1)) {
      if (!type_named(word) && std::find(kWords.begin(), kWords.end(), word) == kWords.end()) unknown();
    }
    const std::string_view name = words[0];
    if (name == "bra") {
      made.flow = Flow::branch;
      require(1, 1);
      made.target = label(operand(0));
    } else if (name == "brx") {
      require(2, 2);
      made.flow = Flow::branch_indexed;
      made.in[0] = read(operand(0), {Scalar::unsigned_int, 32});
      const auto targets = function_.branch_targets.find(operand(1).name);
      if (targets == function_.branch_targets.end()) fail("there is no list of targets " + std::string(operand(1).name));
      made.detail = static_cast<std::uint32_t>(code_.tables.size());
      std::vector<std::uint32_t>& table = code_.tables.emplace_back();
      for (const std::string_view target : targets->second) table.push_back(label(target));
    } else if (name == "call") {
      call(made);
    } else if (name == "ret") {
      made.flow = function_.is_kernel ? Flow::exit : Flow::ret;
    } else if (name == "exit") {
      made.flow = Flow::exit;
    } else if (name == "trap") {
      made.flow = Flow::trap;
    } else if (name == "bar" || name == "barrier") {
      barrier(made);
    } else if (name == "membar" || name == "fence") {
      made.run = fence;
    } else if (name == "ld" || name == "ldu" || name == "st") {
      memory(made);
    } else if (name == "atom" || name == "red") {
      atomic(made);
    } else if (name == "mov") {
      move(made);
    } else if (name == "cvta") {
      window(made);
    } else if (name == "isspacep") {
      require(2, 2);
      made.run = is_in_window;
      made.predicate_out = predicate_out(operand(0));
      made.in[0] = read(operand(1), {Scalar::bits, 64});
      made.detail = has(words, "shared") ? 1 : has(words, "local") ? 2 : has(words, "param") ? 3 : 0;
    } else if (name == "shfl" || name == "vote" || name == "match" || name == "redux" || name == "activemask") {
      between_lanes(made);
    } else if (name == "prefetch" || name == "prefetchu" || name == "pragma" || name == "nanosleep" ||
               name == "griddepcontrol" || name == "discard" || name == "applypriority") {
      made.run = nothing;
    } else if (is_predicate_logic(name)) {
      made.run = combine_predicates;
      made.detail = name == "and" ? 0 : name == "or" ? 1 : name == "xor" ? 2 : 3;
      require(name == "not" ? 2 : 3, 3);
      made.predicate_out = predicate_out(operand(0));
      made.predicate_in[0] = predicate(operand(1));
      if (name != "not") made.predicate_in[1] = predicate(operand(2));
    } else {
      arithmetic(made);
    }
  }
  bool is_predicate_logic(std::string_view name) const {
    return (name == "and" || name == "or" || name == "xor" || name == "not") && statement_->words.back() == "pred";
  }

  void call(Instruction& made) {
    made.flow = Flow::call;
    std::size_t at = 0;
    Call how;
    const auto places = [&](const Operand& list, bool results) {
      for (const Operand& part : list.parts) {
        const auto found = frame_places_.find(part.name);
        if (found == frame_places_.end()) fail(std::string(part.name) + " is no parameter");
        const Place place = found->second;
        if (results) {
          how.results.push_back({0, place.offset, place.bytes});
        } else {
          how.arguments.push_back({place.offset, 0, place.bytes});
        }
      }
    };
    if (operand(at).kind == Operand::Kind::list) places(operand(at++), true);
    const Operand& callee = operand(at++);
    if (declared(callee.name) != nullptr) {
      made.in[0] = read(callee, {Scalar::bits, 64});
    } else {
      const auto found = program_.codes.find(callee.name);
      if (found == program_.codes.end()) fail("there is no function " + std::string(callee.name));
      how.function = found->second.get();
    }
    if (at < statement_->operands.size() && operand(at).kind == Operand::Kind::list) places(operand(at), false);
    made.detail = static_cast<std::uint32_t>(code_.calls.size());
    code_.calls.push_back(std::move(how));
  }

  void barrier(Instruction& made) {
    const Words words = statement_->words;
    if (has(words, "warp")) {
      require(1, 1);
      made.flow = Flow::warp_sync;
      made.run = sync_warp;
      made.in[3] = read(operand(0), {Scalar::bits, 32});
      return;
    }
    if (has(words, "cluster")) unknown();
    made.flow = Flow::barrier;
    made.run = nothing;
    std::size_t at = 0;
    if (has(words, "red")) {
      made.detail = has(words, "popc") ? 1 : has(words, "and") ? 2 : has(words, "or") ? 3 : 0;
      if (made.detail == 0) unknown();
      if (made.detail == 1) {
        made.out = written(operand(at++));
        made.has_out = true;
      } else {
        made.predicate_out = predicate_out(operand(at++));
      }
    } else if (has(words, "arrive")) {
      made.detail_2 |= 2U;
    } else if (!has(words, "sync")) {
      unknown();
    }
    made.in[0] = read(operand(at++), {Scalar::bits, 32});
    const std::size_t left = statement_->operands.size() - at;
    if (left > (made.detail != 0 ? 1U : 0U)) {
      made.in[1] = read(operand(at++), {Scalar::bits, 32});
      made.detail_2 |= 1U;
    }
    if (made.detail != 0) made.predicate_in[0] = predicate(operand(at));
  }

  static Space space_of(Words words) {
    for (const std::string_view word : words) {
      if (word == "global") return Space::global;
      if (word == "shared" || word == "shared::cta") return Space::shared;
      if (word == "local") return Space::local;
      if (word == "const") return Space::constant;
      if (word == "param" || word == "param::entry" || word == "param::func") return Space::parameter;
    }
    return Space::generic;
  }

  void address(Instruction& made, const Operand& operand) {
    if (operand.kind != Operand::Kind::memory) fail("expected an address in brackets");
    made.offset = static_cast<std::int64_t>(operand.number);
    if (operand.name.empty()) {
      made.in[0] = constant(0);
    } else if (declared(operand.name) != nullptr) {
      made.in[0] = written(operand.name);
    } else if (const auto local = local_places_.find(operand.name); local != local_places_.end()) {
      made.in[0] = constant(local->second);
      made.of_frame = true;
    } else if (const auto frame = frame_places_.find(operand.name); frame != frame_places_.end()) {
      made.in[0] = constant(frame->second.offset);
      made.of_frame = true;
      made.space = Space::parameter;
    } else if (const auto known = address_of(operand.name)) {
      made.in[0] = constant(*known);
    } else {
      fail("the name " + std::string(operand.name) + " is not known");
    }
  }

  void memory(Instruction& made) {
    const Words words = statement_->words;
    for (const std::string_view word : words) {
      if (word == "async" || word == "bulk" || word == "mmio" || word == "shared::cluster" || word == "v8") unknown();
    }
    made.space = space_of(words);
    if (made.space == Space::constant) made.space = Space::global;
    const Type type = this->type();
    made.bytes = static_cast<std::uint8_t>(type.bytes());
    made.sign_extends = type.scalar == Scalar::signed_int;
    made.count = has(words, "v2") ? 2 : has(words, "v4") ? 4 : 1;
    if (type.bits > 64 || type.scalar == Scalar::predicate) unknown();
    made.strong = has(words, "volatile") || has(words, "relaxed") || has(words, "acquire") || has(words, "release");
    made.detail_2 = has(words, "acquire") || has(words, "release") || (made.strong && words[0] == "ld") ? 1 : 0;
    const bool loads = words[0] != "st";
    require(2, 3);
    address(made, operand(loads ? 1 : 0));
    made.run = loads ? load : store;
    const Operand& value = operand(loads ? 0 : 1);
    std::vector<Operand> parts = value.kind == Operand::Kind::vector ? value.parts : std::vector<Operand>{value};
    if (parts.size() != made.count) fail("a vector of another length");
    std::vector<Row> rows;
    for (const Operand& part : parts) rows.push_back(loads ? written(part) : read(part, type));
    made.rows = static_cast<std::uint32_t>(code_.rows.size());
    code_.rows.insert(code_.rows.end(), rows.begin(), rows.end());
  }

  void atomic(Instruction& made) {
    const Words words = statement_->words;
    const bool has_result = words[0] == "atom";
    made.space = space_of(words);
    made.strong = true;
    const Type type = this->type();
    made.bytes = static_cast<std::uint8_t>(type.bytes());
    for (const std::string_view word : words.subspan(1)) {
      if (Handler found = atomic_handler(word, type); found != nullptr) made.run = found;
    }
    if (made.run == nullptr || has(words, "v2") || has(words, "v4")) unknown();
    made.detail_2 = has(words, "acq_rel") || has(words, "acquire") || has(words, "release") ? 1 : 0;
    std::size_t at = 0;
    if (has_result) {
      made.out = written(operand(at++));
      made.has_out = made.out.bank == Row::registers;
    }
    address(made, operand(at++));
    made.in[1] = read(operand(at++), type);
    made.in[2] = has(words, "cas") ? read(operand(at), type) : made.in[1];
  }

  void move(Instruction& made) {
    require(2, 2);
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    const Type type = this->type();
    if (type.scalar == Scalar::predicate) {
      made.run = move_predicate;
      made.predicate_out = predicate_out(to);
      made.predicate_in[0] = predicate(from);
      return;
    }
    if (type.bits > 64) unknown();
    if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
      const bool packs = from.kind == Operand::Kind::vector;
      const std::vector<Operand>& parts = packs ? from.parts : to.parts;
      if (parts.size() < 2 || type.bytes() % parts.size() != 0) fail("such a vector is not known here");
      made.run = packs ? pack : unpack;
      made.count = static_cast<std::uint8_t>(parts.size());
      made.bytes = static_cast<std::uint8_t>(type.bytes() / parts.size());
      std::vector<Row> rows;
      for (const Operand& part : parts)
        rows.push_back(packs ? read(part, {Scalar::bits, static_cast<std::uint8_t>(8U * made.bytes)}) : written(part));
      made.rows = static_cast<std::uint32_t>(code_.rows.size());
      code_.rows.insert(code_.rows.end(), rows.begin(), rows.end());
      if (packs) {
        made.out = written(to);
      } else {
        made.in[0] = read(from, type);
      }
      return;
    }
    made.out = written(to);
    if (const auto local = local_places_.find(from.name); from.kind == Operand::Kind::name && local != local_places_.end()) {
      made.run = move_frame_address;
      made.offset = static_cast<std::int64_t>(local->second + from.number);
      return;
    }
    made.run = emulator::move;
    made.in[0] = read(from, type);
  }

  void window(Instruction& made) {
    require(2, 2);
    const Words words = statement_->words;
    const bool to = has(words, "to");
    made.out = written(operand(0));
    const Space space = space_of(words);
    made.detail = space == Space::shared ? 1 : space == Space::local ? 2 : space == Space::parameter ? 3 : 0;
    if (const auto local = local_places_.find(operand(1).name); local != local_places_.end()) {
      fail("an address of a local variable is taken by mov first");
    }
    made.in[0] = read(operand(1), {Scalar::bits, 64});
    made.run = made.detail == 0 ? emulator::move : to ? remove_window : add_window;
  }

  void between_lanes(Instruction& made) {
    const Words words = statement_->words;
    const std::string_view name = words[0];
    constexpr Type kBits = {Scalar::bits, 32};
    if (name == "activemask") {
      require(1, 1);
      made.run = active_mask;
      made.out = written(operand(0));
      return;
    }
    if (!has(words, "sync")) fail("only the form with .sync is known");
    made.flow = Flow::warp_sync;
    if (name == "shfl") {
      require(5, 5);
      made.run = shuffle;
      const auto kind = has(words, "up")     ? Shuffle::up
                        : has(words, "down") ? Shuffle::down
                        : has(words, "bfly") ? Shuffle::butterfly
                                             : Shuffle::indexed;
      if (kind == Shuffle::indexed && !has(words, "idx")) unknown();
      made.detail = static_cast<std::uint32_t>(kind);
      const Operand& to = operand(0);
      const Operand& value = to.kind == Operand::Kind::predicates ? to.parts[0] : to;
      if (to.kind == Operand::Kind::predicates) made.predicate_out = predicate_out(to.parts[1]);
      made.out = written(value);
      made.has_out = made.out.bank == Row::registers;
      for (std::size_t k = 0; k < 4; ++k) made.in[k] = read(operand(k + 1), kBits);
    } else if (name == "vote") {
      require(3, 3);
      made.run = vote;
      const auto kind = has(words, "ballot") ? Vote::ballot
                        : has(words, "all")  ? Vote::all
                        : has(words, "any")  ? Vote::any
                                             : Vote::uniform;
      made.detail = static_cast<std::uint32_t>(kind);
      if (kind == Vote::ballot) {
        made.out = written(operand(0));
      } else {
        made.predicate_out = predicate_out(operand(0));
      }
      made.predicate_in[0] = predicate(operand(1));
      made.in[3] = read(operand(2), kBits);
    } else if (name == "match") {
      require(3, 3);
      made.run = match;
      made.detail = has(words, "all") ? 1 : 0;
      const Operand& to = operand(0);
      if (to.kind == Operand::Kind::predicates) made.predicate_out = predicate_out(to.parts[1]);
      made.out = written(to.kind == Operand::Kind::predicates ? to.parts[0] : to);
      const Type type = this->type();
      made.bytes = static_cast<std::uint8_t>(type.bytes());
      made.in[0] = read(operand(1), type);
      made.in[3] = read(operand(2), kBits);
    } else {
      require(3, 3);
      made.run = reduce;
      const auto kind = has(words, "add")   ? Reduction::add
                        : has(words, "min") ? Reduction::minimum
                        : has(words, "max") ? Reduction::maximum
                        : has(words, "and") ? Reduction::conjunction
                        : has(words, "or")  ? Reduction::disjunction
                                            : Reduction::exclusive;
      const Type type = this->type();
      if (type.scalar == Scalar::floating) unknown();
      made.detail = static_cast<std::uint32_t>(kind);
      made.sign_extends = type.scalar == Scalar::signed_int;
      made.out = written(operand(0));
      made.in[0] = read(operand(1), type);
      made.in[3] = read(operand(2), kBits);
    }
  }

  void arithmetic(Instruction& made) {
    const std::optional<Choice> choice = choose_arithmetic(statement_->words);
    if (!choice) unknown();
    made.run = choice->run;
    made.detail = choice->detail;
    made.detail_2 = choice->detail_2;
    if (choice->predicate_result) {
      require(1 + choice->inputs, 2 + choice->inputs);
      const Operand& to = operand(0);
      if (to.kind == Operand::Kind::predicates) {
        made.predicate_out = predicate_out(to.parts[0]);
        made.predicate_out_2 = predicate_out(to.parts[1]);
      } else {
        made.predicate_out = predicate_out(to);
      }
      if (statement_->operands.size() == 2 + choice->inputs) made.predicate_in[0] = predicate(operand(1 + choice->inputs));
    } else {
      require(1 + choice->inputs + choice->predicate_input, 1 + choice->inputs + choice->predicate_input);
      made.out = written(operand(0));
      if (choice->predicate_input != 0) made.predicate_in[0] = predicate(operand(1 + choice->inputs));
    }
    for (std::size_t k = 0; k < choice->inputs; ++k) made.in[k] = read(operand(k + 1), choice->input);
  }

  struct Place {
    std::uint32_t offset = 0, bytes = 0;
  };
  Program& program_;
  Code& code_;
  const Function& function_;
  const Statement* statement_ = nullptr;
  std::map<std::string_view, std::uint32_t> rows_, predicates_;
  std::map<std::uint64_t, std::uint32_t> constants_;
  std::map<std::string_view, Place> frame_places_;
  std::map<std::string_view, std::uint64_t> local_places_, kernel_places_;
};

void check_target(const Module& module) {
  int capability = 0;
  const std::string& target = module.target;
  if (target.starts_with("sm_")) {
    for (std::size_t k = 3; k < target.size() && target[k] >= '0' && target[k] <= '9'; ++k)
      capability = 10 * capability + (target[k] - '0');
  }
  constexpr int kOldest = 50;
  constexpr int kNewest = 129;
  if (capability < kOldest || capability > kNewest)
    throw PtxError("the target \"" + target + "\" of the PTX is not known: sm_50 to sm_129 are");
}

void place_shared(Program& program, const Variable& variable, const std::string& name) {
  if (variable.bytes == 0) return;
  if (program.static_shared + variable.bytes > kMostShared) {
    throw PtxError("the variable " + name + " is more than the " + std::to_string(kMostShared) +
                   " bytes of shared memory that a block may have");
  }
  program.static_shared = static_cast<std::uint32_t>(aligned(program.static_shared, variable.alignment));
  program.addresses[name] = program.static_shared;
  program.static_shared += static_cast<std::uint32_t>(variable.bytes);
}

void place_variables(Program& program, Memory& memory) {
  std::vector<std::string> dynamic;
  for (const Variable& variable : program.module.variables) {
    if (variable.space == Space::shared) {
      if (variable.bytes == 0) dynamic.emplace_back(variable.name);
      place_shared(program, variable, std::string(variable.name));
      continue;
    }
    Allocation* const made = memory.allocate(std::max<std::size_t>(variable.bytes, 1));
    if (made == nullptr) throw PtxError("there is no memory left for the variable " + std::string(variable.name));
    std::memset(made->address, 0, variable.bytes);
    std::copy(variable.initial.begin(), variable.initial.end(), made->address);
    made->name = variable.name;
    made->read_only = variable.space == Space::constant;
    program.owned.push_back(reinterpret_cast<std::uintptr_t>(made->address));
    program.addresses[std::string(variable.name)] = program.owned.back();
  }
  for (const auto& [name, function] : program.module.functions) {
    for (const Variable& variable : function.variables) {
      if (variable.space == Space::shared)
        place_shared(program, variable, std::string(name) + "/" + std::string(variable.name));
    }
  }
  program.static_shared = static_cast<std::uint32_t>(aligned(program.static_shared, 16));
  for (const std::string& name : dynamic) program.addresses[name] = program.static_shared;
}

}  // namespace

std::string Program::place_of(const Instruction& instruction) const {
  return place_of_statement(instruction.statement);
}

std::string Program::place_of_statement(std::uint32_t statement) const {
  // NVRTC puts the folder of the process in front of all names.
  std::string_view folder;
  for (const auto& [number, name] : module.files) {
    if (name.ends_with(kMainFile)) folder = std::string_view(name).substr(0, name.size() - kMainFile.size());
  }
  const auto text = [&](const SourcePlace& place) {
    const auto file = module.files.find(place.file);
    if (file == module.files.end()) return std::string();
    const std::string_view name = file->second;
    return std::string(name.starts_with(folder) ? name.substr(folder.size()) : name) + ":" + std::to_string(place.line) +
           (place.column > 0 ? ":" + std::to_string(place.column) : "");
  };
  // kiln's own headers are of no use to who wrote the body: where it was inlined into the text of the user's is.
  std::size_t at = statements[statement]->location;
  const std::string innermost = text(module.locations[at].place);
  constexpr int kDeepest = 32;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::string here = text(module.locations[at].place);
    if (!here.starts_with("kiln/")) return here;
    const SourcePlace caller = module.locations[at].inlined_at;
    if (caller.file == 0) break;
    if (const std::string there = text(caller); !there.starts_with("kiln/")) return there;
    // The caller is inlined itself: the PTX says where, at its own lines.
    std::size_t before = at;
    while (before > 0 && module.locations[before].place != caller) --before;
    if (before == 0) break;
    at = before;
  }
  return innermost;
}

const Code* Program::kernel(std::string_view name) const {
  const auto found = codes.find(name);
  return found == codes.end() || !found->second->function->is_kernel ? nullptr : found->second.get();
}

std::unique_ptr<Program> decode(Module module, Memory& memory) {
  auto program = std::make_unique<Program>();
  program->module = std::move(module);
  if (program->module.text->starts_with(kNameMark)) {
    program->kernel_name = program->module.text->substr(kNameMark.size(), program->module.text->find('\n') - kNameMark.size());
  }
  check_target(program->module);
  for (const auto& [name, function] : program->module.functions) {
    if (function.is_declared_only) continue;
    auto code = std::make_unique<Code>();
    code->name = name;
    code->function = &function;
    program->functions.push_back(code.get());
    program->codes.emplace(name, std::move(code));
  }
  place_variables(*program, memory);
  for (const auto& [name, code] : program->codes) Decoder(*program, *code, *code->function).decode();
  return program;
}

}  // namespace kiln::emulator
