// Elements of outputs that are not stored as bodies see them: what A(i, j) and `auto& x` of a loop over A are then.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

// An element of an output that is not stored as bodies see it: converted when it is read and when it is assigned. E is one of
// the structures that are rendered for each operand. Under a name of its own it is not read: `auto x = y(i)` would be the
// element as it is later, where bodies mean what it is now.
template <class E>
struct reference {
  using value = typename E::value;
  using compute = typename E::compute;
  typename E::storage* place;
  KILN_FN operator value() const&& { return E::load(*place); }
  operator value() const& = delete;                           // write its type instead of auto
  KILN_FN value kiln_now() const { return E::load(*place); }  // for division.hpp
  template <class T>
  KILN_FN const reference& operator=(const T& x) const {
    // A half is made of the number itself. Its value is a float, which would round a double or an integer first.
    if constexpr (real_number<T>) {
      *place = E::store(static_cast<compute>(x));
    } else if constexpr (requires { requires real_number<decltype(+x)>; }) {
      *place = E::store(static_cast<compute>(+x));
    } else {
      const value converted = x;
      *place = E::store(static_cast<compute>(converted));
    }
    return *this;
  }
  template <class Other>
  KILN_FN const reference& operator=(const reference<Other>&& x) const {
    return *this = Other::load(*x.place);
  }
  KILN_FN const reference& operator=(const reference&& x) const { return *this = E::load(*x.place); }
  template <class Other>
  const reference& operator=(const reference<Other>& x) const = delete;  // write its type instead of auto
  const reference& operator=(const reference& x) const = delete;
  KILN_FN reference(typename E::storage* p) : place(p) {}
  reference() = default;
  reference(const reference&) = default;
#define KILN_ASSIGNMENT(op)                                                   \
  template <class T>                                                          \
  KILN_FN const reference& operator op##=(const T & x) const {                \
    return *this = E::load(*place) op x;                                      \
  }                                                                           \
  template <class Other>                                                      \
  KILN_FN const reference& operator op##=(const reference<Other>&& x) const { \
    return *this = E::load(*place) op Other::load(*x.place);                  \
  }
  KILN_ASSIGNMENT(+)
  KILN_ASSIGNMENT(-)
  KILN_ASSIGNMENT(*)
  KILN_ASSIGNMENT(/)
  KILN_ASSIGNMENT(%)
  KILN_ASSIGNMENT(&)
  KILN_ASSIGNMENT(|)
  KILN_ASSIGNMENT(^)
  KILN_ASSIGNMENT(<<)
  KILN_ASSIGNMENT(>>)
#undef KILN_ASSIGNMENT
  KILN_FN const reference& operator++() const { return *this += 1; }
  KILN_FN const reference& operator--() const { return *this -= 1; }
  KILN_FN value operator++(int) const {
    const value before = E::load(*place);
    *this += 1;
    return before;
  }
  KILN_FN value operator--(int) const {
    const value before = E::load(*place);
    *this -= 1;
    return before;
  }
};

// The one that a loop over a view has a name for.
template <class E>
struct named_reference : reference<E> {
  using value = typename E::value;
  named_reference() = default;
  named_reference(const named_reference&) = default;
  KILN_FN named_reference(typename E::storage* p) : reference<E>(p) {}
  KILN_FN operator value() const { return E::load(*this->place); }
  template <class T>
  KILN_FN const named_reference& operator=(const T& x) const {
    static_cast<const reference<E>&>(*this) = x;
    return *this;
  }
  KILN_FN const named_reference& operator=(const named_reference& x) const { return *this = value(x); }
};
template <class T>
struct named {
  using type = T;
};
template <class E>
struct named<reference<E>> {
  using type = named_reference<E>;
};

}  // namespace kiln
