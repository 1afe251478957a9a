// The control of the emulated driver beyond fake_cuda.hpp's.
#pragma once

extern "C" {

/// What was wrong with the last launch, and where; empty where nothing was.
const char* kiln_emulated_message();
}
