// Where calls report what they ran. lib/kiln/manifest provides the recorder. Without KILN_RECORD there is none, and a call pays
// for one look at a flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/provided.hpp"
#include "call/description.hpp"
#include "kiln/kernel.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {
struct GufuncDefinition;
struct ReductionDefinition;
}  // namespace kiln

namespace kiln::cupy {
struct ElementwiseDefinition;
struct ReductionDefinition;
}  // namespace kiln::cupy

namespace kiln::raw {
struct CudaDefinition;
}  // namespace kiln::raw

namespace kiln::kinds {
enum class RawForm : std::uint8_t;
}  // namespace kiln::kinds

namespace kiln::ufunc {

/// A raw kernel that was launched: in the form of the launch, with a dtype for each of its type variables.
struct RawUse {
  const RawKernelDefinition& definition;
  const raw::CudaDefinition* source = nullptr;  ///< in CUDA's language, which it is a kernel of
  std::string_view expression = {};             ///< its name there
  std::span<const std::pair<std::string, DType>> types;
  std::span<const std::pair<std::string, std::string>> constants;  ///< name and value_text(); none: of the plain kernel
  std::span<const std::string> strided;       ///< views whose elements are not contiguous along their last dimension
  std::span<const std::string> strided_host;  ///< the same of host arrays, which a GPU gets contiguous
  kinds::RawForm form;
};

/// Thread-safe.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void used(const UfuncDefinition& ufunc, const call::Description& call) noexcept = 0;
  virtual void used(const cupy::ElementwiseDefinition& kernel, const call::Description& call) noexcept = 0;
  virtual void used(const cupy::ReductionDefinition& reduction, const call::Description& call) noexcept = 0;
  virtual void used(const GufuncDefinition& gufunc, const call::Description& call) noexcept = 0;
  /// `prepends_identity`: the identity stands in front of the elements.
  virtual void used(const ReductionDefinition& reduction, bool prepends_identity, const call::Description& call) noexcept = 0;
  virtual void used(const RawUse& use) noexcept = 0;
};

/// The recorder that the environment asks for, made at the first question and never destroyed; null where it asks for none.
inline constinit base::Provided<Recorder*()> open_recorder("manifest");

enum class Recording : std::uint8_t { unknown, off, on };
inline constinit std::atomic<Recording> recording{Recording::unknown};
inline constinit std::atomic<Recorder*> current_recorder{nullptr};

/// Null as a rule.
inline Recorder* recorder() noexcept {
  const Recording state = recording.load(std::memory_order_acquire);
  if (state == Recording::off) [[likely]]
    return nullptr;
  if (state == Recording::unknown) {
    Recorder* const opened = open_recorder ? open_recorder() : nullptr;
    current_recorder.store(opened, std::memory_order_release);
    recording.store(opened != nullptr ? Recording::on : Recording::off, std::memory_order_release);
  }
  return current_recorder.load(std::memory_order_acquire);
}

}  // namespace kiln::ufunc
