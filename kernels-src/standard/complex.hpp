// <complex>: std::complex stands in core/complex.hpp, its functions in math/.
#pragma once
