// Warps in a raw kernel on the CPU that is compiled to find races, whose threads run one at a time.
#pragma once
#include "kiln/raw/cuda_cpu.hpp"

#error "KILN_DEBUG=race follows no functions of a warp on the CPU; find races on an emulated GPU: Device::emulated("sm_90")"
