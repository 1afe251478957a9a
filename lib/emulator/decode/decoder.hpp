// One function's statements to instructions: the statement at hand, and what its names stand for. The files of
// instructions/ ask it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/decode/program.hpp"

namespace kiln::emulator {

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) noexcept {
  return alignment == 0 ? offset : (offset + alignment - 1) / alignment * alignment;
}

/// Every function throws PtxError for what is not known.
class Decoder {
 public:
  Decoder(Program& program, Code& code, const Function& function) : program_(program), code_(code), function_(function) {}

  /// Fills the code.
  void decode();

  // The statement at hand.
  [[nodiscard]] const Statement& statement() const noexcept { return *statement_; }
  [[nodiscard]] std::string_view name() const noexcept { return statement_->words[0]; }
  [[nodiscard]] bool says(std::string_view word) const noexcept { return statement_->says(word); }
  /// The last one of its words.
  [[nodiscard]] Type type() const;
  [[nodiscard]] Space space() const noexcept;
  [[nodiscard]] std::size_t operands() const noexcept { return statement_->operands.size(); }
  [[nodiscard]] const Operand& operand(std::size_t k) const;
  void require(std::size_t operands) const { require(operands, operands); }
  void require(std::size_t fewest, std::size_t most) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void unknown() const { fail("this instruction is not known"); }

  // What operands stand for: rows of values, predicates, addresses, places in the code.
  [[nodiscard]] Row read(const Operand& operand, const Type& type);
  [[nodiscard]] Row written(const Operand& operand);
  [[nodiscard]] Predicate predicate(const Operand& operand);
  /// 0 for "_".
  [[nodiscard]] std::uint32_t predicate_out(const Operand& operand);
  /// Of an operand "d|p": p goes to `made`, d is returned; another operand is returned itself.
  [[nodiscard]] const Operand& with_predicate_out(std::size_t k, Instruction& made);
  /// In the code's rows, one after the other: the index of the first.
  [[nodiscard]] std::uint32_t rows(std::span<const Operand> parts, const Type& type, bool are_written);
  /// "[a + 8]".
  void address(const Operand& operand, Instruction& made);
  /// Of a variable or a parameter in the frame; nothing where the name is none.
  [[nodiscard]] std::optional<std::uint64_t> frame_offset(std::string_view name) const;
  /// PtxError where the name is none in the frame.
  [[nodiscard]] Parameter frame_parameter(std::string_view name) const;
  [[nodiscard]] bool is_register(std::string_view name) const { return declared(name).has_value(); }
  [[nodiscard]] bool is_in_kernel() const noexcept { return function_.is_kernel; }
  [[nodiscard]] const Code* function(std::string_view name) const;
  [[nodiscard]] std::uint32_t label(std::string_view name) const;
  /// Of a ".branchtargets": the number in the code's tables.
  [[nodiscard]] std::uint32_t branch_table(std::string_view name);
  /// The number in the code's calls.
  [[nodiscard]] std::uint32_t add(Call call);

 private:
  void place_variables();
  /// In local memory, where a variable of that name may have a place already.
  Parameter place_in_frame(const Variable& variable);
  void check_size(std::uint64_t bytes, std::uint64_t most, const char* what) const;
  [[nodiscard]] Instruction instruction();
  /// A name and the scope that declares it.
  using RegisterKey = std::pair<std::size_t, std::string_view>;
  struct Register {
    RegisterKey key;
    Type type;
  };
  /// What the name is at the statement; nothing for what is no register.
  [[nodiscard]] std::optional<Register> declared(std::string_view name) const;
  [[nodiscard]] Row row(std::string_view name);
  [[nodiscard]] Row constant(std::uint64_t value);
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::string_view name) const;
  [[nodiscard]] std::uint32_t predicate_index(std::string_view name);

  Program& program_;
  Code& code_;
  const Function& function_;
  const Statement* statement_ = nullptr;
  std::map<RegisterKey, std::uint32_t> rows_, predicates_;
  std::map<std::uint64_t, std::uint32_t> constants_;
  std::map<std::string_view, Parameter> frame_places_;
  std::map<std::string_view, std::uint64_t> kernel_places_;
};

}  // namespace kiln::emulator
