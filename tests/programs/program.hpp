// Programs as random tests write them: a body of C++ with loops and branches, and functions that it calls. They are printed for
// kiln, and interpreted without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace programs {

enum class Type : std::uint8_t { boolean, u8, i32, u32, i64, f32, f64 };
[[nodiscard]] inline bool is_floating(Type type) {
  return type == Type::f32 || type == Type::f64;
}
/// Of kiln's signatures and bodies.
[[nodiscard]] const char* name(Type type);

/// A number of any type; the member that does not belong to it is 0. Floats of 32 bits are kept as the double they are.
struct Value {
  std::int64_t integer = 0;
  double real = 0;
};

enum class Op : std::uint8_t {
  literal,
  variable,
  element,  ///< of an array; the index is taken modulo its length
  guarded,  ///< of an array where the index lies in it, else the second operand
  cast,     ///< floats that no integer holds give 7
  negate,   ///< integers wrap in this, `add`, `subtract` and `multiply`
  invert,
  add,
  subtract,
  multiply,
  divide,             ///< of integers as kiln defines it: x / 0 is 0
  remainder,          ///< integers
  checked_divide,     ///< `b != 0 ? a / b : a`
  checked_remainder,  ///< likewise
  bit_and,
  bit_or,
  bit_xor,
  shift_left,  ///< modulo the width
  shift_right,
  small_add,       ///< of operands cut to 10 bits: C++'s own arithmetic, whose overflow would be undefined
  small_multiply,  ///< likewise
  multiply_add,    ///< floats, rounded twice
  square_root,
  magnitude,  ///< floats
  least,      ///< std::min
  greatest,
  less,  ///< comparisons: of operands of one type
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select,
  call  ///< of the function `index`
};

struct Expression {
  Op op;
  Type type;
  int index = 0;  ///< of a variable or function
  Value value;    ///< of a literal
  std::vector<Expression> of;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind : std::uint8_t {
    assign,   ///< variable `index` = of[0]
    store,    ///< array `index` at of[0], modulo its length, = of[1]
    branch,   ///< if (of[0]) blocks[0] else blocks[1]
    choose,   ///< switch (of[0] & (number of blocks - 1)); the last one is the default; those with a bit in `number` fall
              ///< through
    count,    ///< for (index = of[0]; index < of[1]; index += number), or downwards to of[0]
    repeat,   ///< while (of[0]), `number` times at most
    until,    ///< do … while (of[0]), likewise
    forever,  ///< for (;;), with `number` times as its first statement's condition
    stop,     ///< break
    next,     ///< continue
    leave     ///< return of[0]; of a body with several outputs nothing
  };
  Kind kind;
  int index = 0;            ///< of a variable; of loops the one that counts, which nothing else writes
  std::int64_t number = 0;  ///< as above
  std::vector<Expression> of;
  std::vector<Block> blocks;
};

struct Variable {
  Type type;
  int length = 0;       ///< of an array, a power of 2; 0: a scalar
  Value initial;        ///< of a scalar that is no parameter; of an array's element i this much more than i
  bool filled = false;  ///< an array: by a loop, else by an initializer
};

struct Function {
  std::vector<Variable> variables;  ///< parameters, outputs of a body with several, then others
  int parameters = 0;
  Type result = Type::i32;
  Block block;
  Expression end;       ///< what is returned where the block ends
  bool called = false;  ///< never inlined
};

struct Program {
  std::vector<Function> functions;  ///< each calls those in front of it; the last one is the body
  std::vector<Variable> tables;     ///< constant arrays, whose number as variables is -1, -2, …
  std::vector<Type> outputs;        ///< several are the first variables behind the body's parameters

  [[nodiscard]] const Function& body() const { return functions.back(); }
  [[nodiscard]] Function& body() { return functions.back(); }
  [[nodiscard]] const Variable& variable(const Function& function, int index) const;
};

/// The same program for the same seed, everywhere.
[[nodiscard]] Program generate(std::uint64_t seed);

/// The texts that kiln is given.
struct Text {
  std::string signature;
  std::string preamble;
  std::string functions;
  std::string body;
};
[[nodiscard]] Text text_of(const Program& program);

/// The outputs of one item; nothing where it takes more than `steps` statements and calls.
[[nodiscard]] std::optional<std::vector<Value>> interpret(const Program& program, const std::vector<Value>& inputs, int steps);

/// Programs with one thing less, the largest first.
[[nodiscard]] std::vector<Program> smaller(const Program& program);

}  // namespace programs
