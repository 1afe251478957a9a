// The operands of a call (arguments, mask, outputs), and the stages that calls of every kind share. Stages choose the device,
// transfer arrays, check outputs and copy overwritten inputs. An Operands lives on the stack.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "call/borrowed.hpp"
#include "call/constants.hpp"
#include "call/description.hpp"
#include "call/place.hpp"
#include "device/launch_context.hpp"
#include "kiln/arg.hpp"
#include "kiln/resolution.hpp"
#include "profiling/call.hpp"

namespace kiln::call {

/// The called function, for messages.
class Callee {
 public:
  virtual ~Callee() = default;
  /// Returns the beginning of messages: "add", "add.reduce".
  [[nodiscard]] virtual std::string what() const = 0;
  /// Returns "input 1 (b)", "output 0 (q)". Inputs are counted first, the mask not at all.
  [[nodiscard]] virtual std::string operand_name(std::size_t operand) const = 0;
  /// Returns the forms that imply the number of arguments: "its loops are float32(float32 a)".
  [[nodiscard]] virtual std::string forms() const = 0;
  /// Returns the inputs whose values are part of the kernel.
  [[nodiscard]] ConstantInputs constants() const noexcept { return constants_; }
  /// Returns a bit for each operand that is not broadcast: inputs first, the mask not at all.
  [[nodiscard]] std::uint64_t raw_operands() const noexcept { return raw_operands_; }
  /// Returns a bit for each output whose elements are read first.
  [[nodiscard]] std::uint64_t inout() const noexcept { return inout_; }
  [[nodiscard]] std::size_t raw_count() const noexcept { return static_cast<std::size_t>(std::popcount(raw_operands_)); }

 protected:
  ConstantInputs constants_ = 0;
  std::uint64_t raw_operands_ = 0;
  std::uint64_t inout_ = 0;
};

/// The mask of a call without one.
inline const ArrayArg kNoMask;

/// The user's operands. `out` is empty, or has one for each output, of which some may be empty.
struct Given {
  std::span<const Arg> args;
  const ArrayArg& where;
  std::span<const ArrayArg> out;
  Context context;
};

/// The dtypes that a call computes in.
struct Types {
  std::span<const DType> inputs;  ///< dtypes of the arguments
  std::span<const DType> outputs;
  const std::string& loop;  ///< text of the loop, for messages
  std::span<const std::pair<std::size_t, DType>>
      narrowed{};  ///< inputs that are converted further: an integer must fit there, too
};

/// An array, a scalar, or, for an output that is not given, neither. No defaults: a call reserves many operands and sets the
/// used ones.
struct Operand {
  const detail::ArrayRep* rep;  ///< array, as the kernel gets it
  const Arg* scalar;
  std::int64_t itemsize;  ///< bytes of an element in memory; set with the types
};

class Operands {
 public:
  static constexpr std::size_t kMax = backend::kMaxOperands;

  /// Checks the operands. Throws TypeError for a wrong number of arguments or outputs, for empty handles, and for a mask that
  /// is not bool. Throws TypeError for arrays given as constants, and for more than kMax operands, including `more` others of
  /// the kernel.
  Operands(const Callee& callee, const Given& given, std::size_t nin, std::size_t nout, std::size_t more = 0);
  /// Checks the arguments of a raw kernel, which has no outputs of its own: a bit of `written` says that the kernel may write
  /// the argument.
  Operands(const Callee& callee, std::span<const Arg> args, const Context& context, std::size_t nin, std::uint64_t written);
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  [[nodiscard]] std::size_t nin() const noexcept { return nin_; }        ///< number of arguments
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }  ///< number of arguments and the mask
  [[nodiscard]] std::size_t nout() const noexcept { return nout_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }  ///< number of operands: inputs, then outputs
  [[nodiscard]] bool masked() const noexcept { return inputs_ > nin_; }
  [[nodiscard]] bool is_mask(std::size_t k) const noexcept { return k == nin_ && masked(); }
  [[nodiscard]] bool is_output(std::size_t k) const noexcept { return k >= inputs_; }
  [[nodiscard]] bool is_written(std::size_t k) const noexcept { return is_output(k) || (written_ >> k & 1U) != 0; }
  [[nodiscard]] bool is_scalar(std::size_t k) const noexcept { return operands_[k].scalar != nullptr; }
  [[nodiscard]] bool is_constant(std::size_t k) const noexcept { return k < nin_ && (callee_.constants() >> k & 1U) != 0; }
  /// Returns true for an array that is not broadcast, which each element reaches whole.
  [[nodiscard]] bool is_raw(std::size_t k) const noexcept {
    const std::uint64_t raw = callee_.raw_operands();
    return raw != 0 && !is_mask(k) && (raw >> (is_output(k) ? k - inputs_ + nin_ : k) & 1U) != 0;
  }
  [[nodiscard]] bool is_inout(std::size_t output) const noexcept { return (callee_.inout() >> output & 1U) != 0; }
  [[nodiscard]] bool is_given(std::size_t output) const noexcept {
    return output < given_.out.size() && given_.out[output].valid();
  }
  [[nodiscard]] bool some_given() const noexcept { return !given_.out.empty(); }
  [[nodiscard]] std::span<const Operand> all() const noexcept { return {operands_.data(), count_}; }
  [[nodiscard]] const detail::ArrayRep* rep(std::size_t k) const noexcept { return operands_[k].rep; }
  /// Returns the array that the user gave; null if there is none.
  [[nodiscard]] const detail::ArrayRep* given_rep(std::size_t k) const noexcept {
    const Array& array = given(k);
    return array.valid() || borrowed_.empty() ? array.rep().get() : borrowed_.find(k);
  }
  [[nodiscard]] std::string what() const { return callee_.what(); }
  /// Returns "input 1 (b)", ".where", "output 0 (q)".
  [[nodiscard]] std::string name_of(std::size_t k) const;

  /// Makes the call a planned one: the stages below make arrays without memory. The device is this one, or that of the call.
  void plan(const std::optional<Device>& device) {
    planned_ = true;
    planned_on_ = device;
  }
  [[nodiscard]] bool planned() const noexcept { return planned_; }

  /// Stage: chooses the device of the call. `more` are other arrays on it that are no operands; the callee names them after the
  /// operands.
  void place(std::span<const Array> more = {});
  [[nodiscard]] const Place& at() const noexcept { return place_; }

  /// Stage: sets the dtypes of the computation. `types` must outlive this object.
  void set_types(const Types& types);
  /// Throws TypeError if a result does not cast to the dtype of its given array.
  void check_casts(const Types& types, Casting casting) const;
  [[nodiscard]] DType compute_dtype(std::size_t k) const noexcept {
    return is_output(k) ? outputs_[k - inputs_] : is_mask(k) ? DType::bool_ : arguments_[k];
  }
  [[nodiscard]] DType storage_dtype(std::size_t k) const noexcept {
    return operands_[k].rep != nullptr ? operands_[k].rep->dtype : compute_dtype(k);
  }
  [[nodiscard]] std::vector<DType> storage_dtypes() const;
  /// Converts the scalars. Throws TypeError for an integer that does not fit in the integer dtype of its loop.
  void convert_scalars(const Types& types, Casting casting);
  [[nodiscard]] const void* value(std::size_t k) const noexcept { return values_[k].bytes; }
  /// Returns the converted values of the constants; nothing in a planned call that does not know them.
  [[nodiscard]] std::optional<ConstantKey> constants() const noexcept;
  /// Replaces an input by an array: a scalar that the kernel needs in memory.
  void replace(std::size_t input, Array array);
  /// Returns the array of an operand that is one, as the kernel gets it.
  [[nodiscard]] Array array(std::size_t k) const { return given_rep(k) == operands_[k].rep ? handle(k) : held_of(k); }
  /// Returns the array of an operand, as the user gave it: a view of memory of the caller's. Empty if there is none.
  [[nodiscard]] Array handle(std::size_t k) const;

  /// Stage: checks a given output against this shape.
  void check_output(std::size_t k, const Shape& shape) const;
  /// Stage: returns a bit for each input that an output would overwrite before it is read. `by_element` means that each element
  /// is read before it is written, which makes an identical layout safe. Adds the copied inputs to `report`. Throws ShapeError
  /// for outputs that share memory.
  std::uint64_t overlapping_inputs(bool by_element, std::vector<std::string>* report = nullptr);
  /// Stage: sends host arrays to the GPU, and copies inputs that outputs would overwrite. `keeps` sends outputs, too, because
  /// some of their elements are preserved.
  void separate(bool by_element, bool keeps);
  /// Stage of calls that copy what overlaps for themselves: sends host arrays to the GPU.
  void send() {
    if (place_.staged) stage(false);
  }
  /// Stage of raw kernels: sends host arrays to the GPU in C order. An array that is given twice is one there. Throws
  /// ShapeError for other arrays that share memory, if the kernel may write one of them.
  void send_whole();
  /// Returns true if the user gave a host array that the call sends to a GPU.
  [[nodiscard]] bool travels(std::size_t k) const noexcept {
    return place_.staged && given_rep(k) != nullptr && given_rep(k)->on_host;
  }
  /// Returns the arrays that are sent to a GPU or fetched from it, for people.
  [[nodiscard]] std::vector<std::string> transfers() const;
  /// Returns true if an input has exactly an output's memory and strides; valid after separate().
  [[nodiscard]] bool aliased() const noexcept { return aliased_; }

  /// Returns a fresh array on the device of the result.
  [[nodiscard]] Array allocate(const Shape& shape, DType dtype, Order order = Order::c) const;
  /// Returns a fresh array of zeros on the device of the result.
  [[nodiscard]] Array zeros(const Shape& shape, DType dtype) const;
  [[nodiscard]] bool results_on_host() const noexcept { return place_.on_host && !place_.gpu(); }
  /// Fills the results of given outputs: with the given arrays, and with views of memory of the caller's.
  void give(std::span<Array> results) const;
  void set_output(std::size_t output, const detail::ArrayRep* rep) noexcept { operands_[inputs_ + output].rep = rep; }
  /// Returns the arrays that queued work uses; null if nothing is queued. They include the arrays that the kernel reads. A
  /// capture holds them, too. Work that is queued from now on waits for what the caller's memory waits for.
  [[nodiscard]] std::shared_ptr<const void> keep(const backend::Backend& backend, std::span<const Array> results) const {
    if (profiled_) [[unlikely]]
      measure(results);
    if (!borrowed_.empty()) borrowed_.wait_until_ready(place_.device, place_.queue);
    // A GPU's kernel goes on after its call was stopped.
    const bool outlives = backend.asynchronous(place_.queue) || given_.context.stop != nullptr;
    return outlives || given_.context.capture != nullptr ? kept(results) : nullptr;
  }
  [[nodiscard]] const Context& context() const noexcept { return given_.context; }
  /// Returns how the call's launches go. The result refers to `keep`.
  [[nodiscard]] backend::LaunchContext launch_context(const std::shared_ptr<const void>& keep) const noexcept {
    return {.queue = place_.queue, .keep = keep, .stop = given_.context.stop, .capture = given_.context.capture};
  }
  /// Stage: returns the results to the user: given arrays, filled, or fresh ones, on the host if everything was there.
  void fetch(std::span<Array> results) const {
    if (place_.staged) fetch_staged(results);
    if (detail::MappedFile::any_torn()) [[unlikely]]
      check_files();
  }

  /// Returns the inputs, the mask and .out for a manifest, after the call has run. `with_constants` adds the values of
  /// constants.
  [[nodiscard]] Description description(bool with_constants = false) const;

  /// Fills the fields that all kinds' resolutions share: loop, dtypes, casts, device, copies.
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
  /// Returns what the user gave as an array, a mask or an output.
  [[nodiscard]] const Array& given(std::size_t k) const noexcept;
  void measure(std::span<const Array> results) const;
  void take_outputs();
  const detail::ArrayRep* rep_given(std::size_t k, const Array& array, const ArrayRef* ref);
  void stage(bool keeps);
  void copy(std::uint64_t inputs);
  void fetch_staged(std::span<Array> results) const;
  void fetch_each(std::span<Array> results) const;
  [[nodiscard]] std::optional<Array> sent_before(std::size_t k) const;
  void check_files() const;
  [[nodiscard]] std::shared_ptr<const void> kept(std::span<const Array> results) const;
  void check_fits(const Types& types, std::size_t k, DType to, Casting casting) const;
  void hold(std::size_t k, Array array);
  [[nodiscard]] std::string text_of(std::size_t k) const;
  [[nodiscard]] const Array& held_of(std::size_t k) const;
  [[nodiscard]] std::vector<std::string> casts() const;

  const profiling::Call profiled_;
  const Callee& callee_;
  const Given given_;
  std::size_t nin_;
  std::size_t inputs_;
  std::size_t nout_;
  std::size_t count_;
  std::uint64_t written_ = 0;  // inputs that a raw kernel may write
  Place place_;
  bool planned_ = false;
  std::optional<Device> planned_on_;
  std::span<const DType> arguments_;
  std::span<const DType> outputs_;
  bool aliased_ = false;
  std::uint64_t overwritten_ = 0;  // staged inputs that outputs would overwrite on the host
  std::array<Operand, kMax> operands_;
  std::array<Value, kMax> values_;
  std::vector<Array> held_;  // private copies, and transferred arrays
  Borrowed borrowed_;
};

/// Returns "1 array", "2 arrays".
[[nodiscard]] std::string counted(std::size_t count, const char* noun);
/// Throws TypeError unless a function of `nout` outputs has as many results requested. None may be requested where each output
/// is given.
void check_results_wanted(const std::string& function, std::size_t nout, std::size_t wanted, const Outputs& given);
/// Throws TypeError: a planned call has nothing to compute.
[[noreturn]] void fail_nothing(const std::string& function);

}  // namespace kiln::call
