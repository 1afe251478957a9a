// kiln: NumPy-style universal functions from C++ strings, compiled at run time for CPUs, NVIDIA and AMD GPUs.
#pragma once

#include "kiln/array.hpp"
#include "kiln/cache.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "kiln/expr.hpp"
#include "kiln/fuse.hpp"
#include "kiln/inspect.hpp"
#include "kiln/manifest.hpp"
#include "kiln/math.hpp"
#include "kiln/npy.hpp"
#include "kiln/reduction.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"
#include "kiln/version.hpp"
