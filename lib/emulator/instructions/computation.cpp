#include "emulator/instructions/computation.hpp"

namespace kiln::emulator {
namespace {

std::optional<Computation> computation(const Statement& statement) {
  const std::string_view name = statement.words[0];
  const std::optional<Type> type = type_named(statement.words.back());
  if (!type) return std::nullopt;
  if (name == "cvt") {
    const std::optional<Type> to = type_named(statement.words[statement.words.size() - 2]);
    return to ? conversion(statement, *to, *type) : std::nullopt;
  }
  if (type->bits > 64 || type->scalar == Scalar::predicate) return std::nullopt;
  if (name == "setp" || name == "set" || name == "selp" || name == "testp") return comparison(statement, *type);
  if (type->is_floating()) return floating_computation(statement, *type);
  const std::optional<Computation> found = integer_computation(statement, *type);
  return found ? found : bit_computation(statement, *type);
}

}  // namespace

std::uint32_t modifiers(const Statement& statement) {
  std::uint32_t detail = 0;
  for (const std::string_view word : statement.words) {
    if (word == "rz" || word == "rzi") detail |= static_cast<std::uint32_t>(Rounding::zero);
    if (word == "rm" || word == "rmi") detail |= static_cast<std::uint32_t>(Rounding::down);
    if (word == "rp" || word == "rpi") detail |= static_cast<std::uint32_t>(Rounding::up);
    if (word == "rna") detail |= static_cast<std::uint32_t>(Rounding::nearest_away);
    if (word == "rni" || word == "rzi" || word == "rmi" || word == "rpi") detail |= kIntegral;
    if (word == "ftz") detail |= kFtz;
    if (word == "sat") detail |= kSat;
    if (word == "NaN") detail |= kNan;
    if (word == "relu") detail |= kRelu;
    if (word == "xorsign") detail |= kXorSign;
    if (word == "satfinite") detail |= kSatFinite;
  }
  return detail;
}

bool decode_computation(Decoder& at, Instruction& made) {
  const std::optional<Computation> found = computation(at.statement());
  if (!found || found->run == nullptr) return false;
  made.run = found->run;
  made.detail = found->detail;
  made.detail_2 = found->detail_2;
  const std::size_t behind = 1 + found->inputs;
  if (found->gives_predicates) {
    at.require(behind, behind + 1);
    const Operand& to = at.operand(0);
    const bool is_pair = to.kind == Operand::Kind::predicates;
    made.predicate_out = at.predicate_out(is_pair ? to.parts[0] : to);
    if (is_pair) made.predicate_out_2 = at.predicate_out(to.parts[1]);
  } else {
    at.require(behind + (found->takes_a_predicate ? 1 : 0));
    made.out = at.written(at.operand(0));
  }
  if (at.operands() > behind) made.predicate_in[0] = at.predicate(at.operand(behind));
  for (std::size_t k = 0; k < found->inputs; ++k) made.in[k] = at.read(at.operand(k + 1), found->input);
  return true;
}

}  // namespace kiln::emulator
