// The elementwise loop on GPUs where the body reaches arrays whole, or asks for the number of its element.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/elementwise/gpu_nd.hpp"
#include "kiln/elementwise/raw_array.hpp"
#include "kiln/raw/gpu.hpp"
