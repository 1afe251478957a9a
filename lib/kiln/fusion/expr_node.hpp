// What an Expr points to.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kiln/expr.hpp"
#include "types/arithmetic.hpp"
#include "ufunc/impl.hpp"

namespace kiln::fusion {

/// One run of a function given to fuse(): its address tells its parameters from those of others.
struct Scope {
  std::string name;  ///< the fused function's
};

struct Parameter {
  std::shared_ptr<const Scope> scope;
  std::size_t index = 0;
};

/// A C++ scalar.
struct Constant {
  DType dtype = DType::bool_;
  std::array<unsigned char, 16> bytes = {};
  friend auto operator<=>(const Constant&, const Constant&) = default;
};

/// A ufunc on expressions; its outputs are distinguished by Expr::output().
struct Application {
  std::shared_ptr<const detail::UfuncImpl> ufunc;
  std::vector<Expr> inputs;
  Arithmetic arithmetic = {};
};

/// Destroying a chain of nodes recurses, and so does reading one: their depth is bounded.
inline constexpr int kMaxDepth = 1000;

}  // namespace kiln::fusion

namespace kiln::detail {

struct ExprNode {
  std::variant<fusion::Parameter, fusion::Constant, fusion::Application> what;
  int depth = 0;  ///< of ufuncs below
};

}  // namespace kiln::detail
