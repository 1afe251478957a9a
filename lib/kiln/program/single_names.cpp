#include "program/single_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "types/each_dtype.hpp"

namespace kiln::program {
namespace {

bool is_single(DType dtype) {
  return dtype == DType::float32 || is_half(dtype);
}
bool is_double(DType dtype) {
  return dtype == DType::float64 || dtype == DType::complex128;
}

/// Adds the single ones of a signature, by these names.
template <class Parameters>
void add_names(const Parameters& parameters, const std::vector<std::string>& names,
               const std::vector<signature::TypeVariable>& variables, codegen::SingleNames& found) {
  const auto any = [&](const signature::Type& type, bool (*of)(DType)) {
    return type.dtype ? of(*type.dtype) : std::ranges::any_of(variables[type.variable].choices, of);
  };
  const auto has_double = [&](const auto& each) { return any(each.type, is_double); };
  if (std::ranges::any_of(parameters, has_double)) found.always = false;
  const auto is_fixed_double = [](const auto& each) { return each.type.dtype && is_double(*each.type.dtype); };
  if (std::ranges::any_of(parameters, is_fixed_double)) return;
  for (std::size_t k = 0; k < std::min(parameters.size(), names.size()); ++k) {
    if (any(parameters[k].type, is_single) && !names[k].empty()) found.names.push_back(names[k]);
  }
}

}  // namespace

codegen::SingleNames single_names(std::span<const signature::TypeSignature> signatures) {
  codegen::SingleNames found;
  const auto all_of = [](const signature::TypeSignature& signature) {
    std::vector<signature::Parameter> all = signature.inputs;
    all.insert(all.end(), signature.outputs.begin(), signature.outputs.end());
    return all;
  };
  std::vector<std::string> names;
  for (const signature::Parameter& each : all_of(signatures.front())) names.push_back(each.name);
  for (const signature::TypeSignature& signature : signatures) add_names(all_of(signature), names, signature.variables, found);
  return found;
}

codegen::SingleNames single_names(const signature::KernelSignature& signature) {
  codegen::SingleNames found;
  std::vector<std::string> names;
  for (const signature::KernelParameter& each : signature.parameters) names.push_back(each.name);
  add_names(signature.parameters, names, signature.variables, found);
  return found;
}

}  // namespace kiln::program
