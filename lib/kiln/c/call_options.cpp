#include "c/call_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "c/argument_error.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"

namespace kiln::c {
namespace {

/// The bytes that kiln_call_options has had since it exists.
constexpr std::size_t kLeast = offsetof(kiln_call_options, measure) + sizeof(std::uint32_t);

bool any(const std::int64_t (&list)[3]) noexcept {
  return list[0] != 0 || list[1] != 0 || list[2] != 0;
}

struct Given {
  Option option;
  const char* member;
  bool given;
};

std::array<Given, 18> all_of(const kiln_call_options& o) noexcept {
  return {{{kCasting, "casting", o.casting != KILN_SAME_KIND},
           {kWhere, "where", o.where.kind != KILN_NONE},
           {kInitial, "initial", o.initial.kind != KILN_NONE},
           {kDType, "dtype", !is_none(o.dtype)},
           {kKeepdims, "keepdims", o.keepdims != 0},
           {kAxis, "axis", o.axis != nullptr || o.axis_count != 0},
           {kSignature, "signature", o.signature != nullptr},
           {kCoreAxes, "core_axes", o.core_axes_operands != 0},
           {kSize, "size", o.has_size != 0 || o.size != 0},
           {kGrid, "grid", any(o.grid)},
           {kGrid, "block", any(o.block)},
           {kGrid, "shared_bytes", o.shared_bytes != 0},
           {kLimits, "timeout_ns", o.timeout_ns != 0},
           {kLimits, "stop", o.stop != nullptr},
           {kChunks, "chunked", o.chunked != 0},
           {kLengths, "lengths", o.lengths != nullptr || o.lengths_count != 0},
           {kLengths, "norm", o.norm != 0},
           {kLengths, "measure", o.measure != 0}}};
}

std::array<Given, 3> all_of_chunks(const kiln_call_options& o) noexcept {
  return {{{kChunks, "chunk_bytes", o.chunk_bytes != 0},
           {kChunks, "devices", o.devices_count != 0},
           {kChunks, "progress", o.progress != nullptr}}};
}

}  // namespace

Casting casting_of(std::uint32_t casting) {
  constexpr Casting kCastings[] = {Casting::same_kind, Casting::no, Casting::equiv, Casting::safe, Casting::unsafe};
  if (casting >= std::size(kCastings)) throw ArgumentError(fmt::format("casting: {} is no kiln_casting", casting), "casting");
  return kCastings[casting];
}

const kiln_call_options& Options::none() noexcept {
  static constexpr kiln_call_options kNone{};
  return kNone;
}

Options::Options(const kiln_call_options* given)
    : given_(given == nullptr ? &none() : &struct_of(*given, kLeast, storage_, "kiln_call_options")) {}

std::uint32_t Options::groups() const noexcept {
  const kiln_call_options& o = *given_;
  if (&o == &none()) return 0;
  std::uint32_t groups = 0;
  for (const Given& option : all_of(o)) groups |= option.given ? option.option : 0U;
  for (const Given& option : all_of_chunks(o)) groups |= option.given ? option.option : 0U;
  const bool placed = o.stream != nullptr || o.device.type != 0 || o.device.index != 0;
  return groups | (placed ? kPlace : 0U);
}

void Options::allow(std::uint32_t options, const char* what) const {
  const kiln_call_options& o = *given_;
  if (&o == &none()) return;
  for (const Given& option : all_of(o)) {
    if (option.given && (options & option.option) == 0)
      throw ArgumentError(fmt::format("{}: it has no option {}", what, option.member), option.member);
  }
  if (o.chunked != 0) return;
  for (const Given& option : all_of_chunks(o)) {
    if (option.given) throw ArgumentError(fmt::format("{}: {} needs .chunked", what, option.member), option.member);
  }
}

Axes Options::axes(const Axes& otherwise) const {
  const kiln_call_options& o = *given_;
  if (o.axis_count == KILN_ALL_AXES) return Axes::all();
  if (o.axis == nullptr) {
    if (o.axis_count != 0) fail_null("axis");
    return otherwise;
  }
  if (o.axis_count > 64)
    throw ArgumentError(fmt::format("axis_count: {} axes; 0 to 64 are possible", o.axis_count), "axis_count");
  return std::vector<int>(o.axis, o.axis + o.axis_count);
}

int Options::one_axis(int otherwise) const {
  const kiln_call_options& o = *given_;
  if (o.axis == nullptr && o.axis_count == 0) return otherwise;
  if (o.axis_count != 1) throw ArgumentError("axis: this function works along one axis", "axis");
  if (o.axis == nullptr) fail_null("axis");
  return *o.axis;
}

std::optional<Arg> Options::initial() const {
  if (given_->initial.kind == KILN_NONE) return std::nullopt;
  return scalar_of(given_->initial, "kiln_call_options.initial");
}

std::vector<std::vector<int>> Options::core_axes() const {
  const kiln_call_options& o = *given_;
  std::vector<std::vector<int>> axes;
  if (o.core_axes_operands == 0) return axes;
  if (o.core_axes_counts == nullptr) fail_null("core_axes_counts");
  const std::int32_t* next = o.core_axes;
  for (std::size_t i = 0; i < o.core_axes_operands; ++i) {
    const std::size_t count = o.core_axes_counts[i];
    if (count > 64)
      throw ArgumentError(fmt::format("core_axes_counts[{}]: {} axes; 0 to 64 are possible", i, count), "core_axes_counts");
    if (count != 0 && next == nullptr) fail_null("core_axes");
    axes.emplace_back(next, next + count);
    if (count != 0) next += count;
  }
  return axes;
}

std::string_view Options::signature() const {
  const kiln_call_options& o = *given_;
  if (o.signature == nullptr) return {};
  const std::size_t length =
      o.signature_length == KILN_NUL || o.signature_length == 0 ? std::strlen(o.signature) : o.signature_length;
  return {o.signature, length};
}

ChunkOptions Options::chunks() const {
  const kiln_call_options& o = *given_;
  ChunkOptions chunks{.chunk_bytes = o.chunk_bytes};
  if (o.devices_count != 0 && o.devices == nullptr) fail_null("devices");
  for (std::size_t i = 0; i < o.devices_count; ++i)
    chunks.devices.push_back(required_device(o.devices[i], "kiln_call_options.devices"));
  if (o.stop != nullptr) chunks.stop = checked(o.stop, "kiln_call_options.stop").source.get_token();
  if (o.progress == nullptr) return chunks;
  chunks.progress = [callback = o.progress, user = o.progress_user](const ChunkProgress& progress) {
    kiln_progress state = kiln_progress_default();
    state.chunks_done = progress.done;
    state.chunks = progress.chunks;
    state.bytes_done = progress.bytes_done;
    state.bytes = progress.bytes;
    state.seconds = progress.seconds;
    const CallbackScope scope;
    if (callback(&state, user) == 0) return;
    fail_stopped(fmt::format("stopped by the progress callback: {} of {} chunks are done", progress.done, progress.chunks));
  };
  return chunks;
}

}  // namespace kiln::c
