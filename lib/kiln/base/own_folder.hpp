// Where kiln itself lies: its other libraries are looked for beside it.
#pragma once

#include <string>
#include <vector>

namespace kiln::base {

/// The library or program that this code is in, as the loader names it; empty where it cannot tell.
[[nodiscard]] std::string own_file();
/// The folder of the library or program that this code is in; empty where the loader cannot tell.
[[nodiscard]] std::string own_folder();

/// Where a library of kiln's that is opened when it is needed may be: beside the library or program that this code is in, in
/// the lib folder beside that one's (for programs), and in `installed`.
[[nodiscard]] std::vector<std::string> candidates_beside(const std::string& file, const std::string& installed);

/// What to do about `file`, which no candidate was: the end of an error's sentence. `package` has the file where kiln came in
/// packages, and is empty where it did not; `variable` of the environment names a file of the user's.
[[nodiscard]] std::string how_to_install(const std::string& file, const std::string& package, const std::string& variable);

}  // namespace kiln::base
