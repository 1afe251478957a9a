// Reading .shared, and how much memory that is in a call.
#include <algorithm>
#include <array>
#include <limits>

#include "gufunc/impl.hpp"
#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "source/directives.hpp"
#include "source/user_text.hpp"

namespace kiln::gufunc {
namespace {

constexpr std::int64_t kAlignment = 16;  // kernels-src/gufunc/team_gpu.hpp, team_cpu.hpp

std::optional<DType> dtype_of(const std::string& name) {
  if (name == "index") return DType::int64;
  try {
    return dtype_from_name(name);
  } catch (const TypeError&) {
    return std::nullopt;
  }
}

/// The definition's texts, without the files that they include.
struct Texts {
  explicit Texts(const GufuncDefinition& definition)
      : defines(codegen::defines_text(definition.compile.defines)),
        all{definition.body, definition.compile.preamble, definition.compile.functions, defines} {}
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  [[nodiscard]] bool include_files() const { return std::ranges::any_of(all, codegen::includes_files); }
  [[nodiscard]] bool name(std::string_view word) const {
    return std::ranges::any_of(all, [&](std::string_view text) { return codegen::names_any(text, std::array{word}); });
  }

  std::string defines;
  std::array<std::string_view, 4> all;
};

}  // namespace

SharedMemory::SharedMemory(const GufuncDefinition& definition, const signature::Layout& layout,
                           const std::vector<signature::TypeSignature>& signatures)
    : names_(layout) {
  const Texts texts(definition);
  const bool shares = texts.name("shared");
  const bool has_own = texts.name("KILN_SHARED");
  if (definition.shared.empty() && shares && has_own) {
    throw SignatureError(definition.name +
                             ": its KILN_SHARED variables and the arrays of shared<T>() are one memory; declare the arrays in "
                             ".shared, as \"float32[n]\"",
                         definition.group, 0);
  }
  any_amount_ = definition.shared.empty() && (shares || (texts.include_files() && !has_own));
  has_variables_ = has_own || texts.include_files();
  names_.dimensions.push_back({.name = "lanes", .size = std::nullopt});
  arrays_ = signature::parse_shared_arrays(definition.shared, names_);
  for (const signature::SharedArray& array : arrays_) {
    const bool known = std::ranges::all_of(signatures, [&](const signature::TypeSignature& each) {
      return std::ranges::any_of(each.variables, [&](const auto& variable) { return variable.name == array.type; });
    });
    if (known || dtype_of(array.type)) continue;
    signature::Cursor(definition.shared)
        .fail_at(array.position, "\"" + array.type + "\" is no dtype, type variable or \"index\"; share uint8 for others");
  }
}

std::optional<std::int64_t> SharedMemory::bytes(const ufunc::Loop& loop, std::span<const std::int64_t> sizes, int lanes,
                                                std::string_view name) const {
  if (any_amount_) return std::nullopt;
  std::vector<std::int64_t> values(sizes.begin(), sizes.end());
  values.push_back(lanes);
  std::int64_t bytes = 0;
  for (const signature::SharedArray& array : arrays_) {
    const auto variable = std::ranges::find(loop.variables, array.type, [](const auto& each) { return each.first; });
    const DType dtype = variable == loop.variables.end() ? *dtype_of(array.type) : variable->second;
    std::int64_t own = evaluate(array.count, names_, values, name);
    const bool overflows = __builtin_mul_overflow(own, static_cast<std::int64_t>(itemsize(dtype)), &own) ||
                           __builtin_add_overflow(own, kAlignment - 1, &own) ||
                           __builtin_add_overflow(bytes, own / kAlignment * kAlignment, &bytes);
    if (overflows) return std::numeric_limits<std::int64_t>::max();
  }
  return bytes;
}

}  // namespace kiln::gufunc
