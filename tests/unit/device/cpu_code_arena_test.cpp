#include "device/cpu/code_arena.hpp"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using kiln::backend::cpu::CodeArenas;
using kiln::backend::cpu::CodePages;

namespace {

// Of prctl(), as <linux/prctl.h> has them since Linux 6.3.
constexpr int kSetMdwe = 65;
constexpr unsigned long kRefuseExecGain = 1;

constexpr int kNotRefused = 2;  // the exit status where a system cannot refuse

/// As systemd's MemoryDenyWriteExecute.
bool refuse_written() {
  return ::prctl(kSetMdwe, kRefuseExecGain, 0L, 0L, 0L) == 0;
}

/// As SELinux without execmem: mmap() and mprotect() give no executable memory but a file's.
bool refuse_anonymous() {
  constexpr auto argument = [](std::uint32_t number) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8U * number);
  };
  std::array<sock_filter, 9> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(3)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(2)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
  }};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string protection;
};

std::vector<Mapping> mappings() {
  std::ifstream maps("/proc/self/maps");
  std::vector<Mapping> all;
  for (std::string line; std::getline(maps, line);) {
    Mapping each;
    char protection[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &each.begin, &each.end, protection) != 3) continue;
    each.protection = protection;
    all.push_back(std::move(each));
  }
  return all;
}

/// How much of the pages lies in mappings of that protection ("r-x" for those that may be run).
std::size_t bytes_with(const CodePages& pages, const std::string& protection) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pages.begin);
  const auto end = begin + pages.size;
  std::size_t bytes = 0;
  for (const Mapping& each : mappings()) {
    if (each.end <= begin || each.begin >= end || !each.protection.starts_with(protection)) continue;
    bytes += std::min(each.end, end) - std::max(each.begin, begin);
  }
  return bytes;
}

/// A function that returns the number.
std::vector<std::byte> function_of(std::uint32_t number) {
#if defined(__x86_64__)
  std::array<unsigned char, 6> code{0xb8, 0, 0, 0, 0, 0xc3};  // mov eax, number; ret
  std::memcpy(code.data() + 1, &number, sizeof(number));
#else
  const std::array<std::uint32_t, 3> code{0x52800000 | (number & 0xffff) << 5,  // movz w0
                                          0x72a00000 | (number >> 16) << 5,     // movk w0, lsl 16
                                          0xd65f03c0};                          // ret
#endif
  std::vector<std::byte> bytes(sizeof(code));
  std::memcpy(bytes.data(), code.data(), sizeof(code));
  return bytes;
}

std::uint32_t call(const CodePages& pages) {
  return reinterpret_cast<std::uint32_t (*)()>(pages.begin)();
}

CodePages placed(CodeArenas& arenas, std::uint32_t number) {
  const auto pages = arenas.allocate(100);
  REQUIRE(pages.has_value());
  REQUIRE(arenas.fill(*pages, function_of(number)));
  return *pages;
}

}  // namespace

TEST_CASE("code arenas: a page may be run, and never written") {
  for (const auto store : {CodeArenas::Store::protection, CodeArenas::Store::files}) {
    CodeArenas arenas(store);
    const CodePages pages = placed(arenas, 41);
    CHECK(call(pages) == 41);
    CHECK(bytes_with(pages, "r-x") == pages.size);
    arenas.free(pages);
    CHECK(bytes_with(pages, store == CodeArenas::Store::files ? "r--" : "r-x") == pages.size);
    CHECK(pages.begin[0] == std::byte{0});
    const CodePages again = placed(arenas, 42);
    CHECK(again.begin == pages.begin);  // freed room is used again
    CHECK(call(again) == 42);
    arenas.free(again);
    CHECK(arenas.usage().bytes == 0);
  }
}

TEST_CASE("code arenas: code runs also where the system refuses to run memory that was written, or is no file") {
  const auto ends_well_where = [](bool (*refuse)()) {
    const pid_t child = fork();
    if (child == 0) {
      if (!refuse()) _exit(kNotRefused);
      CodeArenas arenas;
      bool good = true;
      for (std::uint32_t i = 0; i < 10; ++i) {
        const auto pages = arenas.allocate(64);
        good = good && pages && arenas.fill(*pages, function_of(i)) && call(*pages) == i &&
               bytes_with(*pages, "r-x") == pages->size;
        if (i % 2 == 0) arenas.free(*pages);
      }
      _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNotRefused) MESSAGE("this system refuses nothing");
    return WEXITSTATUS(status) % kNotRefused == 0;
  };
  CHECK(ends_well_where(refuse_written));
  CHECK(ends_well_where(refuse_anonymous));
}

TEST_CASE("code arenas: freed pages are empty, and no memory of the process") {
  CodeArenas arenas;
  const std::size_t size = std::size_t{1} << 20;
  const auto pages = arenas.allocate(size);
  REQUIRE(pages.has_value());
  const std::vector<std::byte> ones(size, std::byte{1});
  REQUIRE(arenas.fill(*pages, ones));
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    std::size_t whole = 0;
    std::size_t now = 0;
    file >> whole >> now;
    return now * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  const std::size_t before = resident();
  arenas.free(*pages);
  CHECK(resident() + size / 2 < before);
  CHECK(pages->begin[0] == std::byte{0});  // the arena stays
}

TEST_CASE("code arenas: thousands of pages are a few mappings, also with holes") {
  CodeArenas arenas;
  // Others come and go with the process's own memory.
  const auto executable = [] {
    const std::vector<Mapping> found = mappings();
    const auto is_executable = [](const Mapping& each) { return each.protection.find('x') != std::string::npos; };
    return static_cast<std::size_t>(std::ranges::count_if(found, is_executable));
  };
  const std::size_t before = executable();
  std::vector<CodePages> all;
  for (std::uint32_t i = 0; i < 5000; ++i) all.push_back(placed(arenas, i));
  CHECK(executable() <= before + 3 * arenas.usage().arenas + 2);
  for (std::uint32_t i = 0; i < 5000; i += 2) arenas.free(all[i]);
  CHECK(executable() <= before + 3 * arenas.usage().arenas + 2);
  for (std::uint32_t i = 0; i < 5000; i += 2) all[i] = placed(arenas, 10'000 + i);
  CHECK(executable() <= before + 3 * arenas.usage().arenas + 2);
  int wrong = 0;
  for (std::uint32_t i = 0; i < 5000; ++i) wrong += call(all[i]) != (i % 2 == 0 ? 10'000 + i : i) ? 1 : 0;
  CHECK(wrong == 0);
  CHECK(arenas.usage().arenas == (5000 * all[0].size + (std::size_t{4} << 20) - 1) / (std::size_t{4} << 20));
  for (const CodePages& each : all) arenas.free(each);
  CHECK(arenas.usage().bytes == 0);
  CHECK(arenas.usage().arenas == 1);  // one is kept
}

TEST_CASE("code arenas: freed neighbours are one range, in whichever order they go") {
  CodeArenas arenas;
  for (const std::array<std::size_t, 3>& order : {std::array<std::size_t, 3>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    const std::array<CodePages, 4> pages{placed(arenas, 0), placed(arenas, 1), placed(arenas, 2), placed(arenas, 3)};
    for (const std::size_t each : order) arenas.free(pages[each]);
    const auto three = arenas.allocate(3 * pages[0].size);
    REQUIRE(three.has_value());
    CHECK(three->begin == pages[0].begin);
    arenas.free(*three);
    arenas.free(pages[3]);
  }
}

TEST_CASE("code arenas: pages of any size come and go in any order, and never overlap") {
  CodeArenas arenas;
  std::mt19937 random(7);
  struct Live {
    CodePages pages;
    std::byte mark;
  };
  std::vector<Live> live;
  int wrong = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    if (live.size() > 200 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t at = random() % live.size();
      for (std::size_t i = 0; i < live[at].pages.size; i += 512) wrong += live[at].pages.begin[i] != live[at].mark ? 1 : 0;
      arenas.free(live[at].pages);
      live[at] = live.back();
      live.pop_back();
      continue;
    }
    const std::size_t size = random() % 100 == 0 ? std::size_t{5} << 20 : 1 + random() % 60'000;
    const auto pages = arenas.allocate(size);
    REQUIRE(pages.has_value());
    const auto mark = static_cast<std::byte>(random());
    REQUIRE(arenas.fill(*pages, std::vector<std::byte>(pages->size, mark)));
    live.push_back({*pages, mark});
  }
  CHECK(wrong == 0);
  std::size_t bytes = 0;
  for (const Live& each : live) bytes += each.pages.size;
  CHECK(arenas.usage().bytes == bytes);
  for (const Live& each : live) arenas.free(each.pages);
  CHECK(arenas.usage().bytes == 0);
  CHECK(arenas.usage().arenas == 1);
}

TEST_CASE("code arenas: threads fill, call and free at once") {
  CodeArenas arenas;
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (std::uint32_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&arenas, &wrong = wrong[t], t] {
      std::vector<CodePages> own;
      for (std::uint32_t i = 0; i < 500; ++i) {
        own.push_back(*arenas.allocate(64));
        if (!arenas.fill(own.back(), function_of(t * 1000 + i))) ++wrong;
        if (call(own.back()) != t * 1000 + i) ++wrong;
        if (i % 3 != 0) continue;
        arenas.free(own[own.size() / 2]);
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2));
      }
      for (const CodePages& each : own) {
        if (call(each) / 1000 != t) ++wrong;
        arenas.free(each);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (const int each : wrong) CHECK(each == 0);
  CHECK(arenas.usage().bytes == 0);
}

TEST_CASE("code arenas: a forked child and its parent do not see each other's code") {
  CodeArenas arenas;
  const CodePages kept = placed(arenas, 1);
  const CodePages freed = placed(arenas, 2);
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char ready = 0;
    bool good = ::read(pipe[0], &ready, 1) == 1 && call(kept) == 1 && call(freed) == 2;  // the parent has put another there
    arenas.free(kept);
    const auto pages = arenas.allocate(64);
    good = good && pages && pages->begin == kept.begin && arenas.fill(*pages, function_of(3)) && call(*pages) == 3;
    _exit(good ? 0 : 1);
  }
  arenas.free(freed);
  const CodePages other = placed(arenas, 4);
  CHECK(other.begin == freed.begin);
  CHECK(::write(pipe[1], "!", 1) == 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(call(kept) == 1);
  CHECK(call(other) == 4);
  ::close(pipe[0]);
  ::close(pipe[1]);
  arenas.free(kept);
  arenas.free(other);
}
