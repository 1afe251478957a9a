// The methods of a ufunc, and what of a call of accumulate or at decides its kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/scan/scan_layout.hpp"
#include "kernel/scatter/scatter_layout.hpp"
#include "kiln/dtype.hpp"

namespace kiln::ufunc {

/// The methods that have kernels of their own. outer is a call. partial: states of a part of what is reduced.
enum class Method : std::uint8_t { reduce, reduceat, accumulate, at, partial };

struct MethodVariant {
  Method method = Method::reduce;
  DType array = DType::float64;                ///< in memory; of at, what is changed
  std::optional<DType> value = std::nullopt;   ///< in memory: the second operand of at, where the ufunc takes two
  std::optional<DType> result = std::nullopt;  ///< in memory: of all but at, which changes the array
  kinds::ScanLayout scan = {};                 ///< of accumulate, on a GPU
  kinds::ScatterLayout layout = {};            ///< of at, on a GPU
};

struct MethodName {
  Method method;
  std::string_view name;
};
inline constexpr std::array kMethodNames{MethodName{Method::reduce, "reduce"}, MethodName{Method::reduceat, "reduceat"},
                                         MethodName{Method::accumulate, "accumulate"}, MethodName{Method::at, "at"},
                                         MethodName{Method::partial, "partial"}};

[[nodiscard]] constexpr std::string_view name(Method method) noexcept {
  return kMethodNames[static_cast<std::size_t>(method)].name;
}

}  // namespace kiln::ufunc
