// The elementwise loop on the CPU where races among raw outputs are found: the library calls it for one element after the
// other, and accesses of the body are reported to it.
#pragma once
#include "kiln/elementwise/raw_cpu.hpp"
#include "kiln/raw/race_cpu.hpp"
