// Where calls report the kernels that they used. What becomes of a report is lib/manifest's business, which defines
// open_recorder(); without KILN_RECORD there is no recorder, and a call pays for one look at a flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kiln/kernel.hpp"
#include "kiln/ufunc.hpp"
#include "kinds/spec.hpp"
#include "ufunc/layout_class.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/method_variant.hpp"

namespace kiln::gufunc {
struct Use;
}
namespace kiln::reduce {
struct Use;
}

namespace kiln::ufunc {

/// Kinds of processors that run the same call by this layout: host arrays are packed on their way to a GPU, and lie there as
/// they do not lie here.
enum class Processors : std::uint8_t { cpu = 1, gpu = 2, all = 3 };

/// A kernel that ran.
struct Use {
  const UfuncDefinition& definition;
  const Loop& loop;
  std::span<const DType> storage;  ///< inputs, then outputs
  LayoutClass layout;
  Processors processors;
};

/// A kernel of a method that ran. Every kind of processor runs the like of it for the same call.
struct MethodUse {
  const UfuncDefinition& definition;
  const Loop& loop;
  const MethodVariant& variant;
};

/// A raw kernel that was launched: in the form of the launch, with a dtype for each of its type variables.
struct RawUse {
  const RawKernelDefinition& definition;
  std::span<const std::pair<std::string, DType>> types;
  codegen::RawForm form;
};

/// Thread-safe.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void used(const Use& use) noexcept = 0;
  virtual void used(const MethodUse& use) noexcept = 0;
  virtual void used(const gufunc::Use& use) noexcept = 0;
  virtual void used(const reduce::Use& use) noexcept = 0;
  virtual void used(const RawUse& use) noexcept = 0;
};

/// The recorder that the environment asks for, made at the first question and never destroyed; null where it asks for none.
Recorder* open_recorder() noexcept;

enum class Recording : std::uint8_t { unknown, off, on };
inline constinit std::atomic<Recording> recording{Recording::unknown};
inline constinit std::atomic<Recorder*> current_recorder{nullptr};

/// Null as a rule.
inline Recorder* recorder() noexcept {
  const Recording state = recording.load(std::memory_order_acquire);
  if (state == Recording::off) [[likely]]
    return nullptr;
  if (state == Recording::unknown) {
    Recorder* const opened = open_recorder();
    current_recorder.store(opened, std::memory_order_release);
    recording.store(opened != nullptr ? Recording::on : Recording::off, std::memory_order_release);
  }
  return current_recorder.load(std::memory_order_acquire);
}

}  // namespace kiln::ufunc
