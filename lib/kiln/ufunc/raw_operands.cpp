// Raw operands of a call, which are not broadcast: what they have to be, and what decides the shape then.
#include "ufunc/raw_operands.hpp"

#include "kernel/space.hpp"
#include "kiln/error.hpp"
#include "ufunc/call.hpp"

namespace kiln::ufunc {

std::uint64_t raw_operands_of(const signature::TypeSignature& signature) {
  std::uint64_t raw = 0;
  std::size_t operand = 0;
  for (const auto* list : {&signature.inputs, &signature.outputs}) {
    for (const signature::Parameter& parameter : *list) raw |= std::uint64_t{parameter.raw} << operand++;
  }
  return raw;
}

std::uint64_t inout_of(const signature::TypeSignature& signature) {
  std::uint64_t inout = 0;
  for (std::size_t o = 0; o < signature.outputs.size(); ++o) inout |= std::uint64_t{signature.outputs[o].inout} << o;
  return inout;
}

/// An operand that each element reaches whole is an array, and so is an output that is read.
void Call::check_given() const {
  // In CuPy's notation it begins as 0.
  for (std::size_t o = 0; ufunc_.inout() != 0 && ufunc_.cupy() == nullptr && o < operands_.nout(); ++o) {
    if (!operands_.is_inout(o) || operands_.is_given(o)) continue;
    throw TypeError(operands_.what() + ": " + operands_.name_of(operands_.inputs() + o) +
                    " is inout; give the array that is read and written with .out");
  }
  for (std::size_t k = 0; raw_ != 0 && k < operands_.count(); ++k) {
    if (!is_raw(k) || operands_.rep(k) != nullptr) continue;
    fail_no_array(operands_, k);
  }
}

void fail_no_array(const call::Operands& operands, std::size_t k) {
  throw TypeError(operands.what() + ": " + operands.name_of(k) + " is raw; give " +
                  (operands.is_output(k) ? "the array that it writes with .out" : "an array"));
}

void check_raw(const call::Operands& operands, std::size_t k, const std::string& loop, bool addressed) {
  const std::string operand = operands.what() + ": " + operands.name_of(k) + " is raw";
  const detail::ArrayRep* const rep = operands.rep(k);
  if (rep->dtype != operands.compute_dtype(k)) {
    throw TypeError(operand + " and has dtype " + std::string(name(rep->dtype)) + ", but the loop " + loop + " takes " +
                    std::string(name(operands.compute_dtype(k))) + "; convert it with astype()");
  }
  if (rep->shape.size() > LayoutClass::kMaxRawRank) {
    throw ShapeError(operand + " and has " + std::to_string(rep->shape.size()) + " dimensions; at most " +
                     std::to_string(LayoutClass::kMaxRawRank) + " are possible");
  }
  if (addressed && !rep->c_contiguous) {
    throw ShapeError(operand +
                     " and not contiguous in C order, and the body takes the address of an element, after which the "
                     "next one has to lie; give its copy()");
  }
  if (operands.is_output(k)) operands.check_output(k, rep->shape);
}

void Call::check_raw(std::size_t k) const {
  const std::size_t number = operands_.is_output(k) ? k - operands_.inputs() + operands_.nin() : k;
  ufunc::check_raw(operands_, k, plan_->loop.text, (ufunc_.addressed() >> number & 1U) != 0);
}

kinds::RawAxesSpec raw_axes_of(const call::Operands& operands, std::size_t k) {
  const detail::ArrayRep& rep = *operands.rep(k);
  return {.rank = static_cast<std::uint8_t>(rep.shape.size()),
          .packed = rep.c_contiguous,
          .wide = !rep.c_contiguous && rep.size > kinds::kMaxNarrowIndex};
}

/// The shape where no array decides it: that of .size, or of scalars.
void Call::find_size() {
  if (shape_ != nullptr) {
    throw TypeError(ufunc_.name() + ": .size is for calls whose shape no array decides, and here one of shape " +
                    to_string(*shape_) + " does; leave .size out");
  }
  shape_ = &own_shape_;  // scalars only: 0-d
  if (!options_.size) {
    if (ufunc_.raw_operands() == 0 && ufunc_.nin() > 0) return;
    throw TypeError(ufunc_.name() + ": no array decides how many elements there are" +
                    (raw_ != 0 ? ", as raw ones are not broadcast" : "") + "; give .size" +
                    (operands_.some_given() ? "" : " or .out"));
  }
  if (*options_.size < 0) {
    throw TypeError(ufunc_.name() + ": .size is " + std::to_string(*options_.size) + ", which is no number of elements");
  }
  size_ = *options_.size;
  own_shape_ = {size_};
}

}  // namespace kiln::ufunc
