// What is said of a fault, and what becomes of prints: from what a kernel left in its buffer.
#include "kernel/faults.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../base/sanitizer.hpp"
#include "kiln/debug.hpp"
#include "kiln/error.hpp"
#include "recording_backend.hpp"

using namespace kiln;
using kinds::Fault;
using kinds::FaultKind;
using kinds::PrintKind;
using kinds::PrintRecord;
using kinds::PrintValue;

namespace {

const backend::FaultTexts kTexts{.kernel = "k",
                                 .arguments = {"a", "", "b"},
                                 .texts = {{"k", "first\n  b(i) = a %kiln_by(12)/ c[j];"}, {"k.functions", "one line"}}};

Fault fault_of(FaultKind kind, int line = 0, int column = 0, const char* file = "k") {
  Fault fault{};
  fault.kind = kind;
  fault.place = {.item = -1, .block = {-1, -1, -1}, .thread = {-1, -1, -1}};
  fault.line = line;
  fault.column = column;
  std::strcpy(fault.file, file);
  return fault;
}

std::string message(const Fault& fault, std::uint32_t count = 1) {
  return kinds::fault_message(fault, count, kTexts, "cuda:0");
}

std::string record(const std::string& format, const std::vector<PrintValue>& values, kinds::FaultPlace place) {
  std::string bytes((sizeof(PrintRecord) + values.size() * sizeof(PrintValue) + format.size() + 7) / 8 * 8, '\0');
  const PrintRecord head{.bytes = static_cast<std::uint32_t>(bytes.size()),
                         .values = static_cast<std::uint32_t>(values.size()),
                         .place = place,
                         .format_bytes = static_cast<std::uint32_t>(format.size()),
                         .padding = 0};
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!values.empty()) std::memcpy(bytes.data() + sizeof head, values.data(), values.size() * sizeof(PrintValue));
  std::memcpy(bytes.data() + sizeof head + values.size() * sizeof(PrintValue), format.data(), format.size());
  return bytes;
}

PrintValue integer(std::int64_t x) {
  return {PrintKind::integer, 0, {static_cast<std::uint64_t>(x), 0}};
}

PrintValue real(double x) {
  PrintValue value{PrintKind::real, 0, {0, 0}};
  std::memcpy(value.bits, &x, sizeof x);
  return value;
}

constexpr kinds::FaultPlace kFirst{0, {0, 0, 0}, {0, 0, 0}};

/// A module whose buffer is in the host's memory, with a fault and what was printed.
struct Checked : backend::Module {
  Checked() { faults_ = buffer.get(); }
  void leave(const std::string& records) const {
    buffer->count = 1;
    buffer->claimed = 1;
    buffer->first = fault_of(FaultKind::nan);
    buffer->printed = records.size();
    std::memcpy(buffer->prints, records.data(), records.size());
  }
  [[nodiscard]] bool empty() const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(buffer.get());
    return std::all_of(bytes, bytes + sizeof *buffer, [](std::byte each) { return each == std::byte{0}; });
  }
  std::unique_ptr<kinds::FaultBuffer> buffer = std::make_unique<kinds::FaultBuffer>();
};

/// Its memory is the host's. The download of that number finds none.
class HostMemory final : public test::RecordingBackend {
 public:
  explicit HostMemory(int fails = -1) : RecordingBackend(0), fails_(fails) {}
  void upload(void* to, const void* from, std::size_t bytes, backend::Queue*) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes, backend::Queue*) override {
    if (fails_-- == 0) throw std::bad_alloc();
    std::memcpy(to, from, bytes);
  }

 private:
  int fails_;
};

}  // namespace

TEST_CASE("faults: an access names the argument, the index and the shape") {
  Fault fault = fault_of(FaultKind::bounds, 2, 28);
  fault.argument = 2;
  fault.rank = 1;
  fault.index[0] = 16;
  fault.extent[0] = 16;
  fault.place.item = 41;
  // Columns are those of the user's text, which has no tags.
  CHECK(
      message(fault) ==
      "k failed on cuda:0 at item 41: index 16 of b is out of bounds, its shape is (16,): k:2:16\n    b(i) = a / c[j];\n       "
      "          ^");
  fault.rank = 2;
  fault.index[1] = -1;
  fault.extent[1] = 3;
  fault.argument = 1;
  fault.place = {.item = -1, .block = {1, 2, 3}, .thread = {4, 5, 6}};
  CHECK(message(fault, 7).starts_with(
      "k failed on cuda:0 at thread (4, 5, 6) of block (1, 2, 3): index (16, -1) of argument 1 is out of bounds, its shape is "
      "(16, 3) (the first of 7 faults): k:2:"));
}

TEST_CASE("faults: a race names the memory, both threads and both lines") {
  Fault fault = fault_of(FaultKind::race, 2, 3);
  fault.argument = 2;
  fault.rank = 1;
  fault.index[0] = 7;
  fault.place = {.item = -1, .block = {1, 0, 0}, .thread = {3, 2, 0}};
  fault.use = 1;
  fault.other = {.item = -1, .block = {1, 0, 0}, .thread = {4, 2, 0}};
  fault.other_line = 1;
  fault.other_column = 2;
  std::strcpy(fault.to, "k");
  const std::string own = ": k:2:3\n    b(i) = a / c[j];\n    ^\nk:1:2\n  first\n   ^";
  CHECK(
      message(fault, 5) ==
      "k failed on cuda:0 at thread (3, 2, 0) of block (1, 0, 0): race on element 7 of b, which it writes: thread (4, 2, 0) of "
      "block (1, 0, 0) read it at k:1:2, and no barrier stands between (the first of 5 faults)" +
          own);
  fault.rank = 2;
  fault.use = 2;
  fault.other_use = 2;
  fault.other.block[0] = 0;
  CHECK(
      message(fault) ==
      "k failed on cuda:0 at thread (3, 2, 0) of block (1, 0, 0): race on element (7, 0) of b, which it updates: thread (4, 2, "
      "0) of block (0, 0, 0) updated it at k:1:2, and nothing orders the two" +
          own);
  // One place is shown once.
  fault.place = {.item = 5, .block = {-1, -1, -1}, .thread = {-1, -1, -1}};
  fault.other = {.item = 4, .block = {-1, -1, -1}, .thread = {-1, -1, -1}};
  fault.argument = -1;
  fault.rank = -1;
  fault.use = 0;
  fault.other_use = 1;
  fault.line = fault.other_line;
  fault.column = fault.other_column;
  std::strcpy(fault.text, "the dynamic shared memory");
  CHECK(message(fault) ==
        "k failed on cuda:0 at item 5: race on byte 7 of the dynamic shared memory, which it reads: item 4 wrote it at k:1:2, "
        "and "
        "nothing orders the two: k:1:2\n  first\n   ^");
  fault.rank = 0;
  std::strcpy(fault.text, "count");
  CHECK(message(fault).find("race on count, which it reads") != std::string::npos);
  fault.rank = -1;
  fault.text[0] = '\0';
  fault.bits = 64;
  fault.index[0] = 0x1230;
  CHECK(message(fault).find("race on 8 bytes at 0x1230, which it reads") != std::string::npos);
}

TEST_CASE("faults: a barrier names who does not reach it") {
  Fault fault = fault_of(FaultKind::barrier, 1, 1);
  fault.place = {.item = -1, .block = {1, 0, 0}, .thread = {0, 0, 0}};
  fault.other = {.item = -1, .block = {1, 0, 0}, .thread = {4, 2, 0}};
  CHECK(message(fault) ==
        "k failed on cuda:0 at thread (0, 0, 0) of block (1, 0, 0): barrier that thread (4, 2, 0) of block (1, 0, 0) does not "
        "reach: k:1:1\n  first\n  ^");
}

TEST_CASE("faults: the place in the text") {
  const Fault division = [] {
    Fault fault = fault_of(FaultKind::division, 2, 12);
    fault.index[0] = 5;
    std::strcpy(fault.text, "/");
    return fault;
  }();
  CHECK(message(division) ==
        "k failed on cuda:0: division of integers by zero, 5 / 0: k:2:12\n    b(i) = a / c[j];\n             ^");
  // A compiler may tell no column, and a header may not be there.
  CHECK(message(fault_of(FaultKind::nan, 1, 0, "k.functions")) == "k failed on cuda:0: a is NaN: k.functions:1\n  one line");
  CHECK(message(fault_of(FaultKind::nan, 3, 4, "other.hpp")) == "k failed on cuda:0: a is NaN: other.hpp:3:4");
  CHECK(message(fault_of(FaultKind::nan, 3, 4, "/kiln/include/other.hpp")) == "k failed on cuda:0: a is NaN: other.hpp:3:4");
  CHECK(message(fault_of(FaultKind::nan, 3, 4, "kiln/core/view.hpp")) == "k failed on cuda:0: a is NaN");
  CHECK(message(fault_of(FaultKind::nan)) == "k failed on cuda:0: a is NaN");
}

TEST_CASE("faults: values and types") {
  Fault shift = fault_of(FaultKind::shift);
  shift.index[0] = 40;
  shift.bits = 32;
  std::strcpy(shift.text, "'int32' (aka 'int')");
  CHECK(message(shift) == "k failed on cuda:0: shift by 40 of int32, which has 32 bits");
  std::strcpy(shift.text, "'unsigned int'");
  CHECK(message(shift) == "k failed on cuda:0: shift by 40 of uint32, which has 32 bits");
  Fault array = fault_of(FaultKind::array);
  array.index[0] = -2;
  std::strcpy(array.text, "'float32[4]' (aka 'float[4]')");
  CHECK(message(array) == "k failed on cuda:0: index -2 of an array float32[4] is out of bounds");
  Fault crash = fault_of(FaultKind::crash);
  crash.bits = SIGSEGV;
  crash.index[1] = static_cast<std::int64_t>(kinds::CrashKind::stack_overwritten);
  CHECK(message(crash) ==
        "k failed on cuda:0: SIGSEGV: a write past the end of an array of the body's, or of KILN_SHARED memory");
  Fault conversion = fault_of(FaultKind::conversion);
  conversion.value = 3e9;
  std::strcpy(conversion.text, "'float'");
  std::strcpy(conversion.to, "'::kiln::int32' (aka 'int')");
  CHECK(message(conversion) == "k failed on cuda:0: conversion of 3000000000 from float32 to int32, which does not hold it");
  Fault assertion = fault_of(FaultKind::assertion);
  std::strcpy(assertion.text, "a < b");
  CHECK(message(assertion) == "k failed on cuda:0: assertion failed, a < b");
  Fault result = fault_of(FaultKind::nan);
  result.argument = 3;
  CHECK(message(result) == "k failed on cuda:0: the result is NaN");
}

TEST_CASE("faults: prints come in the order of items, or of blocks and threads") {
  const auto item = [](std::int64_t i) { return kinds::FaultPlace{i, {0, 0, 0}, {0, 0, 0}}; };
  const auto thread = [](int block, int x, int y) { return kinds::FaultPlace{-1, {block, 0, 0}, {x, y, 0}}; };
  CHECK(kinds::printed_texts(record("b{}", {integer(7)}, item(7)) + record("a", {}, item(1)) +
                             record("c{}{}", {integer(-1), integer(2)}, item(7))) ==
        std::vector<std::string>{"a", "b7", "c-12"});
  CHECK(kinds::printed_texts(record("d", {}, thread(1, 0, 0)) + record("c", {}, thread(0, 0, 1)) +
                             record("b", {}, thread(0, 1, 0)) + record("a", {}, thread(0, 0, 0))) ==
        std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(kinds::printed_texts(record("{:d}", {{PrintKind::real, 0, {0, 0}}}, item(0))).front().starts_with("{:d} (print: "));
  CHECK(kinds::printed_texts(record("{}", {}, item(0))) ==
        std::vector<std::string>{"{} (print: argument not found for 0 values)"});
  // What had no room is zeros, and nothing is read behind the end.
  CHECK(kinds::printed_texts(record("a", {}, item(0)) + std::string(64, '\0') + record("b", {}, item(1))) ==
        std::vector<std::string>{"a"});
  CHECK(kinds::printed_texts(record("a", {}, item(0)).substr(0, 40)).empty());
}

TEST_CASE("faults: prints are handed over before the fault is thrown") {
  std::vector<std::string> texts;
  set_print([&](std::string_view text) { texts.emplace_back(text); });
  CHECK_THROWS_WITH_AS(kinds::tell({.fault = "it failed", .printed = {"one", "two"}}), "it failed", DeviceError);
  CHECK(texts == std::vector<std::string>{"one", "two"});
  CHECK_NOTHROW(kinds::tell({}));
  set_print([](std::string_view) { throw std::runtime_error("full"); });
  CHECK_THROWS_WITH_AS(kinds::tell({.fault = {}, .printed = {"three"}}), "full", std::runtime_error);
  set_print({});
}

TEST_CASE("faults: what a kernel left is read once, and nothing stays behind") {
  const Checked module;
  HostMemory backend;
  module.leave(record("{}", {integer(7)}, kFirst));
  const kinds::LaunchDiagnostics findings = kinds::take_diagnostics(backend, module, nullptr);
  CHECK(findings.fault == "kernel failed on cpu: the result is NaN");
  CHECK(findings.printed == std::vector<std::string>{"7"});
  CHECK(module.empty());
  CHECK(kinds::take_diagnostics(backend, module, nullptr).fault.empty());
}

TEST_CASE("faults: where there is no memory to read them they are gone all the same") {
  const Checked module;
  HostMemory backend(1);
  module.leave(record("{}", {integer(7)}, kFirst));
  CHECK_THROWS_AS((void)kinds::take_diagnostics(backend, module, nullptr), std::bad_alloc);
  CHECK(module.empty());
  module.leave(record("{}", {integer(7)}, kFirst));
  kinds::forget_diagnostics(backend, module, nullptr);
  CHECK(module.empty());
}

#if !defined(KILN_SANITIZED)  // whose own memory is beyond the limit
TEST_CASE("faults: a text without memory is told, and so is the fault") {
  const Checked module;
  module.leave(record("{:2000000000}", {integer(7)}, kFirst) + record("next", {}, kFirst));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    HostMemory backend;
    const kinds::LaunchDiagnostics findings = kinds::take_diagnostics(backend, module, nullptr);
    const bool told =
        findings.fault == "kernel failed on cpu: the result is NaN" &&
        findings.printed == std::vector<std::string>{"{:2000000000} (print: no memory for so long a text)", "next"};
    _exit(told && module.empty() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

TEST_CASE("faults: fractions of prints have a point in every locale") {
  CHECK(kinds::printed_texts(record("{:a} {:g} {}", {real(1.5), real(0.25), real(2.5)}, kFirst)) ==
        std::vector<std::string>{"0x1.8p+0 0.25 2.5"});
}
