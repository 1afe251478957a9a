// How two keys differ, for people.
#pragma once

#include <string>
#include <vector>

#include "cache/key.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {

/// By field, in the order of importance to someone who wonders why a kernel was compiled again: target, compiler, …, each
/// header on its own as "headers/NAME". Empty where the keys are equal.
[[nodiscard]] std::vector<Difference> differences(const Key& wanted, const Key& found);

/// The kernel's name, which a rendered source has in its #line directives; empty where there is none.
[[nodiscard]] std::string kernel_name_in(const std::string& source);

}  // namespace kiln::cache
