#include "call/operands.hpp"

#include <algorithm>
#include <memory>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "types/convert.hpp"

namespace kiln::call {
namespace {

const Array kNone;

/// The addresses between which all elements lie.
struct Bytes {
  const char* begin;
  const char* end;
};
Bytes bytes_of(const detail::ArrayRep& rep) {
  if (rep.c_contiguous || rep.f_contiguous) {
    return {rep.data, rep.data + rep.size * static_cast<std::int64_t>(itemsize(rep.dtype))};
  }
  const layout::Extent extent = layout::extent_of(window_of(rep));
  return {extent.begin, extent.end};
}

/// Of its elements; those that axes repeat count once.
std::int64_t bytes_in_memory(const detail::ArrayRep& rep) {
  auto bytes = static_cast<std::int64_t>(itemsize(rep.dtype));
  for (std::size_t d = 0; d < rep.shape.size(); ++d) bytes *= rep.strides[d] == 0 ? 1 : rep.shape[d];
  return bytes;
}

bool same_window(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.data == b.data && itemsize(a.dtype) == itemsize(b.dtype) && a.shape == b.shape && a.strides == b.strides;
}

std::string text(DType dtype) {
  return std::string(name(dtype));
}

}  // namespace

Borrowed::~Borrowed() {
  for (std::size_t i = std::min(count_, kInline); i-- > 0;) std::destroy_at(inline_at(i));
}

const detail::ArrayRep* Borrowed::add(std::size_t operand, const ArrayRef& ref) {
  if (count_ < kInline) {
    const Entry* const entry = std::construct_at(inline_at(count_), ref, operand);
    ++count_;
    return &entry->rep;
  }
  more_.push_back(std::make_unique<Entry>(ref, operand));
  ++count_;
  return &more_.back()->rep;
}

const Borrowed::Entry* Borrowed::entry_of(std::size_t operand) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (at(i).operand == operand) return &at(i);
  }
  return nullptr;
}

const detail::ArrayRep* Borrowed::find(std::size_t operand) const noexcept {
  const Entry* const entry = entry_of(operand);
  return entry != nullptr ? &entry->rep : nullptr;
}

Array Borrowed::handle(std::size_t operand) const {
  const Entry* const entry = entry_of(operand);
  return entry != nullptr ? detail::array_of(*entry->ref) : Array();
}

void Borrowed::wait_until_ready(const Device& device, backend::Queue* queue) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Event* const ready = at(i).ref->ready;
    if (ready == nullptr) continue;
    // A queue waits for events of its own device.
    device.same_memory(ready->device()) ? ready->handle()->wait(queue) : ready->handle()->synchronize();
  }
}

Operands::Operands(const Callee& callee, const Given& given, std::size_t nin, std::size_t nout, std::size_t more)
    : callee_(callee),
      given_(given),
      nin_(nin),
      inputs_(nin + (given.where.valid() ? 1 : 0)),
      nout_(nout),
      count_(inputs_ + nout) {
  if (given.args.size() != nin) {
    throw TypeError(what() + " takes " + counted(nin, "argument") + ", " + std::to_string(given.args.size()) + " given; " +
                    callee.forms());
  }
  if (count_ + more > kMax) {
    throw TypeError(what() + ": .where makes more operands than the " + std::to_string(kMax) +
                    " that a kernel takes; use fewer operands");
  }
  for (std::size_t k = 0; k < nin; ++k) {
    const Arg& arg = given.args[k];
    operands_[k] = {rep_given(k, arg.array(), arg.ref()), arg.is_array() ? nullptr : &arg, 0};
    if (arg.is_array() && operands_[k].rep == nullptr)
      throw TypeError(what() + ": " + name_of(k) + " is an empty Array handle, not an array");
    if (arg.is_array() && is_constant(k)) {
      throw TypeError(
          what() + ": " + name_of(k) +
          " is an array, and the parameter is \"constant\": the kernel is compiled for its value; give a C++ value, "
          "as array.item<T>() is");
    }
  }
  take_outputs();
  if (!masked()) return;
  operands_[nin_] = {rep_given(nin_, given.where.array(), given.where.ref()), nullptr, 1};
  if (operands_[nin_].rep->dtype != DType::bool_) {
    throw TypeError(what() + ": cannot cast .where from " + text(operands_[nin_].rep->dtype) +
                    " to bool; give a bool array, such as the result of a comparison");
  }
}

const detail::ArrayRep* Operands::rep_given(std::size_t k, const Array& array, const ArrayRef* ref) {
  if (ref == nullptr) [[likely]]
    return array.rep().get();
  try {
    return borrowed_.add(k, *ref);
  } catch (const ShapeError& error) {
    throw ShapeError(what() + ": " + name_of(k) + ": " + error.what());
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
    place_ = choose_place([this] { return what(); }, all, rep_of, [this](std::size_t k) { return name_of(k); }, given_.place);
    if (!borrowed_.empty()) borrowed_.wait_until_ready(place_.device, place_.queue);
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
    throw TypeError(what() + ": cannot cast " + name_of(inputs_ + o) + " from " + text(types.outputs[o]) +
                    " to the out array's " + text(to) + " under casting \"" + std::string(name(casting)) + "\" for the loop " +
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
  throw TypeError(what() + ": the integer " + integer_text(scalar.dtype(), scalar.value()) + " given as " + name_of(k) +
                  " does not fit in " + text(to) + ", the dtype of the loop " + types.loop);
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

std::uint64_t Operands::overlapping_inputs(bool by_element, std::vector<std::string>* report) {
  std::uint64_t found = 0;
  aliased_ = false;
  for (std::size_t o = inputs_; o < count_; ++o) {
    const detail::ArrayRep* const out = operands_[o].rep;
    if (out == nullptr) continue;
    const Bytes written = bytes_of(*out);
    for (std::size_t k = 0; k < count_; ++k) {
      const detail::ArrayRep* const rep = operands_[k].rep;
      if (rep == nullptr || k == o || (is_output(k) && k < o)) continue;
      if (by_element && !is_output(k) && same_window(*rep, *out)) {
        aliased_ = true;
        continue;
      }
      const Bytes read = bytes_of(*rep);
      if (read.begin >= written.end || written.begin >= read.end || !share_memory(*rep, *out)) continue;
      if (is_output(k)) fail_shared_outputs(what(), name_of(o), name_of(k));
      found |= std::uint64_t{1} << k;
      if (report != nullptr) report->push_back(name_of(k) + " overlaps " + name_of(o) + " and is copied first");
    }
  }
  return found;
}

void Operands::hold(std::size_t k, Array array) {
  held_.push_back(std::move(array));
  operands_[k].rep = held_.back().rep().get();
}

const Array& Operands::held_of(std::size_t k) const {
  return *std::find_if(held_.begin(), held_.end(), [&](const Array& each) { return each.rep().get() == operands_[k].rep; });
}

void Operands::replace(std::size_t input, Array array) {
  operands_[input].scalar = nullptr;
  hold(input, std::move(array));
}

void Operands::stage(bool keeps) {
  for (std::size_t k = 0; k < count_; ++k) {
    const detail::ArrayRep* const rep = operands_[k].rep;
    if (rep == nullptr || !rep->on_host) continue;
    const bool read = !is_output(k) || keeps;
    hold(k, planned_ ? as_sent(*rep, read, k, place_.device)
            : read   ? send(given_rep(k) != nullptr ? handle(k) : held_of(k), place_.device, place_.queue)
                     : allocate_for(place_.queue, rep->shape, rep->dtype, place_.device));
  }
}

void Operands::separate(bool by_element, bool keeps) {
  std::uint64_t copied = overlapping_inputs(by_element);
  if (place_.staged) {
    if (!planned_) refuse_staging(what(), place_.device);
    overwritten_ = copied;
    stage(keeps);
    copied = overlapping_inputs(by_element);
  }
  if (copied == 0) return;
  if (!planned_) {
    backend::Capture::refuse(what(),
                             "an output shares memory with an input that would have to be copied first; give another .out");
  }
  copy(copied);
}

void Operands::copy(std::uint64_t inputs) {
  // A copy is made at once, so work that is still queued must be done.
  if (place_.queue != nullptr && !planned_) place_.queue->synchronize();
  for (; inputs != 0; inputs &= inputs - 1) {
    const auto k = static_cast<std::size_t>(__builtin_ctzll(inputs));
    hold(k, planned_ ? as_copied(*given_rep(k), k) : handle(k).copy());
  }
}

Array Operands::allocate(const Shape& shape, DType dtype, Order order) const {
  if (planned_) {
    const Strides strides = detail::packed_strides(shape, static_cast<std::int64_t>(itemsize(dtype)), order);
    return in_no_memory(shape, strides, dtype, kMax, place_.device, results_on_host());
  }
  if (results_on_host()) return Array::empty(shape, dtype, order);
  // What only goes on to the host is the queue's own.
  return allocate_for(place_.on_host ? place_.queue : nullptr, shape, dtype, place_.device, order);
}

Array Operands::zeros(const Shape& shape, DType dtype) const {
  if (planned_) return allocate(shape, dtype);
  Array made = Array::zeros(shape, dtype);
  return results_on_host() ? made : to_device(made, place_.device);
}

std::shared_ptr<const void> Operands::kept(std::span<const Array> results) const {
  auto kept = std::make_shared<std::vector<Array>>(held_);
  backend::Capture* const capture = backend::Capture::current();
  for (std::size_t k = 0; k < count_; ++k) {
    // Memory of the caller's is the caller's to keep; a graph has to know where it is.
    if (capture != nullptr || given(k).valid()) kept->push_back(handle(k));
  }
  kept->insert(kept->end(), results.begin(), results.end());
  if (capture != nullptr) note_memory(*capture, *kept);
  return kept;
}

void Operands::measure(std::span<const Array> results) const {
  profiled_.on(place_.device, place_.queue);
  profiled_.reads(1, 0);
  const auto used = [&](const detail::ArrayRep& rep, bool output) {
    output ? profiled_.writes(rep.size, bytes_in_memory(rep)) : profiled_.reads(rep.size, bytes_in_memory(rep));
  };
  for (std::size_t k = 0; k < count_; ++k) {
    const detail::ArrayRep* rep = operands_[k].rep;
    if (rep == nullptr && is_output(k)) rep = results[k - inputs_].rep().get();
    if (rep != nullptr) used(*rep, is_output(k));
  }
  if (results.size() <= nout_) return;
  for (const Array& each : results) {
    const bool beside = each.valid() && each.rep().get() != operands_[inputs_].rep && !(place_.gpu() && each.is_host());
    if (beside) used(*each.rep(), false);
  }
}

void Operands::check_files() const {
  if (!place_.gpu() && place_.queue != nullptr) place_.queue->synchronize();  // who reads has read
  for (std::size_t k = 0; k < count_; ++k) {
    if (const detail::ArrayRep* const rep = given_rep(k)) detail::MappedFile::check(*rep);
  }
}

void Operands::fetch_staged(std::span<Array> results) const {
  try {
    fetch_each(results);
  } catch (...) {
    // Memory of the queue's own must not be the caller's.
    for (std::size_t o = 0; o < results.size(); ++o) {
      if (!is_given(o)) results[o] = Array();
    }
    throw;
  }
}

void Operands::fetch_each(std::span<Array> results) const {
  if (place_.queue != nullptr) place_.queue->synchronize();
  for (std::size_t o = 0; o < nout_; ++o) {
    if (is_given(o)) {
      const std::size_t k = inputs_ + o;
      if (rep(k) != given_rep(k)) call::fetch(held_of(k), handle(k), place_.queue);
    } else if (place_.on_host) {
      const detail::ArrayRep& rep = *results[o].rep();
      Array host = Array::empty(rep.shape, rep.dtype, rep.f_contiguous && !rep.c_contiguous ? Order::fortran : Order::c);
      call::fetch(results[o], host, place_.queue);
      results[o] = std::move(host);
    }
  }
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
    transfers.push_back(name_of(k) + (is_output(k) ? " is fetched from " : " is sent to ") + to_string(place_.device));
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
