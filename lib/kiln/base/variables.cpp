#include "base/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"

namespace kiln::base {
namespace {

constexpr Variable kDevices[] = {
    {"KILN_DEVICE", "`best`, `cpu`, `cpu:4` (four threads), `cuda`, `cuda:1`, `hip:0`, `emulated:sm_90`",
     "`best`: a GPU if there is one, else the CPU",
     "The device of calls on host arrays. If the machine does not have it, the call is a `DeviceError`.", ""},
    {"KILN_CPU_TARGET", "`native`, `x86-64`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, or the whole target of another machine",
     "`native`: this machine",
     "The processors that kernels of the CPU are compiled for. If this processor cannot run the target, the CPU device is a "
     "`DeviceError`.",
     "cache.md#one-cache-for-several-machines"},
    {"KILN_EMULATOR", "a file", "`libkiln-emulator.so` in the folder of `libkiln.so`, or where its package has it",
     "The emulator of GPUs.", "raw-kernels.md#on-a-machine-without-a-gpu"},
    {"KILN_EMULATOR_SEED", "a number", "`1`",
     "The order in which an emulated device runs blocks, warps and the commands of streams. A fault that hides in one order "
     "shows in another.",
     "raw-kernels.md#on-a-machine-without-a-gpu"},
    {"KILN_EMULATOR_TARGET", "`sm_75`, `sm_80`, `sm_90`, …", "`sm_90`",
     "The architecture of `cuda:0` where `KILN_CUDA` names the emulator.", "testing.md#ptx-on-the-host"},
};

constexpr Variable kCache[] = {
    {"KILN_CACHE_DIR", "a folder; empty: none", "`$XDG_CACHE_HOME/kiln`, else `~/.cache/kiln`",
     "The directory that keeps compiled kernels for later processes. Without one, kernels are kept in memory.", "cache.md"},
    {"KILN_CACHE_MAX_BYTES", "bytes: `500M`, `2G`", "`1G`",
     "The bound on the size of `KILN_CACHE_DIR`. Beyond it the least recently used kernels are removed.", "cache.md"},
    {"KILN_CACHE_READONLY_DIRS", "folders and bundles, separated by `:`", "none",
     "Further directories, which are read and never written. They have kernels that are shipped with a program.",
     "cache.md#bundles"},
    {"KILN_RECORD", "a file", "nothing is recorded", "The manifest that every kernel of the process's calls is added to.",
     "manifest.md#recording"},
    {"KILN_TUNE", "`0`, `1`", "`0`", "1: launch shapes of kernels on GPUs are measured. The best are kept in the cache.",
     "tuning.md"},
};

constexpr Variable kMemory[] = {
    {"KILN_DEVICE_MEMORY_LIMIT", "bytes: `500M`, `2G`", "all of its memory", "The bytes that kiln may have in use on each GPU.",
     "device-memory.md"},
    {"KILN_HOST_POOL_MAX_BYTES", "bytes: `0`, `500M`, `2G`", "an eighth of what the process may use",
     "The memory of freed host arrays that is kept for the next ones. Arrays of 2 MiB and more count.",
     "environment.md#memory-of-freed-arrays"},
};

constexpr Variable kChecks[] = {
    {"KILN_DEBUG", "`0`, `1`, `nan`, `race`", "`0`",
     "1: every kernel checks itself, as by `.compile.debug`. `nan` finds NaN results as well, and `race` races. Read at the "
     "first "
     "use of each kernel.",
     "debugging.md"},
    {"KILN_SAME_BITS", "`0`, `1`", "`0`",
     "1: functions give the same bits on every device, as by `.compile.same_bits`. `.contract` and `.fast_math` have no effect "
     "then. Read at the first use of each kernel.",
     "math.md#the-same-bits-on-every-device"},
};

constexpr Variable kMessages[] = {
    {"KILN_LOG", "`0`, `1`, or a file", "`0`",
     "Where kiln reports faults that fail no call, such as a full disk. 1 is standard error, unless the program has a callback "
     "(`kiln::cache::set_log`). Lines are appended to a file in any case.",
     "cache.md#guarantees"},
    {"KILN_TRACE", "a file; `%p` is the number of the process", "no trace",
     "A trace of the calls of the process. It is written when the process ends.", "profiling.md#traces"},
    {"KILN_TRACE_RANGES", "`0`, `1`", "`0`", "1: each call is a range of NVTX and ROCTX, if their libraries are found.",
     "profiling.md#nvtx-and-roctx"},
    {"KILN_PERF_MAP", "`1`", "no map",
     "1: perf shows the names of kernels of the CPU. kiln writes to `/tmp/perf-PID.map` where they lie.",
     "debugging.md#debuggers-and-profilers"},
    {"KILN_NVTX", "a file", "searched for by the loader and in the vendor's folders", "The library of NVTX.",
     "profiling.md#nvtx-and-roctx"},
    {"KILN_ROCTX", "a file", "searched for by the loader and in the vendor's folders", "The library of ROCTX.",
     "profiling.md#nvtx-and-roctx"},
};

constexpr Variable kCompilers[] = {
    {"KILN_CLANG", "a file, or `none`", "`libkiln-clang.so` in the folder of `libkiln.so`, or where its package has it",
     "The library of kiln's Clang, which compiles for CPUs and GPUs. The program `kiln-clang` is in the same folder. With "
     "`none` "
     "Clang compiles nothing, and kernels come from caches alone.",
     "manifest.md#shipping-without-a-compiler"},
    {"KILN_COMPILE_SECONDS", "seconds: `0.5`, `300`; 0: no limit", "`120`",
     "The processor's time that Clang may take for a kernel.", "writing-kernels.md#limits"},
    {"KILN_COMPILE_MAX_BYTES", "bytes: `500M`, `4G`; 0: no limit", "`2G`", "The memory that Clang may take for a kernel.",
     "writing-kernels.md#limits"},
    {"KILN_GPU_COMPILER", "`nvrtc`, `hiprtc`, `clang`",
     "the vendor's compiler if it is found and knows the architecture, else Clang",
     "The compiler of kernels for GPUs. If it is not found, or does not know the architecture, the call is a `DeviceError`.",
     "environment.md#compilers-for-gpus"},
    {"KILN_NVRTC", "a file", "searched for", "The library of NVRTC. `kiln devices` shows which was taken.",
     "environment.md#where-libraries-are-searched-for"},
    {"KILN_HIPRTC", "a file", "searched for", "The library of hipRTC. Before ROCm 5.6 it is inside the HIP runtime.",
     "environment.md#where-libraries-are-searched-for"},
    {"KILN_NVJITLINK", "`auto`, or a file", "the driver translates PTX at each load",
     "nvJitLink, which turns Clang's PTX into machine code when a kernel is compiled. With `auto` it is searched for.",
     "environment.md#compilers-for-gpus"},
    {"KILN_LIBDEVICE", "`auto`, or a file", "kiln's own functions",
     "NVIDIA's `libdevice.10.bc`, from which Clang takes the functions of `<cmath>`. With `auto` it is searched for.",
     "environment.md#compilers-for-gpus"},
    {"KILN_OCML", "`auto`, or a file", "kiln's own functions",
     "AMD's `ocml.bc`, from which Clang takes the functions of `<cmath>`. With `auto` it is searched for.",
     "environment.md#compilers-for-gpus"},
    {"KILN_PYTHON_PACKAGES", "folders, separated by `:`", "the Python package sets it to folders of `sys.path`",
     "Folders of Python's packages where the vendors' compilers are searched for first.",
     "environment.md#compilers-of-pip-and-conda"},
    {"HIPRTC_COMPILE_OPTIONS_APPEND", "options", "none", "What hipRTC adds to its options. It is part of the keys of kernels.",
     "cache.md#the-key"},
    {"HIPRTC_LINK_OPTIONS_APPEND", "options", "none",
     "What hipRTC adds to its options of linking. It is part of the keys of kernels.", "cache.md#the-key"},
};

constexpr Variable kLibraries[] = {
    {"KILN_CUDA", "a file", "`libcuda.so.1`", "The library of NVIDIA's driver.", ""},
    {"KILN_HIP", "a file", "`libamdhip64.so.7`, `.6`, `.5`", "The library of the HIP runtime.",
     "environment.md#where-libraries-are-searched-for"},
    {"KILN_CUFFT", "a file", "`libcufft.so.12`, `.11`, `.10`, searched for", "The library of cuFFT.", "fft.md#libraries"},
    {"KILN_HIPFFT", "a file", "`libhipfft.so.0`, searched for", "The library of hipFFT.", "fft.md#libraries"},
    {"KILN_FFTW", "a folder, or a file with both precisions", "what the loader finds",
     "The folder of `libfftw3f.so.3` and `libfftw3.so.3`.", "fft.md#libraries"},
};

constexpr Variable kOthers[] = {
    {"HOME", "a folder", "", "The user's folder: `~/.cache/kiln` is below it, and so are Python's packages of the user.",
     "cache.md"},
    {"XDG_CACHE_HOME", "a folder", "`~/.cache`", "The folder of caches: kiln's is `kiln` in it.", "cache.md"},
    {"TMPDIR", "a folder", "`/tmp`",
     "The folder of temporary files. They are code where the system has no anonymous files, and what other programs "
     "disassemble.",
     ""},
    {"PATH", "folders, separated by `:`", "", "Where `nvdisasm` and `cuobjdump` are searched for.", "inspect.md"},
    {"LD_LIBRARY_PATH", "folders, separated by `:`", "none", "Where the vendors' libraries are searched for, too.",
     "environment.md#where-libraries-are-searched-for"},
    {"CUDA_PATH", "a folder", "`/usr/local/cuda`", "The CUDA toolkit: its libraries and programs are searched for there.",
     "environment.md#where-libraries-are-searched-for"},
    {"CUDA_HOME", "a folder", "`/usr/local/cuda`", "The CUDA toolkit, likewise.",
     "environment.md#where-libraries-are-searched-for"},
    {"ROCM_PATH", "a folder", "`/opt/rocm`", "ROCm: its libraries are searched for there.",
     "environment.md#where-libraries-are-searched-for"},
    {"HIP_PATH", "a folder", "`/opt/rocm`", "ROCm, likewise.", "environment.md#where-libraries-are-searched-for"},
    {"HIP_DEVICE_LIB_PATH", "a folder", "below ROCm's", "Where `ocml.bc` is searched for, with `KILN_OCML=auto`.",
     "environment.md#compilers-for-gpus"},
    {"NVTX_INJECTION64_PATH", "a file", "none", "The library of a profiler, which takes the ranges of NVTX. Profilers set it.",
     "profiling.md#nvtx-and-roctx"},
    {"CONDA_PREFIX", "a folder", "none", "An environment of conda: its libraries are searched for.",
     "environment.md#compilers-of-pip-and-conda"},
    {"VIRTUAL_ENV", "a folder", "none", "An environment of Python: its packages are searched for.",
     "environment.md#compilers-of-pip-and-conda"},
};

constexpr Variable kCommand[] = {
    {"NO_COLOR", "any text", "colours on a terminal", "The command prints no colours.", "cli.md"},
    {"TERM", "a kind of terminal", "", "`dumb`: the command prints no colours.", "cli.md"},
    {"COLUMNS", "a number", "what the terminal says", "The width of the command's tables on a terminal.", "cli.md"},
};

constexpr VariableGroup kGroups[] = {{"Devices", kDevices},
                                     {"The kernel cache", kCache},
                                     {"Memory", kMemory},
                                     {"Checks and results", kChecks},
                                     {"Messages and profiles", kMessages},
                                     {"Compilers", kCompilers},
                                     {"Drivers and libraries", kLibraries},
                                     {"Variables of other programs", kOthers},
                                     {"The command kiln", kCommand}};

constexpr std::string_view kPrefix = "KILN_";
// Of kiln's own tests and scripts, where a name is near to one of the table's.
constexpr std::string_view kOfTests[] = {"KILN_TEST_", "KILN_CI_", "KILN_GPU_TARGETS"};

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

bool is_known(std::string_view name) {
  return std::ranges::any_of(kGroups, [&](const VariableGroup& group) {
    return std::ranges::any_of(group.variables, [&](const Variable& each) { return each.name == name; });
  });
}

}  // namespace

std::span<const VariableGroup> variable_groups() noexcept {
  return kGroups;
}

std::string_view near_variable(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  // Without the prefix, whose letters are right in every name.
  std::vector<std::string_view> names;
  std::vector<std::string> rests;
  for (const VariableGroup& group : kGroups) {
    for (const Variable& each : group.variables) {
      if (!each.name.starts_with(kPrefix)) continue;
      names.push_back(each.name);
      rests.push_back(lower(each.name.substr(kPrefix.size())));
    }
  }
  const std::vector<std::string_view> words(rests.begin(), rests.end());
  const std::string_view near = nearest(name, words);
  return near.empty() ? near : names[static_cast<std::size_t>(std::ranges::find(words, near) - words.begin())];
}

std::vector<Misspelled> misspelled_variables() {
  std::vector<Misspelled> found;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry = *each;
    if (!entry.starts_with(kPrefix)) continue;
    const std::string name(entry.substr(0, entry.find('=')));
    const bool of_tests = std::ranges::any_of(kOfTests, [&](std::string_view own) { return name.starts_with(own); });
    if (of_tests || is_known(name) || !env(name.c_str())) continue;
    if (const std::string_view meant = near_variable(name); !meant.empty()) found.push_back({.name = name, .meant = meant});
  }
  return found;
}

void tell_misspelled_variables() noexcept {
  static constinit std::atomic<bool> told{false};
  if (told.exchange(true, std::memory_order_relaxed)) return;
  try {
    for (const Misspelled& each : misspelled_variables()) {
      tell_line(each.name + " is no variable of kiln's and has no effect: did you mean " + std::string(each.meant) + "?");
    }
  } catch (...) {
    // A report must not fail the call.
  }
}

}  // namespace kiln::base
