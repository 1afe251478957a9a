#include "source/cuda_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "source/cuda_kernels.hpp"
#include "source/scanner.hpp"

namespace kiln::codegen {
namespace {

constexpr std::string_view kSharingWords[] = {"__shared__", "__syncthreads"};
constexpr std::string_view kVoteWords[] = {"__syncthreads_count", "__syncthreads_and", "__syncthreads_or"};
constexpr std::string_view kWarpWords[] = {
    "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",  "__ballot_sync",     "__any_sync",
    "__all_sync",        "__syncwarp",        "__activemask",      "__match_any_sync", "__match_all_sync",  "__reduce_add_sync",
    "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "warp_shuffle",
    "warp_shuffle_up",   "warp_shuffle_down", "warp_shuffle_xor",  "warp_ballot",      "warp_any",          "warp_all",
    "warp_sync",         "warp_reduce",       "warp_sum",          "warp_min",         "warp_max",          "warp_lane"};
constexpr std::string_view kCudaWords[] = {"threadIdx",
                                           "blockIdx",
                                           "blockDim",
                                           "gridDim",
                                           "warpSize",
                                           "dim3",
                                           "clock",
                                           "clock64",
                                           "clock_t",
                                           "__global__",
                                           "__launch_bounds__",
                                           "__ldg",
                                           "__threadfence",
                                           "__threadfence_block",
                                           "__threadfence_system",
                                           "__nanosleep",
                                           "__trap",
                                           "__ffs",
                                           "__ffsll",
                                           "__popc",
                                           "__popcll",
                                           "__clz",
                                           "__clzll",
                                           "__brev",
                                           "__brevll",
                                           "__mulhi",
                                           "__umulhi",
                                           "__mul64hi",
                                           "__umul64hi",
                                           "__mul24",
                                           "__umul24",
                                           "__sad",
                                           "__usad",
                                           "__float_as_int",
                                           "__float_as_uint",
                                           "__int_as_float",
                                           "__uint_as_float",
                                           "__double_as_longlong",
                                           "__longlong_as_double",
                                           "__double2hiint",
                                           "__double2loint",
                                           "__hiloint2double",
                                           "__fmaf_rn",
                                           "__fma_rn",
                                           "__fadd_rn",
                                           "__fsub_rn",
                                           "__fmul_rn",
                                           "__dadd_rn",
                                           "__dsub_rn",
                                           "__dmul_rn",
                                           "__saturatef",
                                           "__byte_perm",
                                           "__funnelshift_l",
                                           "__funnelshift_r"};
constexpr std::string_view kVectorElements[] = {"char", "uchar", "short",    "ushort",    "int",
                                                "uint", "float", "longlong", "ulonglong", "double"};

bool is_word_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// "float4", "make_float4".
bool is_vector_word(std::string_view name) {
  if (name.starts_with("make_")) name.remove_prefix(5);
  return !name.empty() && name.back() >= '1' && name.back() <= '4' &&
         is_word_of(name.substr(0, name.size() - 1), kVectorElements);
}

/// "atomicAdd", "atomicAdd_block".
bool is_atomic_word(std::string_view name) {
  constexpr std::string_view kBegin = "atomic";
  return name.size() > kBegin.size() && name.starts_with(kBegin) && name[kBegin.size()] >= 'A' && name[kBegin.size()] <= 'Z';
}

void note(CudaWords& words, std::string_view name) {
  words.votes = words.votes || is_word_of(name, kVoteWords);
  words.groups = words.groups || name == "cooperative_groups";
  words.warps = words.warps || words.groups || is_word_of(name, kWarpWords);
  words.shares = words.shares || words.votes || words.warps || is_word_of(name, kSharingWords);
  words.source = words.source || name == "__global__";
  words.any = words.any || words.shares || is_word_of(name, kCudaWords) || is_vector_word(name) || is_atomic_word(name);
}

}  // namespace

bool is_word_of_threads(std::string_view name) {
  constexpr std::string_view kPlaces[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "cooperative_groups"};
  return is_word_of(name, kPlaces) || is_word_of(name, kSharingWords) || is_word_of(name, kVoteWords) ||
         (name.starts_with("__") && is_word_of(name, kWarpWords));
}

CudaWords cuda_words_of(std::span<const std::string_view> texts) {
  CudaWords words;
  for (const std::string_view text : texts) {
    try {
      Scanner scanner(text);
      for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
        if (token.kind == Token::Kind::identifier) note(words, token.text);
      }
    } catch (const ScanError&) {  // the compiler says so
    }
  }
  return words;
}

namespace {

/// The tokens of a text; none where it does not scan, which the compiler reports.
std::vector<Token> tokens_or_none(const std::string& text) {
  try {
    return tokens_of(text);
  } catch (const ScanError&) {
    return {};
  }
}

}  // namespace

std::string with_dynamic_memory(std::string text) {
  constexpr std::string_view kBoth = "__extern_shared__";
  if (text.find("__shared__") == std::string::npos || text.find("extern") == std::string::npos) return text;
  const std::vector<Token> tokens = tokens_or_none(text);
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    const Token& first = tokens[t];
    const Token& second = tokens[t + 1];
    const bool both =
        (first.text == "extern" && second.text == "__shared__") || (first.text == "__shared__" && second.text == "extern");
    if (!both || first.place.line != second.place.line) continue;
    const std::size_t end = second.offset + second.text.size();
    text.replace(first.offset, end - first.offset, std::string(kBoth) + std::string(end - first.offset - kBoth.size(), ' '));
  }
  return text;
}

std::string with_words_of_cuda(std::string line) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"__kernel__", "__global__"},
                                                                      {"__kernel_bounds__", "__launch_bounds__"},
                                                                      {"__exported__", "__constant__"},
                                                                      {"__extern_shared__", "extern __shared__"}};
  for (const auto& [word, written] : kWords) {
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
      line.replace(at, word.size(), written);
  }
  return line;
}

std::string with_kernels_as_functions(std::string text) {
  if (text.find("__global__") == std::string::npos) return text;
  const std::vector<Token> tokens = tokens_or_none(text);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    if (token.kind != Token::Kind::identifier) continue;
    if (!constant_at(tokens, t).empty()) text.replace(token.offset, token.text.size(), "__exported__");
    if (token.text == "__global__") text.replace(token.offset, token.text.size(), "__kernel__");
    if (token.text == "__launch_bounds__") text.replace(token.offset, token.text.size(), "__kernel_bounds__");
  }
  return text;
}

}  // namespace kiln::codegen
