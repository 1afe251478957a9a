// The plan of a call with "constant" inputs: one for each of their values, made from the plain plan of the dtypes.
#pragma once

#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "call/constants.hpp"
#include "call/operands.hpp"
#include "program/program.hpp"
#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

namespace kiln::ufunc {

/// The loop with the values of the call's constants, which have been converted. `inputs` has their names.
[[nodiscard]] Loop with_constants(const Loop& plain, const call::Operands& operands,
                                  std::span<const signature::Parameter> inputs);
/// The loop whose kernel takes the constants as ordinary arguments.
[[nodiscard]] Loop without_constants(const Loop& loop);

/// The loop, and where it has constants the plain one, which other values run.
[[nodiscard]] std::vector<Loop> for_all_values(const Loop& loop);

/// "input 1 (n)", "input 1 (n) or input 2 (k)".
[[nodiscard]] std::string constants_of(const call::Callee& callee);

/// The plan for the values of the call's constants; the plain one where there are too many values, of which `definition` is
/// warned, and where a planned call does not know them. After Operands::convert_scalars().
template <class Plan, class Definition>
Plan& for_constants(Plan& plain, const call::Operands& operands, const Definition& definition) {
  const std::optional<call::ConstantKey> key = operands.constants();
  if (!key) return plain;
  // A manifest plans calls that ran in several processes.
  const int most = operands.planned() ? INT_MAX : definition.definition().compile.constant_variants;
  Plan* const found = definition.constant_limit().find_or_make(plain.of_constants, *key, most, [&] {
    return with_constants(plain.loop, operands, definition.signatures().front().inputs);
  });
  if (found != nullptr) return *found;
  if (definition.constant_limit().is_first_refusal(key->device())) {
    const Diagnostic warning = call::limit_warning(definition.name(), constants_of(definition), key->device(), most);
    definition.warnings().add({&warning, 1});
  }
  return plain;
}

/// program::load_any() of `count` kernels of a loop, by request(loop, i). Where nobody compiles, kernels that take the
/// constants as arguments stand in.
template <class Request>
program::Loaded load_any(const Loop& loop, std::size_t count, const Request& request, backend::Backend& backend) {
  if (loop.constants.empty()) {
    return program::load_any(count, [&](std::size_t i) { return request(loop, i); }, backend);
  }
  const Loop plain = without_constants(loop);
  program::Loaded loaded = program::load_any(
      2 * count, [&](std::size_t i) { return i < count ? request(loop, i) : request(plain, i - count); }, backend);
  loaded.which %= count;
  return loaded;
}

}  // namespace kiln::ufunc
