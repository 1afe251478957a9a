// A request for a kernel without headers of its own.
#pragma once

#include <string>

#include "program/program.hpp"

namespace kiln::test {

inline program::Request plain_request(const codegen::UserText& text, const kinds::KernelSpec& spec,
                                      const std::string& signature, const Cache& cache = {}) {
  return {.source = kinds::make_source({.text = text,
                                        .spec = spec,
                                        .target = DeviceKind::cuda,
                                        .kind = "ufunc",
                                        .signature = signature,
                                        .headers = {},
                                        .include_dirs = {}}),
          .cache = cache};
}

}  // namespace kiln::test
