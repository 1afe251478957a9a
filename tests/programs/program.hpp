// Programs as random tests write them: a body of C++ with loops and branches, and functions that it calls. They are printed for
// kiln, and interpreted without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace programs {

enum class Type : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, f32, f64, f16, bf16 };
/// Types of memory alone: what is computed with their values is float32.
[[nodiscard]] inline bool is_half(Type type) {
  return type == Type::f16 || type == Type::bf16;
}
[[nodiscard]] inline Type computed(Type stored) {
  return is_half(stored) ? Type::f32 : stored;
}
[[nodiscard]] inline bool is_floating(Type type) {
  return computed(type) == Type::f32 || type == Type::f64;
}
/// Of kiln's signatures and bodies.
[[nodiscard]] const char* name(Type type);

/// A number of any type; the member that does not belong to it is 0. Smaller floats are kept as the double they are.
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
  call,          ///< of the function `index`
  call_through,  ///< of a function of the list `index`, at of[0] modulo its length, by a pointer; behind it the arguments
  extent,        ///< n, the length of views
  view           ///< of a view, at of[0] as `place` says
};

/// Which element of a view an index means.
struct Place {
  enum class Kind : std::uint8_t {
    any,     ///< the index modulo n
    walk,    ///< a walk's counter, less `before`
    mirror,  ///< likewise, counted from the end
  };
  Kind kind = Kind::any;
  int before = 0;  ///< at most what the walk begins with
};

struct Expression {
  Op op;
  Type type;
  int index = 0;  ///< of a variable, a function or a list of functions
  Value value;    ///< of a literal
  std::vector<Expression> of;
  Place place = {};
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind : std::uint8_t {
    assign,   ///< variable `index` = of[0]
    store,    ///< array `index` at of[0], modulo its length, = of[1]; a view where `place` says
    branch,   ///< if (of[0]) blocks[0] else blocks[1]
    choose,   ///< switch (of[0] & (number of blocks - 1)); the last one is the default; those with a bit in `number` fall
              ///< through
    count,    ///< for (index = of[0]; index < of[1]; index += number), or downwards to of[0]
    repeat,   ///< while (of[0]), `number` times at most
    until,    ///< do … while (of[0]), likewise
    forever,  ///< for (;;), with `number` times as its first statement's condition
    walk,     ///< for (index = number; index < n; ++index)
    stop,     ///< break
    next,     ///< continue
    leave     ///< return of[0]; of a body with several outputs nothing
  };
  Kind kind;
  int index = 0;            ///< of a variable; of loops the one that counts, which nothing else writes
  std::int64_t number = 0;  ///< as above
  std::vector<Expression> of;
  std::vector<Block> blocks;
  Place place = {};
};

struct Variable {
  Type type;
  int length = 0;                   ///< of an array, a power of 2; 0: a scalar
  Value initial;                    ///< of a scalar that is no parameter; of an array's element i this much more than i
  bool filled = false;              ///< an array: by a loop, else by an initializer
  bool view = false;                ///< a core of n elements, of an input or an output
  bool walks = false;               ///< declared by a walk, for it alone
  std::optional<Type> stored = {};  ///< of an input or an output, where that is a half

  [[nodiscard]] Type in_memory() const { return stored.value_or(type); }
};

struct Function {
  std::vector<Variable> variables;  ///< parameters, outputs of a body with several, then others
  int parameters = 0;
  Type result = Type::i32;
  Block block;
  Expression end;       ///< what is returned where the block ends, or the last output of a gufunc's body
  bool called = false;  ///< never inlined
  bool packed = false;  ///< its scalars are members of small structures, which loops pass by value
};

struct Program {
  enum class Kind : std::uint8_t {
    elementwise,
    cores,  ///< a gufunc (n)… -> (n)…, (): outputs are views, the first variables behind the parameters, and `end`
    each    ///< a gufunc with an index: its output at the variable behind the parameters is `end`
  };
  Kind kind = Kind::elementwise;
  bool deep = false;                       ///< nested more than others, and narrower
  std::vector<Function> functions;         ///< each calls those in front of it; the last one is the body
  std::vector<Variable> tables;            ///< constant arrays, whose number as variables is -1, -2, …
  std::vector<Type> outputs;               ///< in memory; several are the first variables behind the body's parameters
  std::vector<std::vector<int>> pointers;  ///< functions of one form, called by pointers; their number is a power of 2

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
  std::string layout;  ///< of a gufunc
  std::string each;
};
[[nodiscard]] Text text_of(const Program& program);

/// Of an integer type.
[[nodiscard]] int bits_of(Type type);
/// The value as memory of that type has it.
[[nodiscard]] Value stored(Type type, const Value& value);

/// What one item has: a list for each operand, of one value or of a core's.
using Item = std::vector<std::vector<Value>>;
/// The outputs of one item; nothing where it takes more than `steps` statements and calls.
[[nodiscard]] std::optional<Item> interpret(const Program& program, const Item& inputs, int steps);

/// Expressions and statements, with functions that may be inlined in each place that calls them.
[[nodiscard]] std::uint64_t inlined_size(const Program& program);

/// Programs with one thing less, the largest first.
[[nodiscard]] std::vector<Program> smaller(const Program& program);

}  // namespace programs
