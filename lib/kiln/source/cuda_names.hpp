// Names of CUDA's functions in bodies, and what kiln has for them.
#pragma once

#include <string_view>
#include <utility>

namespace kiln::codegen {

/// CUDA's names of functions, and kiln's that they call.
inline constexpr std::pair<std::string_view, std::string_view> kQuick[] = {
    {"__expf", "exp"},  {"__exp10f", "pow"}, {"__logf", "log"},  {"__log2f", "log2"}, {"__log10f", "log10"},
    {"__powf", "pow"},  {"__sinf", "sin"},   {"__cosf", "cos"},  {"__tanf", "tan"},   {"__sincosf", "sincos"},
    {"__fdividef", ""}, {"__fdiv_rn", ""},   {"__ddiv_rn", ""},  {"__frcp_rn", ""},   {"__drcp_rn", ""},
    {"__fsqrt_rn", ""}, {"__dsqrt_rn", ""},  {"__frsqrt_rn", ""}};
/// Functions that CUDA and HIP have beside C's, by the header that has them here.
inline constexpr std::string_view kErrorFunctions[] = {"erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv"};
inline constexpr std::string_view kBessel[] = {"j0", "j1", "jn", "y0", "y1", "yn", "cyl_bessel_i0", "cyl_bessel_i1"};
inline constexpr std::string_view kHalfTurns[] = {"sinpi", "cospi", "sincospi"};
inline constexpr std::string_view kReciprocalRoots[] = {"rcbrt", "rhypot", "norm3d", "norm4d", "rnorm3d", "rnorm4d"};
inline constexpr std::string_view kLengths[] = {"norm", "rnorm"};
/// Functions of one half, as "hexp" and "h2exp", without "h" and "h2", and kiln's that they call.
inline constexpr std::pair<std::string_view, std::string_view> kOfHalves[] = {
    {"sqrt", "sqrt"}, {"rsqrt", "rsqrt"}, {"exp", "exp"},     {"exp2", "exp2"},   {"exp10", "pow"},
    {"log", "log"},   {"log2", "log2"},   {"log10", "log10"}, {"sin", "sin"},     {"cos", "cos"},
    {"tanh", "tanh"}, {"ceil", "ceil"},   {"floor", "floor"}, {"trunc", "trunc"}, {"rint", "rint"}};
/// Returns true for a conversion: "__float2int_rn", "__double2ull_rz".
[[nodiscard]] inline bool is_conversion(std::string_view name) {
  return name.starts_with("__") && name.size() > 5 && name[name.size() - 3] == '_' && name[name.size() - 2] == 'r' &&
         name.find('2') != std::string_view::npos;
}

}  // namespace kiln::codegen
