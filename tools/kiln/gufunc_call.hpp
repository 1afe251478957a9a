// What `kiln eval --layout` does: a generalized ufunc from a kernel's text, and its call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/chunked.hpp"
#include "method.hpp"

namespace kiln::tool {

/// As given on the command line; empty: not given.
struct LayoutOptions {
  std::string layout;
  std::string each;
  std::string group;
  std::string shared;
  std::string sizes;
  std::string axes;

  /// UsageError where another of them is given without a layout.
  void check_without_layout() const;
};

class GufuncCall {
 public:
  /// UsageError for options that only ufuncs have, and values that cannot be read.
  GufuncCall(const LayoutOptions& layout, const MethodOptions& options);

  /// The kernel of that text, with the layout's options.
  [[nodiscard]] GufuncDefinition definition(std::string_view text) const;
  /// `more` has the mask, the stream, and perhaps outputs. `chunks`: null, or how it is cut.
  [[nodiscard]] std::vector<Array> run(const Gufunc& gufunc, std::span<const Arg> operands, const CallOptions& more,
                                       const ChunkOptions* chunks) const;
  [[nodiscard]] std::vector<ResultSpec> result_specs(const Gufunc& gufunc, std::span<const Arg> operands,
                                                     const CallOptions& more) const;

  /// UsageError where ranks cannot divide the work: the core axes are given.
  void check_ranks() const;

 private:
  [[nodiscard]] GufuncOptions options(const CallOptions& more) const;

  LayoutOptions layout_;
  GufuncOptions call_;
};

}  // namespace kiln::tool
