// What the emulated NVRTC reads and changes in a text before the host's compiler sees it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kiln_emulated {

/// Adds the names of the functions that follow __global__ or KILN_KERNEL.
void find_kernels(std::string_view text, std::set<std::string>& names);

/// `extern __shared__ T name[]` as a pointer to where the driver has put the block's memory; lines stay what they are.
std::string with_dynamic_shared(std::string_view text);

}  // namespace kiln_emulated
