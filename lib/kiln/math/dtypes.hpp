// The dtypes of the library's loops, as signatures list them: in NumPy's order, bfloat16 behind float16. Macros, as only
// literals can be put together at compile time.
#pragma once

#define KILN_INTEGERS "int8, uint8, int16, uint16, int32, uint32, int64, uint64"
#define KILN_FLOATS "float16, bfloat16, float32, float64"
#define KILN_COMPLEXES "complex64, complex128"
