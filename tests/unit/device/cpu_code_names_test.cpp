#include "device/cpu/code_names.hpp"

#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.hpp"

using kiln::backend::cpu::CodeNames;
using kiln::backend::cpu::CodeSymbols;

// As gdb sees them.
extern "C" {
struct entry_of_gdb {
  entry_of_gdb* next;
  entry_of_gdb* previous;
  const char* file;
  std::uint64_t size;
};
extern struct {
  std::uint32_t version;
  std::uint32_t action;
  entry_of_gdb* relevant;
  entry_of_gdb* first;
} __jit_debug_descriptor;  // NOLINT(bugprone-reserved-identifier)
}

namespace {

const CodeSymbols kSymbols{.machine = kiln::base::Machine::x86_64,
                           .address = 0x7f0000001000,
                           .size = 0x200,
                           .functions = {{"squash", 0x7f0000001000, 0x40}, {"run_blocks", 0x7f0000001040, 0x1c0}}};

std::vector<std::string_view> told() {
  std::vector<std::string_view> all;
  const entry_of_gdb* before = nullptr;
  for (const entry_of_gdb* each = __jit_debug_descriptor.first; each != nullptr; each = each->next) {
    CHECK(each->previous == before);
    before = each;
    all.emplace_back(each->file, each->size);
  }
  return all;
}

}  // namespace

TEST_CASE("code names: a symbol file has the functions at their addresses") {
  const std::string file = kiln::backend::cpu::symbol_file(kSymbols);
  const auto elf = kiln::base::ElfFile::read(file, nullptr);
  REQUIRE(elf.has_value());
  CHECK(elf->machine() == EM_X86_64);
  const auto* const text = elf->section(".text");
  REQUIRE(text != nullptr);
  CHECK(text->address == 0x7f0000001000);
  CHECK(text->size == 0x200);
  CHECK(text->bytes.empty());
  const auto symbols = elf->symbols(elf->section(".symtab"));
  REQUIRE(symbols.size() == 3);
  CHECK(symbols[1].name == "squash");
  CHECK(symbols[1].value == 0);
  CHECK(symbols[2].name == "run_blocks");
  CHECK(symbols[2].value == 0x40);
  CHECK(symbols[2].size == 0x1c0);
  CHECK(symbols[2].type == STT_FUNC);
}

TEST_CASE("code names: gdb's list has those of the code that lives") {
  CHECK(__jit_debug_descriptor.version == 1);
  const std::size_t before = told().size();
  auto first = std::make_unique<CodeNames>("first", kSymbols);
  auto second = std::make_unique<CodeNames>("second", kSymbols);
  auto third = std::make_unique<CodeNames>("third", kSymbols);
  CHECK(told().size() == before + 3);
  CHECK(told()[0] == kiln::backend::cpu::symbol_file(kSymbols));
  second.reset();
  CHECK(told().size() == before + 2);
  third.reset();
  CHECK(told().size() == before + 1);
  first.reset();
  CHECK(told().size() == before);
  CHECK(__jit_debug_descriptor.relevant == nullptr);
}

TEST_CASE("code names: perf's map is written where it is asked for") {
  const auto map_of_child = [](bool wanted) {
    const pid_t child = fork();
    if (child == 0) {
      const CodeNames names("squash", kSymbols, wanted);
      const CodeNames others("other", kSymbols, wanted);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    const std::string path = "/tmp/perf-" + std::to_string(child) + ".map";
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    unlink(path.c_str());
    return text;
  };
  CHECK(map_of_child(true) == "7f0000001000 200 squash\n7f0000001000 200 other\n");
  CHECK(map_of_child(false).empty());
}

TEST_CASE("code names: what another user may have put in the place of perf's map is left alone") {
  // Its exit status; 99 where it hangs.
  const auto child_with = [](auto&& put) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
      const int reader = put(path.c_str());
      {
        const CodeNames names("squash", kSymbols, /*in_perf_map=*/true);
      }
      char byte;
      const bool untouched = reader < 0 || read(reader, &byte, 1) <= 0;
      unlink(path.c_str());
      _exit(untouched ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    unlink(("/tmp/perf-" + std::to_string(child) + ".map").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
  };
  CHECK(child_with([](const char* path) {
          if (mkfifo(path, 0600) != 0) _exit(2);
          return -1;
        }) == 0);
  CHECK(child_with([](const char* path) {
          if (mkfifo(path, 0600) != 0) _exit(2);
          return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        }) == 0);
  if (geteuid() != 0) return;  // only root gives files away
  CHECK(child_with([](const char* path) {
          const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
          if (file < 0 || fchown(file, 1, 1) != 0) _exit(2);
          return file;
        }) == 0);
}
