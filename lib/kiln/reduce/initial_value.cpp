#include "reduce/initial_value.hpp"

#include "call/arrays_of.hpp"
#include "kiln/error.hpp"
#include "print/number_format.hpp"
#include "types/convert.hpp"
#include "types/each_dtype.hpp"
#include "types/reason.hpp"

namespace kiln::reduce {

InitialValue initial_value(const std::string& what, const Arg& given, const Stream& stream, DType to, const std::string& loop) {
  Array host;
  DType from = given.dtype();
  const void* value = given.value();
  if (given.is_array()) {
    const Array array = call::array_of(given);
    if (!array.valid()) throw TypeError(what + ": .initial is an empty Array handle, not a value");
    if (array.size() != 1) throw ShapeError(what + ": .initial has shape " + to_string(array.shape()) + "; give a scalar");
    // It is read here, and queued work may still write it.
    if (backend::Queue* const queue = stream.queue().get(); queue != nullptr) queue->synchronize();
    host = array.copy_to_host();
    from = host.dtype();
    value = host.data();
  }
  const auto refuse = [&](const std::string& number, const char* why, Reason reason) {
    throw Because<TypeError>(reason, what + ": the " + number + " given as .initial " + why + " " + std::string(name(to)) +
                                         ", the dtype of the loop " + loop);
  };
  if (kind(from) == Kind::integer && kind(to) == Kind::integer && !integer_fits(from, value, to)) {
    refuse("integer " + integer_text(from, value), "does not fit in", Reason::overflow);
  }
  if (kind(from) == Kind::complex && (kind(to) == Kind::integer || kind(to) == Kind::floating)) {
    refuse("complex number", "cannot become", Reason::casting);
  }
  if (kind(from) == Kind::floating && kind(to) == Kind::integer && !float_fits(from, value, to)) {
    double number = 0;
    convert_scalar(from, value, DType::float64, &number);
    refuse("number " + detail::scalar_text(number, DType::float64), "does not fit in", Reason::overflow);
  }
  InitialValue initial;
  convert_scalar(from, value, to, initial.bytes.data());
  // Halves are accumulated as float32.
  if (is_half(to)) convert_scalar(to, initial.bytes.data(), DType::float32, initial.bytes.data());
  return initial;
}

}  // namespace kiln::reduce
