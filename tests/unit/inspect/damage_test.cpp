// Machine code from a damaged or hostile file: every truncation and every byte changed is an IoError or an answer, never a
// crash. (What a crash would be shows best under the sanitizers.)
#include <doctest/doctest.h>

#include <elf.h>

#include <cstring>

#include "base/have_cpu.hpp"
#include "binary/code_object.hpp"
#include "binary/elf.hpp"
#include "kernels.hpp"
#include "kiln/error.hpp"
#include "kiln/inspect.hpp"

using kiln::cache::Contents;
using kiln::inspect::resources;
using kiln::test::compiled;
using kiln::test::contains;
using kiln::test::have_compiler;
using kiln::test::saxpy;

namespace {

/// Whether it was refused; anything but an IoError fails the case.
bool refused(const Contents& kernel) {
  try {
    static_cast<void>(resources(kernel));
    return false;
  } catch (const kiln::IoError& error) {
    if (!contains(error.what(), "is damaged: ")) FAIL_CHECK(error.what());
    return true;
  }
}

/// `stride` leaves some out where an answer takes a disassembly.
void damage(Contents kernel, std::size_t stride) {
  kernel.key = "{}";  // no compile for what only damage makes unknown
  CHECK_FALSE(refused(kernel));
  const std::string sound = kernel.code;
  std::size_t refusals = 0;
  for (std::size_t size = 0; size < sound.size(); size += stride) {
    kernel.code = sound.substr(0, size);
    refusals += refused(kernel) ? 1U : 0U;
  }
  CHECK(refusals >= sound.size() / stride / 2);  // the section table lies at the end, or close to it
  kernel.code = sound;
  for (const char change : {'\xff', '\x01', '\x80'}) {
    for (std::size_t at = 0; at < sound.size(); at += stride) {
      kernel.code[at] = static_cast<char>(kernel.code[at] ^ change);
      static_cast<void>(refused(kernel));
      kernel.code[at] = sound[at];
    }
  }
  kernel.code.assign(4096, '\0');
  CHECK(refused(kernel));
  kernel.code =
      "\x7f"
      "ELF";
  CHECK(refused(kernel));
}

/// A code object with other metadata.
Contents with_metadata(const Contents& kernel, const std::string& bytes) {
  std::string why;
  const auto file = kiln::base::ElfFile::read(kernel.code, &why);
  REQUIRE(file.has_value());
  const auto notes = file->notes();
  REQUIRE_FALSE(notes.empty());
  REQUIRE(bytes.size() <= notes[0].description.size());
  Contents changed = kernel;
  const auto at = static_cast<std::size_t>(notes[0].description.data() - kernel.code.data());
  changed.code.replace(at, bytes.size(), bytes);
  return changed;
}

void append(std::string& to, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) to += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// clang's offload bundle: a host's part, which is empty, and one for an architecture.
std::string bundle(const std::string& code, const std::string& name) {
  const std::string host = "host-x86_64-unknown-linux--";
  std::string bytes = "__CLANG_OFFLOAD_BUNDLE__";
  const std::uint64_t start = bytes.size() + 8 + 2 * 24 + host.size() + name.size();
  append(bytes, 2);
  for (const auto& [size, id] : {std::pair(std::size_t{0}, host), std::pair(code.size(), name)}) {
    append(bytes, start);
    append(bytes, size);
    append(bytes, id.size());
    bytes += id;
  }
  return bytes + code;
}

}  // namespace

TEST_CASE("a damaged cubin") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  damage(compiled(saxpy(), "sm_90"), 1);
}

TEST_CASE("a damaged code object") {
  if (!have_compiler(kiln::DeviceKind::hip)) return;
  damage(compiled(saxpy(), "gfx90a"), 1);
}

#if KILN_HAVE_CPU
TEST_CASE("a damaged shared object") {
  damage(compiled(saxpy(), "native"), 3);
}
#endif

TEST_CASE("hostile metadata of a code object") {
  if (!have_compiler(kiln::DeviceKind::hip)) return;
  const Contents kernel = compiled(saxpy(), "gfx90a");
  // Arrays in arrays, and lengths that no file has.
  CHECK(refused(with_metadata(kernel, std::string(700, '\x91'))));
  CHECK(refused(with_metadata(kernel, "\xdd\xff\xff\xff\xff")));
  CHECK(refused(with_metadata(kernel, "\xdb\xff\xff\xff\xff")));
  CHECK(refused(with_metadata(kernel, "\xc6\xff\xff\xff\xff")));
  CHECK(refused(with_metadata(kernel, "\xc0")));
  // In a note as large as one likes: the stack does not end before the reader does.
  Contents deep = kernel;
  const auto file = kiln::base::ElfFile::read(kernel.code, nullptr);
  REQUIRE(file.has_value());
  const std::string nest(std::size_t{8} << 20, '\x91');
  Elf64_Nhdr note{};
  note.n_namesz = 7;
  note.n_descsz = static_cast<Elf64_Word>(nest.size());
  note.n_type = 32;
  std::string section(reinterpret_cast<const char*>(&note), sizeof(note));
  section += std::string("AMDGPU\0\0", 8) + nest;
  Elf64_Ehdr header{};
  std::memcpy(&header, deep.code.data(), sizeof(header));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr entry{};
    const std::size_t at = header.e_shoff + i * sizeof(entry);
    std::memcpy(&entry, deep.code.data() + at, sizeof(entry));
    if (entry.sh_type != SHT_NOTE) continue;
    entry.sh_offset = deep.code.size();
    entry.sh_size = section.size();
    std::memcpy(deep.code.data() + at, &entry, sizeof(entry));
  }
  deep.code += section;
  CHECK(refused(deep));
}

TEST_CASE("an offload bundle is opened, and a damaged one refused") {
  if (!have_compiler(kiln::DeviceKind::hip)) return;
  const Contents plain = compiled(saxpy(), "gfx90a:xnack-");
  Contents kernel = plain;
  kernel.code = bundle(plain.code, "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-");
  CHECK(resources(kernel).registers == resources(plain).registers);
  CHECK(resources(kernel).code_bytes == resources(plain).code_bytes);
  for (std::size_t size = 0; size < kernel.code.size(); size += 7) {
    Contents cut = kernel;
    cut.code.resize(size);
    CHECK(refused(cut));
  }
  for (std::size_t at = 0; at < 200; ++at) {
    Contents changed = kernel;
    changed.code[at] = static_cast<char>(changed.code[at] ^ '\xff');
    static_cast<void>(refused(changed));
  }
  kernel.code = bundle(plain.code, "hipv4-amdgcn-amd-amdhsa--gfx906");
  CHECK_THROWS_WITH_AS(static_cast<void>(resources(kernel)),
                       "the machine code of \"saxpy\" for gfx90a:xnack- is damaged: its offload bundle has nothing for gfx90a",
                       kiln::IoError);
}
