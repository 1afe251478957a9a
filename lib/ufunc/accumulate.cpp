// Ufunc::accumulate: choose the loop, check, place, separate from what overlaps, launch.
#include <algorithm>
#include <utility>

#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "kinds/scan/launch.hpp"
#include "layout/iteration.hpp"
#include "ufunc/axes.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduction_loop.hpp"

namespace kiln::ufunc {
namespace {

class Accumulate {
 public:
  Accumulate(const detail::UfuncImpl& ufunc, Array array, const AccumulateOptions& options)
      : ufunc_(ufunc), options_(options), what_(ufunc.name() + ".accumulate"), array_(std::move(array)), out_(options.out) {}

  Array run() {
    if (!array_) throw TypeError(what_ + ": the array is an empty Array handle, not an array");
    place_array();
    choose_loop();
    find_axis();
    check_out();
    const Array given = out_;
    if (array_.size() == 0) return given ? given : allocate(place_.on_host);
    const bool through = !place_.device.is_cpu();
    // The result on the host, where a GPU computes it.
    Array host = given;
    const bool fetch = through && (given ? given.is_host() : place_.on_host);
    if (fetch && !given) host = allocate(true);
    if (through) bring_to_device();
    separate();
    backend::Backend& backend = backend::backend_for(place_.device);
    if (kernel_ == nullptr) kernel_ = &ufunc_.make_method(key_, loop_, variant(), backend);
    if (!out_) out_ = allocate(place_.on_host && !through);
    std::shared_ptr<const void> keep;
    if (backend.asynchronous(queue())) keep = std::make_shared<std::vector<Array>>(std::vector<Array>{array_, out_});
    kinds::launch(backend, *kernel_->module, launch(), queue(), std::move(keep));
    record_use(ufunc_, *kernel_, variant());
    if (!fetch) return given ? given : out_;
    // Copies are ordered after the default stream only.
    if (queue() != nullptr) queue()->synchronize();
    out_.copy_to_host(host);
    return host;
  }

 private:
  [[nodiscard]] backend::Queue* queue() const { return options_.stream.queue().get(); }
  [[nodiscard]] DType dtype() const { return loop_.outputs[0]; }

  void place_array() {
    const detail::ArrayRep* const all[] = {array_.rep().get(), out_.rep().get()};
    place_ = call::choose_place(
        what_, std::size(all), [&](std::size_t i) { return all[i]; },
        [](std::size_t i) { return std::string(i == 0 ? "the array" : "the out array"); }, options_.stream);
  }

  void choose_loop() {
    const auto type = [](std::optional<DType> dtype) { return dtype ? static_cast<std::uint8_t>(*dtype) : kNoType; };
    const std::optional<DType> out = out_ ? std::optional(out_.dtype()) : std::nullopt;
    key_ = {.method = Method::accumulate,
            .types = {type(array_.dtype()), type(options_.dtype), type(out), kNoType, kNoType},
            .kind = place_.device.kind(),
            .index = place_.device.index()};
    kernel_ = ufunc_.find_method(key_);
    if (kernel_ != nullptr) {
      loop_ = kernel_->loop;
      return;
    }
    // As NumPy has it, a given result is the first operand, and add and multiply then widen nothing.
    if (out && !options_.dtype && ufunc_.nin() == 2 && ufunc_.nout() == 1) {
      const Argument pair[] = {{*out, false}, {array_.dtype(), false}};
      loop_ = ufunc_.choose({.name = what_,
                             .options = ".dtype",
                             .reduces = true,
                             .signatures = ufunc_.signatures(),
                             .arguments = pair,
                             .bools_are_numbers = ufunc_.definition().bools_are_numbers});
      if (loop_.inputs[0] == loop_.outputs[0] && loop_.inputs[1] == loop_.outputs[0]) return;
    }
    loop_ = choose_reduction_loop({.name = ufunc_.name(),
                                   .method = "accumulate",
                                   .signatures = ufunc_.signatures(),
                                   .source = ufunc_.source(),
                                   .array = array_.dtype(),
                                   .dtype = options_.dtype,
                                   .widens_integers = ufunc_.definition().widens_integers && !out,
                                   .identity = !ufunc_.definition().identity.empty(),
                                   .bools_are_numbers = ufunc_.definition().bools_are_numbers});
  }

  void find_axis() {
    if (array_.ndim() == 0) throw ShapeError(what_ + ": a 0-d array has no axis to accumulate along");
    const Dims named = named_axes([this] { return what_; }, options_.axis, array_.shape());
    axis_ = static_cast<std::size_t>(std::find(named.begin(), named.end(), 1) - named.begin());
  }

  void check_out() const {
    if (!out_) return;
    call::check_output(what_, *out_.rep(), array_.shape(), [](std::size_t) { return std::string("the out array"); }, 0);
  }

  void bring_to_device() {
    if (array_.is_host()) array_ = call::send(array_, place_.device);
    if (out_ && out_.is_host()) out_ = device_array(out_.shape(), out_.dtype(), place_.device);
  }

  /// Each element is read before it is written only where the two are the same window.
  void separate() {
    if (!out_ || !call::share_memory(*array_.rep(), *out_.rep())) return;
    const detail::ArrayRep& from = *array_.rep();
    const detail::ArrayRep& to = *out_.rep();
    if (from.data == to.data && from.strides == to.strides && itemsize(from.dtype) == itemsize(to.dtype)) return;
    if (queue() != nullptr) queue()->synchronize();
    array_ = array_.copy();
  }

  [[nodiscard]] Array allocate(bool on_host) const {
    const Shape& shape = array_.shape();
    if (array_.size() == 0) return on_host ? Array::empty(shape, dtype()) : device_array(shape, dtype(), place_.device);
    // Axes in memory as the array has them.
    const auto size = static_cast<std::int64_t>(itemsize(dtype()));
    const layout::Operand operands[] = {{&shape, &array_.strides(), static_cast<std::int64_t>(itemsize(array_.dtype()))},
                                        {nullptr, nullptr, size}};
    return detail::allocate(shape, dtype(), layout::Iteration(shape, operands).memory_order(), on_host,
                            on_host ? Device::cpu() : place_.device);
  }

  [[nodiscard]] MethodVariant variant() const {
    return {.method = Method::accumulate, .array = array_.dtype(), .result = out_ ? out_.dtype() : dtype()};
  }

  [[nodiscard]] kinds::ScanLaunch launch() const {
    const detail::ArrayRep& from = *array_.rep();
    const detail::ArrayRep& to = *out_.rep();
    const auto without_axis = [this](const Dims& dims) {
      Dims rest;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (d != axis_) rest.push_back(dims[d]);
      }
      return rest;
    };
    const Shape lanes = without_axis(from.shape);
    const Strides input = without_axis(from.strides);
    const Strides output = without_axis(to.strides);
    const layout::Operand operands[] = {{&lanes, &input, static_cast<std::int64_t>(itemsize(from.dtype))},
                                        {&lanes, &output, static_cast<std::int64_t>(itemsize(to.dtype))}};
    const layout::Iteration iteration(lanes, operands);
    const auto list = [](std::span<const std::int64_t> numbers) {
      return std::vector<std::int64_t>(numbers.begin(), numbers.end());
    };
    return {.input = from.data + iteration.offset(0),
            .output = to.data + iteration.offset(1),
            .extent = from.shape[axis_],
            .input_stride = from.strides[axis_],
            .output_stride = to.strides[axis_],
            .shape = list(iteration.shape()),
            .input_strides = list(iteration.strides(0)),
            .output_strides = list(iteration.strides(1)),
            .reorderable = ufunc_.reorderable()};
  }

  const detail::UfuncImpl& ufunc_;
  const AccumulateOptions& options_;
  const std::string what_;
  Array array_;
  Array out_;
  call::Place place_;
  MethodKernel::Key key_;
  const MethodKernel* kernel_ = nullptr;
  Loop loop_;
  std::size_t axis_ = 0;
};

}  // namespace
}  // namespace kiln::ufunc

namespace kiln {

Array Ufunc::accumulate(const Array& a, const AccumulateOptions& options) const {
  return ufunc::Accumulate(*impl_, a, options).run();
}

}  // namespace kiln
