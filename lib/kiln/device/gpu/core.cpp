// What the parts of one opened GPU share.
#include "device/gpu/core.hpp"
#include "base/fork.hpp"

#include <array>
#include <new>

#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend::gpu {
namespace {

using abi::Status;

/// Faults that leave the context unusable; the same numbers in CUDA and HIP: uncorrectable ECC and NVLink errors, illegal
/// address, time-out, destroyed context, assert, stack, illegal instruction, misaligned address, address space, program
/// counter, launch failure, contained error.
constexpr std::array<Status, 13> kFaults = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};

bool is_fault(Status status) noexcept {
  for (const Status fault : kFaults) {
    if (status == fault) return true;
  }
  return false;
}

}  // namespace

Core::Core(const Driver& driver, int index) : driver_(driver), index_(index) {
  const auto require = [&](Status status, const char* what) {
    if (status != abi::kSuccess) throw driver.error(status, what, index);
  };
  require(calls().device_get(&device_, index), "open the device");
  if (dialect().context == ContextModel::primary_context) {
    require(calls().primary_retain(&context_, device_), "retain the primary context");
  }
}

int Core::attribute(int number) const {
  int value = 0;
  check(calls().device_attribute(&value, number, device_), "read an attribute");
  return value;
}

void Core::require_usable() const {
  if (base::forked()) [[unlikely]] {
    throw Because<DeviceError>(
        Reason::fork,
        "cannot use " + name() +
            " in a process forked from one that used kiln: GPU contexts do not survive fork(); restart the process "
            "(exec) or use the CPU");
  }
  if (driver_.gone()) [[unlikely]] {
    throw DeviceError("cannot use " + name() + " any more: the process is exiting, and " + std::string(dialect().runtime) +
                      "'s runtime ends with it");
  }
  if (const Status fault = fault_.load(std::memory_order_relaxed); fault != abi::kSuccess) [[unlikely]] {
    throw Because<DeviceError>(Reason::fault,
                               name() + " is lost to this process: an earlier kernel failed with " + driver_.error_text(fault) +
                                   "; restart the process to use the device again",
                               fault, driver_.error_name(fault));
  }
}

bool Core::usable() const noexcept {
  return !base::forked() && !driver_.gone() && fault_.load(std::memory_order_relaxed) == abi::kSuccess;
}

void Core::fail(Status status, const std::string& what) const {
  if (is_fault(status)) {
    fault_.store(status, std::memory_order_relaxed);
    // The driver reports a kernel's fault at a later call, which has nothing to do with it.
    throw Because<DeviceError>(Reason::fault,
                               "a kernel failed on " + name() + ": " + driver_.error_text(status) +
                                   "; the device is lost to this process until it is restarted",
                               status, driver_.error_name(status));
  }
  throw driver_.error(status, what, index_);
}

Current::Current(const Core& core, std::nothrow_t) noexcept : core_(core) {
  const DriverTable& calls = core.calls();
  if (core.dialect().context == ContextModel::primary_context) {
    abi::Handle current = nullptr;
    status_ = calls.context_get(&current);
    if (status_ != abi::kSuccess || current == core.context()) return;
    status_ = calls.context_push(core.context());
  } else {
    status_ = calls.device_current(&previous_);
    if (status_ != abi::kSuccess || previous_ == core.device()) return;
    status_ = calls.device_select(core.device());
  }
  changed_ = ok();
}

Current::Current(const Core& core) : Current(core, std::nothrow) {
  core.check(status_, "make the device current");
}

Current::~Current() {
  if (!changed_) return;
  if (core_.dialect().context == ContextModel::primary_context) {
    abi::Handle popped = nullptr;
    core_.calls().context_pop(&popped);
  } else {
    core_.calls().device_select(previous_);
  }
}

}  // namespace kiln::backend::gpu
