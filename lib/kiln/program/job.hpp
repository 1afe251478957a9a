// One thing to build, with everything that decides its machine code resolved: what is compiled, and under which key.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.hpp"
#include "program/program.hpp"

namespace kiln::program {

struct Job {
  const backend::Compiler* by = nullptr;  ///< who compiles it; null: the compiler of where it is loaded
  backend::CompileRequest compile = {};
  std::string as_written =
      {};                   ///< the source with the user's texts as they are, where it has others: what diagnostics are about
  std::string key = {};     ///< canonical text
  std::string digest = {};  ///< of the key
  std::vector<std::pair<std::string, std::string>> texts = {};  ///< the user's, by the names that diagnostics have for them
  bool unnamed_parameters = false;                              ///< the signature has types alone
  codegen::Operands operands = nullptr;                         ///< for messages
  std::shared_ptr<const backend::FaultTexts> fault_texts = nullptr;  ///< for what it finds; null: it checks nothing
  // For the entry:
  std::string body = {};  ///< the user's text
  std::string kind = "ufunc";
  std::string variant = {};   ///< what tells it from the loop's other kernels
  std::string target = {};    ///< in short
  std::string compiler = {};  ///< name and version
};

/// Makes the key for that compiler, which is one for the source's target, or for who debugs or links in its place. Nothing is
/// compiled. CompileError where the request has files to link and none is for the target.
[[nodiscard]] Job make_job(const Request& request, const backend::Compiler& compiler);

/// Digest of the embedded device headers, part of every key.
[[nodiscard]] const std::string& templates_digest();

}  // namespace kiln::program
