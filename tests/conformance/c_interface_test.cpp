// The C interface: what each function does, and what it says to wrong callers.
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <thread>

#include "../unit/base/sanitizer.hpp"
#include "c_handles.hpp"
#include "devices.hpp"
#include "kiln/definition.hpp"
#include "kiln/math.hpp"
#include "kiln/reduction.hpp"

using namespace conformance;

namespace {

/// What a failing call said: its status and its message.
struct Failure {
  kiln_status status = KILN_OK;
  std::string message;
  CError error;
  [[nodiscard]] bool says(std::string_view text) const { return message.find(text) != std::string::npos; }
  [[nodiscard]] std::string value(const char* key) const {
    const char* const found = kiln_error_get(error.get(), key);
    return found != nullptr ? found : "(none)";
  }
};

template <class F>
Failure failure(const F& call) {
  kiln_error* error = nullptr;
  Failure failure;
  failure.status = call(&error);
  failure.error.reset(error);
  CHECK(kiln_error_status(error) == failure.status);
  failure.message = kiln_error_message(error);
  return failure;
}

/// Calls a function of C that must succeed.
template <class F>
void succeed(const F& call) {
  const Failure found = failure(call);
  INFO(found.message);
  REQUIRE(found.status == KILN_OK);
}

CFunction parse_c(const char* text) {
  kiln_function* made = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_parse(&made, text, KILN_NUL, error); });
  return CFunction(made);
}

CFunction define_c(const std::string& json) {
  kiln_function* made = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_define(&made, json.data(), json.size(), nullptr, error); });
  return CFunction(made);
}

kiln_arg f64(double value) {
  kiln_arg arg{};
  arg.kind = KILN_SCALAR;
  arg.dtype = {KILN_FLOAT, 64, 1};
  arg.value.f = value;
  return arg;
}

/// A vector as memory of C's.
struct Memory {
  explicit Memory(std::vector<double> elements) : values(std::move(elements)) {
    extent = static_cast<std::int64_t>(values.size());
    info.data = values.data();
    info.dtype = {KILN_FLOAT, 64, 1};
    info.ndim = 1;
    info.shape = &extent;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() = default;
  [[nodiscard]] kiln_arg arg() const {
    kiln_arg arg{};
    arg.kind = KILN_MEMORY;
    arg.value.memory = &info;
    return arg;
  }
  std::vector<double> values;
  std::int64_t extent = 0;
  kiln_array_info info = kiln_array_info_default();
};

std::string get(const CFunction& function, const char* key) {
  kiln_text* made = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_get(&made, function.get(), key, error); });
  return string_of(CText(made));
}

/// A call of one output and of options.
Failure call(const CFunction& function, const Memory& out, std::vector<kiln_arg> inputs,
             const kiln_call_options* options = nullptr) {
  kiln_arg output = out.arg();
  return failure(
      [&](kiln_error** error) { return kiln_call(function.get(), &output, 1, inputs.data(), inputs.size(), options, error); });
}

std::string command(const std::string& request) {
  kiln_text* made = nullptr;
  succeed([&](kiln_error** error) { return kiln_command(&made, request.data(), request.size(), nullptr, error); });
  return string_of(CText(made));
}

kiln_arg tensor_arg(const DlTensor& tensor) {
  kiln_arg arg{};
  arg.kind = KILN_DLTENSOR;
  arg.value.tensor = &tensor;
  return arg;
}

void count_deletion(DLManagedTensorVersioned* managed) {
  ++*static_cast<std::atomic<int>*>(reinterpret_cast<DlManaged*>(managed)->context);
}

}  // namespace

TEST_CASE("C: a ufunc on the caller's memory, its error with its place") {
  const CFunction disc = parse_c("float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)");
  const Memory b({3, 5, 7});
  const Memory out({0, 0, 0});
  REQUIRE(call(disc, out, {f64(1), b.arg(), f64(2)}).status == KILN_OK);
  CHECK(out.values == std::vector<double>{1, std::sqrt(17.0), std::sqrt(41.0)});

  kiln_function* none = nullptr;
  const Failure wrong =
      failure([&](kiln_error** error) { return kiln_function_parse(&none, "float64 f(flot64 a) = a", KILN_NUL, error); });
  CHECK(wrong.status == KILN_E_SIGNATURE);
  CHECK(wrong.value("position") == "10");
  CHECK(wrong.says("float64"));
  CHECK(none == nullptr);

  const CFunction bad = parse_c("float64 bad(float64 a) = a + unknown_name");
  const Failure compiled = call(bad, out, {b.arg()});
  CHECK(compiled.status == KILN_E_COMPILE);
  CHECK(compiled.value("diagnostics").find("\"column\": 5") != std::string::npos);
  CHECK(compiled.value("source").find("unknown_name") != std::string::npos);
  CHECK(compiled.value("nothing") == "(none)");
  CHECK(out.values == std::vector<double>{1, std::sqrt(17.0), std::sqrt(41.0)});
}

TEST_CASE("C: errors have a reason beside their status") {
  const Memory a({1, 2, 3});
  const Memory two({4, 5});
  const Memory out({0, 0, 0});
  kiln_function* made = nullptr;
  const auto math = [&](const char* name) {
    succeed([&](kiln_error** error) { return kiln_function_math(&made, name, KILN_NUL, error); });
    return CFunction(made);
  };
  const auto reason = [](const Failure& found, kiln_status status) {
    INFO(found.message);
    CHECK(found.status == status);
    return found.value("reason");
  };
  const CFunction add = math("add");
  const CFunction largest = math("maximum");
  kiln_call_options options = kiln_call_options_default();

  const std::int32_t axis = 1;
  options.method = KILN_REDUCE;
  options.axis = &axis;
  options.axis_count = 1;
  CHECK(reason(call(add, out, {a.arg()}, &options), KILN_E_SHAPE) == "axis");
  const Memory empty({});
  Memory scalar({0});
  scalar.info.ndim = 0;
  options = kiln_call_options_default();
  options.method = KILN_REDUCE;
  CHECK(reason(call(largest, scalar, {empty.arg()}, &options), KILN_E_SHAPE) == "identity");
  CHECK(reason(call(add, out, {a.arg(), two.arg()}), KILN_E_SHAPE) == "broadcast");
  Memory constant({0, 0, 0});
  constant.info.read_only = 1;
  CHECK(reason(call(add, constant, {a.arg(), f64(1)}), KILN_E_TYPE) == "read_only");
  CHECK(reason(call(math("bitwise_and"), out, {a.arg(), a.arg()}), KILN_E_TYPE) == "loop");
  Memory narrow({0});
  narrow.info.dtype = {KILN_INT, 8, 1};
  CHECK(reason(call(add, narrow, {a.arg(), f64(1)}), KILN_E_TYPE) == "casting");
  kiln_arg large{};
  large.kind = KILN_SCALAR;
  large.dtype = {KILN_INT, 64, 1};
  large.value.i = 300;
  CHECK(reason(call(add, narrow, {narrow.arg(), large}), KILN_E_TYPE) == "overflow");
  options = kiln_call_options_default();
  options.method = KILN_REDUCEAT;
  Memory indices({0});
  indices.info.dtype = {KILN_INT, 64, 1};
  const std::int64_t three = 3;
  std::memcpy(indices.values.data(), &three, sizeof three);
  CHECK(reason(call(add, scalar, {a.arg(), indices.arg()}, &options), KILN_E_SHAPE) == "index");
  CHECK(failure([&](kiln_error** error) {
          return kiln_function_parse(&made, "float64 f(", KILN_NUL, error);
        }).value("reason") == "(none)");
}

TEST_CASE("C: errors have the places of the options that their messages name") {
  const Memory a({1, 2, 3});
  Memory constant({0, 0, 0});
  constant.info.read_only = 1;
  const CFunction add = parse_c("float64 add(float64 x, float64 y) = x + y");
  const Failure read_only = call(add, constant, {a.arg(), f64(1)});
  CHECK(read_only.message == "add: output 0 is read-only; give a writable array as .out");
  CHECK(read_only.value("option") == "out");
  CHECK(nlohmann::json::parse(read_only.value("options")) ==
        nlohmann::json::parse(R"([{"begin": 53, "end": 57, "name": "out"}])"));
  CHECK(read_only.message.substr(53, 4) == ".out");

  const Memory out({0, 0, 0});
  const CFunction integers = parse_c("int8 f(int8 x) = x");
  const auto options = nlohmann::json::parse(call(integers, out, {a.arg()}).value("options"));
  CHECK(options.back()["name"] == "casting");
  CHECK(options.back()["value"] == "unsafe");
  CHECK(call(add, a, {f64(1)}).value("options") == "(none)");
}

TEST_CASE("C: constants of a kernel in CUDA's language have the values that the host gives") {
  const CFunction kernel = define_c(R"j({"kind": "cupy.raw", "name": "scale", "code":
    "__constant__ double weights[3]; extern \"C\" __global__ void scale(double* x) { x[threadIdx.x] *= weights[threadIdx.x]; }"})j");
  const auto set = [&](const CFunction& function, const char* name, const Memory& values) {
    const kiln_arg arg = values.arg();
    return failure([&](kiln_error** error) { return kiln_function_set_constant(function.get(), name, KILN_NUL, &arg, error); });
  };
  const auto launch = [&](const Memory& x) {
    kiln_call_options options = kiln_call_options_default();
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    options.block[0] = 3;
    options.block[1] = options.block[2] = 1;
    const kiln_arg arg = x.arg();
    return failure([&](kiln_error** error) { return kiln_call(kernel.get(), nullptr, 0, &arg, 1, &options, error); });
  };
  const Memory x({1, 2, 3});
  REQUIRE(set(kernel, "weights", Memory({10, 20, 30})).status == KILN_OK);
  REQUIRE(launch(x).status == KILN_OK);
  CHECK(x.values == std::vector<double>{10, 40, 90});
  // The rest of it keeps what it had.
  REQUIRE(set(kernel, "weights", Memory({0})).status == KILN_OK);
  REQUIRE(launch(x).status == KILN_OK);
  CHECK(x.values == std::vector<double>{0, 800, 2700});
  REQUIRE(set(kernel, "weights", Memory({1, 1, 1, 1})).status == KILN_OK);
  const Failure longer = launch(x);
  CHECK(longer.status == KILN_E_SHAPE);
  CHECK(longer.says("\"weights\" has 24 bytes, and its values 32"));
  const Failure unknown = set(kernel, "weight", x);
  CHECK(unknown.status == KILN_E_TYPE);
  CHECK(unknown.says("scale: \"weight\" is no variable whose values the host gives"));
  CHECK(unknown.says(": weights"));
  CHECK(set(parse_c("float64 f(float64 a) = a"), "weights", x).says("only a kernel in CUDA's language has constants"));
  CHECK(failure([&](kiln_error** error) {
          return kiln_function_set_constant(kernel.get(), "weights", KILN_NUL, nullptr, error);
        }).status == KILN_E_ARGUMENT);
}

TEST_CASE("C: generalized ufuncs, reductions with accumulators, raw kernels, transforms") {
  const CFunction dot = parse_c(
      "(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }");
  const Memory a({1, 2, 3});
  const Memory b({4, 5, 6});
  const Memory one({0});
  Memory scalar({0});
  scalar.info.ndim = 0;
  REQUIRE(call(dot, scalar, {a.arg(), b.arg()}).status == KILN_OK);
  CHECK(scalar.values[0] == 32);

  const CFunction mean = define_c(R"j({"kind": "reduction", "name": "mean", "signatures": ["float64(float64 x)"],
    "accumulator": "float64 n, sum;", "map": "return {1, x};", "reduce": "return {a.n + b.n, a.sum + b.sum};",
    "post": "return a.sum / a.n;", "identity": "{0, 0}"})j");
  REQUIRE(call(mean, scalar, {a.arg()}).status == KILN_OK);
  CHECK(scalar.values[0] == 2);

  const CFunction kernel =
      define_c(R"j({"kind": "kernel", "name": "twice", "signature": "void(float64[:] x)", "body": "x[item] = 2 * x[item];"})j");
  kiln_call_options options = kiln_call_options_default();
  options.size = 3;
  options.has_size = 1;
  const kiln_arg parameter = a.arg();
  succeed([&](kiln_error** error) { return kiln_call(kernel.get(), nullptr, 0, &parameter, 1, &options, error); });
  CHECK(a.values == std::vector<double>{2, 4, 6});

  kiln_function* rfft = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_math(&rfft, "fft.rfft", KILN_NUL, error); });
  const CFunction transform(rfft);
  kiln_arg result{};
  const kiln_arg input = b.arg();
  options = kiln_call_options_default();
  const std::int64_t length = 2;
  options.lengths = &length;
  options.lengths_count = 1;
  succeed([&](kiln_error** error) { return kiln_call(rfft, &result, 1, &input, 1, &options, error); });
  const CArray made(const_cast<kiln_array*>(result.value.array));
  const std::vector<std::complex<double>> frequencies = cpp_array(made.get()).to_vector<std::complex<double>>();
  REQUIRE(frequencies.size() == 2);
  CHECK(std::abs(frequencies[0] - 9.0) < 1e-12);
  CHECK(std::abs(frequencies[1] + 1.0) < 1e-12);
}

TEST_CASE("C: a fused function from a list of steps, and its definition") {
  kiln_function* multiply = nullptr;
  kiln_function* add = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_math(&multiply, "multiply", KILN_NUL, error); });
  succeed([&](kiln_error** error) { return kiln_function_math(&add, "add", KILN_NUL, error); });
  const CFunction first(multiply);
  const CFunction second(add);
  const std::uint32_t of_first[] = {0, 1};
  const std::uint32_t of_second[] = {3, 2};
  const kiln_fuse_step steps[] = {{multiply, of_first, 2}, {add, of_second, 2}};
  const std::uint32_t outputs[] = {4};
  kiln_function* made = nullptr;
  succeed([&](kiln_error** error) { return kiln_function_fuse(&made, "fma", KILN_NUL, 3, steps, 2, outputs, 1, error); });
  const CFunction fused(made);
  const Memory a({1, 2});
  const Memory out({0, 0});
  REQUIRE(call(fused, out, {a.arg(), f64(10), f64(5)}).status == KILN_OK);
  CHECK(out.values == std::vector<double>{15, 25});

  const CFunction again = define_c(get(fused, "definition"));
  CHECK(get(again, "definition") == get(fused, "definition"));
  CHECK(get(again, "digest") == get(fused, "digest"));
  REQUIRE(call(again, out, {a.arg(), f64(2), f64(1)}).status == KILN_OK);
  CHECK(out.values == std::vector<double>{3, 5});

  const std::uint32_t beyond[] = {7};
  const Failure wrong =
      failure([&](kiln_error** error) { return kiln_function_fuse(&made, "fma", KILN_NUL, 3, steps, 2, beyond, 1, error); });
  CHECK(wrong.status == KILN_E_TYPE);
  CHECK(wrong.says("fused \"fma\": an output is value 7, and there are 5 so far"));
}

TEST_CASE("C: definitions come back as they were, for every kind") {
  for (const std::string& json :
       {kiln::definition_text(kiln::math::add.ufunc()),
        kiln::definition_text(kiln::guvectorize("(n)->()", "void(float32[:] a, float32 b)", "b = a(0);")),
        std::string(R"j({"kind": "transform", "name": "fft.fft2"})j")}) {
    const CFunction function = define_c(json);
    const std::string text = get(function, "definition");
    const CFunction again = define_c(text);
    CHECK(get(again, "definition") == text);
    CHECK(get(again, "digest").size() == 32);
  }
  kiln_function_info info = kiln_function_info_default();
  const CFunction hypot = define_c(kiln::definition_text(kiln::math::maximum.ufunc()));
  succeed([&](kiln_error** error) { return kiln_function_describe(hypot.get(), &info, error); });
  CHECK(info.kind == KILN_UFUNC);
  CHECK(info.nin == 2);
  CHECK(info.nout == 1);
  CHECK(std::string(info.name) == "maximum");
  CHECK(std::string(info.layout).empty());
}

TEST_CASE("C: NULL, handles of other types and released ones") {
  const CFunction f = parse_c("float64 f(float64 a) = a + 1");
  const Memory a({1});
  kiln_arg out = a.arg();
  const kiln_arg in = a.arg();
  const auto message = [](const auto& run) {
    const Failure found = failure(run);
    CHECK(found.status == KILN_E_ARGUMENT);
    return found.message;
  };
  CHECK(message([&](kiln_error** e) { return kiln_call(nullptr, &out, 1, &in, 1, nullptr, e); }) ==
        "function is NULL: give a kiln_function");
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), nullptr, 1, &in, 1, nullptr, e); }) == "outputs is NULL");
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &out, 1, nullptr, 1, nullptr, e); }) == "inputs is NULL");
  CHECK(message([&](kiln_error** e) { return kiln_function_parse(nullptr, "x", KILN_NUL, e); }) == "function is NULL");
  kiln_function* made = nullptr;
  CHECK(message([&](kiln_error** e) { return kiln_function_parse(&made, nullptr, KILN_NUL, e); }) == "text is NULL");
  CHECK(message([&](kiln_error** e) { return kiln_function_parse(&made, "x", std::size_t{1} << 63, e); }).find("a length of") !=
        std::string::npos);
  kiln_array* array = nullptr;
  succeed([&](kiln_error** e) { return kiln_array_view(&array, &a.info, e); });
  kiln_arg of_array{};
  of_array.kind = KILN_ARRAY;
  of_array.value.array = array;
  CHECK(message([&](kiln_error** e) {
          return kiln_call(reinterpret_cast<kiln_function*>(array), &out, 1, &in, 1, nullptr, e);
        }) == "function: a kiln_function was expected, and this is a kiln_array");
  kiln_array_release(array);
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &out, 1, &of_array, 1, nullptr, e); }) ==
        "inputs[0]: this kiln_array was released");
  of_array.value.array = nullptr;
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &out, 1, &of_array, 1, nullptr, e); }) ==
        "inputs[0] is NULL: give a kiln_array");
  kiln_arg unknown{};
  unknown.kind = 77;
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &out, 1, &unknown, 1, nullptr, e); }) ==
        "inputs[0]: 77 is no kiln_arg_kind");
  unknown.kind = KILN_NONE;
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &out, 1, &unknown, 1, nullptr, e); }) ==
        "inputs[0] is KILN_NONE: an input is an array or a scalar");
  const kiln_arg number = f64(1);
  kiln_arg scalar_out = number;
  CHECK(message([&](kiln_error** e) { return kiln_call(f.get(), &scalar_out, 1, &in, 1, nullptr, e); }) ==
        "outputs[0] is a scalar: an output is an array, or KILN_NONE for a new one");
  // What releases has no status, and does nothing for NULL and for what was released.
  kiln_array_release(nullptr);
  kiln_error_release(nullptr);
  kiln_array_release(array);
  CHECK(kiln_array_retain(nullptr) == nullptr);
  CHECK(std::string(kiln_error_message(nullptr)).empty());
  std::size_t length = 7;
  CHECK(std::string(kiln_text_data(nullptr, &length)).empty());
  CHECK(length == 0);
  CHECK(std::string(kiln_status_name(KILN_E_SHAPE)) == "KILN_E_SHAPE");
  CHECK(std::string(kiln_status_name(-5)) == "unknown");
}

TEST_CASE("C: texts with a NUL inside, numbers of operands, unknown constants and options") {
  kiln_function* made = nullptr;
  const Failure nul = failure([&](kiln_error** e) { return kiln_function_parse(&made, "float64 f(\0float64 a)", 20, e); });
  CHECK(nul.status == KILN_E_SIGNATURE);
  CHECK(nul.says("text has a NUL inside"));
  CHECK(nul.value("position") == "10");

  const CFunction f = parse_c("float64 f(float64 a, float64 b) = a + b");
  const Memory a({1, 2});
  const Memory out({0, 0});
  CHECK(call(f, out, {a.arg()}).status == KILN_E_TYPE);
  kiln_arg outs[] = {out.arg(), out.arg()};
  const kiln_arg ins[] = {a.arg(), a.arg()};
  const Failure two = failure([&](kiln_error** e) { return kiln_call(f.get(), outs, 2, ins, 2, nullptr, e); });
  CHECK(two.status == KILN_E_TYPE);
  CHECK(two.message == "f: it has 1 output, and the call 2; KILN_NONE makes a new array");

  const auto with = [&](auto set) {
    kiln_call_options options = kiln_call_options_default();
    set(options);
    const Failure found = call(f, out, {a.arg(), a.arg()}, &options);
    CHECK(found.status == KILN_E_ARGUMENT);
    return found.message + " [" + found.value("option") + "]";
  };
  CHECK(with([](auto& o) { o.method = 9; }) == "method: 9 is no kiln_method [method]");
  CHECK(with([](auto& o) { o.casting = 5; }) == "casting: 5 is no kiln_casting [casting]");
  CHECK(with([](auto& o) { o.keepdims = 1; }) == "f: it has no option keepdims [keepdims]");
  CHECK(with([](auto& o) { o.grid[0] = 1; }) == "f: it has no option grid [grid]");
  CHECK(with([](auto& o) { o.norm = 1; }) == "f: it has no option norm [norm]");
  CHECK(with([](auto& o) { o.chunk_bytes = 1; }) == "f: chunk_bytes needs .chunked [chunk_bytes]");
  CHECK(with([](auto& o) { o.where.kind = 77; }) ==
        "kiln_call_options.where: 77 is no kiln_arg_kind [kiln_call_options.where]");
  kiln_call_options lanes = kiln_call_options_default();
  lanes.dtype = {KILN_FLOAT, 64, 2};
  CHECK(call(f, out, {a.arg(), a.arg()}, &lanes).says("its dtype has 2 lanes, and kiln's have 1"));
  const Failure scalar = call(f, out, {a.arg(), [] {
                                         kiln_arg arg{};
                                         arg.kind = KILN_SCALAR;
                                         arg.dtype = {KILN_INT, 8, 1};
                                         arg.value.i = 300;
                                         return arg;
                                       }()});
  CHECK(scalar.message == "inputs[1]: 300 does not fit in int8");
  CHECK(out.values == std::vector<double>{0, 0});
}

TEST_CASE("C: structs of older and newer callers") {
  const CFunction f = parse_c("float64 f(float64 a) = a + 1");
  const Memory a({1});
  const Memory out({0});
  struct Newer {
    kiln_call_options known;
    std::uint64_t unknown[4];
  } newer{kiln_call_options_default(), {}};
  newer.known.struct_size = sizeof newer;
  CHECK(call(f, out, {a.arg()}, &newer.known).status == KILN_OK);
  CHECK(out.values[0] == 2);
  newer.unknown[2] = 0x100;
  const Failure surplus = call(f, out, {a.arg()}, &newer.known);
  CHECK(surplus.status == KILN_E_ARGUMENT);
  CHECK(surplus.says("kiln_call_options: byte 313 of the struct is not zero"));
  CHECK(surplus.value("option") == "313");
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{100}, std::size_t{1} << 40}) {
    newer.known.struct_size = size;
    const Failure wrong = call(f, out, {a.arg()}, &newer.known);
    CHECK(wrong.status == KILN_E_ARGUMENT);
    CHECK(wrong.says("kiln_call_options.struct_size is " + std::to_string(size)));
    CHECK(wrong.says("set it by kiln_call_options_default()"));
  }
  static_assert(sizeof(kiln_arg) == 24);
  static_assert(sizeof(kiln_call_options) == 296);
}

TEST_CASE("C: tensors that lie") {
  const CFunction f = parse_c("float64 f(float64 a) = a + 1");
  const Memory out({0, 0});
  std::vector<double> values{1, 2};
  std::int64_t shape[2] = {2, 1};
  std::int64_t strides[2] = {1, 1};
  const auto wrong = [&](auto change) {
    DlTensor tensor;
    tensor.data = values.data();
    tensor.ndim = 1;
    tensor.shape = shape;
    tensor.strides = strides;
    change(tensor);
    const Failure found = call(f, out, {tensor_arg(tensor)});
    CHECK(found.status != KILN_OK);
    CHECK(found.status != KILN_E_INTERNAL);
    return found.message;
  };
  CHECK(wrong([](DlTensor& t) { t.ndim = -1; }) == "inputs[0]: an array of -1 axes; 0 to 64 are possible");
  CHECK(wrong([](DlTensor& t) { t.ndim = 1'000'000; }) == "inputs[0]: an array of 1000000 axes; 0 to 64 are possible");
  CHECK(wrong([](DlTensor& t) { t.shape = nullptr; }) == "inputs[0]: the tensor has axes, and its shape is NULL");
  CHECK(wrong([](DlTensor& t) { t.dtype = {KILN_FLOAT, 8, 1}; }).find("a dtype of code 2 with 8 bits is none of kiln's") !=
        std::string::npos);
  CHECK(wrong([](DlTensor& t) { t.dtype.lanes = 4; }).find("4 lanes") != std::string::npos);
  CHECK(wrong([](DlTensor& t) { t.device.type = 8; }).find("memory of device type 8") != std::string::npos);
  CHECK(wrong([](DlTensor& t) { t.device = {KILN_CUDA, -3}; }).find("no device has the number -3") != std::string::npos);
  CHECK(wrong([](DlTensor& t) { t.data = nullptr; }).find("null") != std::string::npos);
  CHECK(wrong([](DlTensor& t) { t.byte_offset = 3; }).find("aligned") != std::string::npos);
  static std::int64_t huge[1] = {std::numeric_limits<std::int64_t>::max() / 4};
  CHECK(wrong([](DlTensor& t) { t.strides = huge; }) == "inputs[0]: its strides in bytes do not fit in 63 bits");
  CHECK(wrong([](DlTensor& t) { t.shape = huge; }).find("2^63-1") != std::string::npos);
  static std::int64_t negative[1] = {-2};
  CHECK(wrong([](DlTensor& t) { t.shape = negative; }).find("negative") != std::string::npos);
  kiln_arg null = tensor_arg({});
  null.value.tensor = nullptr;
  CHECK(call(f, out, {null}).message == "inputs[0] is NULL");
  CHECK(out.values == std::vector<double>{0, 0});

  // Nothing at NULL, with C order that is left out, is no lie.
  std::int64_t empty_shape[2] = {0, 3};
  DlTensor empty;
  empty.ndim = 2;
  empty.shape = empty_shape;
  empty.byte_offset = 24;
  kiln_arg result{};
  const kiln_arg input = tensor_arg(empty);
  succeed([&](kiln_error** e) { return kiln_call(f.get(), &result, 1, &input, 1, nullptr, e); });
  const CArray made(const_cast<kiln_array*>(result.value.array));
  CHECK(cpp_array(made.get()).shape() == kiln::Shape{0, 3});
}

TEST_CASE("DLPack: every dtype there and back, on every device") {
  on_every_device([&](const Target& target) {
    for (int i = 0; i < kiln::kDTypeCount; ++i) {
      const auto dtype = static_cast<kiln::DType>(i);
      const kiln::Array array = target.place(kiln::Array::ones({3, 4}, dtype));
      const kiln::Array view = array[{kiln::Slice{.step = -1}, kiln::Slice{1, 3}}].transpose();
      const kiln::Array back = kiln::Array::from_dlpack(view.to_dlpack());
      CHECK(back.dtype() == dtype);
      CHECK(back.data() == view.data());
      CHECK(back.shape() == view.shape());
      CHECK(back.strides() == view.strides());
      CHECK(back.device() == view.device());
      const kiln::Array older = kiln::Array::from_dlpack(view.to_dlpack_unversioned());
      CHECK(older.data() == view.data());
      CHECK(older.strides() == view.strides());
      CHECK(list_of(target.fetch(kiln::math::add(back, back))) == std::vector<double>(6, dtype == kiln::DType::bool_ ? 1 : 2));
    }
  });
  const kiln::Array fixed = kiln::Array::ones(3).as_read_only();
  CHECK(kiln::Array::from_dlpack(fixed.to_dlpack()).read_only());
  CHECK(message_of([&] { static_cast<void>(fixed.to_dlpack_unversioned()); }).find("the array is read-only") !=
        std::string::npos);
  const kiln::Array repeated = kiln::Array::ones(1).broadcast_to({2, 3});
  CHECK(kiln::Array::from_dlpack(repeated.to_dlpack()).strides() == kiln::Strides{0, 0});
}

TEST_CASE("DLPack: deleters run once, versions and flags") {
  std::atomic<int> deleted{0};
  std::vector<double> values{1, 2, 3};
  std::int64_t shape[1] = {3};
  DlManaged managed;
  managed.context = &deleted;
  managed.deleter = count_deletion;
  managed.tensor.data = values.data();
  managed.tensor.ndim = 1;
  managed.tensor.shape = shape;
  const auto import = [&](CArray& array) {
    return failure([&](kiln_error** e) {
      kiln_array* made = nullptr;
      const kiln_status status = kiln_array_from_dlpack(&made, &managed, 1, nullptr, e);
      array.reset(made);
      return status;
    });
  };
  {
    CArray array;
    REQUIRE(import(array).status == KILN_OK);
    const kiln::Array view = cpp_array(array.get());
    array.reset();
    CHECK(deleted == 0);
    std::thread([last = view[{kiln::Slice{1, 3}}]]() mutable { last = kiln::Array(); }).join();
    CHECK(deleted == 0);
  }
  CHECK(deleted == 1);

  CArray none;
  managed.flags = 8;
  const Failure flags = import(none);
  CHECK(flags.says("the tensor has flags that kiln does not know: 8"));
  CHECK(deleted == 1);  // it is still the caller's
  managed.flags = 0;
  managed.tensor.dtype.lanes = 3;
  CHECK(import(none).says("3 lanes"));
  CHECK(deleted == 1);
  managed.major = 2;
  const Failure major = import(none);
  CHECK(major.says("the tensor has version 2 of DLPack, and kiln reads version 1"));
  CHECK(deleted == 2);  // nobody else could
  managed.major = 1;
  managed.minor = 99;
  managed.tensor.dtype.lanes = 1;
  managed.flags = 1;
  REQUIRE(import(none).status == KILN_OK);
  CHECK(cpp_array(none.get()).read_only());
}

TEST_CASE("C: chunks with progress, callbacks that end calls, calls from callbacks") {
  const CFunction f = parse_c("float64 f(float64 a) = a + 1");
  const Memory a(std::vector<double>(10000, 1.0));
  const Memory out(std::vector<double>(10000, 0.0));
  kiln_call_options options = kiln_call_options_default();
  options.chunked = 1;
  options.chunk_bytes = 16000;
  std::int64_t seen = 0;
  options.progress_user = &seen;
  options.progress = [](const kiln_progress* progress, void* user) {
    *static_cast<std::int64_t*>(user) = progress->chunks_done;
    return 0;
  };
  REQUIRE(call(f, out, {a.arg()}, &options).status == KILN_OK);
  CHECK(seen > 5);
  CHECK(out.values == std::vector<double>(10000, 2.0));

  options.progress = [](const kiln_progress* progress, void*) { return progress->chunks_done >= 2 ? 1 : 0; };
  const Failure ended = call(f, out, {a.arg()}, &options);
  CHECK(ended.status == KILN_E_STOPPED);
  CHECK(ended.says("stopped by the progress callback"));

  struct Inner {
    std::string message;
    kiln_text* text = nullptr;
  } inner;
  options.progress_user = &inner;
  options.progress = [](const kiln_progress*, void* user) {
    auto& seen_inside = *static_cast<Inner*>(user);
    seen_inside.text = reinterpret_cast<kiln_text*>(user);
    const auto ask = [&](kiln_error** e) { return kiln_device_info(&seen_inside.text, {KILN_CPU, 0}, e); };
    seen_inside.message = failure(ask).message;
    return 0;
  };
  REQUIRE(call(f, out, {a.arg()}, &options).status == KILN_OK);
  CHECK(inner.message == "a callback of kiln's called kiln: do it after the call that the callback belongs to");
  CHECK(inner.text == nullptr);

  kiln_stop* stop = nullptr;
  succeed([&](kiln_error** e) { return kiln_stop_new(&stop, e); });
  const CStop held(stop);
  kiln_stop_request(stop);
  options = kiln_call_options_default();
  options.stop = stop;
  CHECK(call(f, out, {a.arg()}, &options).status == KILN_E_STOPPED);
  options.stop = nullptr;
  options.timeout_ns = -1;
  CHECK(call(f, out, {a.arg()}, &options).status == KILN_E_TYPE);
}

TEST_CASE("C: streams, events and graphs") {
  on_every_device(
      [&](const Target& target) {
        const kiln_device device = c_device(target.device());
        kiln_stream* stream = nullptr;
        succeed([&](kiln_error** e) { return kiln_stream_new(&stream, device, 0, e); });
        const CStream held(stream);
        const CFunction f = parse_c("float64 f(float64 a) = a * 2");
        const kiln::Array ones = target.place(kiln::Array::ones(1000));
        const kiln::Array twos = target.place(kiln::Array::zeros(1000));
        const kiln::Array other = target.place(kiln::Array::zeros(1000));
        target.wait();
        const CArray in = c_array(ones);
        const CArray out = c_array(twos);
        const CArray next = c_array(other);
        const auto arg = [](const CArray& array) {
          kiln_arg made{};
          made.kind = KILN_ARRAY;
          made.value.array = array.get();
          return made;
        };
        const kiln_arg input = arg(in);
        kiln_arg output = arg(out);
        kiln_call_options options = kiln_call_options_default();
        options.stream = stream;
        succeed([&](kiln_error** e) { return kiln_graph_begin(stream, e); });
        CHECK(failure([&](kiln_error** e) { return kiln_graph_begin(stream, e); }).status == KILN_E_DEVICE);
        succeed([&](kiln_error** e) { return kiln_call(f.get(), &output, 1, &input, 1, &options, e); });
        kiln_graph* graph = nullptr;
        succeed([&](kiln_error** e) { return kiln_graph_end(&graph, e); });
        const CGraph recorded(graph);
        CHECK(list_of(target.fetch(twos)) == std::vector<double>(1000, 0));
        succeed([&](kiln_error** e) { return kiln_graph_launch(graph, nullptr, e); });
        kiln_event* event = nullptr;
        succeed([&](kiln_error** e) { return kiln_event_new(&event, device, e); });
        const CEvent reached(event);
        succeed([&](kiln_error** e) { return kiln_event_record(event, stream, e); });
        succeed([&](kiln_error** e) { return kiln_event_synchronize(event, e); });
        std::int32_t done = 0;
        succeed([&](kiln_error** e) { return kiln_event_done(&done, event, e); });
        CHECK(done == 1);
        done = 0;
        succeed([&](kiln_error** e) { return kiln_event_wait_for(&done, event, 0, e); });
        CHECK(done == 1);
        CHECK(list_of(target.fetch(twos)) == std::vector<double>(1000, 2));
        const kiln_array* const old_arrays[] = {out.get()};
        const kiln_array* const new_arrays[] = {next.get()};
        succeed([&](kiln_error** e) { return kiln_graph_exchange(graph, 1, old_arrays, new_arrays, e); });
        succeed([&](kiln_error** e) { return kiln_graph_launch(graph, stream, e); });
        // The call on the default stream waits for the stream that its operand is ready on.
        kiln_arg ready = arg(next);
        ready.ready = stream;
        output = arg(out);
        succeed([&](kiln_error** e) { return kiln_call(f.get(), &output, 1, &ready, 1, nullptr, e); });
        CHECK(list_of(target.fetch(twos)) == std::vector<double>(1000, 4));
        // So does a method.
        kiln_function* add = nullptr;
        succeed([&](kiln_error** e) { return kiln_function_math(&add, "add", KILN_NUL, e); });
        const CFunction sum(add);
        output = arg(next);
        succeed([&](kiln_error** e) { return kiln_call(f.get(), &output, 1, &input, 1, &options, e); });
        kiln_call_options reduce = kiln_call_options_default();
        reduce.method = KILN_REDUCE;
        kiln_arg total{};
        succeed([&](kiln_error** e) { return kiln_call(add, &total, 1, &ready, 1, &reduce, e); });
        const CArray of_total(const_cast<kiln_array*>(total.value.array));
        CHECK(list_of(target.fetch(cpp_array(of_total.get()))) == std::vector<double>{2000});
        const Failure none = failure([&](kiln_error** e) { return kiln_graph_end(&graph, e); });
        CHECK(none.message == "kiln_graph_end: this thread records nothing; kiln_graph_begin begins it");
      },
      {Mode::device});
}

TEST_CASE("C: elements are taken and put at indices") {
  const std::int64_t shape[] = {2, 3};
  kiln_array* raw = nullptr;
  succeed([&](kiln_error** e) { return kiln_array_new(&raw, {0, 0}, {KILN_INT, 32, 1}, 2, shape, e); });
  const CArray array(raw);
  const kiln_arg to = kiln_array_arg(raw);
  std::int64_t rows[] = {1, 0, -1}, columns[] = {2, 0, 1};
  const std::int64_t three = 3;
  const kiln_array_info described[] = {kiln_memory(rows, KILN_INT, 64, 1, &three),
                                       kiln_memory(columns, KILN_INT, 64, 1, &three)};
  const kiln_arg indices[] = {kiln_memory_arg(&described[0]), kiln_memory_arg(&described[1])};
  std::int32_t numbers[] = {7, 8, 9};
  const kiln_array_info list = kiln_memory(numbers, KILN_INT, 32, 1, &three);
  const kiln_arg values = kiln_memory_arg(&list), one = f64(1), fraction = f64(1.5);
  succeed([&](kiln_error** e) { return kiln_array_put(&to, indices, 2, &values, e); });
  kiln_array* taken = nullptr;
  succeed([&](kiln_error** e) { return kiln_array_take(&taken, &to, indices, 2, e); });
  const CArray copy(taken);
  kiln_array_info info = kiln_array_info_default();
  succeed([&](kiln_error** e) { return kiln_array_describe(taken, &info, e); });
  CHECK(info.ndim == 1);
  CHECK(std::vector<std::int32_t>(static_cast<std::int32_t*>(info.data), static_cast<std::int32_t*>(info.data) + 3) ==
        std::vector<std::int32_t>{7, 8, 9});
  succeed([&](kiln_error** e) { return kiln_array_describe(raw, &info, e); });
  CHECK(std::vector<std::int32_t>(static_cast<std::int32_t*>(info.data), static_cast<std::int32_t*>(info.data) + 6) ==
        std::vector<std::int32_t>{8, 0, 0, 0, 9, 7});
  CHECK(failure([&](kiln_error** e) { return kiln_array_put(&to, indices, 1, &one, e); }).status == KILN_E_TYPE);
  CHECK(failure([&](kiln_error** e) { return kiln_array_put(&to, indices, 2, &fraction, e); }).status == KILN_E_TYPE);
  CHECK(failure([&](kiln_error** e) { return kiln_array_take(&taken, &to, nullptr, 1, e); }).status == KILN_E_ARGUMENT);
  CHECK(failure([&](kiln_error** e) { return kiln_array_take(&taken, nullptr, indices, 1, e); }).status == KILN_E_ARGUMENT);
  rows[0] = 2;
  const auto beyond = failure([&](kiln_error** e) { return kiln_array_take(&taken, &to, indices, 2, e); });
  CHECK(beyond.status == KILN_E_SHAPE);
  CHECK(beyond.message == "a[indices], axis 0: index 2 at position 0 is out of range for an axis of extent 2");
}

TEST_CASE("C: arrays as pictures") {
  const std::string path = std::filesystem::temp_directory_path() / ("kiln-c-" + std::to_string(::getpid()) + ".png");
  const std::int64_t shape[] = {2, 3};
  const float numbers[] = {0, 1, 2, 3, 4, 5};
  const kiln_array_info described = kiln_memory(const_cast<float*>(numbers), KILN_FLOAT, 32, 2, shape);
  const kiln_arg picture = kiln_memory_arg(&described);
  const double low = 1, high = 4;
  succeed([&](kiln_error** e) { return kiln_array_save_png(&picture, path.c_str(), "magma_r", &low, &high, e); });
  succeed([&](kiln_error** e) { return kiln_array_save_png(&picture, path.c_str(), nullptr, nullptr, nullptr, e); });
  std::ifstream file(path, std::ios::binary);
  std::string begin(8, '\0');
  file.read(begin.data(), 8);
  CHECK(begin == "\x89PNG\r\n\x1a\n");
  std::filesystem::remove(path);
  const auto refused =
      failure([&](kiln_error** e) { return kiln_array_save_png(&picture, path.c_str(), "hot", nullptr, nullptr, e); });
  CHECK(refused.status == KILN_E_TYPE);
  CHECK(refused.message.starts_with("unknown colormap \"hot\""));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(failure([&](kiln_error** e) {
          return kiln_array_save_png(nullptr, path.c_str(), nullptr, nullptr, nullptr, e);
        }).status == KILN_E_ARGUMENT);
  CHECK(failure([&](kiln_error** e) { return kiln_array_save_png(&picture, nullptr, nullptr, nullptr, nullptr, e); }).status ==
        KILN_E_ARGUMENT);
}

TEST_CASE("C: arrays are made, described, copied and assigned") {
  const std::int64_t shape[] = {2, 3};
  kiln_array* raw = nullptr;
  succeed([&](kiln_error** e) { return kiln_array_new(&raw, {0, 0}, {KILN_INT, 32, 1}, 2, shape, e); });
  const CArray array(raw);
  kiln_arg to{};
  to.kind = KILN_ARRAY;
  to.value.array = raw;
  kiln_arg seven{};
  seven.kind = KILN_SCALAR;
  seven.dtype = {KILN_INT, 64, 1};
  seven.value.i = 7;
  succeed([&](kiln_error** e) { return kiln_array_assign(&to, &seven, KILN_SAME_KIND, nullptr, e); });
  const kiln_arg fraction = f64(1.5);
  CHECK(failure([&](kiln_error** e) { return kiln_array_assign(&to, &fraction, KILN_SAFE, nullptr, e); }).status ==
        KILN_E_TYPE);
  kiln_array* copied = nullptr;
  succeed([&](kiln_error** e) { return kiln_array_to(&copied, raw, {KILN_CPU, 0}, nullptr, e); });
  const CArray copy(copied);
  kiln_array_info info = kiln_array_info_default();
  succeed([&](kiln_error** e) { return kiln_array_describe(copied, &info, e); });
  CHECK(info.ndim == 2);
  CHECK(info.shape[1] == 3);
  CHECK(info.strides[0] == 12);
  CHECK(static_cast<std::int32_t*>(info.data)[5] == 7);
  const std::int64_t negative[] = {-1};
  kiln_array* none = nullptr;
  CHECK(failure([&](kiln_error** e) { return kiln_array_new(&none, {0, 0}, {KILN_INT, 32, 1}, 1, negative, e); }).status ==
        KILN_E_SHAPE);
  CHECK(none == nullptr);
  int released = 0;
  kiln_array_info view = info;
  view.owner = &released;
  view.release = [](void* owner) { ++*static_cast<int*>(owner); };
  view.ndim = 99;
  CHECK(failure([&](kiln_error** e) { return kiln_array_view(&none, &view, e); }).status == KILN_E_SHAPE);
  CHECK(released == 0);
  view.ndim = 2;
  succeed([&](kiln_error** e) { return kiln_array_view(&none, &view, e); });
  kiln_array* const second = kiln_array_retain(none);
  kiln_array_release(none);
  CHECK(released == 0);
  kiln_array_release(second);
  CHECK(released == 1);
}

TEST_CASE("C: caches, bundles as bytes, manifests, plans and kernels") {
  kiln_cache* opened = nullptr;
  const auto open = [&](const std::string& options) {
    return failure([&](kiln_error** e) { return kiln_cache_open(&opened, options.c_str(), e); });
  };
  const auto folder = std::filesystem::temp_directory_path() / ("kiln-c-" + std::to_string(getpid()));
  REQUIRE(open("{\"directory\": \"" + (folder / "one").string() + "\"}").status == KILN_OK);
  const CCache one(opened);
  REQUIRE(open("{\"directory\": \"" + (folder / "two").string() + "\"}").status == KILN_OK);
  const CCache two(opened);
  CHECK(open(R"({"folder": "x"})").message.find("folder") != std::string::npos);

  const std::string definition =
      R"j({"kind": "ufunc", "name": "shipped", "signatures": ["float64(float64 a)"], "expression": "a * 3"})j";
  kiln_function* made = nullptr;
  succeed([&](kiln_error** e) { return kiln_function_define(&made, definition.data(), definition.size(), one.get(), e); });
  const CFunction function(made);
  CHECK(get(function, "definition").find("shipped") != std::string::npos);
  const Memory a({1, 2});
  const Memory out({0, 0});
  REQUIRE(call(function, out, {a.arg()}).status == KILN_OK);
  kiln_text* bundle = nullptr;
  succeed([&](kiln_error** e) { return kiln_cache_export(&bundle, one.get(), nullptr, 0, e); });
  const std::string bytes = string_of(CText(bundle));
  CHECK(bytes.size() > 1000);
  succeed([&](kiln_error** e) { return kiln_cache_import(two.get(), bytes.data(), bytes.size(), e); });
  CHECK(failure([&](kiln_error** e) { return kiln_cache_import(two.get(), bytes.data(), bytes.size() / 2, e); }).status ==
        KILN_E_IO);
  succeed([&](kiln_error** e) { return kiln_function_define(&made, definition.data(), definition.size(), two.get(), e); });
  const CFunction shipped(made);
  REQUIRE(call(shipped, out, {a.arg()}).status == KILN_OK);
  CHECK(out.values == std::vector<double>{3, 6});
  kiln_cache_stats stats = kiln_cache_stats_default();
  succeed([&](kiln_error** e) { return kiln_cache_statistics(two.get(), &stats, e); });
  CHECK(stats.compiles == 0);
  CHECK(stats.disk_hits == 1);

  // A cache in memory exports what it compiled, and lists it.
  REQUIRE(open("{}").status == KILN_OK);
  const CCache memory(opened);
  succeed([&](kiln_error** e) { return kiln_function_define(&made, definition.data(), definition.size(), memory.get(), e); });
  const CFunction in_memory(made);
  REQUIRE(call(in_memory, out, {a.arg()}).status == KILN_OK);
  succeed([&](kiln_error** e) { return kiln_cache_export(&bundle, memory.get(), nullptr, 0, e); });
  CHECK(string_of(CText(bundle)) == bytes);
  kiln_text* listed = nullptr;
  const std::string request = R"({"command": "cache.list"})";
  succeed([&](kiln_error** e) { return kiln_command(&listed, request.data(), request.size(), memory.get(), e); });
  CHECK(string_of(CText(listed)).find("\"tier\": \"memory\"") != std::string::npos);
  REQUIRE(open("{\"memory_bytes\": 10}").status == KILN_OK);
  const CCache small(opened);
  succeed([&](kiln_error** e) { return kiln_function_define(&made, definition.data(), definition.size(), small.get(), e); });
  const CFunction in_little(made);
  REQUIRE(call(in_little, out, {a.arg()}).status == KILN_OK);
  succeed([&](kiln_error** e) { return kiln_cache_export(&bundle, small.get(), nullptr, 0, e); });
  CHECK(string_of(CText(bundle)).size() < 200);

  kiln_text* report = nullptr;
  const std::string manifest = R"({"kiln_manifest": 2, "kernels": [)" + definition + "]}";
  const Failure compiled = failure(
      [&](kiln_error** e) { return kiln_manifest_compile(&report, manifest.data(), manifest.size(), "native", one.get(), e); });
  INFO(compiled.message);
  CHECK(compiled.status == KILN_OK);
  CHECK(string_of(CText(report)).find("\"failed\": 0") != std::string::npos);

  const kiln_arg input = a.arg();
  kiln_arg output{};
  kiln_text* plan = nullptr;
  succeed([&](kiln_error** e) { return kiln_resolve(&plan, function.get(), &output, 1, &input, 1, nullptr, e); });
  CHECK(string_of(CText(plan)).find("\"loop\": \"float64(float64 a)\"") != std::string::npos);
  kiln_text* source = nullptr;
  succeed([&](kiln_error** e) { return kiln_inspect(&source, "source", function.get(), &output, 1, &input, 1, nullptr, e); });
  CHECK(string_of(CText(source)).find("a * 3") != std::string::npos);
  const Failure form =
      failure([&](kiln_error** e) { return kiln_inspect(&source, "hex", function.get(), &output, 1, &input, 1, nullptr, e); });
  CHECK(form.says("form: \"hex\" is unknown; the forms are source"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("C: two ranks compile each kernel once, without a way to send messages") {
  const auto folder = std::filesystem::temp_directory_path() / ("kiln-c-ranks-" + std::to_string(getpid()));
  const std::string manifest = R"j({"kiln_manifest": 2, "kernels": [{"kernel": "float64 c_ranks(float64 a) = a * 7"}]})j";
  using CWarming = std::unique_ptr<kiln_warming, Releases<kiln_warming_release>>;
  std::array<CCache, 2> caches;
  std::array<CWarming, 2> ranks;
  const auto begin = [&](int rank, int size, const char* options) {
    kiln_warming* made = nullptr;
    Failure failed = failure([&](kiln_error** e) {
      return kiln_warming_new(&made, rank, size, manifest.data(), manifest.size(), options, caches[0].get(), e);
    });
    if (made != nullptr) ranks[static_cast<std::size_t>(rank)].reset(made);
    return failed;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    kiln_cache* opened = nullptr;
    const std::string options = "{\"directory\": \"" + (folder / std::to_string(i)).string() + "\"}";
    succeed([&](kiln_error** e) { return kiln_cache_open(&opened, options.c_str(), e); });
    caches[i].reset(opened);
    kiln_warming* made = nullptr;
    succeed([&](kiln_error** e) {
      return kiln_warming_new(&made, static_cast<int>(i), 2, manifest.data(), manifest.size(),
                              R"({"targets": ["native"], "timeout_ms": 60000, "jobs": 1, "other_sizes": false})", opened, e);
    });
    ranks[i].reset(made);
  }
  const auto message = [&](std::size_t rank) {
    kiln_text* text = nullptr;
    succeed([&](kiln_error** e) { return kiln_warming_message(&text, ranks[rank].get(), e); });
    return CText(text);
  };
  const auto receive = [&](std::size_t rank, const std::array<std::string, 2>& all) {
    const char* const data[] = {all[0].data(), all[1].data()};
    const std::size_t lengths[] = {all[0].size(), all[1].size()};
    return failure([&](kiln_error** e) { return kiln_warming_receive(ranks[rank].get(), data, lengths, 2, e); });
  };
  kiln_text* report = nullptr;
  CHECK(failure([&](kiln_error** e) {
          return kiln_warming_report(&report, ranks[0].get(), e);
        }).says("there is no report before"));
  int exchanges = 0;
  while (true) {
    const CText first = message(0);
    if (first == nullptr) break;
    const std::array<std::string, 2> all{string_of(first), string_of(message(1))};
    for (std::size_t rank = 0; rank < 2; ++rank) REQUIRE(receive(rank, all).status == KILN_OK);
    REQUIRE(++exchanges < 10);
  }
  CHECK(message(1) == nullptr);
  std::uint64_t compiles = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    succeed([&](kiln_error** e) { return kiln_warming_report(&report, ranks[i].get(), e); });
    const std::string json = string_of(CText(report));
    CHECK(json.find("\"kernel\": \"c_ranks\"") != std::string::npos);
    CHECK(json.find("\"kernels\": 1") != std::string::npos);
    kiln_cache_stats stats = kiln_cache_stats_default();
    succeed([&](kiln_error** e) { return kiln_cache_statistics(caches[i].get(), &stats, e); });
    compiles += stats.compiles;
    CHECK(kiln::Cache(kiln::CacheOptions{.directory = (folder / std::to_string(i)).string()}).list().size() == 1);
  }
  CHECK(compiles == 1);

  CHECK(begin(2, 2, nullptr).says("rank 2 is none of the 2 ranks"));
  CHECK(begin(0, 2, R"({"target": 1})").says("target"));
  REQUIRE(begin(0, 2, nullptr).status == KILN_OK);
  const Failure other = receive(0, {string_of(message(0)), "kiln::other\n"});
  CHECK(other.status == KILN_E_RANK);
  CHECK(other.value("rank") == "1");
  CHECK(other.says("kiln::warm: rank 1 of 2: calls do not match: it called kiln::other"));
  CHECK(failure([&](kiln_error** e) { return kiln_warming_receive(nullptr, nullptr, nullptr, 0, e); }).says("warming is NULL"));
  CHECK(failure([&](kiln_error** e) { return kiln_warming_receive(ranks[0].get(), nullptr, nullptr, 2, e); }).status ==
        KILN_E_ARGUMENT);
  std::filesystem::remove_all(folder);
}

TEST_CASE("C: commands") {
  CHECK(command(R"({"command": "devices"})").find("\"kind\": \"cpu\"") != std::string::npos);
  CHECK(command(R"({"command": "functions", "names": ["hypot"]})").find("float64, float64 -> float64") != std::string::npos);
  CHECK(command(R"({"command": "memory", "device": "cpu"})").find("\"used\"") != std::string::npos);
  const std::string started = command(R"({"command": "profile.start"})");
  const CFunction f = parse_c("float64 seen_by_a_profile(float64 a) = a + 1");
  const Memory a({1});
  REQUIRE(call(f, a, {a.arg()}).status == KILN_OK);
  const std::string number = started.substr(started.find(": ") + 2, started.find('\n', 3) - started.find(": ") - 2);
  CHECK(command(R"({"command": "profile.stop", "profile": )" + number + "}").find("seen_by_a_profile") != std::string::npos);
  kiln_text* reply = nullptr;
  const auto wrong = [&](std::string_view request) {
    return failure([&](kiln_error** e) { return kiln_command(&reply, request.data(), request.size(), nullptr, e); });
  };
#if !defined(KILN_SANITIZED)  // a sanitizer's allocator ends the process
  // A text that no host has room for.
  const Failure found =
      failure([&](kiln_error** e) { return kiln_command(&reply, "{}", std::size_t{PTRDIFF_MAX} / 2, nullptr, e); });
  CHECK(found.status == KILN_E_MEMORY);
  CHECK(found.value("code") == "memory");
#endif
  CHECK(wrong(R"({"command": "cache.lst"})").says("unknown command \"cache.lst\"; the commands are \"cache.list\", "));
  CHECK(wrong(R"({"command": "devices", "device": 1})").status == KILN_E_CACHE);
  CHECK(wrong(R"({"command": "inspect"})").says("give \"id\", or \"manifest\""));
  CHECK(wrong(R"({"command": "inspect", "id": "00", "form": "poem"})").says("/form: the forms are resources, source, "));
  CHECK(wrong(R"({"command": "inspect", "id": "0123456789"})").says("has an id that begins with \"0123456789\""));
  CHECK(wrong(R"({"command": "tune", "operands": []})").says("give \"function\", or \"definition\""));
  CHECK(wrong(R"({"command": "tune", "function": "hypto", "operands": []})").says("no function of kiln::math has this name"));
  const auto tuned = [&](const std::string& operands) {
    return wrong(R"({"command": "tune", "device": "cpu", "function": "sqrt", "operands": )" + operands + "}");
  };
  CHECK(tuned("[]").says("\"sqrt\" takes 1 operand, 0 given"));
  CHECK(tuned("[1]").says("numbers alone have no size to tune for"));
  CHECK(tuned(R"(["x"])").says("/operands/0: a text is \"nan\", \"inf\" or \"-inf\""));
  CHECK(tuned(R"([{"dtype": "float31", "shape": [1]}])").says("unknown dtype \"float31\""));
  CHECK(tuned(R"([{"dtype": "float32", "shape": [0]}])").says("/operands/0/shape/0"));
  CHECK(tuned(R"([{"file": "/nowhere.npy"}])").status == KILN_E_IO);
  CHECK(wrong("{").status == KILN_E_CACHE);
  CHECK(wrong(R"({"command": "profile.stop", "profile": 99999})").says("no profile of this number runs"));
}

TEST_CASE("C: a function is released while it runs, calls from many threads") {
  CFunction f = parse_c("float64 f(float64 a) = a + 1");
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&right, own = kiln_function_retain(f.get())] {
      const CFunction held(own);
      for (int i = 0; i < 200; ++i) {
        const Memory a({double(i), 1});
        kiln_arg out = a.arg();
        const kiln_arg in = a.arg();
        if (kiln_call(own, &out, 1, &in, 1, nullptr, nullptr) == KILN_OK && a.values[0] == i + 1) ++right;
      }
    });
  }
  f.reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 800);
}

TEST_CASE("C: after fork the child computes") {
  const CFunction f = parse_c("float64 f(float64 a) = a + 1");
  const Memory a({1});
  REQUIRE(call(f, a, {a.arg()}).status == KILN_OK);
  const pid_t child = fork();
  if (child == 0) {
    kiln_arg out = a.arg();
    const kiln_arg in = a.arg();
    _exit(kiln_call(f.get(), &out, 1, &in, 1, nullptr, nullptr) == KILN_OK && a.values[0] == 3 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("memory of standard containers is an operand") {
  const auto f = kiln::vectorize("float64 f(float64 a, float64 b) = a + 2 * b");
  std::vector<double> a{1, 2, 3};
  const std::array<double, 3> b{10, 20, 30};
  double out[3] = {};
  f(a, b, {.out = out});
  CHECK(std::vector<double>(out, out + 3) == std::vector<double>{21, 42, 63});
  const std::span<double> span(a);
  const kiln::Array result = f(span, 1.0);
  CHECK(result.to_vector<double>() == std::vector<double>{3, 4, 5});
  f(std::span<const double>(a), a, {.out = span});
  CHECK(a == std::vector<double>{3, 6, 9});
  CHECK(message_of([&] { f(a, 1.0, {.out = b}); }).find("read-only") != std::string::npos);
  float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  CHECK(f(matrix, 1.0).shape() == kiln::Shape{2, 3});
}

TEST_CASE("C: commands that look at kernels") {
  const std::string manifest =
      R"({"kiln_manifest": 2, "kernels": [{"kernel": "float32 seen_in_c(float32 x) = 3 * x"},
                                          {"kernel": "float32 broken_in_c(float32 x) = y"}]})";
  const std::string all = command(R"({"command": "inspect", "manifest": )" + manifest + "}");
  CHECK(all.find("\"kernel\": \"seen_in_c\"") != std::string::npos);
  CHECK(all.find("\"vector_bits\": ") != std::string::npos);
  CHECK(all.find("broken_in_c:1:") != std::string::npos);
  const std::string one = R"({"command": "inspect", "kernel": "seen_in_c", "manifest": )" + manifest;
  CHECK(command(one + R"(, "form": "source"})").find("3 * x") != std::string::npos);
  CHECK(command(one + R"(, "form": "llvm-ir"})").find("define ") != std::string::npos);
  kiln_text* reply = nullptr;
  const std::string ptx = one + R"(, "form": "ptx"})";
  CHECK(failure([&](kiln_error** e) {
          return kiln_command(&reply, ptx.data(), ptx.size(), nullptr, e);
        }).says("there is no ptx of \"seen_in_c\""));
  CHECK(reply == nullptr);
  const std::string tuned = command(
      R"({"command": "tune", "device": "cpu", "definition": {"kernel": "float32 tuned_in_c(float32 x) = x"},
          "operands": [{"dtype": "float32", "shape": [10]}]})");
  CHECK(tuned.find("a CPU's kernels have no launch shape") != std::string::npos);
}

TEST_CASE("C: small calls on the caller's memory, again and again") {
  kiln_function* made = nullptr;
  succeed([&](kiln_error** e) { return kiln_function_math(&made, "add", KILN_NUL, e); });
  const CFunction add(made);
  float x[] = {1, 2, 3, 4};
  float y[] = {5, 6, 7, 8};
  float out[4] = {};
  const std::int64_t shape[] = {2, 2};
  const std::int64_t strides[] = {8, 4};
  const auto memory = [&](float* data, std::int32_t rank, bool read_only = false) {
    kiln_array_info info = kiln_array_info_default();
    info.data = data;
    info.dtype = {KILN_FLOAT, 32, 1};
    info.ndim = rank;
    info.shape = shape;
    info.strides = strides;
    info.read_only = read_only ? 1 : 0;
    return info;
  };
  for (int time = 0; time < 3; ++time) {
    const kiln_array_info of_x = memory(x, 2);
    const kiln_array_info of_y = memory(y, 2);
    kiln_array_info of_out = memory(out, 2);
    const kiln_arg inputs[] = {kiln_memory_arg(&of_x), kiln_memory_arg(&of_y)};
    kiln_arg output = kiln_memory_arg(&of_out);
    succeed([&](kiln_error** e) { return kiln_call(add.get(), &output, 1, inputs, 2, nullptr, e); });
    CHECK(out[3] == 12 + 0.5F * static_cast<float>(time));
    out[3] = 0;
    of_out = memory(out, 2, /*read_only=*/true);
    CHECK(failure([&](kiln_error** e) { return kiln_call(add.get(), &output, 1, inputs, 2, nullptr, e); }).says("read-only"));
    CHECK(out[3] == 0);
    // A scalar, and an output over an input.
    kiln_arg number{};
    number.kind = KILN_SCALAR;
    number.dtype = {KILN_FLOAT, 64, 1};
    number.value.f = 0.5;
    const kiln_arg with_number[] = {kiln_memory_arg(&of_x), number};
    kiln_arg onto_x = kiln_memory_arg(&of_x);
    succeed([&](kiln_error** e) { return kiln_call(add.get(), &onto_x, 1, with_number, 2, nullptr, e); });
    CHECK(x[0] == 1.5F + 0.5F * static_cast<float>(time));

    float total = 0;
    kiln_array_info of_total = memory(&total, 0);
    kiln_arg sum = kiln_memory_arg(&of_total);
    kiln_call_options options = kiln_call_options_default();
    options.method = KILN_REDUCE;
    options.axis_count = KILN_ALL_AXES;
    succeed([&](kiln_error** e) { return kiln_call(add.get(), &sum, 1, &inputs[1], 1, &options, e); });
    CHECK(total == 26);
    of_total = memory(&total, 2);
    options.keepdims = 1;
    CHECK(failure([&](kiln_error** e) { return kiln_call(add.get(), &sum, 1, &inputs[1], 1, &options, e); }).says("shape"));
    options.keepdims = 0;
    options.axis_count = 0;
    of_out = memory(out, 1);
    kiln_arg columns = kiln_memory_arg(&of_out);
    succeed([&](kiln_error** e) { return kiln_call(add.get(), &columns, 1, &inputs[1], 1, &options, e); });
    CHECK(out[0] == 12);
    options.axis_count = KILN_ALL_AXES;
    options.size = 1;
    CHECK(failure([&](kiln_error** e) {
            return kiln_call(add.get(), &sum, 1, &inputs[1], 1, &options, e);
          }).says("it has no option size"));
  }
}

TEST_CASE("C: page-locked memory") {
  const kiln_device emulated{KILN_EMULATED, 90};
  float x[4] = {1, 2, 3, 4};
  const std::int64_t shape[] = {4};
  kiln_array_info info = kiln_array_info_default();
  info.data = x;
  info.dtype = {KILN_FLOAT, 32, 1};
  info.ndim = 1;
  info.shape = shape;
  const kiln_arg arrays[] = {kiln_memory_arg(&info)};
  for (const kiln_device& device : {kiln_device{KILN_CPU, 0}, emulated, kiln_device{0, 0}}) {
    kiln_registration* registered = nullptr;
    succeed([&](kiln_error** e) { return kiln_registration_new(&registered, arrays, 1, device, e); });
    REQUIRE(registered != nullptr);
    kiln_registration_release(registered);
  }
  // A part of registered memory that goes beyond it is refused by name.
  kiln_registration* outer = nullptr;
  kiln_array_info front = info;
  const std::int64_t two[] = {2};
  front.shape = two;
  const kiln_arg of_front = kiln_memory_arg(&front);
  succeed([&](kiln_error** e) { return kiln_registration_new(&outer, &of_front, 1, emulated, e); });
  kiln_registration* refused = nullptr;
  CHECK(failure([&](kiln_error** e) { return kiln_registration_new(&refused, arrays, 1, emulated, e); }).status ==
        KILN_E_DEVICE);
  CHECK(refused == nullptr);
  kiln_registration_release(outer);
  CHECK(
      failure([&](kiln_error** e) { return kiln_registration_new(&refused, nullptr, 1, emulated, e); }).says("arrays is NULL"));
  const kiln_arg none{};
  CHECK(failure([&](kiln_error** e) {
          return kiln_registration_new(&refused, &none, 1, emulated, e);
        }).says("arrays: an array is expected"));
  kiln_array* locked = nullptr;
  CHECK(failure([&](kiln_error** e) {
          return kiln_array_new(&locked, {KILN_CUDA_HOST, 32000}, {KILN_FLOAT, 32, 1}, 1, shape, e);
        }).status == KILN_E_DEVICE);
  CHECK(locked == nullptr);
}

TEST_CASE("C: accumulators of parts, by any cuts and as bytes, and what they refuse") {
  using CPartial = std::unique_ptr<kiln_partial, Releases<kiln_partial_release>>;
  const Memory first({0.1, 1e16, 3});
  const Memory last({-1e16, 0.2});
  const CFunction add = parse_c("float64 add(float64 a, float64 b) = a + b");
  const CFunction sum = define_c(
      R"j({"name": "part_sum", "kind": "ufunc", "signatures": ["float64(float64 a, float64 b)"],
           "expression": "a + b", "identity": "0"})j");
  const auto part = [&](const CFunction& function, const Memory& memory, std::int64_t offset, kiln_error** error) {
    kiln_partial* made = nullptr;
    const kiln_arg input = memory.arg();
    const kiln_status status = kiln_partial_new(&made, function.get(), &input, 1, offset, 5, nullptr, error);
    return std::pair(status, CPartial(made));
  };
  CPartial parts[2];
  succeed([&](kiln_error** e) {
    auto [status, made] = part(sum, first, 0, e);
    parts[0] = std::move(made);
    return status;
  });
  succeed([&](kiln_error** e) {
    auto [status, made] = part(sum, last, 3, e);
    parts[1] = std::move(made);
    return status;
  });
  kiln_text* text = nullptr;
  succeed([&](kiln_error** e) { return kiln_partial_bytes(&text, parts[1].get(), e); });
  const std::string bytes = string_of(CText(text));
  kiln_partial* read = nullptr;
  succeed([&](kiln_error** e) { return kiln_partial_read(&read, sum.get(), bytes.data(), bytes.size(), e); });
  parts[1].reset(read);
  kiln_partial* both = nullptr;
  succeed([&](kiln_error** e) { return kiln_partial_combine(&both, parts[0].get(), parts[1].get(), e); });
  const CPartial whole(both);
  std::int64_t range[3] = {};
  succeed([&](kiln_error** e) { return kiln_partial_range(range, whole.get(), e); });
  CHECK((range[0] == 0 && range[1] == 5 && range[2] == 5));
  kiln_array* result = nullptr;
  succeed([&](kiln_error** e) { return kiln_partial_finish(&result, 1, whole.get(), nullptr, e); });
  // Neighbours with each other: ((0.1 + 1e16) + (3 + -1e16)) + 0.2.
  const double pairs = ((0.1 + 1e16) + (3 + -1e16)) + 0.2;
  CHECK(cpp_array(CArray(result).get()).item<double>() == pairs);
  result = nullptr;
  CHECK(failure([&](kiln_error** e) {
          return kiln_partial_finish(&result, 1, parts[0].get(), nullptr, e);
        }).says("part_sum.finish: the accumulators are of 0 to 3, and the array has 0 to 5"));
  CHECK(result == nullptr);
  CHECK(failure([&](kiln_error** e) { return kiln_partial_finish(&result, 2, whole.get(), nullptr, e); }).status ==
        KILN_E_TYPE);
  CHECK(failure([&](kiln_error** e) { return kiln_partial_combine(&both, parts[1].get(), parts[0].get(), e); }).status ==
        KILN_E_SHAPE);
  CHECK(both == nullptr);
  CHECK(failure([&](kiln_error** e) { return kiln_partial_read(&read, sum.get(), "kiln", 4, e); }).status == KILN_E_TYPE);
  CHECK(failure([&](kiln_error** e) { return part(add, first, 0, e).first; }).says("not marked reorderable"));
  const kiln_arg behind = last.arg();
  succeed(
      [&](kiln_error** e) { return kiln_partial_accumulate(&result, sum.get(), &behind, parts[0].get(), 3, 5, nullptr, e); });
  const double before = (0.1 + 1e16) + 3;
  CHECK(cpp_array(CArray(std::exchange(result, nullptr)).get()).to_vector<double>() ==
        std::vector<double>{before + -1e16, ((0.1 + 1e16) + (3 + -1e16)) + 0.2});
  CHECK(failure([&](kiln_error** e) {
          return kiln_partial_accumulate(&result, sum.get(), &behind, nullptr, 3, 5, nullptr, e);
        }).says("there are no accumulators of the elements before it; give those of 0 to 3"));
  CHECK(failure([&](kiln_error** e) {
          return kiln_partial_accumulate(&result, sum.get(), nullptr, nullptr, 0, 5, nullptr, e);
        }).says("input is NULL"));
  CHECK(failure([&](kiln_error** e) { return kiln_partial_range(nullptr, whole.get(), e); }).says("range is NULL"));
  CHECK(failure([&](kiln_error** e) { return kiln_partial_bytes(&text, nullptr, e); }).says("partial is NULL"));
}

TEST_CASE("C: statistics by NumPy's names, and what they refuse") {
  const Memory x({3, 1, 7, 5});
  const kiln_arg input = x.arg();
  const auto call = [&](kiln_array** to, const std::string& name, double ddof, const kiln_call_options* options,
                        kiln_error** e) { return kiln_statistic(to, name.data(), name.size(), &input, ddof, options, e); };
  const auto value = [&](const std::string& name, double ddof = 0) {
    kiln_array* made = nullptr;
    succeed([&](kiln_error** e) { return call(&made, name, ddof, nullptr, e); });
    return cpp_array(CArray(made).get()).astype(kiln::DType::float64).to_vector<double>();
  };
  using List = std::vector<double>;
  CHECK((value("sum") == List{16} && value("prod") == List{105} && value("min") == List{1} && value("max") == List{7}));
  CHECK((value("any") == List{1} && value("all") == List{1} && value("argmin") == List{1} && value("argmax") == List{2}));
  CHECK((value("mean") == List{4} && value("var") == List{5} && value("var", 2) == List{10} &&
         value("std") == List{std::sqrt(5.0)}));
  CHECK((value("cumsum") == List{3, 4, 11, 16} && value("cumprod") == List{3, 3, 21, 105}));
  kiln_array* none = nullptr;
  CHECK(failure([&](kiln_error** e) { return call(&none, "median", 0, nullptr, e); }).says("name: \"median\" is no statistic"));
  CHECK(failure([&](kiln_error** e) {
          return call(&none, "mean", 1, nullptr, e);
        }).says("mean: ddof: \"var\" and \"std\" alone"));
  kiln_call_options options = kiln_call_options_default();
  options.keepdims = 1;
  CHECK(failure([&](kiln_error** e) { return call(&none, "cumsum", 0, &options, e); }).says("keepdims"));
  options.device = {KILN_CPU, 0};
  CHECK(failure([&](kiln_error** e) { return call(&none, "max", 0, &options, e); }).says("max: device: it is the array's"));
  options.device = {}, options.keepdims = 0, options.axis_count = 1;
  CHECK(failure([&](kiln_error** e) { return call(&none, "cumsum", 0, &options, e); }).says("axis is NULL"));
}
