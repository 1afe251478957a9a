// The arithmetic of PTX's instructions as pure functions of values, one thread's at a time: no registers, no parsing, no
// packing beyond two halves in a word. Any thread may call any of them; none throws.
#pragma once

#include "emulator/arithmetic/approximate.hpp"
#include "emulator/arithmetic/bits.hpp"
#include "emulator/arithmetic/comparison.hpp"
#include "emulator/arithmetic/convert.hpp"
#include "emulator/arithmetic/floating.hpp"
#include "emulator/arithmetic/format.hpp"
#include "emulator/arithmetic/integer.hpp"
#include "emulator/arithmetic/product.hpp"
