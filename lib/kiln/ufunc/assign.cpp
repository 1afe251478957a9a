// Writing elements: on the host a strided copy, on a GPU a kernel.
#include "ufunc/assign.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "array/on_device.hpp"
#include "array/rep.hpp"
#include "call/window.hpp"
#include "device/backend.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "layout/broadcast.hpp"
#include "registry/registry.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln {

const Ufunc& ufunc::assignment() {
  static const Ufunc ufunc = vectorize({.name = "assign", .signatures = {"T(T x)"}, .body = "return x;"});
  return ufunc;
}

namespace {

constexpr std::array kIntegers = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                  DType::uint8, DType::uint16, DType::uint32, DType::uint64};

/// Floats to an integer dtype, with the ends of its range where C++ leaves the result open, as types/convert.hpp has it. A
/// power of two is exact in every dtype of a float.
Ufunc make_saturation(DType to) {
  const std::string name(kiln::name(to));
  const std::size_t digits = itemsize(to) * 8 - (is_signed(to) ? 1 : 0);
  return vectorize(
      {.name = "saturate_to_" + name,
       .signatures = {name + "(T x)"},
       .body = R"(const auto real = [](const auto& z) { if constexpr (requires { z.re; }) return z.re; else return z; };
const auto v = real(x);
using F = decltype(v + v);
const F above = F(MOST / 2 + 1) * F(2);
const F below = TO(-1) < TO(0) ? -above : F(0);
if (v >= above) return TO(MOST);
if (v <= below) return TO(below);
return v == v ? TO(v) : TO(0);)",
       .compile = {.defines = {"TO=" + name, "MOST=" + std::to_string(~std::uint64_t{0} >> (64 - digits)) + "ull"}}});
}

const Ufunc& saturation(DType to) {
  static const std::array<Ufunc, 8> all = [] {
    std::array<Ufunc, 8> made;
    std::size_t at = 0;
    for (const DType dtype : kIntegers) made[at++] = make_saturation(dtype);
    return made;
  }();
  return all[static_cast<std::size_t>(std::find(kIntegers.begin(), kIntegers.end(), to) - kIntegers.begin())];
}

/// Whatever the source is: the casting rule has been asked for.
void convert(const Array& from, const Array& to, const Stream& stream) {
  const bool to_integer = kind(to.dtype()) == Kind::integer && kind(from.dtype()) >= Kind::floating;
  const Ufunc& ufunc = to_integer ? saturation(to.dtype()) : ufunc::assignment();
  ufunc({from}, {.out = to, .stream = stream, .casting = Casting::unsafe});
}

void check_writable(const Array& array, const char* what) {
  if (array.read_only())
    throw Because<TypeError>(Reason::read_only, std::string(what) + ": the array is read-only; write to a copy() of it");
}

}  // namespace

void Array::assign(const Array& source, Casting casting) const {
  check_writable(*this, "assign");
  if (!can_cast(source.dtype(), dtype(), casting)) {
    throw Because<TypeError>(Reason::casting, "assign: cannot cast from " + std::string(kiln::name(source.dtype())) + " to " +
                                                  std::string(kiln::name(dtype())) + " under casting \"" +
                                                  std::string(kiln::name(casting)) +
                                                  "\"; give Casting::unsafe to convert all the same");
  }
  if (!layout::broadcasts_to(source.shape(), shape())) {
    throw ShapeError("assign: the source of shape " + to_string(source.shape()) + " does not broadcast to " +
                     to_string(shape()));
  }
  if (size() == 0) return;
  if (!device().is_cpu()) {
    const bool moves = !source.is_host() && !source.device().same_memory(device());
    convert(moves ? to_device(source, device()) : source, *this, {});
    return;
  }
  Array elements = source.device().is_cpu() ? source : source.copy_to_host();
  if (call::share_memory(*elements.rep(), *rep_)) elements = elements.copy();
  detail::copy_host(*elements.broadcast_to(shape()).rep(), *rep_);
}

namespace {

void convert_on_gpu(const Array& from, const Array& to, const Stream& stream) {
  if (from.size() == 0) return;
  convert(from, to, stream);
  if (stream.is_default()) backend::backend_for(to.device()).order_queues_after_default();
}

[[maybe_unused]] const bool provided = detail::convert_on_device.provide(convert_on_gpu);

}  // namespace

void Array::fill_raw(DType given, const void* value) const {
  check_writable(*this, "fill");
  const auto name_of = [](DType dtype) { return std::string(kiln::name(dtype)); };
  if (kind(given) > kind(dtype())) {
    throw TypeError("fill: a value of dtype " + name_of(given) + " does not convert to " + name_of(dtype()) +
                    "; convert it first");
  }
  if (kind(dtype()) == Kind::integer && !integer_fits(given, value, dtype())) {
    throw Because<TypeError>(Reason::overflow,
                             "fill: the integer " + integer_text(given, value) + " does not fit in " + name_of(dtype()));
  }
  const Array element = empty({}, dtype());
  convert_scalar(given, value, dtype(), element.data());
  assign(element, Casting::no);
}

}  // namespace kiln
