// Keeps locks usable in forked children: those of every builder are taken around fork(), so that no thread that is not in the
// child holds one there.
#pragma once

namespace kiln::program {

class Builder;

/// From its construction to its destruction.
void guard_forks_of(Builder* builder);
void forget_forks_of(Builder* builder) noexcept;

}  // namespace kiln::program
