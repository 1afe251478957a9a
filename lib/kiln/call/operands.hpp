// The operands of a call: the arguments, the mask, the outputs; and the stages of a call that are the same for every kind:
// where it runs, host arrays to a GPU and back, what outputs must be, copies of inputs that they overwrite. Lives on the stack.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "call/constants.hpp"
#include "call/description.hpp"
#include "call/place.hpp"
#include "device/capture.hpp"
#include "kiln/arg.hpp"
#include "profiling/call.hpp"

namespace kiln::call {

/// What is called, for messages.
class Callee {
 public:
  virtual ~Callee() = default;
  /// What messages begin with: "add", "add.reduce".
  [[nodiscard]] virtual std::string what() const = 0;
  /// "input 1 (b)", "output 0 (q)": inputs are counted first, the mask not at all.
  [[nodiscard]] virtual std::string operand_name(std::size_t operand) const = 0;
  /// "its loops are float32(float32 a)": what tells the number of arguments.
  [[nodiscard]] virtual std::string forms() const = 0;
  /// The inputs whose values are part of the kernel.
  [[nodiscard]] ConstantInputs constants() const noexcept { return constants_; }

 protected:
  ConstantInputs constants_ = 0;
};

/// Of a call that has no mask.
inline const Array kNoMask;

/// What the user gave. `out` is empty, or has an array for each output, of which some may be empty handles.
struct Given {
  std::span<const Arg> args;
  const Array& where;
  std::span<const Array> out;
  Wanted place;
};

/// What a call computes in.
struct Types {
  std::span<const DType> inputs;  ///< the arguments'
  std::span<const DType> outputs;
  const std::string& loop;  ///< for messages
  std::span<const std::pair<std::size_t, DType>>
      narrowed{};  ///< inputs that are converted further: an integer must fit there, too
};

/// An array, a scalar, or (an output that is not given) neither. No defaults: a call keeps room for many, and sets those that
/// it has.
struct Operand {
  const detail::ArrayRep* rep;  ///< as the kernel gets it
  const Arg* scalar;
  std::int64_t itemsize;  ///< in memory; set with the types
};

class Operands {
 public:
  static constexpr std::size_t kMax = backend::kMaxOperands;

  /// TypeError for a wrong number of arguments or outputs, for empty handles, for arrays given as constants, for a mask that is
  /// not bool, and where there are more than kMax operands with `more` that the kernel has besides.
  Operands(const Callee& callee, const Given& given, std::size_t nin, std::size_t nout, std::size_t more = 0);
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  [[nodiscard]] std::size_t nin() const noexcept { return nin_; }        ///< arguments
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }  ///< arguments and the mask
  [[nodiscard]] std::size_t nout() const noexcept { return nout_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }  ///< all: inputs, then outputs
  [[nodiscard]] bool masked() const noexcept { return inputs_ > nin_; }
  [[nodiscard]] bool is_mask(std::size_t k) const noexcept { return k == nin_ && masked(); }
  [[nodiscard]] bool is_output(std::size_t k) const noexcept { return k >= inputs_; }
  [[nodiscard]] bool is_scalar(std::size_t k) const noexcept { return operands_[k].scalar != nullptr; }
  [[nodiscard]] bool is_constant(std::size_t k) const noexcept { return k < nin_ && (callee_.constants() >> k & 1U) != 0; }
  [[nodiscard]] bool is_given(std::size_t output) const noexcept {
    return output < given_.out.size() && given_.out[output].valid();
  }
  [[nodiscard]] bool some_given() const noexcept { return !given_.out.empty(); }
  [[nodiscard]] std::span<const Operand> all() const noexcept { return {operands_.data(), count_}; }
  [[nodiscard]] const detail::ArrayRep* rep(std::size_t k) const noexcept { return operands_[k].rep; }
  [[nodiscard]] std::string what() const { return callee_.what(); }
  /// "input 1 (b)", ".where", "output 0 (q)".
  [[nodiscard]] std::string name_of(std::size_t k) const;

  /// The call will only be planned: the stages below give arrays in no memory. On that device, or where it would run.
  void plan(const std::optional<Device>& device) {
    planned_ = true;
    planned_on_ = device;
  }
  [[nodiscard]] bool planned() const noexcept { return planned_; }

  /// Stage: where it runs. `more` are arrays that lie there, too, and are no operands; the callee names them behind these.
  void place(std::span<const Array> more = {});
  [[nodiscard]] const Place& at() const noexcept { return place_; }

  /// Stage: what it computes in. `types` is used as long as this.
  void set_types(const Types& types);
  /// TypeError where a result does not cast to the dtype of its given array.
  void check_casts(const Types& types, Casting casting) const;
  [[nodiscard]] DType compute_dtype(std::size_t k) const noexcept {
    return is_output(k) ? outputs_[k - inputs_] : is_mask(k) ? DType::bool_ : arguments_[k];
  }
  [[nodiscard]] DType storage_dtype(std::size_t k) const noexcept {
    return operands_[k].rep != nullptr ? operands_[k].rep->dtype : compute_dtype(k);
  }
  [[nodiscard]] std::vector<DType> storage_dtypes() const;
  /// Converts the scalars. TypeError for an integer that does not fit in the integer dtype of its loop.
  void convert_scalars(const Types& types, Casting casting);
  [[nodiscard]] const void* value(std::size_t k) const noexcept { return values_[k].bytes; }
  /// The converted values of the constants; nothing in a planned call that does not know them.
  [[nodiscard]] std::optional<ConstantKey> constants() const noexcept;
  /// Puts an array in the place of an input: a scalar that the kernel wants in memory.
  void replace(std::size_t input, Array array);
  /// Of an operand that is one, as the kernel gets it.
  [[nodiscard]] const Array& array(std::size_t k) const {
    return given(k).rep().get() == operands_[k].rep ? given(k) : held_of(k);
  }

  /// Stage: what a given output must be, of this shape.
  void check_output(std::size_t k, const Shape& shape) const;
  /// Stage: a bit for each input that an output would overwrite before it is read. Where `by_element`, each element is read
  /// before it is written, and the same window is safe. Adds to `report` what is copied. ShapeError for outputs that share
  /// memory.
  std::uint64_t overlapping_inputs(bool by_element, std::vector<std::string>* report = nullptr);
  /// Stage: host arrays to the GPU, and copies of inputs that outputs would overwrite. Outputs that keep what they have are
  /// sent, too.
  void separate(bool by_element, bool keeps);
  /// Whether an input is the very window of an output; after the stage above.
  [[nodiscard]] bool aliased() const noexcept { return aliased_; }

  /// Where a fresh result is to be made.
  [[nodiscard]] Array allocate(const Shape& shape, DType dtype, Order order = Order::c) const;
  /// The same with zeros.
  [[nodiscard]] Array zeros(const Shape& shape, DType dtype) const;
  [[nodiscard]] bool results_on_host() const noexcept { return place_.on_host && !place_.gpu(); }
  void set_output(std::size_t output, const detail::ArrayRep* rep) noexcept { operands_[inputs_ + output].rep = rep; }
  /// The arrays that queued work uses; null where nothing is queued. Arrays beside the results are what the kernel reads. A
  /// capture has them, too.
  [[nodiscard]] std::shared_ptr<const void> keep(const backend::Backend& backend, std::span<const Array> results) const {
    if (profiled_) [[unlikely]]
      measure(results);
    return backend.asynchronous(place_.queue) || backend::Capture::current() != nullptr ? kept(results) : nullptr;
  }
  /// Stage: what the user gets of the results that the kernel wrote: filled given arrays, or fresh ones, on the host where
  /// everything was.
  void fetch(std::span<Array> results) const {
    if (place_.staged) fetch_staged(results);
    if (detail::MappedFile::any_torn()) [[unlikely]]
      check_files();
  }

  /// The inputs, the mask and .out, for a manifest, once the call has run. `with_constants`: with the values of constants.
  [[nodiscard]] Description description(bool with_constants = false) const;

  /// Fills what the resolutions of all kinds have: loop, dtypes, casts, device, copies.
  template <class Resolution>
  void describe(Resolution& resolution, const Types& types, bool by_element) {
    resolution.loop = types.loop;
    resolution.dtypes.assign(types.inputs.begin(), types.inputs.end());
    resolution.dtypes.insert(resolution.dtypes.end(), types.outputs.begin(), types.outputs.end());
    resolution.device = place_.device;
    resolution.casts = casts();
    resolution.copies = transfers();
    overlapping_inputs(by_element, &resolution.copies);
  }

 private:
  /// A scalar converted to its loop's dtype.
  struct alignas(16) Value {
    unsigned char bytes[16];
  };
  /// The array that the user gave; an empty handle where there is none.
  [[nodiscard]] const Array& given(std::size_t k) const noexcept;
  void measure(std::span<const Array> results) const;
  void take_outputs();
  void stage(bool keeps);
  void copy(std::uint64_t inputs);
  void fetch_staged(std::span<Array> results) const;
  void fetch_each(std::span<Array> results) const;
  void check_files() const;
  [[nodiscard]] std::shared_ptr<const void> kept(std::span<const Array> results) const;
  void check_fits(const Types& types, std::size_t k, DType to, Casting casting) const;
  void hold(std::size_t k, Array array);
  [[nodiscard]] std::string text_of(std::size_t k) const;
  [[nodiscard]] const Array& held_of(std::size_t k) const;
  [[nodiscard]] std::vector<std::string> casts() const;
  [[nodiscard]] std::vector<std::string> transfers() const;

  const profiling::Call profiled_;
  const Callee& callee_;
  const Given given_;
  std::size_t nin_;
  std::size_t inputs_;
  std::size_t nout_;
  std::size_t count_;
  Place place_;
  bool planned_ = false;
  std::optional<Device> planned_on_;
  std::span<const DType> arguments_;
  std::span<const DType> outputs_;
  bool aliased_ = false;
  std::uint64_t overwritten_ = 0;  // of staged inputs: those that outputs would overwrite on the host
  std::array<Operand, kMax> operands_;
  std::array<Value, kMax> values_;
  std::vector<Array> held_;  // private copies, and what was sent
};

/// "1 array", "2 arrays".
[[nodiscard]] std::string counted(std::size_t count, const char* noun);
/// TypeError unless that many results are asked of a function of `nout` outputs.
void check_results_wanted(const std::string& function, std::size_t nout, std::size_t wanted);
/// TypeError of a planned call that has nothing to compute.
[[noreturn]] void fail_nothing(const std::string& function);

}  // namespace kiln::call
