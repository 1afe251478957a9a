#include "kiln/explain.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <string>

#include "base/nearest.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace {

// By code, for the search.
constexpr ErrorTopic kTopics[] = {
    {"argument", "ArgumentError", "An option that is not valid",
     "A struct of the C interface or a call in Python has an unknown option, or a value that the option does not take. The "
     "error names the option.",
     "Correct the option. The default function of a struct sets its struct_size.", "method: 9 is no kiln_method [method]"},
    {"arguments", "TypeError", "A wrong number of arguments",
     "A call has more or fewer arguments than the function has inputs.",
     "Give one argument for each input of the signature. Outputs are given by `out`.",
     "add takes 2 arguments, 1 given; its loops are T(T a, T b) where T: int8, float32, float64"},
    {"axis", "ShapeError", "An axis that the array does not have", "An axis is not from -ndim to ndim - 1, or is named twice.",
     "Count axes from 0, or from -1 for the last one. `all_axes` (None in Python) names all.",
     "add.reduce: axis 2 does not exist in an array of shape (2, 3); give -2 to 1"},
    {"broadcast", "ShapeError", "Shapes that do not broadcast",
     "Two extents of one axis differ, and neither is 1. Axes are counted from the last one, as in NumPy.",
     "Insert axes of extent 1 by newaxis or reshape(), or transpose an operand. An output is never broadcast.",
     "add: shapes do not broadcast: input 0 (a) (2, 3), input 1 (b) (2,); extents must be equal or 1, counted from the last "
     "axis"},
    {"cache", "CacheError", "A cache, a manifest or a definition that cannot be used",
     "A cache directory is refused, an id names no entry, or a JSON text is not a manifest or a definition. The message has "
     "the JSON path.",
     "Follow the message. `kiln cache verify` examines a cache directory. The directory must be the user's own, and writable "
     "by no one else.",
     R"x(definition: /kind: unknown kind "ufunk"; the kinds are "ufunc", "gufunc", "reduction", "kernel", "cupy.elementwise", "cupy.reduction", "cupy.raw")x"},
    {"capture", "DeviceError", "A call that cannot be captured",
     "The work of a graph is recorded without running. This call needs a result on the host, another stream or another device.",
     "Make the call before or after the capture.", "capture: this thread is in a capture already; end that one first"},
    {"casting", "TypeError", "A cast that the casting rule forbids",
     "An input or an output would be converted to a dtype that can hold less. The rule of calls is same_kind.",
     "Convert by astype(), choose a loop by `dtype`, give an output of the result's dtype, or give unsafe as `casting`.",
     R"x(add: cannot cast output 0 from float64 to the out array's int32 under casting "same_kind" for the loop float64(float64 a, float64 b); give one of float64)x"},
    {"compile", "CompileError", "A kernel that does not compile",
     "The compiler rejects the body. The message has the line and the column in your text, whichever compiler found it.",
     "Correct the text at that place. docs/writing-kernels.md says what a body may use.",
     "f:1:1: error: use of undeclared identifier 'sqroot'"},
    {"compiler", "DeviceError", "No compiler",
     "The kernel is not in the cache, and kiln finds no compiler for the device. The message lists the places that were tried.",
     "Install libkiln-clang, or for GPUs NVRTC or hipRTC. Or ship the kernels: `kiln cache export` on a machine that has a "
     "compiler.",
     R"x(kernel "f", float64(float64 a), variant "contiguous, input 0 scalar", for x86-64-v4 is in no cache and cannot be compiled: kiln's Clang is not used: KILN_CLANG=none; unset it; there is no cache on disk: set KILN_CACHE_DIR or KILN_CACHE_READONLY_DIRS; compile it ahead with kiln compile, or install the compiler)x"},
    {"contiguous", "ShapeError", "Elements that are not in C order",
     "`as<T>()` gives a pointer to elements in C order, and the array is a view with other strides.",
     "Use view<T>(), which goes by the strides, or copy() the array.",
     "as<T>(): the elements of shape (3, 2) with strides (8, 24) do not lie in C order: use view<T>(), which goes by the "
     "strides, or copy() the array"},
    {"core", "ShapeError", "Core dimensions that do not fit the layout",
     "An operand of a generalized ufunc has too few axes, or an extent that differs from another operand's of the same name.",
     "The last axes of each operand are its core dimensions, as the layout names them. `axes` names others.",
     "dot: input 1 (b) of shape (2,) has 2 along core dimension n, input 0 (a) of shape (2, 3) has 3"},
    {"device", "DeviceError", "A device that the machine does not have",
     "A name is not a device's, or the vendor's driver does not find the device.",
     "`kiln devices` lists the devices. CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES hide some.",
     R"x(unknown device "gpu:0"; devices are "cpu", "cpu:N" (N threads), "cuda", "cuda:N", "hip", "hip:N" (GPU number N), "emulated:sm_NN", "best")x"},
    {"driver", "DeviceError", "A vendor's driver that is missing, or fails",
     "libcuda or libamdhip64 cannot be opened, or finds no device. The message lists the places that were tried.",
     "Install the vendor's driver, or use Device::cpu(). KILN_CUDA and KILN_HIP name another file.",
     "no CUDA driver was found: tried libcuda.so.1 (not found by the loader); install the NVIDIA driver, or name its file in "
     "KILN_CUDA"},
    {"empty", "TypeError", "An empty handle",
     "A handle was used that names nothing: it was made without arguments, or was moved from.",
     "Assign a function or an array first. valid() says whether a handle is empty.",
     "this Ufunc is empty; make one with vectorize() or fuse()"},
    {"fault", "DeviceError", "A fault of a kernel",
     "The body reads or writes out of bounds, divides by zero in debug mode, or fails an assertion.",
     "Run the kernel with KILN_DEBUG=1 on the CPU: the message has the line and the index. After a fault on a GPU the process "
     "must end.",
     "next failed on cpu at item 0: index 4 of table is out of bounds, its shape is (3,): next:1:14"},
    {"file", "IoError", "A file that cannot be read or written",
     "The system refuses to open, read or write a file. The message has its reason.",
     "Check the path, its permissions and the space on the disk. No file is left half written.",
     R"x(failed to read "/nowhere/data.npy": No such file or directory)x"},
    {"fork", "DeviceError", "A GPU in a forked process",
     "Contexts of GPUs do not survive fork(), and this process was forked from one that used a GPU.",
     "Start processes by spawn or exec; in Python: multiprocessing.set_start_method('spawn'). The CPU may be used.",
     "cannot use cuda:0 in a process forked from one that used kiln: GPU contexts do not survive fork(); restart the process "
     "(exec) or use the CPU"},
    {"format", "IoError", "A file that is damaged, or has another format",
     "The magic bytes, a header, a length or a checksum of the file is wrong. The message has the byte.",
     "Write the file again. kiln reads .npy and .npz of numeric dtypes, and no object arrays.",
     R"x(failed to read "data.npy": not a .npy file: the magic string \x93NUMPY is missing (at byte 0))x"},
    {"header", "IoError", "A header that cannot be read",
     "A text includes a header that is not in `headers` or in a folder of `include_dirs`.",
     "Add its folder to `include_dirs` (`-I`). The host's standard headers are not available on GPUs.",
     R"x(failed to find the header "twice.hpp", which f.preamble:1 includes: it is not among the kernel's headers, and there are no include folders; give its text in .compile.headers or its folder in .compile.include_dirs)x"},
    {"identity", "TypeError", "No element to combine, and no identity",
     "A reduction runs over no element, or with a mask, and the function has no identity.",
     "Give `initial`, or an identity in the definition.",
     "add.reduce: nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give .initial, or .identity "
     "in the definition"},
    {"index", "ShapeError", "An index out of range",
     "An index is not from -extent to extent - 1 of its axis, or a mask has another shape than the array.",
     "Check the index. Nothing was written.",
     "add.at: index 2 at position 1 of the array of indices is out of range for axis 0 of extent 2"},
    {"internal", "Error", "A fault of kiln's own, or of the host", "An exception that kiln does not know.",
     "Please report it, with the message and the output of `kiln devices`.", "std::bad_function_call"},
    {"loop", "TypeError", "Dtypes that no loop takes", "No signature of the function takes these dtypes by safe casts.",
     "Convert an argument by astype(), or add a signature. resolve() shows what a call would do.",
     "add: no loop takes (complex128, complex128) by safe casts; its loops are T(T a, T b) where T: int8, float32, float64; "
     "convert an argument with astype(), or force a loop with .dtype or .signature and .casting = Casting::unsafe"},
    {"memory", "DeviceError", "No room for an allocation",
     "A device or the host has less free memory than an array needs, or the limit of KILN_DEVICE_MEMORY_LIMIT is reached.",
     "Free arrays, use `chunked`, or write into outputs that exist by `out`.",
     "failed to allocate 9007199254740992 bytes of host memory: the system has no more"},
    {"order", "ShapeError", "A reduction whose order counts",
     "The function has no identity and is not reorderable, and the reduction runs over several axes.",
     "Name one axis. If any order gives the same result, set `reorderable` or an identity in the definition.",
     "half_sum.reduce: the operation is not marked reorderable, so its order counts and it is reduced along one axis, not 2; "
     "name one axis, or set .reorderable or .identity in the definition"},
    {"out", "ShapeError", "An output of another shape", "An output is never broadcast: its shape must be the result's.",
     "Give an output of the shape in the message, or none.",
     "add: output 0 has shape (3,), the result has shape (2, 3); .out is never broadcast"},
    {"overflow", "TypeError", "A number that its dtype does not hold",
     "An integer without a dtype takes that of the loop, as in NumPy 2, and does not fit.",
     "Give it a dtype, such as np.int64(300), or use an array of a larger dtype.",
     "add: the integer 300 given as input 1 (b) does not fit in int8, the dtype of the loop int8(int8 a, int8 b)"},
    {"overlap", "ShapeError", "Operands that share memory where they may not",
     "An output shares memory with another operand, and the call cannot order the two: it runs in chunks, or copies to a "
     "device.",
     "Give an output of its own memory.",
     "add: output 0 overlaps input 0 (a), which a later chunk may have to read; give another array"},
    {"places", "DeviceError", "Operands in several places",
     "The arrays of a call, its stream and its `device` must be of one device. Host arrays go to any.",
     "Copy the arrays to one device by to_device(), or to the host by copy_to_host().",
     "add: input 0 (a) is on emulated:sm_90, input 1 (b) is on cpu; bring them to one device with to_device()"},
    {"rank", "RankError", "A rank that failed in a collective call",
     "A rank of a communicator threw, is late, or made another call. Each rank reports it.",
     "The message has the rank and its error. All ranks must make the same calls, in the same order.",
     "kiln::warm: rank 3 of 8: it did not come within 60 s"},
    {"read_only", "TypeError", "A read-only array",
     "The array is a view of memory that may not be written, or of a file that was opened for reading.",
     "Write to a copy(), or open the file with write access.", "add: output 0 is read-only; give a writable array as .out"},
    {"reshape", "ShapeError", "Another number of elements", "A new shape must have as many elements as the array.",
     "Correct the shape. One extent may be -1, which is computed.",
     "cannot reshape an array of shape (2, 3) (6 elements) into (4, 2)"},
    {"shape", "ShapeError", "Shapes, strides or axes that do not fit",
     "The operands' shapes do not fit the call. The message has the operand, its shape, and what is expected.",
     "Follow the message.", "a slice step is 0: use a positive or a negative number"},
    {"signature", "SignatureError", "A text that cannot be parsed",
     "A signature, a layout, a rule or an option of a definition is not valid. A caret marks the place.",
     "Correct the text. docs/signatures.md has the grammar.", R"x(unknown dtype "float63": did you mean "float64"?)x"},
    {"stopped", "Stopped", "A call that was ended", "The `timeout` of the call has passed, or its `stop` was requested.",
     "Outputs may be partly written. Raise the limit, or compute in smaller calls.",
     "slow: stopped: it took longer than its .timeout of 1 ms; its outputs are partly written"},
    {"truth", "ShapeError", "The truth of an array of several elements", "`if (a)` is defined for exactly one element.",
     "Write a.all() or a.any().",
     "the truth of an array of shape (2, 3), of several elements, is ambiguous: ask all() or any()"},
    {"type", "TypeError", "Arguments or options that do not fit",
     "An argument or an option has a type or a value that the function does not take.", "Follow the message.",
     "add: .dtype and .signature both force a loop; give one of them"},
    {"undecided", "TypeError", "A type variable that nothing decides",
     "No argument has the type variable, so that no loop can be chosen.",
     "Restrict it in the signature (where T: float32), or choose a loop by `dtype`.",
     R"x(next: nothing decides the type variable "T", which stands in no input; give the array of its output with .out, or .dtype)x"},
};

const ErrorTopic* find(std::string_view code) noexcept {
  const auto* const found =
      std::lower_bound(std::begin(kTopics), std::end(kTopics), code,
                       [](const ErrorTopic& topic, std::string_view wanted) { return topic.code < wanted; });
  return found != std::end(kTopics) && found->code == code ? found : nullptr;
}

template <class E>
bool is(const std::exception& error) noexcept {
  return dynamic_cast<const E*>(&error) != nullptr;
}

std::string_view code_of_class(const std::exception& error) noexcept {
  if (is<SignatureError>(error)) return "signature";
  if (is<ShapeError>(error)) return "shape";
  if (is<TypeError>(error)) return "type";
  if (is<Stopped>(error)) return "stopped";
  if (is<DeviceError>(error)) return "device";
  if (is<CacheError>(error)) return "cache";
  if (is<IoError>(error)) return "file";
  if (is<CompileError>(error)) return "compile";
  if (is<RankError>(error)) return "rank";
  if (is<std::bad_alloc>(error)) return "memory";
  return "internal";
}

}  // namespace

std::span<const ErrorTopic> error_topics() noexcept {
  return kTopics;
}

const ErrorTopic& explain(std::string_view code) {
  if (const ErrorTopic* const found = find(code)) return *found;
  std::string_view codes[std::size(kTopics)];
  std::transform(std::begin(kTopics), std::end(kTopics), codes, [](const ErrorTopic& topic) { return topic.code; });
  const std::string_view near = base::nearest(code, codes);
  throw TypeError("unknown code \"" + std::string(code) +
                  "\": " + (near.empty() ? "`kiln explain` lists all codes" : "did you mean \"" + std::string(near) + "\"?"));
}

const ErrorTopic& explain(const std::exception& error) noexcept {
  const auto reason = reason_of(error);
  return *find(reason ? std::string_view(name(*reason)) : code_of_class(error));
}

}  // namespace kiln
