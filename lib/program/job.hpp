// One thing to build, with everything that decides its machine code resolved: what is compiled, and under which key.
#pragma once

#include <string>

#include "backend/compiler.hpp"
#include "cache/cache.hpp"
#include "program/program.hpp"

namespace kiln::program {

struct Job {
  backend::CompileRequest compile;
  std::string key;     ///< canonical text
  std::string digest;  ///< of the key
  std::string body;    ///< the user's text, for the entry
};

/// Renders the source, resolves its includes (CompileError, IoError) and makes the key for that compiler. Nothing is compiled.
[[nodiscard]] Job make_job(const Request& request, const backend::Compiler& compiler);

}  // namespace kiln::program
