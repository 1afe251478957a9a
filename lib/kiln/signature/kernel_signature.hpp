// Signatures of raw kernels: "void(const float32[:] x, T[:,:] y, T* p, int64 n) where T: float32, float64". Text to value;
// every error has its place in the text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.hpp"

namespace kiln::signature {

struct KernelParameter {
  Type type;
  std::string name;
  std::size_t position = 0;  ///< of the name in the text
  bool read_only = false;    ///< an array, declared "const"
  bool constant = false;     ///< a scalar whose value is part of the kernel
  bool array = false;        ///< a view or a pointer
  int dimensions = 0;        ///< of a view, from 1; 0: a pointer, or a scalar
};

/// What the views of a kernel have together at most.
inline constexpr int kMaxViewDimensions = 64;

struct KernelSignature {
  std::vector<KernelParameter> parameters;
  std::vector<TypeVariable> variables;
  std::string text;
};

/// SignatureError where the text is no signature of a raw kernel.
[[nodiscard]] KernelSignature parse_raw(std::string_view text);

/// "void(const float32[:] x, int64 n)": with a dtype for each type variable, in order.
[[nodiscard]] std::string bound_text(const KernelSignature& signature, std::span<const DType> variables);

/// "float32" or "T", as the signature has it.
[[nodiscard]] std::string type_text(const KernelSignature& signature, const KernelParameter& parameter);

}  // namespace kiln::signature
