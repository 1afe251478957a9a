// What the user may have meant, added to the errors of compilers.
#pragma once

namespace kiln {
class CompileError;
}  // namespace kiln

namespace kiln::program {

/// Adds a hint to each error that has a known cause: `x**2`, names of the C++ library that kernels do not have, `print()`
/// outside debug mode, and a name where the signature has `unnamed_parameters`. Other errors stay as they are.
[[nodiscard]] CompileError with_hints(const CompileError& error, bool unnamed_parameters);

}  // namespace kiln::program
