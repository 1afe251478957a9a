// The driver's own linker (cuLink…), for machines without nvJitLink, and for the emulator, which is its own driver.
#pragma once

#include "compiler/gpu/linker.hpp"
#include "library/driver.hpp"

namespace kiln::backend::gpu {

/// It takes no LTO-IR of CUDA's since 12, and inlines nothing.
class DriverLink final : public Linker {
 public:
  /// `driver` outlives it. Opens nothing.
  DriverLink(const Driver& driver, int index) : driver_(driver), index_(index) {}

  [[nodiscard]] std::string mark() const override;
  [[nodiscard]] bool takes_lto() const noexcept override { return false; }
  [[nodiscard]] std::string link(const KernelPart& kernel, const CompileRequest& request,
                                 const std::string& arch) const override;

 private:
  const Driver& driver_;
  int index_;
};

}  // namespace kiln::backend::gpu
