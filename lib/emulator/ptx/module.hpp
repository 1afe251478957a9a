// PTX as it is written: a module of functions of statements, not decoded yet. PTX ISA 9.0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::emulator {

/// What of a PTX text is wrong, or not known, with its line.
class PtxError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

enum class Space : std::uint8_t { generic, global, shared, local, constant, parameter };

enum class Scalar : std::uint8_t { bits, unsigned_int, signed_int, floating, bfloat, predicate };

/// ".f32", ".u8", ".b64", ".f16x2", ".pred".
struct Type {
  Scalar scalar = Scalar::bits;
  std::uint8_t bits = 32;  ///< of one lane of a packed type twice: 32 for .f16x2
  bool packed = false;
  [[nodiscard]] unsigned bytes() const noexcept { return bits / 8U; }
  [[nodiscard]] bool is_floating() const noexcept { return scalar == Scalar::floating || scalar == Scalar::bfloat; }
  friend bool operator==(const Type&, const Type&) = default;
};
[[nodiscard]] std::optional<Type> type_named(std::string_view name);

/// One operand of a statement.
struct Operand {
  enum class Kind : std::uint8_t {
    name,       ///< a register, a special register, a variable, a label or a function
    integer,    ///< number
    floating,   ///< number holds the bits of a double, or of a float where is_single
    memory,     ///< [name + number], or [number]
    vector,     ///< {parts}
    list,       ///< (parts), of calls
    predicates  ///< parts[0] | parts[1]
  };
  Kind kind = Kind::name;
  bool negated = false;    ///< "!%p"
  bool is_single = false;  ///< "0f3F800000"
  std::string_view name;
  std::uint64_t number = 0;
  std::vector<Operand> parts;
};

/// What a number is as a value of that type.
[[nodiscard]] std::uint64_t bits_of(const Operand& number, const Type& type);

/// A place in a source text that the PTX names.
struct SourcePlace {
  int file = 0;  ///< number of a .file; 0: none
  int line = 0;
  int column = 0;
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

struct Location {
  SourcePlace place;
  SourcePlace inlined_at;
};

struct Statement {
  std::vector<std::string_view> words;  ///< "ld", "global", "f32"
  std::vector<Operand> operands;
  std::string_view guard;  ///< predicate register; empty: none
  bool guard_negated = false;
  int line = 0;              ///< of the PTX
  std::size_t scope = 0;     ///< index in Function::scopes
  std::size_t location = 0;  ///< index in Module::locations

  [[nodiscard]] bool says(std::string_view word) const noexcept {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

struct Variable {
  std::string_view name;
  Space space = Space::generic;
  Type type;
  std::uint64_t alignment = 0;
  std::uint64_t bytes = 0;  ///< 0: of unknown extent (dynamic shared memory)
  /// An address among the initial bytes: of a variable or a function, and what is added to it.
  struct Address {
    std::size_t at = 0;
    std::uint8_t bytes = 8;  ///< 1: the byte that `shift` brings to the bottom
    std::uint8_t shift = 0;
    std::string_view name;
    std::uint64_t offset = 0;
  };
  /// What it starts as: bytes at the front, then zeros.
  std::vector<std::uint8_t> initial;
  std::vector<Address> addresses;
};

/// Registers of one type: "%r<10>" declares %r0 to %r9, "%p" itself alone.
struct Registers {
  Type type;
  std::uint64_t count = 0;  ///< 0: the one of that name
};

/// A block of a function, which may declare what its names mean in it.
struct Scope {
  std::size_t parent = 0;  ///< index in Function::scopes; of [0], the function's own, itself
  std::map<std::string_view, Registers> registers;
};

struct Function {
  std::string_view name;
  bool is_kernel = false;
  bool is_declared_only = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Variable> variables;  ///< .local, .shared and .param of the body
  std::vector<Scope> scopes;
  std::map<std::string_view, std::size_t> labels;  ///< → index of a statement
  std::map<std::string_view, std::vector<std::string_view>> branch_targets;
  std::vector<Statement> body;
  int most_threads = 0;  ///< .maxntid or .reqntid; 0: not said
};

struct Module {
  std::shared_ptr<const std::string> text;  ///< all names point into it
  int version = 0;                          ///< 85 for 8.5
  std::string target;                       ///< "sm_90"
  std::map<int, std::string> files;
  std::vector<Location> locations;  ///< [0] is none
  std::vector<Variable> variables;  ///< .global, .const and .shared
  std::map<std::string_view, Function> functions;
  std::map<std::string_view, std::string_view> aliases;  ///< of functions, to the function
};

/// PtxError for what does not parse: the line of the PTX, and what stands there.
[[nodiscard]] Module parse(std::string text);

}  // namespace kiln::emulator
