// What all loops of reductions share: how elements that do not count stay out. A reduction R is rendered for each kernel:
//   R::accumulator, R::has_identity, R::masked;
//   R::commutes: combine(a, b) may take its operands in any order; otherwise neighbours are combined, in any grouping;
//   R::prepends_identity: the identity stands in front of the elements; otherwise it is only what nothing gives, and is
//   never combined;
//   R::closes: results are of all elements; otherwise they are states of a part, in front of which no identity stands;
//   R::maps: at(i) computes; otherwise it only reads;
//   R::takes_inputs: the identity depends on inputs of the call. It is identity() of elements and ends then; else of R;
//   R::identity(), R::combine(a, b);
//   R::mapped(x…) makes an accumulator of an element, R::post(a, y…) the results of one.
// Its sources are elements: at(i) is one mapped, counts(i) whether it does. Its ends are what takes results.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::loops {

template <class R, class Ends>
KILN_FN typename R::accumulator identity_of(const Ends& ends) {
  if constexpr (R::takes_inputs) {
    return ends.identity();
  } else {
    return R::identity();
  }
}

// Every element counts, or R has an identity that stands for those that do not.
template <class R>
struct plain {
  using state = typename R::accumulator;
  static constexpr bool commutes = R::commutes;
  template <class Source>
  static KILN_FN state one(const Source& s, int64 i) {
    if constexpr (R::masked) {
      const bool counts = s.counts(i);
      if (R::maps && !KILN_COMPUTES(counts)) {
        return identity_of<R>(s);
      }
      const typename R::accumulator a = s.at(i);
      return counts ? a : identity_of<R>(s);
    } else {
      return s.at(i);
    }
  }
  static KILN_FN state combine(const state& a, const state& b) { return R::combine(a, b); }
  static KILN_FN state lifted(const typename R::accumulator& a) { return a; }
  static KILN_FN typename R::accumulator value(const state& a) { return a; }
  // The result. The identity is prepended, if it is to be.
  template <class Ends>
  static KILN_FN typename R::accumulator closed(const Ends& ends, const state& a) {
    if constexpr (R::has_identity && R::prepends_identity && R::closes) {
      return R::combine(identity_of<R>(ends), a);
    } else {
      return a;
    }
  }
  // The result, with a call's initial value in front instead.
  static KILN_FN typename R::accumulator closed_with(const state& a, const typename R::accumulator& initial) {
    return R::combine(initial, a);
  }
};

// No identity that could be combined: an accumulator that may be of no element yet.
template <class R>
struct optional {
  struct state {
    typename R::accumulator value;
    bool any;
  };
  static constexpr bool commutes = R::commutes;
  template <class Source>
  static KILN_FN state one(const Source& s, int64 i) {
    const bool counts = s.counts(i);
    if (R::maps && !KILN_COMPUTES(counts)) {
      return {};
    }
    return {s.at(i), counts};
  }
  static KILN_FN state combine(const state& a, const state& b) {
    // Not combined before that is known: what does not count may be what the body cannot take. Values and not places are
    // chosen from: older compilers keep in memory what has an address.
    typename R::accumulator value = b.value;
    if (a.any) {
      value = a.value;
      if (b.any) {
        value = R::combine(a.value, b.value);
      }
    }
    return {value, a.any || b.any};
  }
  static KILN_FN state lifted(const typename R::accumulator& a) { return {a, true}; }
  static KILN_FN typename R::accumulator value(const state& a) { return a.value; }
  template <class Ends>
  static KILN_FN typename R::accumulator closed(const Ends& ends, const state& a) {
    if constexpr (R::has_identity) {
      return a.any ? a.value : identity_of<R>(ends);
    } else {
      return a.value;
    }
  }
  static KILN_FN typename R::accumulator closed_with(const state& a, const typename R::accumulator& initial) {
    return a.any ? R::combine(initial, a.value) : initial;
  }
};

template <class R, bool Optional = R::masked && !(R::has_identity && R::prepends_identity)>
struct counting {
  using type = plain<R>;
};
template <class R>
struct counting<R, true> {
  using type = optional<R>;
};
template <class R>
using counted = typename counting<R>::type;

// What a reduction of nothing gives without an initial value: the identity. The library refuses such a call where there is
// none.
template <class R, class Ends>
KILN_FN typename R::accumulator nothing(const Ends& ends) {
  if constexpr (R::has_identity) {
    return identity_of<R>(ends);
  } else {
    return typename R::accumulator();
  }
}

}  // namespace kiln::loops
