// One kernel of a ufunc's method as a manifest writes it: {"method": "reduce", "loop": "float32, float32 -> float32", …}; and
// the usual ones of a method that is only named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manifest/entry.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/method_variant.hpp"

namespace kiln::manifest {

/// The units of a ufunc's methods, each of its CPU's kernels once: there one does for many layouts.
class MethodUnits {
 public:
  MethodUnits(std::shared_ptr<const detail::UfuncImpl> impl, std::vector<Unit>& units)
      : impl_(std::move(impl)), units_(units) {}

  /// Reads an element of "variants" that has a "method", and gives its canonical JSON.
  Json read(const Node& node);
  /// The usual kernels for arrays of the dtypes of a loop. `method` is a word of "methods".
  void add_usual(const Node& method, const ufunc::Loop& loop, const std::string& where);

 private:
  void add(const ufunc::Loop& loop, const ufunc::MethodVariant& variant, ufunc::Processors processors,
           const std::string& where);
  void add_unit(const ufunc::Loop& loop, const ufunc::MethodVariant& variant, ufunc::Processors processors, std::string where,
                std::string name);
  void check_method(const Node& node, ufunc::Method method) const;

  struct OnCpu {
    std::string loop;
    ufunc::MethodVariant variant;
    friend bool operator==(const OnCpu&, const OnCpu&) = default;
  };
  std::shared_ptr<const detail::UfuncImpl> impl_;
  std::vector<Unit>& units_;
  std::vector<OnCpu> on_cpu_;
};

/// What read() reads. What the loop tells is left out; `reorderable` is the ufunc's.
[[nodiscard]] Json method_variant_json(const ufunc::Loop& loop, const ufunc::MethodVariant& variant,
                                       ufunc::Processors processors, bool reorderable);

}  // namespace kiln::manifest
