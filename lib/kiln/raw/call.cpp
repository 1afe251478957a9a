#include "raw/call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "autotune/session.hpp"
#include "call/operands.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kernel/raw/text.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "types/convert.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::raw {
namespace {

using kinds::RawForm;

constexpr std::int64_t kMaxExtent = (std::int64_t{1} << 31) - 1;
// A type variable that no argument has bound yet.
constexpr auto kOpen = static_cast<DType>(0xff);  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none of them

std::string extents_text(const Extent3& extents) {
  return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) + ", " + std::to_string(extents.z) + ")";
}

/// "[:,:]".
std::string brackets(std::size_t dimensions) {
  std::string text = "[:";
  for (std::size_t d = 1; d < dimensions; ++d) text += ",:";
  return text + "]";
}

std::string text_of(DType dtype) {
  return std::string(name(dtype));
}

}  // namespace

Call::Call(const detail::RawKernelImpl& kernel, const LaunchOptions& options, std::span<const Arg> args)
    : kernel_(kernel), options_(options), args_(args) {
  const std::size_t wanted = kernel_.signature().parameters.size();
  if (args_.size() != wanted) {
    throw TypeError(kernel_.name() + " takes " + call::counted(wanted, "argument") + ", " + std::to_string(args_.size()) +
                    " given: " + kernel_.signature().text);
  }
  check_launch();
  for (std::size_t i = 0; i < args_.size(); ++i) check_argument(i);
  bind_types();
  place();
  specialize();
  choose_form();
}

std::string Call::argument_name(std::size_t i) const {
  return "argument " + std::to_string(i) + " (" + parameter(i).name + ")";
}

void Call::fail_type(std::size_t i, const std::string& why) const {
  throw TypeError(kernel_.name() + ": " + argument_name(i) + " " + why);
}

void Call::check_launch() {
  const auto fail = [&](const std::string& why) { throw ShapeError(kernel_.name() + ": " + why); };
  if (options_.size) {
    if (options_.grid != LaunchOptions{}.grid || options_.block != Extent3{})
      fail("give .size, for which kiln chooses the grid, or .grid and .block");
    if (options_.shared_bytes != 0) fail(".shared_bytes goes with .grid and .block: items share nothing");
    if (*options_.size < 0) fail(".size is " + std::to_string(*options_.size) + "; it is the number of items");
    return;
  }
  if (options_.grid == LaunchOptions{}.grid) fail("the launch is not said: give .size, or .grid and .block");
  grid_ = options_.grid;
  block_ = options_.block;
  const std::pair<const char*, const Extent3*> both[] = {{".grid", &grid_}, {".block", &block_}};
  for (const auto& [what, extents] : both) {
    for (const std::int64_t extent : {extents->x, extents->y, extents->z}) {
      if (extent < 1 || extent > kMaxExtent) {
        fail(std::string(what) + " is " + extents_text(*extents) + "; every extent is from 1 to 2147483647");
      }
    }
    // What a count in 63 bits holds.
    if (static_cast<double>(extents->x) * static_cast<double>(extents->y) * static_cast<double>(extents->z) > 0x1p62) {
      fail(std::string(what) + " is " + extents_text(*extents) + ", which is too many");
    }
  }
  if (options_.shared_bytes < 0)
    fail(".shared_bytes is " + std::to_string(options_.shared_bytes) + "; it is a number of bytes");
}

void Call::check_argument(std::size_t i) {
  const signature::KernelParameter& wanted = parameter(i);
  const Arg& given = args_[i];
  if (!wanted.array) {
    if (given.is_array()) fail_type(i, "is an array, and the parameter a scalar; give a C++ value, as array.item<T>() is");
    return;
  }
  if (!given.is_array()) fail_type(i, "is a scalar, and the parameter an array; give an Array");
  const Array& array = given.array();
  if (!array.valid()) fail_type(i, "is an empty Array handle, not an array");
  const detail::ArrayRep& rep = *array.rep();
  if (rep.read_only && !wanted.read_only) {
    fail_type(i, "is read-only, and the kernel may write to it; give a writable array, or declare \"const\" in the signature");
  }
  if (wanted.dimensions > 0 && rep.shape.size() != static_cast<std::size_t>(wanted.dimensions)) {
    const std::string type = type_text(kernel_.signature(), wanted);
    const std::string pointer = type + "* " + wanted.name + " for elements in C order";
    throw ShapeError(kernel_.name() + ": " + argument_name(i) + " has shape " + to_string(rep.shape) + ", and the parameter " +
                     call::counted(static_cast<std::size_t>(wanted.dimensions), "dimension") + "; declare " +
                     (rep.shape.empty() ? "" : type + brackets(rep.shape.size()) + " " + wanted.name + ", or ") + pointer +
                     ", or give a reshape()");
  }
  if (wanted.dimensions == 0 && !rep.c_contiguous) {
    throw ShapeError(
        kernel_.name() + ": " + argument_name(i) + " of shape " + to_string(rep.shape) +
        " is not contiguous, and the kernel gets a pointer to elements in C order; give its copy(), or declare a view: " +
        type_text(kernel_.signature(), wanted) + brackets(rep.shape.size()) + " " + wanted.name);
  }
}

void Call::bind_types() {
  std::fill_n(types_.begin(), binding().size(), kOpen);
  // Arrays decide, since scalars convert.
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (args_[i].is_array()) bind_array(i, args_[i].array().dtype());
  }
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (!args_[i].is_array()) convert(i);
  }
}

void Call::bind_array(std::size_t i, DType given) {
  const signature::Type& type = parameter(i).type;
  if (type.dtype) {
    if (given == *type.dtype) return;
    fail_type(i, "is " + text_of(given) + ", and the parameter " + text_of(*type.dtype) +
                     "; raw kernels cast no arrays: give astype(DType::" + text_of(*type.dtype) + ")");
  }
  DType& bound = types_[type.variable];
  if (bound == kOpen) {
    bind(i, given);
  } else if (bound != given) {
    fail_type(i, "is " + text_of(given) + ", and " + kernel_.signature().variables[type.variable].name + " is " +
                     text_of(bound) + " by an earlier argument; raw kernels cast no arrays");
  }
}

void Call::bind(std::size_t i, DType given) {
  const signature::TypeVariable& variable = kernel_.signature().variables[parameter(i).type.variable];
  const auto& choices = variable.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), given) == choices.end()) {
    fail_type(i, "is " + text_of(given) + ", which " + variable.name + " may not be in " + kernel_.signature().text);
  }
  types_[parameter(i).type.variable] = given;
}

void Call::convert(std::size_t i) {
  const Arg& given = args_[i];
  const signature::Type& type = parameter(i).type;
  if (!type.dtype && types_[type.variable] == kOpen) bind(i, given.dtype());
  const DType to = type.dtype ? *type.dtype : types_[type.variable];
  if (kind(given.dtype()) > kind(to)) {
    fail_type(i, "is " + text_of(given.dtype()) + ", which does not convert to " + text_of(to) +
                     ": a scalar becomes a dtype of its kind or a higher one; convert the value");
  }
  if (kind(to) == Kind::integer && !integer_fits(given.dtype(), given.value(), to)) {
    fail_type(i, "is " + integer_text(given.dtype(), given.value()) + ", which " + text_of(to) + " does not hold");
  }
  convert_scalar(given.dtype(), given.value(), to, scalars_[i].data());
}

void Call::place() {
  const auto rep_of = [&](std::size_t i) { return args_[i].is_array() ? args_[i].array().rep().get() : nullptr; };
  place_ = call::choose_place(kernel_.name(), args_.size(), rep_of, [this](std::size_t i) { return argument_name(i); },
                              {options_.stream, options_.device});
}

void Call::specialize() {
  specialization_ =
      kernel_.constants() == 0
          ? &kernel_.plain()
          : &kernel_.specialization(binding(), [this](std::size_t i) { return scalars_[i].data(); }, place_.device);
}

// What a GPU does not tell apart is one kernel there.
void Call::choose_form() {
  const bool cpu = place_.device.is_cpu();
  const bool alone = block_.x == 1 && block_.y == 1 && block_.z == 1;
  const bool races = kernel_.finds_races(place_.device.kind());
  form_ = options_.size ? RawForm::items : alone && cpu && !races ? RawForm::single : RawForm::blocks;
  for (std::size_t i = 0; i < args_.size(); ++i) strided_ |= static_cast<Strided>(is_strided(i) && !travels(i)) << i;
  if (!kernel_.cooperates()) return;
  if (form_ == RawForm::items) {
    throw TypeError(kernel_.name() +
                    ": its threads share memory or wait for one another, and items of .size do not; give .grid and .block");
  }
  if (!cpu || races || form_ != RawForm::blocks) return;
  constexpr std::int64_t kMost = kinds::kMostTogether;
  if (block_.x > kMost || block_.y > kMost || block_.z > kMost || block_.x * block_.y * block_.z > kMost) {
    throw DeviceError("failed to launch \"" + kernel_.name() + "\" on " + to_string(place_.device) + ": its .block is (" +
                      std::to_string(block_.x) + ", " + std::to_string(block_.y) + ", " + std::to_string(block_.z) +
                      "), and of threads that share memory or wait for one another the device takes at most " +
                      std::to_string(kMost));
  }
}

// Along an axis of one element no stride is used.
bool Call::is_strided(std::size_t i) const {
  if (parameter(i).dimensions == 0) return false;
  const detail::ArrayRep& rep = *args_[i].array().rep();
  return rep.size > 0 && rep.shape.back() > 1 && rep.strides.back() != static_cast<std::int64_t>(itemsize(rep.dtype));
}

bool Call::travels(std::size_t i) const {
  return args_[i].is_array() && args_[i].array().is_host() && !place_.device.is_cpu();
}

// The same window twice is one array there, too; other overlaps of what is written would fall apart.
Array Call::on_device(std::size_t i, std::span<const Array> sent) const {
  const Array& array = args_[i].array();
  if (const detail::ArrayRep& rep = *array.rep();
      !parameter(i).read_only && !rep.c_contiguous && rep.size > 1 && layout::overlaps_itself(call::window_of(rep))) {
    throw ShapeError(kernel_.name() + ": elements of " + argument_name(i) +
                     " share memory with one another, which they would not on " + to_string(place_.device) +
                     "; give an array whose elements are distinct");
  }
  const Array* same = nullptr;
  for (std::size_t j = 0; j < i; ++j) {
    if (!travels(j)) continue;
    const detail::ArrayRep& a = *args_[j].array().rep();
    const detail::ArrayRep& b = *array.rep();
    if (!call::share_memory(a, b)) continue;
    const bool alike = (a.shape == b.shape && a.strides == b.strides) || (a.c_contiguous && b.c_contiguous);
    if (a.data == b.data && a.size == b.size && a.dtype == b.dtype && alike) {
      same = &sent[j];
      continue;
    }
    if (parameter(i).read_only && parameter(j).read_only) continue;
    throw ShapeError(kernel_.name() + ": " + argument_name(j) + " and " + argument_name(i) +
                     " share memory of the host, which they would not on " + to_string(place_.device) +
                     "; bring them there with to_device() first");
  }
  if (same != nullptr) return same->reshape(array.shape());
  return to_device(array.is_c_contiguous() ? array : array.copy(), place_.device);
}

kinds::RawLaunch Call::launch(std::span<const Array> sent) const {
  kinds::RawLaunch launch;
  launch.count = args_.size();
  launch.size = options_.size.value_or(-1);
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_.x, block_.y, block_.z};
  launch.shared_bytes = options_.shared_bytes;
  std::int64_t* axes = launch.axes.data();
  for (std::size_t i = 0; i < args_.size(); ++i) {
    kinds::RawLaunch::Argument& argument = launch.arguments[i];
    argument.array = args_[i].is_array();
    argument.dimensions = static_cast<std::uint8_t>(parameter(i).dimensions);
    if (!argument.array) {
      argument.value = scalars_[i];
      continue;
    }
    const detail::ArrayRep& rep = *array(i, sent).rep();
    std::memcpy(argument.value.data(), &rep.data, sizeof rep.data);
    argument.item_bytes = static_cast<std::uint8_t>(itemsize(rep.dtype));
    argument.size = rep.size;
    for (std::size_t d = 0; d < argument.dimensions; ++d) {
      axes[d] = rep.shape[d];
      axes[d + argument.dimensions] = rep.strides[d];
    }
    axes += 2 * argument.dimensions;
  }
  return launch;
}

void Call::measure(std::span<const Array> sent) const {
  profiled_.on(place_.device, place_.queue);
  profiled_.reads(1, 0);
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (!args_[i].is_array()) continue;
    const Array& used = array(i, sent);
    parameter(i).read_only ? profiled_.reads(used.size(), used.nbytes()) : profiled_.writes(used.size(), used.nbytes());
  }
}

void Call::run() {
  if (options_.size == 0) return;
  if (profiled_) [[unlikely]]
    profiled_.named(kernel_.name());
  Key key{.strided = strided_, .form = form_, .device = place_.device};
  for (std::size_t i = 0; i < binding().size(); ++i) key.types[i] = static_cast<std::uint8_t>(types_[i]);
  // Compiling may throw: nothing has been transferred yet.
  const Variant& variant = kernel_.variant(*specialization_, key, binding());
  std::vector<Array> sent(place_.staged ? args_.size() : 0);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (!travels(i)) continue;
    call::refuse_staging(kernel_.name(), place_.device);
    sent[i] = on_device(i, sent);
  }
  if (profiled_) [[unlikely]]
    measure(sent);
  backend::Backend& backend = backend::backend_for(place_.device);
  std::shared_ptr<const void> keep;
  backend::Capture* const capture = backend::Capture::current();
  if (backend.asynchronous(place_.queue) || capture != nullptr) {
    auto kept = std::make_shared<std::vector<Array>>();
    for (std::size_t i = 0; i < args_.size(); ++i) {
      if (args_[i].is_array()) kept->push_back(array(i, sent));
    }
    if (capture != nullptr) call::note_memory(*capture, *kept);
    keep = std::move(kept);
  }
  kinds::RawLaunch work = launch(sent);
  if (autotune::maybe_wanted()) [[unlikely]]
    tune(variant, work, sent);
  if (const auto* const shape = variant.tuned != nullptr ? variant.tuned->find(work.size) : nullptr) {
    work.item_block = shape->choice.block;
  }
  kinds::launch(backend, *variant.module, work, place_.queue, keep);
  if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, variant);
  fetch(sent);
  if (detail::MappedFile::any_torn()) [[unlikely]]
    check_files();
}

void Call::check_files() const {
  if (!place_.gpu() && place_.queue != nullptr) place_.queue->synchronize();  // who reads has read
  for (const Arg& arg : args_) {
    if (arg.is_array()) detail::MappedFile::check(*arg.array().rep());
  }
}

// By how it was launched: on a CPU a block of one thread is another kernel.
void Call::record(ufunc::Recorder& recorder, const Variant& variant) const {
  const bool alone = block_.x == 1 && block_.y == 1 && block_.z == 1;
  const RawForm form = options_.size ? RawForm::items : alone ? RawForm::single : RawForm::blocks;
  std::vector<std::string> strided, strided_host;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (is_strided(i)) (args_[i].array().is_host() ? strided_host : strided).push_back(parameter(i).name);
  }
  // The same variant here may be two elsewhere where it has such host arrays.
  const unsigned bit = 1U << static_cast<unsigned>(form);
  if (strided_host.empty() && (variant.recorded.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  const auto types = kernel_.types_of(binding());
  recorder.used(ufunc::RawUse{.definition = kernel_.definition(),
                              .types = types,
                              .constants = specialization_->constants.values,
                              .strided = strided,
                              .strided_host = strided_host,
                              .form = form});
}

void Call::fetch(std::span<const Array> sent) const {
  bool waited = false;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (!travels(i) || parameter(i).read_only) continue;
    // Copies are ordered after the default stream only.
    if (!std::exchange(waited, true) && place_.queue != nullptr) place_.queue->synchronize();
    Array host = args_[i].array();
    sent[i].copy_to_host(host);
  }
}

cache::Contents Call::compiled() const {
  const backend::Compiler& compiler = *backend::backend_for(place_.device).compiler();
  return program::compiled(kernel_.request(binding(), specialization_->constants, {strided_, form_}, place_.device.kind()),
                           compiler);
}

RawResolution Call::resolve() const {
  RawResolution resolution{.signature = kernel_.text_of(binding(), specialization_->constants),
                           .form = std::string(kinds::form_name(form_)),
                           .device = place_.device,
                           .copies = {}};
  for (std::size_t i = 0; i < args_.size(); ++i) {
    if (!travels(i)) continue;
    resolution.copies.push_back(argument_name(i) + " is sent to " + to_string(place_.device) +
                                (parameter(i).read_only ? "" : " and fetched"));
  }
  return resolution;
}

}  // namespace kiln::raw
