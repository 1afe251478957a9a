// A function that a layer above has. The lower layer declares it as Provided; the upper one provides it when the library is
// loaded.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

namespace kiln::base {

template <class Signature>
class Provided;

/// Thread-safe. Calling one that no linked layer provides is a defect of the build (std::logic_error).
template <class Result, class... Arguments>
class Provided<Result(Arguments...)> {
 public:
  using Function = Result (*)(Arguments...);

  /// `layer` is the one that provides it, for the message.
  constexpr explicit Provided(const char* layer) noexcept : layer_(layer) {}

  /// True, so that a constant's initializer may do it.
  bool provide(Function function) noexcept {
    function_.store(function, std::memory_order_release);
    return true;
  }
  explicit operator bool() const noexcept { return function_.load(std::memory_order_acquire) != nullptr; }
  Result operator()(Arguments... arguments) const {
    const Function function = function_.load(std::memory_order_acquire);
    if (function == nullptr) throw std::logic_error(std::string("lib/kiln/") + layer_ + " is not linked");
    return function(std::forward<Arguments>(arguments)...);
  }

 private:
  const char* layer_;
  std::atomic<Function> function_{nullptr};
};

}  // namespace kiln::base
