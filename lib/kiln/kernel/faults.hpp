// What a kernel in debug mode left behind (kernels-src/core/faults.hpp): read after its launch, reported to the user.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "kernels-src/core/faults.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {

struct LaunchDiagnostics {
  std::string fault = {};                 ///< the message of its first fault; empty: none
  std::vector<std::string> printed = {};  ///< by items, or by blocks and threads
  std::optional<Stopped> stopped = {};    ///< the call was, before its end
};

/// Waits for the queue's work, reads what the module's kernel left, and clears it, also where it throws for want of memory.
/// DeviceError of the work.
[[nodiscard]] LaunchDiagnostics take_diagnostics(backend::Backend& backend, const backend::Module& module,
                                                 backend::Queue* queue);

/// Forgets what the module's kernel left, and the request to end. Waits for the queue's work.
void forget_diagnostics(backend::Backend& backend, const backend::Module& module, backend::Queue* queue);
/// The same for a launch that failed: on a device that cannot be used any more nothing happens.
void forget_diagnostics_of_failed(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) noexcept;

/// Hands over what was printed (kiln::set_print), then throws: Stopped where the call was, which names the fault as well, or
/// the fault as DeviceError. Nothing where there is none of these.
void tell(const LaunchDiagnostics& diagnostics);

/// "k failed on cpu at item 41: index 16 of counts is out of bounds, its shape is (16,): k:2:9", below it the line and a caret.
/// `count` is of all faults, `device` as Backend::name() says it. Pure.
[[nodiscard]] std::string fault_message(const Fault& fault, std::uint32_t count, const backend::FaultTexts& texts,
                                        std::string_view device);

/// The texts of records, consecutively; a format that does not fit its values is said to. Pure.
[[nodiscard]] std::vector<std::string> printed_texts(std::string_view records);

}  // namespace kiln::kinds
