// The calls of the golden files as C programs make them: operands of host arrays are memory, tensors of DLPack and arrays in
// turn.
#include <cstring>
#include <list>
#include <map>
#include <stdexcept>

#include "c_handles.hpp"
#include "driver.hpp"
#include "kiln/definition.hpp"
#include "kiln/math.hpp"

namespace conformance {
namespace {

/// What the operands of one call refer to.
class Operands {
 public:
  kiln_arg arg(const kiln::Array& array) {
    if (!array.valid()) return {};
    const kiln_array* const handle = arrays_.emplace_back(c_array(array)).get();
    kiln_arg arg{};
    arg.kind = KILN_ARRAY;
    arg.value.array = handle;
    kiln_array_info& info = infos_.emplace_back(kiln_array_info_default());
    check(kiln_array_describe(handle, &info, nullptr));
    const unsigned form = next_++ % 3;
    if (!array.is_host() || form == 0) return arg;
    if (form == 1) {
      arg.kind = KILN_MEMORY;
      arg.value.memory = &info;
      return arg;
    }
    const auto item = static_cast<std::int64_t>(kiln::itemsize(array.dtype()));
    std::vector<std::int64_t>& strides = numbers_.emplace_back();
    std::vector<std::int64_t>& shape = numbers_.emplace_back(array.shape().begin(), array.shape().end());
    for (const std::int64_t stride : array.strides()) {
      // Not every array is a tensor, and a tensor says nothing of writing.
      if (stride % item != 0 || array.read_only()) return arg;
      strides.push_back(stride / item);
    }
    tensors_.push_back({.data = info.data,
                        .device = info.device,
                        .ndim = info.ndim,
                        .dtype = info.dtype,
                        .shape = shape.data(),
                        .strides = strides.data(),
                        .byte_offset = 0});
    arg.kind = KILN_DLTENSOR;
    arg.value.tensor = &tensors_.back();
    return arg;
  }
  kiln_arg arg(const kiln::ArrayArg& given) { return arg(given.array()); }
  kiln_arg arg(const kiln::Arg& given) {
    if (given.is_array()) return arg(given.array());
    kiln_arg arg{};
    arg.dtype = c_dtype(given.dtype());
    if (given.dtype() == kiln::DType::float64 || given.dtype() == kiln::DType::int64) {
      arg.kind = KILN_SCALAR;
      std::memcpy(&arg.value, given.value(), 8);
    } else {
      arg.kind = KILN_SCALAR_AT;
      arg.value.at = given.value();
    }
    return arg;
  }

 private:
  static unsigned next_;
  std::list<CArray> arrays_;
  std::list<kiln_array_info> infos_;
  std::list<std::vector<std::int64_t>> numbers_;
  std::list<DlTensor> tensors_;
};
unsigned Operands::next_ = 0;

/// The options of one call, with what they refer to.
struct Options {
  kiln_call_options c = kiln_call_options_default();
  CStream stream;
  std::vector<std::int32_t> axes;
  std::vector<std::size_t> counts;
  std::string signature;

  template <class T>
  explicit Options(const T& options) {
    if (options.device) c.device = c_device(*options.device);
    if (options.stream.is_default()) return;
    kiln_stream* made = nullptr;
    check(kiln_stream_new(&made, c_device(options.stream.device()), 0, nullptr));
    stream.reset(made);
    c.stream = made;
    options.stream.synchronize();
  }
  void set_dtype(const std::optional<kiln::DType>& dtype) {
    if (dtype) c.dtype = c_dtype(*dtype);
  }
  void set_axis(const kiln::Axes& axis) {
    c.axis_count = KILN_ALL_AXES;
    if (axis.is_all()) return;
    axes.assign(axis.list().begin(), axis.list().end());
    axes.reserve(1);
    c.axis = axes.data();
    c.axis_count = axes.size();
  }
  template <class T>
  void set_loop(const T& options, Operands& operands) {
    constexpr std::uint32_t kCastings[] = {KILN_NO, KILN_EQUIV, KILN_SAFE, KILN_SAME_KIND, KILN_UNSAFE};
    c.casting = kCastings[static_cast<std::size_t>(options.casting)];
    set_dtype(options.dtype);
    c.where = operands.arg(options.where);
    signature = options.signature;
    if (!signature.empty()) {
      c.signature = signature.data();
      c.signature_length = signature.size();
    }
  }
};

const kiln_function* transform_of(const std::string& name) {
  static std::map<std::string, CFunction> all;
  CFunction& function = all[name];
  if (function == nullptr) {
    const std::string full = "fft." + name;
    kiln_function* made = nullptr;
    check(kiln_function_math(&made, full.data(), full.size(), nullptr));
    function.reset(made);
  }
  return function.get();
}

/// The C handle of a function, by its text.
const kiln_function* function_of(const std::string& text) {
  static std::map<std::string, CFunction> all;
  CFunction& function = all[text];
  if (function == nullptr) {
    kiln_function* made = nullptr;
    kiln_error* error = nullptr;
    kiln_function_define(&made, text.data(), text.size(), nullptr, &error) == KILN_OK ? function.reset(made) : rethrow(error);
  }
  return function.get();
}

class CDriver : public Driver {
 public:
  [[nodiscard]] const char* name() const override { return "C"; }

  std::vector<kiln::Array> call(const kiln::Ufunc& f, std::span<const kiln::Arg> args,
                                const kiln::CallOptions& options) const override {
    Operands operands;
    Options c(options);
    c.set_loop(options, operands);
    return run(f, args, options.out, operands, c);
  }
  std::vector<kiln::Array> call(const kiln::Gufunc& f, std::span<const kiln::Arg> args,
                                const kiln::GufuncOptions& options) const override {
    Operands operands;
    Options c(options);
    c.set_loop(options, operands);
    c.c.keepdims = options.keepdims ? 1 : 0;
    if (options.axis) c.set_axis(*options.axis);
    for (const std::vector<int>& axes : options.axes) {
      c.counts.push_back(axes.size());
      c.axes.insert(c.axes.end(), axes.begin(), axes.end());
    }
    if (!c.counts.empty()) {
      c.c.core_axes = c.axes.data();
      c.c.core_axes_counts = c.counts.data();
      c.c.core_axes_operands = c.counts.size();
    }
    return run(f, args, options.out, operands, c);
  }
  std::vector<kiln::Array> call(const kiln::Reduction& f, std::span<const kiln::Arg> args,
                                const kiln::ReductionOptions& options) const override {
    Operands operands;
    Options c(options);
    c.set_loop(options, operands);
    c.set_axis(options.axis);
    c.c.keepdims = options.keepdims ? 1 : 0;
    if (options.initial) c.c.initial = operands.arg(*options.initial);
    return run(f, args, options.out, operands, c);
  }
  kiln::Array outer(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& b,
                    const kiln::CallOptions& options) const override {
    Operands operands;
    Options c(options);
    c.c.method = KILN_OUTER;
    return run(f, std::array<kiln::Arg, 2>{a, b}, options.out, operands, c).front();
  }
  kiln::Array reduce(const kiln::Ufunc& f, const kiln::Array& a, const kiln::ReduceOptions& options) const override {
    Operands operands;
    Options c(options);
    c.c.method = KILN_REDUCE;
    c.set_axis(options.axis);
    c.set_dtype(options.dtype);
    c.c.keepdims = options.keepdims ? 1 : 0;
    c.c.where = operands.arg(options.where);
    if (options.initial) c.c.initial = operands.arg(*options.initial);
    return run(f, std::array<kiln::Arg, 1>{a}, options.out, operands, c).front();
  }
  kiln::Array accumulate(const kiln::Ufunc& f, const kiln::Array& a, const kiln::AccumulateOptions& options) const override {
    return along(KILN_ACCUMULATE, f, std::array<kiln::Arg, 1>{a}, options);
  }
  kiln::Array reduceat(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& indices,
                       const kiln::AccumulateOptions& options) const override {
    return along(KILN_REDUCEAT, f, std::array<kiln::Arg, 2>{a, indices}, options);
  }
  void at(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& indices, const kiln::Array* b,
          const kiln::AtOptions& options) const override {
    Operands operands;
    Options c(options);
    c.c.method = KILN_AT;
    std::vector<kiln::Arg> args{indices};
    if (b != nullptr) args.emplace_back(*b);
    run(f, args, kiln::ArrayArg(a), operands, c);
  }
  kiln::Array transform(const std::string& name, const kiln::Array& a, const TransformOptions& options) const override {
    Operands operands;
    Options c(options);
    if (options.axes) c.set_axis(*options.axes);
    constexpr std::uint32_t kNorms[] = {KILN_NORM_BACKWARD, KILN_NORM_ORTHO, KILN_NORM_FORWARD};
    c.c.norm = kNorms[static_cast<std::size_t>(options.norm)];
    std::vector<std::int64_t> points = options.points.value_or(std::vector<std::int64_t>{});
    points.reserve(1);
    if (options.points) {
      c.c.lengths = points.data();
      c.c.lengths_count = points.size();
    }
    const kiln::Outputs out = options.out.valid() ? kiln::Outputs(options.out) : kiln::Outputs();
    return run(transform_of(name), 1, std::array<kiln::Arg, 1>{a}, out, operands, c).front();
  }

 private:
  static kiln::Array along(std::uint32_t method, const kiln::Ufunc& f, std::span<const kiln::Arg> args,
                           const kiln::AccumulateOptions& options) {
    Operands operands;
    Options c(options);
    c.c.method = method;
    c.set_axis(options.axis);
    c.set_dtype(options.dtype);
    return run(f, args, options.out, operands, c).front();
  }

  template <class F>
  static std::vector<kiln::Array> run(const F& f, std::span<const kiln::Arg> args, const kiln::ArrayArg& out,
                                      Operands& operands, const Options& options) {
    return run(f, args, out.valid() ? kiln::Outputs(std::vector<kiln::ArrayArg>{out}) : kiln::Outputs(), operands, options);
  }
  template <class F>
  static std::vector<kiln::Array> run(const F& f, std::span<const kiln::Arg> args, const kiln::Outputs& out, Operands& operands,
                                      const Options& options) {
    return run(function_of(kiln::definition_text(f)), static_cast<std::size_t>(f.nout()), args, out, operands, options);
  }
  static std::vector<kiln::Array> run(const kiln_function* function, std::size_t nout, std::span<const kiln::Arg> args,
                                      const kiln::Outputs& out, Operands& operands, const Options& options) {
    std::vector<kiln_arg> inputs;
    for (const kiln::Arg& arg : args) inputs.push_back(operands.arg(arg));
    std::vector<kiln_arg> outputs(nout);
    if (!out.empty()) outputs.clear();
    for (const kiln::ArrayArg& each : out.list()) outputs.push_back(operands.arg(each));
    std::vector<std::uint32_t> kinds;
    for (const kiln_arg& output : outputs) kinds.push_back(output.kind);
    kiln_error* error = nullptr;
    static const kiln_call_options none = kiln_call_options_default();
    const kiln_call_options* const given = std::memcmp(&options.c, &none, sizeof none) == 0 ? nullptr : &options.c;
    const kiln_status status = kiln_call(function, outputs.data(), outputs.size(), inputs.data(), inputs.size(), given, &error);
    if (options.c.stream != nullptr) check(kiln_stream_synchronize(options.c.stream, nullptr));
    if (status != KILN_OK) rethrow(error);
    std::vector<kiln::Array> results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (kinds[i] != KILN_NONE) {
        results.push_back(out.list()[i].array());
        continue;
      }
      if (outputs[i].kind != KILN_ARRAY) throw std::runtime_error("an output was not made");
      const CArray made(const_cast<kiln_array*>(outputs[i].value.array));
      results.push_back(cpp_array(made.get()));
    }
    return results;
  }
};

}  // namespace

const std::vector<const Driver*>& drivers() {
  static const Driver cpp;
  static const CDriver c;
  static const std::vector<const Driver*> all{&cpp, &c};
  return all;
}

}  // namespace conformance
