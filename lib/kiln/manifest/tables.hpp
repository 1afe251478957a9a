// The tables of the public structures. A structure with a member that its table has not does not compile.
#pragma once

#include <array>
#include <string_view>

#include "base/member_count.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "kiln/cupy_reduction.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"
#include "manifest/members.hpp"
#include "raw/cuda_definition.hpp"

namespace kiln::manifest {

template <>
inline constexpr auto kMembers<Debug> = std::array{
    row<&Debug::on, Flag>("on", "Indices, divisions by zero, assert(), and faults that would end the process."),
    row<&Debug::nan, Flag>("nan", "Results that are not a number."),
    row<&Debug::race, Flag>("race", "Data races of raw kernels, on the CPU."),
};

template <>
inline constexpr auto kMembers<CompileOptions> = std::array{
    row<&CompileOptions::preamble, Text>("preamble", "C++ text before the functions and the body."),
    row<&CompileOptions::functions, Text>("functions", "C++ functions and types that the body uses."),
    row<&CompileOptions::headers, Headers>("headers", "Name in #include → text. These come before include_dirs."),
    row<&CompileOptions::include_dirs, List<Path>>("include_dirs", "Folders, relative to the manifest's own."),
    row<&CompileOptions::defines, List<Code>>("defines", "\"NAME\", \"NAME=VALUE\" or \"NAME(a, b)=VALUE\"."),
    row<&CompileOptions::contract, Flag>("contract", "Allows a * b + c to be rounded once."),
    row<&CompileOptions::fast_math, Flag>(
        "fast_math", "Allows reordering and approximate functions, and assumes that there is neither nan nor infinity."),
    row<&CompileOptions::same_bits, Flag>("same_bits", "Functions give the same bits on every device."),
    row<&CompileOptions::link, List<Linked>>(
        "link", "Files of compiled device code, relative to the manifest's own folder, or their bytes."),
    row<&CompileOptions::debug, Object<Debug>>("debug",
                                               "What kernels check while they run; any that is true turns all of \"on\" on."),
    row<&CompileOptions::time_limit, Milliseconds>(
        "time_limit_ms", "Clang's processor time for one kernel, in milliseconds; 0: the value of KILN_COMPILE_SECONDS."),
    row<&CompileOptions::constant_variants, Limit>("constant_variants",
                                                   "Number of values of constant parameters that get kernels of their own."),
};

inline constexpr std::string_view kNameText = "Shown in errors.";
inline constexpr std::string_view kOptionsText = "Of CUDA's compiler: \"-DNAME=VALUE\".";

template <>
inline constexpr std::string_view kKind<UfuncDefinition> = "ufunc";
template <>
inline constexpr auto kMembers<UfuncDefinition> = std::array{
    row<&UfuncDefinition::name, Name>("name", kNameText, Need::required),
    row<&UfuncDefinition::signatures, List<Word>>(
        "signatures", "Loops in order of preference: \"float32(float32 a, float32 b)\".", Need::required),
    row<&UfuncDefinition::body, Code>("body", "C++ statements."),
    row<&UfuncDefinition::expression, Code>("expression", "A C++ expression, the one output."),
    row<&UfuncDefinition::identity, Code>("identity", "Of a ufunc of two inputs: f(identity, x) is x; a C++ expression."),
    row<&UfuncDefinition::reorderable, Flag>("reorderable",
                                             "Its reductions combine elements in any order; an identity implies it."),
    row<&UfuncDefinition::widens_integers, Flag>("widens_integers",
                                                 "Its reductions of bool and small integers run in 64 bits."),
    row<&UfuncDefinition::bools_are_numbers, Flag>(
        "bools_are_numbers", "false: arguments that are all bool match loops of bool alone; true by default."),
};

template <>
inline constexpr std::string_view kKind<GufuncDefinition> = "gufunc";
template <>
inline constexpr auto kMembers<GufuncDefinition> = std::array{
    row<&GufuncDefinition::name, Name>("name", kNameText, Need::required),
    row<&GufuncDefinition::layout, Word>("layout", "Core dimensions: \"(m,n),(n,p)->(m,p)\".", Need::required),
    row<&GufuncDefinition::signatures, List<Word>>(
        "signatures", "Loops in order of preference: \"void(float32[:,:] A, float32[:] x)\".", Need::required),
    row<&GufuncDefinition::each, Word>("each", "Core dimensions that are spread over threads: \"i:m, j:p\"."),
    row<&GufuncDefinition::group, Word>("group", "A team of threads for each item: its lanes, or \"block\"."),
    row<&GufuncDefinition::shared, Word>("shared", "Arrays that the threads of a team share: \"T[n], index[2 * lanes]\"."),
    row<&GufuncDefinition::sizes, Word>("sizes", "Sizes of dimensions that only outputs have: \"p = m + n - 1\"."),
    row<&GufuncDefinition::body, Code>("body", "C++ statements, which write the outputs.", Need::required),
};

template <>
inline constexpr std::string_view kKind<ReductionDefinition> = "reduction";
template <>
inline constexpr auto kMembers<ReductionDefinition> = std::array{
    row<&ReductionDefinition::name, Name>("name", kNameText, Need::required),
    row<&ReductionDefinition::signatures, List<Word>>("signatures", "Loops in order of preference: \"int64(T x)\".",
                                                      Need::required),
    row<&ReductionDefinition::accumulator, Code>("accumulator", "Members of a struct: \"T best; int64 at;\"."),
    row<&ReductionDefinition::map, Code>("map", "C++ statements: from the inputs to an accumulator."),
    row<&ReductionDefinition::reduce, Code>("reduce", "C++ statements: from two accumulators a and b to one.", Need::required),
    row<&ReductionDefinition::post, Code>("post", "C++ statements: from the accumulator a to the outputs."),
    row<&ReductionDefinition::identity, Code>("identity", "The result for no elements; a C++ expression."),
    row<&ReductionDefinition::reorderable, Flag>("reorderable", "Elements are combined in any order; an identity implies it."),
};

template <>
inline constexpr std::string_view kKind<cupy::ElementwiseDefinition> = "cupy.elementwise";
template <>
inline constexpr auto kMembers<cupy::ElementwiseDefinition> = std::array{
    row<&cupy::ElementwiseDefinition::name, Name>("name", kNameText),
    row<&cupy::ElementwiseDefinition::in_params, Text>("in_params", "\"T x, raw float32 table\"."),
    row<&cupy::ElementwiseDefinition::out_params, Text>("out_params", "\"T y, raw int32 counts\"."),
    row<&cupy::ElementwiseDefinition::operation, Code>("operation", "C++ statements for one element."),
    row<&cupy::ElementwiseDefinition::loop_prep, Code>("loop_prep", "C++ statements before the operation."),
    row<&cupy::ElementwiseDefinition::after_loop, Code>("after_loop", "C++ statements after it."),
    row<&cupy::ElementwiseDefinition::options, List<Code>>("options", kOptionsText),
    row<&cupy::ElementwiseDefinition::reduce_dims, Flag>("reduce_dims", "Without effect."),
    row<&cupy::ElementwiseDefinition::return_tuple, Flag>("return_tuple", "Without effect."),
    row<&cupy::ElementwiseDefinition::no_return, Flag>("no_return", "Without effect."),
};

template <>
inline constexpr std::string_view kKind<cupy::ReductionDefinition> = "cupy.reduction";
template <>
inline constexpr auto kMembers<cupy::ReductionDefinition> = std::array{
    row<&cupy::ReductionDefinition::name, Name>("name", kNameText),
    row<&cupy::ReductionDefinition::in_params, Text>("in_params", "\"T x, raw float32 table\"."),
    row<&cupy::ReductionDefinition::out_params, Text>("out_params", "\"T y\"."),
    row<&cupy::ReductionDefinition::map_expr, Code>("map_expr", "A C++ expression: from the inputs to an accumulator."),
    row<&cupy::ReductionDefinition::reduce_expr, Code>("reduce_expr", "A C++ expression: of two accumulators a and b.",
                                                       Need::required),
    row<&cupy::ReductionDefinition::post_map_expr, Code>("post_map_expr",
                                                         "C++ statements: from the accumulator a to the outputs."),
    row<&cupy::ReductionDefinition::identity, Code>("identity", "The neutral element; a C++ expression."),
    row<&cupy::ReductionDefinition::reduce_type, Code>("reduce_type",
                                                       "The type of a and b; by default that of the first output."),
    row<&cupy::ReductionDefinition::options, List<Code>>("options", kOptionsText),
    row<&cupy::ReductionDefinition::reduce_dims, Flag>("reduce_dims", "Without effect."),
};

template <>
inline constexpr std::string_view kKind<raw::CudaDefinition> = "cupy.raw";
template <>
inline constexpr auto kMembers<raw::CudaDefinition> = std::array{
    row<&raw::CudaDefinition::code, Code>("code", "C++ with kernels.", Need::required),
    row<&raw::CudaDefinition::name, KernelName>("name", "The one kernel of a raw_kernel(): \"axpy<float, 3>\"."),
    row<&raw::CudaDefinition::name_expressions, List<KernelName>>("name_expressions",
                                                                  "Instances of templates: \"axpy<float, 3>\"."),
    row<&raw::CudaDefinition::options, List<Code>>("options", kOptionsText),
    row<&raw::CudaDefinition::backend, Word>("backend", "\"nvrtc\" or \"nvcc\": without effect."),
};

template <>
inline constexpr std::string_view kKind<RawKernelDefinition> = "kernel";
template <>
inline constexpr auto kMembers<RawKernelDefinition> = std::array{
    row<&RawKernelDefinition::name, Name>("name", kNameText, Need::required),
    row<&RawKernelDefinition::signature, Word>("signature", "\"void(const float32[:] x, T[:] y, int64 n)\".", Need::required),
    row<&RawKernelDefinition::body, Code>("body", "C++ statements.", Need::required),
};

/// Whether a table has all members but `others`.
template <class Definition>
consteval bool is_whole(std::size_t others) {
  return kMembers<Definition>.size() + others == base::member_count<Definition>();
}
static_assert(is_whole<Debug>(0), "a member of Debug has no row");
static_assert(is_whole<CompileOptions>(1), "a member of CompileOptions, beside the cache, has no row");
static_assert(is_whole<UfuncDefinition>(1), "a member of UfuncDefinition has no row");
static_assert(is_whole<GufuncDefinition>(1), "a member of GufuncDefinition has no row");
static_assert(is_whole<ReductionDefinition>(1), "a member of ReductionDefinition has no row");
static_assert(is_whole<cupy::ElementwiseDefinition>(2), "a member of cupy::ElementwiseDefinition, beside preamble, has no row");
static_assert(is_whole<cupy::ReductionDefinition>(2), "a member of cupy::ReductionDefinition, beside preamble, has no row");
static_assert(is_whole<raw::CudaDefinition>(1), "a member of raw::CudaDefinition has no row");
static_assert(is_whole<RawKernelDefinition>(1), "a member of RawKernelDefinition has no row");

}  // namespace kiln::manifest
