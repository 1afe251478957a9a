// What the texts of a reduction get of a call beside elements: arrays that are not broadcast, one number for all elements, and
// where they are. Pure.
#pragma once

#include <string>

#include "kernel/reduction/spec.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// Whether an operand `beside` follows the inputs, the mask and the index: how raw inputs lie, and the axes that texts ask for.
[[nodiscard]] bool has_beside(const ReductionSpec& spec, const codegen::UserText& text);
/// Its type, the structure `beside`; empty where there is none.
[[nodiscard]] std::string beside_struct(const ReductionSpec& spec, const codegen::UserText& text);
/// A raw input at that address, as the texts get it.
[[nodiscard]] std::string raw_value(const OperandSpec& input, std::size_t number, const std::string& address,
                                    const std::string& beside);

/// Parameters of the user's function for a text behind the others, each with a comma in front: ", ::kiln::ptrdiff_t _j".
[[nodiscard]] std::string place_parameters(const codegen::Stages::Places& places, const ReductionSpec& spec);
/// What they get, where `i` is a number and `b` the operand.
[[nodiscard]] std::string map_places(const codegen::Stages& stages, const ReductionSpec& spec);
[[nodiscard]] std::string post_places(const codegen::Stages& stages, const ReductionSpec& spec);

/// The type of an input as the user's function takes it.
[[nodiscard]] std::string input_type(const ReductionSpec& spec, std::size_t input);

/// Whether results depend on numbers that outputs have.
[[nodiscard]] bool numbers_outputs(const codegen::UserText& text);
/// Whether the identity, which the elements may need as well, takes inputs.
[[nodiscard]] bool identity_takes(const ReductionSpec& spec, const codegen::UserText& text);

/// How a kernel reaches an input, its operand `beside` and the number of an output.
struct Reached {
  std::string arrays;  ///< before "x0[0]": what has the pointers
  std::string scalar;  ///< before "x0": what has scalars; on the CPU they are pointers
  bool by_pointer;
  std::string beside;
  std::string number;
};
/// What post and identity get behind their other arguments, each with a comma in front.
[[nodiscard]] std::string post_arguments(const ReductionSpec& spec, const codegen::UserText& text, const Reached& at);
/// Without the comma.
[[nodiscard]] std::string identity_arguments(const ReductionSpec& spec, const codegen::UserText& text, const Reached& at);

}  // namespace kiln::kinds
