// What calls of the driver answer: CUDA's numbers.
#pragma once

#include "emulator/kernel_fault.hpp"

namespace kiln::emulator {

/// As far as they are answered; those of kernels are Fault's.
enum Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  invalid_ptx = 218,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  out_of_resources = 701,
  already_page_locked = 712,
  capture_unsupported = 900
};

/// "CUDA_SUCCESS", and "no error"; null for a number that is no status's.
[[nodiscard]] const char* name_of(int status) noexcept;
[[nodiscard]] const char* text_of(int status) noexcept;

}  // namespace kiln::emulator
