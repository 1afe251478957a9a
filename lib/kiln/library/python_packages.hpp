// Where Python's packages lie, for libraries that pip and conda bring.
#pragma once

#include <string>
#include <vector>

namespace kiln::backend::gpu {

/// The folders of packages that are there: those that KILN_PYTHON_PACKAGES lists, of VIRTUAL_ENV and CONDA_PREFIX, the one that
/// this library lies in, the user's (~/.local), and the system's. Newer Pythons first. Paths of the environment that are not
/// absolute do not count.
[[nodiscard]] std::vector<std::string> python_packages();

}  // namespace kiln::backend::gpu
