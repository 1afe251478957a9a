// The stages of a call's operands that move memory: copies of what outputs overlap, transfers, fresh arrays, what queued work
// uses.
#include <algorithm>
#include <utility>

#include "call/operands.hpp"
#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::call {
namespace {

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

}  // namespace

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
      if (by_element && !is_output(k) && !is_raw(k) && !is_raw(o) && same_window(*rep, *out)) {
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
  if (!planned_) borrowed_.synchronize();  // their bytes are read here
  for (std::size_t k = 0; k < count_; ++k) {
    const detail::ArrayRep* const rep = operands_[k].rep;
    if (rep == nullptr || !rep->on_host) continue;
    const bool read = !is_output(k) || keeps || is_raw(k) || is_inout(k - inputs_);
    hold(k, planned_ ? as_sent(*rep, read, k, place_.device)
            : read   ? call::send(given_rep(k) != nullptr ? handle(k) : held_of(k), place_.device, place_.queue)
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

std::optional<Array> Operands::sent_before(std::size_t k) const {
  const detail::ArrayRep& rep = *given_rep(k);
  std::optional<Array> same;
  for (std::size_t j = 0; j < k; ++j) {
    if (!travels(j) || !share_memory(*given_rep(j), rep)) continue;
    const detail::ArrayRep& other = *given_rep(j);
    const bool alike = (rep.shape == other.shape && rep.strides == other.strides) || (rep.c_contiguous && other.c_contiguous);
    if (rep.data == other.data && rep.size == other.size && rep.dtype == other.dtype && alike) {
      same = held_of(j).reshape(rep.shape);
    } else if (is_written(k) || is_written(j)) {
      throw Because<ShapeError>(Reason::overlap, what() + ": " + name_of(j) + " and " + name_of(k) +
                                                     " share memory of the host, which they would not on " +
                                                     to_string(place_.device) + "; bring them there with to_device() first");
    }
  }
  return same;
}

void Operands::send_whole() {
  for (std::size_t k = 0; k < count_; ++k) {
    if (!travels(k)) continue;
    refuse_staging(what(), place_.device);
    borrowed_.synchronize();  // their bytes are read here
    const detail::ArrayRep& rep = *given_rep(k);
    if (is_written(k) && !rep.c_contiguous && rep.size > 1 && layout::overlaps_itself(window_of(rep))) {
      throw Because<ShapeError>(Reason::overlap, what() + ": elements of " + name_of(k) +
                                                     " share memory with one another, which they would not on " +
                                                     to_string(place_.device) + "; give an array whose elements are distinct");
    }
    std::optional<Array> before = sent_before(k);
    const Array array = handle(k);
    hold(k, before ? *std::move(before) : call::send(rep.c_contiguous ? array : array.copy(), place_.device, place_.queue));
  }
}

void Operands::copy(std::uint64_t inputs) {
  if (!planned_) borrowed_.synchronize();
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
  backend::Capture* const capture = given_.context.capture;
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
  const auto used = [&](const detail::ArrayRep& rep, bool written) {
    written ? profiled_.writes(rep.size, bytes_in_memory(rep)) : profiled_.reads(rep.size, bytes_in_memory(rep));
  };
  for (std::size_t k = 0; k < count_; ++k) {
    const detail::ArrayRep* rep = operands_[k].rep;
    if (rep == nullptr && is_output(k)) rep = results[k - inputs_].rep().get();
    if (rep != nullptr) used(*rep, is_written(k));
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
  bool waited = false;
  const auto wait = [&] {
    if (!std::exchange(waited, true) && place_.queue != nullptr) place_.queue->synchronize();
  };
  if (nout_ > 0) wait();
  for (std::size_t k = 0; k < inputs_; ++k) {
    if ((written_ >> k & 1U) == 0 || !travels(k)) continue;
    wait();
    call::fetch(held_of(k), handle(k), place_.queue);
  }
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

}  // namespace kiln::call
