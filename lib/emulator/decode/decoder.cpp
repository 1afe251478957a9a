#include "emulator/decode/decoder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/instructions/instructions.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/run/driver_functions.hpp"

namespace kiln::emulator {
namespace {

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

constexpr std::uint64_t kMostParameters = 32764;  ///< of a kernel, as CUDA 12.1 and later take
constexpr std::uint64_t kMostLocal = 512U << 10U;

}  // namespace

void Decoder::decode() {
  place_variables();
  code_.instructions.reserve(function_.body.size() + 1);
  for (const Statement& statement : function_.body) {
    statement_ = &statement;
    code_.instructions.push_back(instruction());
    program_.statements.push_back(&statement);
  }
  Instruction last;
  last.statement = static_cast<std::uint32_t>(program_.statements.empty() ? 0 : program_.statements.size() - 1);
  if (function_.is_declared_only) {
    last.run = driver_function(function_);
    code_.instructions.push_back(last);
  }
  // Behind the last statement is the end.
  last.flow = function_.is_kernel ? Flow::exit : Flow::ret;
  code_.instructions.push_back(last);
  code_.registers = static_cast<std::uint32_t>(rows_.size());
  code_.predicates = static_cast<std::uint32_t>(predicates_.size()) + 1;
}

Instruction Decoder::instruction() {
  Instruction made;
  made.statement = static_cast<std::uint32_t>(program_.statements.size());
  if (!statement_->guard.empty()) made.guard = {predicate_index(statement_->guard), statement_->guard_negated};
  // A word that nobody looks at could change what the instruction does.
  for (const std::string_view word : std::span(statement_->words).subspan(1)) {
    if (!type_named(word) && std::find(kWords.begin(), kWords.end(), word) == kWords.end()) unknown();
  }
  const bool is_known = decode_control(*this, made) || decode_memory(*this, made) || decode_atomic(*this, made) ||
                        decode_move(*this, made) || decode_between_lanes(*this, made) || decode_computation(*this, made);
  if (!is_known) unknown();
  return made;
}

void Decoder::fail(const std::string& what) const {
  std::string words;
  for (const std::string_view word : statement_->words) words += (words.empty() ? "" : ".") + std::string(word);
  throw PtxError("line " + std::to_string(statement_->line) + " of the PTX, " + words + ": " + what);
}

Type Decoder::type() const {
  for (std::size_t k = statement_->words.size(); k-- > 1;) {
    if (const std::optional<Type> found = type_named(statement_->words[k])) return *found;
  }
  fail("has no type that is known");
}

Space Decoder::space() const noexcept {
  for (const std::string_view word : statement_->words) {
    if (word == "global" || word == "const") return Space::global;
    if (word == "shared" || word == "shared::cta") return Space::shared;
    if (word == "local") return Space::local;
    if (word == "param" || word == "param::entry" || word == "param::func") return Space::parameter;
  }
  return Space::generic;
}

const Operand& Decoder::operand(std::size_t k) const {
  if (k >= operands()) fail("an operand is missing");
  return statement_->operands[k];
}

void Decoder::require(std::size_t fewest, std::size_t most) const {
  if (operands() < fewest || operands() > most) fail("takes another number of operands");
}

// Variables and parameters of the function. Shared variables are the module's.
void Decoder::place_variables() {
  for (const Variable& result : function_.results) code_.results.push_back(place_in_frame(result));
  std::uint64_t kernel_bytes = 0;
  for (const Variable& parameter : function_.parameters) {
    if (!function_.is_kernel) {
      code_.parameters.push_back(place_in_frame(parameter));
      continue;
    }
    kernel_bytes = aligned(kernel_bytes, parameter.alignment);
    kernel_places_[parameter.name] = kernel_bytes;
    code_.parameters.push_back({static_cast<std::uint32_t>(kernel_bytes), static_cast<std::uint32_t>(parameter.bytes)});
    kernel_bytes += parameter.bytes;
  }
  check_size(kernel_bytes, kMostParameters, "parameters");
  for (const Variable& variable : function_.variables) {
    if (variable.space == Space::local || variable.space == Space::parameter) place_in_frame(variable);
  }
  code_.local_bytes = static_cast<std::uint32_t>(aligned(code_.local_bytes, 16));
}

// Parameters are in local memory like variables: a function may take the address of its own.
Parameter Decoder::place_in_frame(const Variable& variable) {
  // Scopes of calls use the same names one after the other.
  Parameter& place = frame_places_[variable.name];
  if (place.bytes >= variable.bytes && place.bytes != 0) return place;
  check_size(code_.local_bytes + variable.bytes, kMostLocal, "local memory");
  code_.local_bytes = static_cast<std::uint32_t>(aligned(code_.local_bytes, std::max<std::uint64_t>(variable.alignment, 8)));
  place = {code_.local_bytes, static_cast<std::uint32_t>(variable.bytes)};
  code_.local_bytes += place.bytes;
  return place;
}

void Decoder::check_size(std::uint64_t bytes, std::uint64_t most, const char* what) const {
  if (bytes > most)
    throw PtxError("function " + code_.name + " has " + std::to_string(bytes) + " bytes of " + what + ": up to " +
                   std::to_string(most) + " are known");
}

std::optional<Decoder::Register> Decoder::declared(std::string_view name) const {
  // "%rd1" may be of %rd<2>, and of %r<…> only where the name is just that and a number.
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::optional<std::uint64_t> number = number_in<std::uint64_t>(name.substr(digits));
  for (std::size_t scope = statement_->scope;; scope = function_.scopes[scope].parent) {
    const auto& registers = function_.scopes[scope].registers;
    if (const auto exact = registers.find(name); exact != registers.end() && exact->second.count == 0) {
      return Register{{scope, name}, exact->second.type};
    }
    const auto set = registers.find(name.substr(0, digits));
    if (set != registers.end() && number && *number < set->second.count) return Register{{scope, name}, set->second.type};
    if (scope == 0) return std::nullopt;
  }
}

Row Decoder::constant(std::uint64_t value) {
  const auto [found, is_new] = constants_.emplace(value, static_cast<std::uint32_t>(code_.constants.size()));
  if (is_new) code_.constants.insert(code_.constants.end(), kLanes, value);
  return {Row::constants, found->second};
}

Row Decoder::row(std::string_view name) {
  if (name == "_") return kDiscarded;
  const std::optional<Register> found = declared(name);
  if (!found) fail(std::string(name) + " is no register");
  if (found->type.scalar == Scalar::predicate) fail(std::string(name) + " is a predicate");
  return {Row::registers, rows_.emplace(found->key, static_cast<std::uint32_t>(rows_.size())).first->second * kLanes};
}

Row Decoder::written(const Operand& operand) {
  if (operand.kind != Operand::Kind::name) fail("a result goes to a register");
  return row(operand.name);
}

Row Decoder::read(const Operand& operand, const Type& type) {
  if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::floating)
    return constant(bits_of(operand, type));
  if (operand.kind != Operand::Kind::name) fail("such an operand is not known here");
  if (operand.name == "WARP_SZ") return constant(kLanes);
  if (is_register(operand.name)) return row(operand.name);
  const auto* const special = std::find(kSpecialNames.begin(), kSpecialNames.end(), operand.name);
  if (special != kSpecialNames.end())
    return {Row::specials, static_cast<std::uint32_t>(special - kSpecialNames.begin()) * kLanes};
  if (const std::optional<std::uint64_t> address = address_of(operand.name)) return constant(*address + operand.number);
  fail("the name " + std::string(operand.name) + " is not known");
}

std::uint32_t Decoder::rows(std::span<const Operand> parts, const Type& type, bool are_written) {
  const std::size_t first = code_.rows.size();
  for (const Operand& part : parts) code_.rows.push_back(are_written ? written(part) : read(part, type));
  return static_cast<std::uint32_t>(first);
}

std::uint32_t Decoder::predicate_index(std::string_view name) {
  const std::optional<Register> found = declared(name);
  if (!found || found->type.scalar != Scalar::predicate) fail(std::string(name) + " is no predicate");
  return predicates_.emplace(found->key, static_cast<std::uint32_t>(predicates_.size()) + 1).first->second;
}

Predicate Decoder::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::integer) return {0, operand.number == 0};
  if (operand.kind != Operand::Kind::name) fail("expected a predicate");
  return {predicate_index(operand.name), operand.negated};
}

std::uint32_t Decoder::predicate_out(const Operand& operand) {
  return operand.kind == Operand::Kind::name && operand.name == "_" ? 0 : predicate(operand).index;
}

const Operand& Decoder::with_predicate_out(std::size_t k, Instruction& made) {
  const Operand& pair = operand(k);
  if (pair.kind != Operand::Kind::predicates) return pair;
  made.predicate_out = predicate_out(pair.parts[1]);
  return pair.parts[0];
}

// Of what lies at the same place for all threads.
std::optional<std::uint64_t> Decoder::address_of(std::string_view name) const {
  if (const auto found = kernel_places_.find(name); found != kernel_places_.end()) return kParameterWindow | found->second;
  if (const auto found = program_.addresses.find(code_.name + "/" + std::string(name)); found != program_.addresses.end())
    return found->second;
  const auto found = program_.addresses.find(name);
  return found == program_.addresses.end() ? std::nullopt : std::optional(found->second);
}

void Decoder::address(const Operand& operand, Instruction& made) {
  if (operand.kind != Operand::Kind::memory) fail("expected an address in brackets");
  made.offset = static_cast<std::int64_t>(operand.number);
  if (operand.name.empty()) {
    made.in[0] = constant(0);
  } else if (is_register(operand.name)) {
    made.in[0] = row(operand.name);
    // The address of a function's own parameter is one in local memory.
    if (made.space == Space::parameter && !is_in_kernel() && !says("param::entry")) made.space = Space::local;
  } else if (const auto offset = frame_offset(operand.name)) {
    made.in[0] = constant(*offset);
    made.of_frame = true;
    made.space = Space::local;
  } else if (const auto known = address_of(operand.name)) {
    made.in[0] = constant(*known);
  } else {
    fail("the name " + std::string(operand.name) + " is not known");
  }
}

std::optional<std::uint64_t> Decoder::frame_offset(std::string_view name) const {
  const auto found = frame_places_.find(name);
  return found == frame_places_.end() ? std::nullopt : std::optional<std::uint64_t>(found->second.offset);
}

Parameter Decoder::frame_parameter(std::string_view name) const {
  const auto found = frame_places_.find(name);
  if (found == frame_places_.end()) fail(std::string(name) + " is no parameter");
  return found->second;
}

const Code* Decoder::function(std::string_view name) const {
  const auto found = program_.addresses.find(name);
  const Code* const code = found == program_.addresses.end() ? nullptr : program_.function_at(found->second);
  if (code == nullptr) fail("there is no function " + std::string(name));
  return code;
}

std::uint32_t Decoder::label(std::string_view name) const {
  const auto found = function_.labels.find(name);
  if (found == function_.labels.end()) fail("there is no label " + std::string(name));
  return static_cast<std::uint32_t>(found->second);
}

std::uint32_t Decoder::branch_table(std::string_view name) {
  const auto targets = function_.branch_targets.find(name);
  if (targets == function_.branch_targets.end()) fail("there is no list of targets " + std::string(name));
  std::vector<std::uint32_t>& table = code_.tables.emplace_back();
  for (const std::string_view target : targets->second) table.push_back(label(target));
  return static_cast<std::uint32_t>(code_.tables.size() - 1);
}

std::uint32_t Decoder::add(Call call) {
  code_.calls.push_back(std::move(call));
  return static_cast<std::uint32_t>(code_.calls.size() - 1);
}

}  // namespace kiln::emulator
