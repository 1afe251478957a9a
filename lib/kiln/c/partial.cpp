// Accumulators of parts as C handles.
#include "kiln/partial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/argument_error.hpp"
#include "c/array.hpp"
#include "c/call_options.hpp"
#include "c/function.hpp"
#include "c/guard.hpp"
#include "c/operands.hpp"
#include "c/text.hpp"

struct kiln_partial : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::partial;
  explicit kiln_partial(kiln::Partial made) : Handle(kTag), partial(std::move(made)) {}
  kiln::Partial partial;
};

namespace kiln::c {
namespace {

constexpr std::uint32_t kOptions = kWhere | kDType | kAxis | kLimits;

PartialOptions partial_options(Operands& operands, const Options& options, std::int64_t offset, std::int64_t size) {
  PartialOptions given;
  options.fill_limits(given);
  options.fill_dtype(given);
  if (options.raw().axis != nullptr || options.raw().axis_count != 0) given.axis = options.axes(all_axes);
  given.where = operands.where();
  given.global_offset = offset;
  if (size != -1) given.global_size = size;
  return given;
}

Partial partial_of(const Function& function, Operands& operands, const kiln_arg* inputs, std::size_t nin,
                   const Options& options, std::int64_t offset, std::int64_t size) {
  if (const auto* const reduction = std::get_if<Reduction>(&function)) {
    options.allow(kOptions | kCasting | kSignature, (reduction->name() + ".partial").c_str());
    PartialOptions given = partial_options(operands, options, offset, size);
    options.fill_loop(given);
    return partial(*reduction, operands.inputs(), given);
  }
  const auto* const ufunc = std::get_if<Ufunc>(&function);
  if (ufunc == nullptr) fail_type("kiln_partial_new: the function is no ufunc and no reduction");
  const std::string what = ufunc->name() + ".partial";
  options.allow(kOptions, what.c_str());
  if (nin != 1) fail_type(fmt::format("{}: it takes 1 input, and the call has {}", what, nin));
  return partial(*ufunc, array_of(inputs[0], "inputs[0]"), partial_options(operands, options, offset, size));
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_partial_new(kiln_partial** partial, const kiln_function* function, const kiln_arg* inputs, size_t nin,
                             int64_t global_offset, int64_t global_size, const kiln_call_options* options,
                             kiln_error** error) noexcept {
  return guarded(error, partial, [&] {
    kiln_partial*& made = output(partial, "partial");
    const Function& given = checked(function, "function").function;
    if (nin != 0 && inputs == nullptr) fail_null("inputs");
    const Options read(options);
    Operands operands(nullptr, 0, inputs, nin, read.where(), read.raw().stream);
    made = make<kiln_partial>(partial_of(given, operands, inputs, nin, read, global_offset, global_size));
  });
}

kiln_status kiln_partial_combine(kiln_partial** partial, const kiln_partial* first, const kiln_partial* next,
                                 kiln_error** error) noexcept {
  return guarded(error, partial, [&] {
    kiln_partial*& made = output(partial, "partial");
    made = make<kiln_partial>(checked(first, "first").partial.combine(checked(next, "next").partial));
  });
}

kiln_status kiln_partial_finish(kiln_array** results, size_t nout, const kiln_partial* partial,
                                const kiln_call_options* options, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (nout != 0 && results == nullptr) fail_null("results");
    std::fill_n(results, nout, nullptr);
    const kiln::Partial& given = checked(partial, "partial").partial;
    const Options read(options);
    read.allow(kInitial | kKeepdims, "kiln_partial_finish");
    std::vector<kiln::Array> made = given.finish_all({.keepdims = read.raw().keepdims != 0, .initial = read.initial()});
    if (made.size() != nout) {
      fail_type(fmt::format("kiln_partial_finish: the function has {} outputs, and the call {}", made.size(), nout));
    }
    std::vector<std::unique_ptr<kiln_array, void (*)(kiln_array*)>> handles;
    for (kiln::Array& each : made) handles.emplace_back(make<kiln_array>(std::move(each)), release<kiln_array>);
    for (std::size_t o = 0; o < nout; ++o) results[o] = handles[o].release();
  });
}

kiln_status kiln_partial_accumulate(kiln_array** result, const kiln_function* function, const kiln_arg* input,
                                    const kiln_partial* before, int64_t global_offset, int64_t global_size,
                                    const kiln_call_options* options, kiln_error** error) noexcept {
  return guarded(error, result, [&] {
    kiln_array*& made = output(result, "result");
    const auto* const ufunc = std::get_if<kiln::Ufunc>(&checked(function, "function").function);
    if (ufunc == nullptr) fail_type("kiln_partial_accumulate: the function is no ufunc");
    if (input == nullptr) fail_null("input");
    const Options read(options);
    read.allow(kDType | kAxis | kLimits, (ufunc->name() + ".accumulate_part").c_str());
    Operands operands(nullptr, 0, input, 1, read.where(), read.raw().stream);
    const kiln::Partial earlier = before == nullptr ? kiln::Partial() : checked(before, "before").partial;
    made = make<kiln_array>(kiln::accumulate_part(*ufunc, array_of(*input, "input"), earlier,
                                                  partial_options(operands, read, global_offset, global_size)));
  });
}

kiln_status kiln_partial_range(int64_t* range, const kiln_partial* partial, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (range == nullptr) fail_null("range");
    const kiln::Partial& given = checked(partial, "partial").partial;
    range[0] = given.begin();
    range[1] = given.end();
    range[2] = given.global_size();
  });
}

kiln_status kiln_partial_bytes(kiln_text** bytes, const kiln_partial* partial, kiln_error** error) noexcept {
  return guarded(error, bytes, [&] {
    kiln_text*& made = output(bytes, "bytes");
    made = make<kiln_text>(checked(partial, "partial").partial.bytes());
  });
}

kiln_status kiln_partial_read(kiln_partial** partial, const kiln_function* function, const char* bytes, size_t length,
                              kiln_error** error) noexcept {
  return guarded(error, partial, [&] {
    kiln_partial*& made = output(partial, "partial");
    const Function& given = checked(function, "function").function;
    if (bytes == nullptr) fail_null("bytes");
    const std::string_view read(bytes, length);
    if (const auto* const reduction = std::get_if<kiln::Reduction>(&given)) {
      made = make<kiln_partial>(kiln::partial_from_bytes(*reduction, read));
    } else if (const auto* const ufunc = std::get_if<kiln::Ufunc>(&given)) {
      made = make<kiln_partial>(kiln::partial_from_bytes(*ufunc, read));
    } else {
      fail_type("kiln_partial_read: the function is no ufunc and no reduction");
    }
  });
}

void kiln_partial_release(kiln_partial* partial) noexcept {
  release(partial);
}
