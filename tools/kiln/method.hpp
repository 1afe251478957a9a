// What `kiln eval` does with a function: calls it, or one of its methods (--method).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/chunked.hpp"

namespace kiln::tool {

/// As given on the command line; empty: not given.
struct MethodOptions {
  std::string method;
  std::string axis;
  bool keepdims = false;
  std::string initial;
  std::string where;
  std::string casting;
  std::string dtype;
};

/// "0,-1"; UsageError, which names the option, for what is no list of numbers.
[[nodiscard]] std::vector<int> axis_numbers(std::string_view text, std::string_view option);
inline constexpr Casting kCastings[] = {Casting::no, Casting::equiv, Casting::safe, Casting::same_kind, Casting::unsafe};
/// UsageError for a word that is no casting rule.
[[nodiscard]] Casting casting_from_name(const std::string& text);
/// UsageError for a word that is no dtype.
[[nodiscard]] DType read_dtype(const std::string& text);

/// In Fortran order where all arrays among the operands are in that alone.
[[nodiscard]] Order order_like(std::span<const Arg> operands);
/// An array to be made.
struct ResultSpec {
  Shape shape;
  DType dtype;
  Order order = Order::c;
};

/// One method: which options it has, and the arrays that it takes (0: as many operands as the function has inputs).
struct MethodRow {
  std::string_view name;
  std::size_t arrays;
  bool axis, keepdims, initial, where, casting;
};
inline constexpr MethodRow kMethods[] = {{"call", 0, false, false, false, true, true},
                                         {"reduce", 1, true, true, true, true, false},
                                         {"accumulate", 1, true, false, false, false, false},
                                         {"reduceat", 2, true, false, false, false, false},
                                         {"outer", 0, false, false, false, true, true}};

class Method {
 public:
  /// UsageError for an unknown method, an option that it does not have, and values that cannot be read.
  explicit Method(const MethodOptions& options);

  /// How many operands it takes of that function, and what it is called in messages: "add", "add.reduce".
  [[nodiscard]] std::size_t operands(const Ufunc& ufunc) const;
  [[nodiscard]] std::size_t results(const Ufunc& ufunc) const;
  [[nodiscard]] std::string name(const Ufunc& ufunc) const;
  /// The file of the mask; empty where there is none.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  /// Whether it is the function itself that is called.
  [[nodiscard]] bool is_call() const noexcept;
  /// Of the results, if one was asked for.
  [[nodiscard]] std::optional<DType> dtype() const noexcept { return call_.dtype; }

  /// `out` is empty, or has the results of an earlier run; `stream` and `signature` are as in CallOptions. UsageError where an
  /// operand must be an array. `chunks`: null, or how it is cut.
  [[nodiscard]] std::vector<Array> run(const Ufunc& ufunc, std::span<const Arg> operands, const CallOptions& more,
                                       const ChunkOptions* chunks) const;
  /// What large results would be; none where they are small, or where run() has to say what is wrong.
  [[nodiscard]] std::vector<ResultSpec> result_specs(const Ufunc& ufunc, std::span<const Arg> operands,
                                                     const CallOptions& more) const;
  /// UsageError where it cannot be cut.
  void check_chunks() const;
  /// UsageError where ranks cannot divide the work along axis 0 of the first operand.
  void check_ranks(std::span<const Arg> operands) const;

 private:
  template <class Function>
  [[nodiscard]] std::vector<Array> run_on(const Function& function, std::span<const Arg> operands,
                                          const CallOptions& more) const;
  [[nodiscard]] const Array& array(std::span<const Arg> operands, std::size_t index) const;
  [[nodiscard]] AccumulateOptions along_axis(const CallOptions& more) const;
  [[nodiscard]] CallOptions call_options(const CallOptions& more) const;

  const MethodRow* row_;
  std::string where_;
  CallOptions call_;
  ReduceOptions reduce_;
};

}  // namespace kiln::tool
