// What the user may have meant, added to the errors of compilers.
#pragma once

namespace kiln {
class CompileError;
}  // namespace kiln

namespace kiln::program {

/// Adds a hint to each error that has a known cause: what Python and NumPy write another way, names of the C++ library that
/// kernels do not have, and a name where the signature has `unnamed_parameters`. For a function that kiln's headers refuse it
/// gives their reason. Takes back keywords that Clang suggests and then refuses. Other errors stay as they are.
[[nodiscard]] CompileError with_hints(const CompileError& error, bool unnamed_parameters);

}  // namespace kiln::program
