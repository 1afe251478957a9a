#include "raw/call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array/rep.hpp"
#include "autotune/session.hpp"
#include "call/operands.hpp"
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

Call::Call(const detail::RawKernelImpl& kernel, const LaunchOptions& options, std::span<const Arg> args,
           const backend::StopRequest* stop)
    : kernel_(kernel),
      options_(options),
      operands_(kernel, args, {options.stream, options.device, stop}, kernel.signature().parameters.size(), kernel.written()) {
  check_launch();
  for (std::size_t i = 0; i < operands_.nin(); ++i) check_argument(i);
  bind_types();
  operands_.place();
  specialize();
  choose_form();
}

void Call::fail_type(std::size_t i, const std::string& why) const {
  throw TypeError(kernel_.name() + ": " + kernel_.operand_name(i) + " " + why);
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
  const detail::ArrayRep* const given = operands_.rep(i);
  if (!wanted.array) {
    if (given != nullptr)
      fail_type(i, "is an array, and the parameter a scalar; give its value, which item() of the array returns");
    return;
  }
  if (given == nullptr) fail_type(i, "is a scalar, and the parameter an array; give an Array");
  const detail::ArrayRep& rep = *given;
  if (rep.read_only && !wanted.read_only) {
    fail_type(i, "is read-only, and the kernel may write to it; give a writable array, or declare \"const\" in the signature");
  }
  if (wanted.dimensions > 0 && rep.shape.size() != static_cast<std::size_t>(wanted.dimensions)) {
    const std::string type = type_text(kernel_.signature(), wanted);
    const std::string pointer = type + "* " + wanted.name + " for elements in C order";
    throw ShapeError(kernel_.name() + ": " + kernel_.operand_name(i) + " has shape " + to_string(rep.shape) +
                     ", and the parameter " + call::counted(static_cast<std::size_t>(wanted.dimensions), "dimension") +
                     "; declare " + (rep.shape.empty() ? "" : type + brackets(rep.shape.size()) + " " + wanted.name + ", or ") +
                     pointer + ", or give a reshape()");
  }
  if (wanted.dimensions == 0 && !rep.c_contiguous) {
    throw ShapeError(
        kernel_.name() + ": " + kernel_.operand_name(i) + " of shape " + to_string(rep.shape) +
        " is not contiguous, and the kernel gets a pointer to elements in C order; give its copy(), or declare a view: " +
        type_text(kernel_.signature(), wanted) + brackets(rep.shape.size()) + " " + wanted.name);
  }
}

void Call::bind_types() {
  std::fill_n(types_.begin(), binding().size(), kOpen);
  // Arrays decide, since scalars convert.
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    if (!operands_.is_scalar(i)) bind_array(i, operands_.rep(i)->dtype);
  }
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    if (operands_.is_scalar(i)) convert(i);
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
  const Arg& given = *operands_.all()[i].scalar;
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

void Call::specialize() {
  specialization_ =
      kernel_.constants() == 0
          ? &kernel_.plain()
          : &kernel_.specialization(binding(), [this](std::size_t i) { return scalars_[i].data(); }, operands_.at().device);
}

// What a GPU does not tell apart is one kernel there.
void Call::choose_form() {
  const bool cpu = operands_.at().device.is_cpu();
  const bool alone = block_.x == 1 && block_.y == 1 && block_.z == 1;
  const bool races = kernel_.finds_races(operands_.at().device.kind());
  form_ = options_.size ? RawForm::items
                        : kernel_.form_for(alone ? RawForm::single : RawForm::blocks, operands_.at().device.kind());
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    strided_ |= static_cast<Strided>(is_strided(i) && !operands_.travels(i)) << i;
  }
  if (!kernel_.cooperates()) return;
  if (form_ == RawForm::items) {
    throw TypeError(kernel_.name() +
                    ": its threads share memory or wait for one another, and items of .size do not; give .grid and .block");
  }
  if (!cpu || races || form_ != RawForm::blocks) return;
  constexpr std::int64_t kMost = kinds::kMostTogether;
  if (block_.x > kMost || block_.y > kMost || block_.z > kMost || block_.x * block_.y * block_.z > kMost) {
    throw DeviceError(
        "failed to launch \"" + kernel_.name() + "\" on " + to_string(operands_.at().device) + ": its .block is (" +
        std::to_string(block_.x) + ", " + std::to_string(block_.y) + ", " + std::to_string(block_.z) +
        "), and of threads that share memory or wait for one another the device takes at most " + std::to_string(kMost));
  }
}

// Along an axis of one element no stride is used.
bool Call::is_strided(std::size_t i) const {
  if (parameter(i).dimensions == 0) return false;
  const detail::ArrayRep& rep = *operands_.given_rep(i);
  return rep.size > 0 && rep.shape.back() > 1 && rep.strides.back() != static_cast<std::int64_t>(itemsize(rep.dtype));
}

kinds::RawLaunch Call::launch() const {
  kinds::RawLaunch launch;
  launch.count = operands_.nin();
  launch.size = options_.size.value_or(-1);
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_.x, block_.y, block_.z};
  launch.shared_bytes = options_.shared_bytes;
  std::int64_t* axes = launch.axes.data();
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    kinds::RawLaunch::Argument& argument = launch.arguments[i];
    argument.array = !operands_.is_scalar(i);
    argument.dimensions = static_cast<std::uint8_t>(parameter(i).dimensions);
    if (!argument.array) {
      argument.value = scalars_[i];
      continue;
    }
    const detail::ArrayRep& rep = *operands_.rep(i);
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

void Call::check_structures(const backend::Module& module) const {
  for (const std::size_t i : kernel_.source().structures) {
    const backend::ModuleVariable size = module.variable("kiln_bytes_of_parameter_" + std::to_string(i));
    if (size.address == nullptr) continue;
    const std::uint64_t bytes = size.bytes != 0 ? size.bytes : reinterpret_cast<std::uint64_t (*)()>(size.address)();
    const detail::ArrayRep& rep = *operands_.rep(i);
    const auto given = static_cast<std::uint64_t>(rep.size) * itemsize(rep.dtype);
    if (given == bytes) continue;
    throw ShapeError(kernel_.name() + ": " + kernel_.operand_name(i) + " has " + std::to_string(given) +
                     " bytes, and the kernel's structure " + std::to_string(bytes) +
                     "; give cupy::structure() of one with the same members");
  }
}

void Call::run() {
  if (options_.size == 0) return;
  Key key{.spec = {.strided = strided_, .form = form_}, .device = operands_.at().device};
  for (std::size_t i = 0; i < binding().size(); ++i) key.spec.types[i] = static_cast<std::uint8_t>(types_[i]);
  // Compiling may throw: nothing has been transferred yet.
  const Variant& variant = kernel_.variant(*specialization_, key, binding());
  if (!kernel_.source().structures.empty()) check_structures(*variant.module);
  operands_.send_whole();
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  const std::shared_ptr<const void> keep = operands_.keep(backend, {});
  kinds::RawLaunch work = launch();
  if (autotune::maybe_wanted()) [[unlikely]]
    tune(variant, work);
  if (const auto* const shape = variant.tuned != nullptr ? variant.tuned->find(work.size) : nullptr) {
    work.item_block = shape->choice.block;
  }
  const backend::LaunchContext context = operands_.launch_context(keep);
  if (kernel_.values() != nullptr) kernel_.values()->write(backend, *variant.module, context.queue);
  kinds::launch(backend, *variant.module, work, context);
  if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, variant);
  operands_.fetch({});
}

// By how it was launched: on a CPU a block of one thread is another kernel.
void Call::record(ufunc::Recorder& recorder, const Variant& variant) const {
  const bool alone = block_.x == 1 && block_.y == 1 && block_.z == 1;
  const RawForm form = options_.size ? RawForm::items : alone ? RawForm::single : RawForm::blocks;
  std::vector<std::string> strided, strided_host;
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    if (is_strided(i)) (operands_.given_rep(i)->on_host ? strided_host : strided).push_back(parameter(i).name);
  }
  // The same variant here may be two elsewhere where it has such host arrays.
  const unsigned bit = 1U << static_cast<unsigned>(form);
  if (strided_host.empty() && (variant.recorded.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  const auto types = kernel_.types_of(binding());
  recorder.used(ufunc::RawUse{.definition = kernel_.definition(),
                              .source = kernel_.source().definition.get(),
                              .expression = kernel_.source().expression,
                              .types = types,
                              .constants = specialization_->constants.values,
                              .strided = strided,
                              .strided_host = strided_host,
                              .form = form});
}

cache::Contents Call::compiled() const {
  const backend::Compiler& compiler = *backend::backend_for(operands_.at().device).compiler();
  return program::compiled(
      kernel_.request(binding(), specialization_->constants, {strided_, form_}, operands_.at().device.kind()), compiler);
}

Resolution Call::resolve() const {
  std::vector<DType> dtypes;
  for (const signature::KernelParameter& each : kernel_.signature().parameters)
    dtypes.push_back(kernel_.dtype_of(each, binding()));
  return {.loop = kernel_.text_of(binding(), specialization_->constants),
          .dtypes = std::move(dtypes),
          .casts = {},
          .shape = {},
          .variant = std::string(kinds::form_name(form_)),
          .device = operands_.at().device,
          .copies = operands_.transfers()};
}

}  // namespace kiln::raw
