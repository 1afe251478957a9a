// A function object by reference: for parameters that are called and not kept. Nothing is copied or allocated.
#pragma once

#include <type_traits>
#include <utility>

namespace kiln::base {

template <class Signature>
class FunctionRef;

/// Refers to the object it was made from, which must outlive it.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>)
  FunctionRef(const Function& function) noexcept  // NOLINT(google-explicit-constructor): a parameter's type
      : object_(&function), call_([](const void* object, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace kiln::base
