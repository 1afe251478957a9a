// The process that executes code objects (serve.py), seen from the test's: requests and answers over pipes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kiln_amd {

class Executor {
 public:
  Executor() = default;
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// False, with the reason on standard error, where it cannot be started. `memory` is a descriptor that it inherits.
  bool start(const std::string& python, const std::string& script, int memory);

  /// One request, with bytes behind it, and its answer; {"status": 999} where the process is gone.
  nlohmann::json ask(const nlohmann::json& request, std::string_view bytes = {});

 private:
  int to_ = -1;
  int from_ = -1;
  int child_ = -1;
};

}  // namespace kiln_amd
