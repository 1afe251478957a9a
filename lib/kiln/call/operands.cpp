#include "call/operands.hpp"

#include <algorithm>
#include <utility>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln::call {
namespace {

const Array kNone;

std::string text(DType dtype) {
  return std::string(name(dtype));
}

}  // namespace

Operands::Operands(const Callee& callee, const Given& given, std::size_t nin, std::size_t nout, std::size_t more)
    : callee_(callee),
      given_(given),
      nin_(nin),
      inputs_(nin + (given.where.valid() ? 1 : 0)),
      nout_(nout),
      count_(inputs_ + nout) {
  if (given.args.size() != nin) {
    throw Because<TypeError>(Reason::arguments, what() + " takes " + counted(nin, "argument") + ", " +
                                                    std::to_string(given.args.size()) + " given; " + callee.forms());
  }
  if (count_ + more > kMax) {
    throw TypeError(what() + ": " + (masked() ? ".where makes" : "what is read of outputs and raw operands makes") +
                    " more operands than the " + std::to_string(kMax) + " that a kernel takes; use fewer operands");
  }
  for (std::size_t k = 0; k < nin; ++k) {
    const Arg& arg = given.args[k];
    operands_[k] = {rep_given(k, arg.array(), arg.ref()), arg.is_array() ? nullptr : &arg, 0};
    if (arg.is_array() && operands_[k].rep == nullptr)
      throw Because<TypeError>(Reason::empty, what() + ": " + name_of(k) + " is an empty Array handle, not an array");
    if (arg.is_array() && is_constant(k)) {
      throw TypeError(what() + ": " + name_of(k) +
                      " is an array, and the parameter is \"constant\": the kernel is compiled for its value; give its value, "
                      "which item() of the array returns");
    }
  }
  take_outputs();
  if (!masked()) return;
  operands_[nin_] = {rep_given(nin_, given.where.array(), given.where.ref()), nullptr, 1};
  if (operands_[nin_].rep->dtype != DType::bool_) {
    throw Because<TypeError>(Reason::casting, what() + ": cannot cast .where from " + text(operands_[nin_].rep->dtype) +
                                                  " to bool; give a bool array, such as the result of a comparison");
  }
}

Operands::Operands(const Callee& callee, std::span<const Arg> args, const Context& context, std::size_t nin,
                   std::uint64_t written)
    : Operands(callee, {args, kNoMask, {}, context}, nin, 0) {
  written_ = written;
}

const detail::ArrayRep* Operands::rep_given(std::size_t k, const Array& array, const ArrayRef* ref) {
  if (ref == nullptr) [[likely]]
    return array.rep().get();
  try {
    return borrowed_.add(k, *ref);
  } catch (const ShapeError& error) {
    throw_again(error, what() + ": " + name_of(k) + ": " + error.what());
  }
}

void Operands::take_outputs() {
  const std::span<const ArrayArg> outs = given_.out;
  for (std::size_t o = 0; o < nout_; ++o) {
    operands_[inputs_ + o] = {nullptr, nullptr, 0};
    if (o < outs.size()) operands_[inputs_ + o].rep = rep_given(inputs_ + o, outs[o].array(), outs[o].ref());
  }
  if (outs.empty()) return;
  if (outs.size() != nout_) {
    throw TypeError(what() + " has " + counted(nout_, "output") + ", .out names " + counted(outs.size(), "array"));
  }
  if (std::any_of(outs.begin(), outs.end(), [](const ArrayArg& out) { return out.valid(); })) return;
  throw TypeError(what() + ": " + name_of(inputs_) + " is an empty Array handle, not an array" +
                  (nout_ > 1 ? ", and so are the others; leave .out away for fresh results" : ""));
}

std::string Operands::name_of(std::size_t k) const {
  if (is_mask(k)) return ".where";
  return callee_.operand_name(is_output(k) ? k - inputs_ + nin_ : k);
}

const Array& Operands::given(std::size_t k) const noexcept {
  if (is_output(k)) return k - inputs_ < given_.out.size() ? given_.out[k - inputs_].array() : kNone;
  return is_mask(k) ? given_.where.array() : given_.args[k].array();
}

Array Operands::handle(std::size_t k) const {
  if (const Array& array = given(k); array.valid() || borrowed_.empty()) return array;
  return borrowed_.handle(k);
}

void Operands::place(std::span<const Array> more) {
  if (profiled_ && !planned_) [[unlikely]]
    profiled_.named(what());
  const std::size_t all = count_ + more.size();
  const auto rep_of = [&](std::size_t k) { return k < count_ ? operands_[k].rep : more[k - count_].rep().get(); };
  if (planned_on_) {
    place_ = planned_place(*planned_on_, all, rep_of);
  } else {
    place_ = choose_place([this] { return what(); }, all, rep_of, [this](std::size_t k) { return name_of(k); }, given_.context);
  }
}

void Operands::set_types(const Types& types) {
  arguments_ = types.inputs;
  outputs_ = types.outputs;
  for (std::size_t k = 0; k < count_; ++k) operands_[k].itemsize = static_cast<std::int64_t>(itemsize(storage_dtype(k)));
}

void Operands::check_casts(const Types& types, Casting casting) const {
  for (std::size_t o = 0; o < given_.out.size(); ++o) {
    if (!is_given(o)) continue;
    const DType to = operands_[inputs_ + o].rep->dtype;
    if (can_cast(types.outputs[o], to, casting)) continue;
    throw Because<TypeError>(Reason::casting, what() + ": cannot cast " + name_of(inputs_ + o) + " from " +
                                                  text(types.outputs[o]) + " to the out array's " + text(to) +
                                                  " under casting \"" + std::string(name(casting)) + "\" for the loop " +
                                                  types.loop + "; give one of " + text(types.outputs[o]));
  }
}

std::vector<DType> Operands::storage_dtypes() const {
  std::vector<DType> dtypes;
  for (std::size_t k = 0; k < count_; ++k) dtypes.push_back(storage_dtype(k));
  return dtypes;
}

void Operands::check_fits(const Types& types, std::size_t k, DType to, Casting casting) const {
  const Arg& scalar = *operands_[k].scalar;
  if (kind(scalar.dtype()) != Kind::integer || kind(to) != Kind::integer || casting == Casting::unsafe ||
      integer_fits(scalar.dtype(), scalar.value(), to)) {
    return;
  }
  throw Because<TypeError>(Reason::overflow, what() + ": the integer " + integer_text(scalar.dtype(), scalar.value()) +
                                                 " given as " + name_of(k) + " does not fit in " + text(to) +
                                                 ", the dtype of the loop " + types.loop);
}

void Operands::convert_scalars(const Types& types, Casting casting) {
  for (std::size_t k = 0; k < nin_; ++k) {
    const Arg* const scalar = operands_[k].scalar;
    if (scalar == nullptr) continue;
    check_fits(types, k, compute_dtype(k), casting);
    convert_scalar(scalar->dtype(), scalar->value(), compute_dtype(k), values_[k].bytes);
  }
  for (const auto& [operand, to] : types.narrowed) check_fits(types, operand, to, casting);
}

std::optional<ConstantKey> Operands::constants() const noexcept {
  std::optional<ConstantKey> key(place_.device);
  for (std::size_t k = 0; k < nin_; ++k) {
    if (!is_constant(k)) continue;
    if (!operands_[k].scalar->known()) return std::nullopt;
    key->add(compute_dtype(k), values_[k].bytes);
  }
  return key;
}

void Operands::check_output(std::size_t k, const Shape& shape) const {
  if (operands_[k].rep == nullptr) return;
  call::check_output([this] { return what(); }, *operands_[k].rep, shape, [this](std::size_t i) { return name_of(i); }, k);
}

std::string Operands::text_of(std::size_t k) const {
  if (k < nin_ && !given_.args[k].is_array()) return text(given_.args[k].dtype());
  if (given_rep(k) == nullptr) return "";
  const detail::ArrayRep& rep = *given_rep(k);
  const bool copied = place_.staged ? (overwritten_ >> k & 1U) != 0 : operands_[k].rep != &rep;
  if (copied) return call::text_of(*as_copied(rep, k).rep());
  for (std::size_t i = 0; i < nin_ && is_output(k); ++i) {
    if (given_rep(i) != nullptr && same_window(*given_rep(i), rep)) return call::text_of(rep, " of input " + std::to_string(i));
  }
  return call::text_of(rep);
}

Description Operands::description(bool with_constants) const {
  Description call;
  for (std::size_t k = 0; k < nin_; ++k) {
    call.inputs.push_back(text_of(k));
    if (with_constants && is_constant(k)) call.inputs.back() += scalar_value_text(*operands_[k].scalar);
  }
  if (masked()) call.where = text_of(nin_);
  for (std::size_t k = inputs_; k < count_ && some_given(); ++k) call.out.push_back(text_of(k));
  return call;
}

std::vector<std::string> Operands::casts() const {
  std::vector<std::string> casts;
  for (std::size_t k = 0; k < count_; ++k) {
    const DType stored = storage_dtype(k);
    const DType computed = compute_dtype(k);
    if (stored == computed) continue;
    const bool output = is_output(k);
    casts.push_back(name_of(k) + " from " + text(output ? computed : stored) + " to " + text(output ? stored : computed));
  }
  return casts;
}

std::vector<std::string> Operands::transfers() const {
  std::vector<std::string> transfers;
  for (std::size_t k = 0; k < count_ && place_.staged; ++k) {
    if (operands_[k].rep == nullptr || !operands_[k].rep->on_host) continue;
    transfers.push_back(name_of(k) + (is_output(k) ? " is fetched from " : " is sent to ") + to_string(place_.device) +
                        (!is_output(k) && is_written(k) ? " and fetched" : ""));
  }
  return transfers;
}

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void Operands::give(std::span<Array> results) const {
  for (std::size_t o = 0; o < results.size(); ++o) {
    if (is_given(o)) results[o] = handle(inputs_ + o);
  }
}

void check_results_wanted(const std::string& function, std::size_t nout, std::size_t wanted, const Outputs& given) {
  if (nout == wanted) return;
  const bool all_given = given.list().size() == nout && std::ranges::all_of(given.list(), &ArrayArg::valid);
  if (wanted == 0 && all_given) return;
  if (wanted == 1) {
    throw TypeError(function + " has " + std::to_string(nout) + " outputs: call outputs<" + std::to_string(nout) +
                    ">() instead of operator()");
  }
  throw TypeError(function + " has " + counted(nout, "output") + ", not " + std::to_string(wanted));
}

void fail_nothing(const std::string& function) {
  throw TypeError(function + ": there is nothing to compute, so that no kernel would run; give arrays that have elements");
}

}  // namespace kiln::call
