// kiln inspect: entries by their id, kernels of a manifest, every form, tables and JSON, and what is refused.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

using cli::contains;
using cli::run;
using cli::RunOptions;
using cli::Scratch;

namespace {

constexpr const char* kManifest =
    R"json({"kiln_manifest": 2, "kernels": [
  {"kernel": "float32 saxpy(float32 a, float32 x, float32 y) = a * x + y"},
  {"kernel": "float64 wave(float64 x) = exp(sin(x))"}]})json";

/// A manifest and an empty cache.
struct Fixture {
  Fixture() { cli::write_file(scratch.file("kernels.json"), kManifest); }
  [[nodiscard]] cli::Result inspect(std::vector<std::string> words, std::map<std::string, std::string> environment = {}) const {
    words.insert(words.begin(), "inspect");
    environment.emplace("KILN_CACHE_DIR", scratch.file("cache"));
    return run(words, {.environment = std::move(environment)});
  }
  /// The manifest with these words after it, as JSON.
  [[nodiscard]] nlohmann::json json(std::vector<std::string> words) const {
    words.insert(words.begin(), {manifest(), "--json"});
    const auto result = inspect(words);
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    return nlohmann::json::parse(result.out);
  }
  [[nodiscard]] std::string manifest() const { return scratch.file("kernels.json"); }
  Scratch scratch;
};

/// Whether that compiler compiles for the target here; reported where it does not. Clang does not count as a vendor's.
bool have_target(const std::string& target, const char* compiler) {
  const Fixture fixture;
  std::map<std::string, std::string> only;
  if (std::string_view(compiler) != "cpu") only["KILN_GPU_COMPILER"] = compiler;
  if (fixture.inspect({fixture.manifest(), "--kernel", "saxpy", "--target", target, "--as", "source"}, only).status == 0)
    return true;
  std::printf("KILN-NOT-RUN %s 1\n", compiler);
  return false;
}

void write_program(const std::string& path, const std::string& script) {
  cli::write_file(path, "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("inspect: command lines that make no sense") {
  const auto check = [](const std::vector<std::string>& words, const std::string& reason) {
    const auto result = run(words);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(result.err == "kiln: error: " + reason + "\nTry 'kiln inspect --help'.\n");
  };
  check({"inspect"}, "nothing to look at: give an id of `kiln cache list`, or a manifest");
  check({"inspect", "abc", "--as", "poetry"},
        "unknown form \"poetry\": the forms are resources, source, asm, ptx, sass, amdgcn and llvm-ir");
  check({"inspect", "abc", "--target", "sm_90"}, "--target goes with a manifest: an id is of one target already");
  check({"inspect", "abc", "--kernel", "saxpy"}, "--kernel goes with a manifest: an id is of one kernel already");
  const auto help = run({"inspect", "--help"});
  CHECK(help.status == 0);
  for (const char* word :
       {"ID|MANIFEST", "--as", "--target", "--kernel", "--json", "--output", "--dir", "llvm-ir", "nvdisasm"}) {
    CAPTURE(word);
    CHECK(contains(help.out, word));
  }
}

TEST_CASE("inspect: what is not there") {
  const Fixture fixture;
  const auto unknown = fixture.inspect({"abc123"});
  CHECK(unknown.status == 1);
  CHECK(unknown.err == "kiln: error: no kernel in " + fixture.scratch.file("cache") +
                           " has an id that begins with \"abc123\": `kiln cache list` shows them\n");
  const auto file = fixture.inspect({fixture.scratch.file("nothing.json")});
  CHECK(file.status == 1);
  CHECK(contains(file.err, "nothing.json"));
  const auto cache = fixture.inspect({"abc123", "--dir", fixture.scratch.file("nowhere")});
  CHECK(cache.status == 1);
  CHECK(cache.err == "kiln: error: cannot open \"" + fixture.scratch.file("nowhere") + "\": No such file or directory\n");
}

TEST_CASE("inspect: a kernel for NVIDIA, by manifest and by id") {
  if (!have_target("sm_90", "nvrtc")) return;
  const Fixture fixture;
  const auto table = fixture.inspect({fixture.manifest(), "--target", "sm_90,sm_75"});
  REQUIRE(table.status == 0);
  CHECK(table.err == "");
  CHECK(table.out.starts_with("KERNEL  SIGNATURE"));
  CHECK(contains(table.out, "REGISTERS"));
  CHECK_FALSE(contains(table.out, "VECTOR"));
  const nlohmann::json json = fixture.json({"--target", "sm_90,sm_75"});
  REQUIRE(json.at("kernels").size() >= 4);
  CHECK(cli::occurrences(table.out, "\n") == json.at("kernels").size() + 1);
  for (const auto& each : json.at("kernels")) {
    const auto& resources = each.at("resources");
    CHECK(resources.at("registers").get<int>() > 4);
    CHECK(resources.at("spills") == 0);
    CHECK(resources.at("shared_bytes") == 0);
    CHECK(resources.at("max_threads") == 256);
    CHECK_FALSE(resources.contains("vector_bits"));
    CHECK(contains(table.out, each.at("id").get<std::string>().substr(0, 12)));
  }
  const auto& first = json.at("kernels")[0];
  CHECK(first.at("kernel") == "saxpy");
  CHECK(first.at("signature") == "float32(float32 a, float32 x, float32 y)");
  CHECK(first.at("target") == "sm_90");

  // The id of an entry, whole and as short as it may be.
  const std::string id = first.at("id");
  for (const std::size_t digits : {id.size(), std::size_t{16}}) {
    const auto one = fixture.inspect({id.substr(0, digits)});
    CHECK(one.status == 0);
    CHECK(one.out.starts_with("kernel     saxpy\nsignature  float32(float32 a, float32 x, float32 y)\n"));
    CHECK(contains(one.out, "\nid         " + id + "\n"));
    CHECK(contains(one.out, "\nshared     0 bytes a block\n"));
  }
  const auto again = fixture.inspect(
      {fixture.manifest(), "--target", "sm_90", "--kernel", "saxpy", "--dir", fixture.scratch.file("cache"), "--json"});
  CHECK(nlohmann::json::parse(again.out).at("kernels")[0] == first);

  const auto ptx = fixture.inspect({id, "--as", "ptx", "-o", fixture.scratch.file("saxpy.ptx")});
  CHECK(ptx.status == 0);
  CHECK(ptx.out == "");
  CHECK(contains(cli::read_file(fixture.scratch.file("saxpy.ptx")), ".visible .entry kiln_kernel("));
  CHECK(contains(fixture.inspect({id, "--as", "source"}).out, "a * x + y"));
  const auto text = nlohmann::json::parse(fixture.inspect({id, "--as", "source", "--json"}).out).at("kernels")[0];
  CHECK(text.at("form") == "source");
  CHECK(contains(text.at("text").get<std::string>(), "a * x + y"));
  const auto wrong = fixture.inspect({id, "--as", "amdgcn"});
  CHECK(wrong.status == 1);
  CHECK(wrong.err == "kiln: error: there is no amdgcn of \"saxpy\" for sm_90: its forms are source, ptx, sass, asm\n");
  // Several texts each have a title.
  const auto both = fixture.inspect({fixture.manifest(), "--target", "sm_90", "--as", "ptx"});
  CHECK(both.out.starts_with("// saxpy float32(float32 a, float32 x, float32 y), contiguous, width 4 for sm_90 ("));
  CHECK(contains(both.out, "\n// wave float64(float64 x), contiguous, width 2, unrolled 2 for sm_90 ("));
  const auto unwritable = fixture.inspect({id, "-o", fixture.scratch.file("no/such/folder")});
  CHECK(unwritable.status == 1);
  CHECK(contains(unwritable.err, "cannot write \"" + fixture.scratch.file("no/such/folder") + "\": there is no folder"));
}

TEST_CASE("inspect: sass by the toolkit's programs, wherever they are") {
  if (!have_target("sm_90", "nvrtc")) return;
  const Fixture fixture;
  const std::vector<std::string> words = {fixture.manifest(), "--kernel", "saxpy", "--target", "sm_90", "--as", "sass"};
  const std::string folder = fixture.scratch.file("bin");
  std::filesystem::create_directory(folder);
  const std::string path = folder + ":/usr/bin:/bin";
  // It gets a cubin in a file that is gone afterwards.
  write_program(folder + "/nvdisasm",
                "echo \"$1\"; head -c 4 \"$2\" | tail -c 3; echo; echo \"$2\" > " + fixture.scratch.file("seen") + "\n");
  const auto good = fixture.inspect(words, {{"PATH", path}});
  CHECK(good.err == "");
  CHECK(good.status == 0);
  CHECK(good.out == "--print-code\nELF\n");
  std::string seen = cli::read_file(fixture.scratch.file("seen"));
  REQUIRE(!seen.empty());
  seen.pop_back();
  CHECK(seen.ends_with("/kernel.cubin"));
  CHECK_FALSE(std::filesystem::exists(seen));
  CHECK_FALSE(std::filesystem::exists(std::filesystem::path(seen).parent_path()));

  write_program(folder + "/nvdisasm", "echo 'nvdisasm fatal: no such thing' >&2; exit 4\n");
  const auto bad = fixture.inspect(words, {{"PATH", path}});
  CHECK(bad.status == 1);
  CHECK(bad.out == "");
  CHECK(bad.err == "kiln: error: failed to disassemble \"saxpy\" for sm_90: " + folder +
                       "/nvdisasm exited with status 4: nvdisasm fatal: no such thing\n");

  std::filesystem::rename(folder + "/nvdisasm", folder + "/unused");
  write_program(folder + "/cuobjdump", "echo \"$1\"\n");
  CHECK(fixture.inspect(words, {{"PATH", path}}).out == "--dump-sass\n");
  std::filesystem::create_directory(fixture.scratch.file("home"));
  std::filesystem::rename(folder, fixture.scratch.file("home/bin"));
  // By its id, since NVRTC may be found by CUDA_PATH.
  const std::vector<std::string> entry = {fixture.json({"--kernel", "saxpy", "--target", "sm_90"}).at("kernels")[0].at("id"),
                                          "--as", "sass"};
  CHECK(fixture.inspect(entry, {{"PATH", "/nowhere"}, {"CUDA_PATH", fixture.scratch.file("home")}}).out == "--dump-sass\n");

  for (const char* tool : {"nvdisasm", "cuobjdump"}) {
    if (std::filesystem::exists(std::string("/usr/local/cuda/bin/") + tool)) return;
  }
  const auto none = fixture.inspect(entry, {{"PATH", "/nowhere:relative:"}, {"CUDA_PATH", "/not/there"}, {"CUDA_HOME", ""}});
  CHECK(none.status == 1);
  CHECK(
      none.err ==
      "kiln: error: no disassembler for sm_90 was found: looked for nvdisasm and cuobjdump in /nowhere, /not/there/bin, "
      "/usr/local/cuda/bin; install the CUDA toolkit's binary utilities (nvdisasm), or set CUDA_PATH; ptx needs NVRTC alone\n");
}

TEST_CASE("inspect: a kernel for AMD") {
  if (!have_target("gfx90a", "hiprtc")) return;
  const Fixture fixture;
  const nlohmann::json json = fixture.json({"--target", "gfx90a", "--kernel", "saxpy"});
  const auto& kernel = json.at("kernels")[0];
  CHECK(kernel.at("resources").at("wave_size") == 64);
  CHECK(kernel.at("resources").at("shared_bytes") == 0);
  const auto code = fixture.inspect({kernel.at("id"), "--as", "amdgcn"});
  if (contains(code.err, "KILN_CPU=OFF")) return;
  CHECK(code.status == 0);
  CHECK(code.out.starts_with("kiln_kernel:\n  s_load_dword"));
  // LLVM's module is what reads the instructions, but not what reads the resources.
  const auto missing = fixture.inspect({kernel.at("id"), "--as", "amdgcn"}, {{"KILN_CLANG", "/nowhere/libkiln-clang.so"}});
  CHECK(missing.status == 1);
  CHECK(contains(missing.err, "tried /nowhere/libkiln-clang.so"));
  CHECK(contains(missing.err, "install libkiln-clang.so beside libkiln.so, or name it in KILN_CLANG"));
  CHECK(fixture.inspect({kernel.at("id")}, {{"KILN_CLANG", "/nowhere/libkiln-clang.so"}}).status == 0);
}

TEST_CASE("inspect: a kernel for this CPU, which is what a manifest is for where nothing is said") {
  if (!have_target("native", "cpu")) return;
  const Fixture fixture;
  const nlohmann::json json = fixture.json({});
  const auto& kernel = json.at("kernels")[0];
  CHECK(kernel.at("resources").at("vector_bits").get<int>() >= 128);
  CHECK(kernel.at("resources").at("spills") == 0);
  CHECK_FALSE(kernel.at("resources").contains("registers"));
  // Nothing is compiled or disassembled for it.
  const auto alone = fixture.inspect({kernel.at("id"), "--json"}, {{"KILN_CLANG", "/nowhere/libkiln-clang.so"}});
  CHECK(nlohmann::json::parse(alone.out).at("kernels")[0].at("resources") == kernel.at("resources"));
  CHECK(fixture.inspect({kernel.at("id"), "--as", "asm"}).out.starts_with("kiln_kernel:\n"));
  CHECK(contains(fixture.inspect({kernel.at("id"), "--as", "llvm-ir"}).out, "define "));
  const auto unknown = fixture.inspect({fixture.manifest(), "--kernel", "other"});
  CHECK(unknown.status == 1);
  CHECK(unknown.err == "kiln: error: the manifest has no kernel \"other\": it has saxpy, wave\n");
  // Without a place to keep machine code it is compiled and looked at all the same.
  const auto nowhere = fixture.inspect({fixture.manifest(), "--kernel", "saxpy", "--json"}, {{"KILN_CACHE_DIR", ""}});
  CHECK(nlohmann::json::parse(nowhere.out).at("kernels")[0] == kernel);
  cli::make_blocked_cache(fixture.scratch.file("blocked"));
  const auto blocked = fixture.inspect({fixture.manifest(), "--kernel", "saxpy", "--json"},
                                       {{"KILN_CACHE_DIR", fixture.scratch.file("blocked")}});
  REQUIRE(blocked.status == 0);
  CHECK(nlohmann::json::parse(blocked.out).at("kernels")[0] == kernel);
  const auto standard_input = run({"inspect", "-", "--kernel", "saxpy", "--json"},
                                  {.input = kManifest, .environment = {{"KILN_CACHE_DIR", fixture.scratch.file("cache")}}});
  CHECK(nlohmann::json::parse(standard_input.out).at("kernels")[0] == kernel);
  cli::write_file(fixture.scratch.file("bad.json"),
                  R"json({"kiln_manifest": 2, "kernels": [{"kernel": "float32 f(float32 x) = y"}]})json");
  const auto bad = fixture.inspect({fixture.scratch.file("bad.json")});
  CHECK(bad.status == 1);
  CHECK(contains(bad.err, "\"f\" does not compile for native"));
  CHECK(contains(bad.err, "f:1:"));
  CHECK(bad.out == "");
}

TEST_CASE("inspect: a manifest without kernels says so") {
  const Fixture fixture;
  const std::string manifest = fixture.scratch.file("empty.json");
  cli::write_file(manifest, R"({"kiln_manifest": 2, "kernels": []})");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--as", "source"}}) {
    std::vector<std::string> words{manifest};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = fixture.inspect(words);
    CHECK(result.status == 0);
    CHECK(result.out == "");
    CHECK(result.err == "kiln: warning: " + manifest + " has no kernels to look at\n");
  }
}

TEST_CASE("inspect: a form that only some of the targets have") {
  if (!have_target("native", "cpu") || !have_target("sm_90", "nvrtc")) return;
  const Fixture fixture;
  const std::vector<std::string> words{fixture.manifest(), "--kernel", "saxpy", "--target", "native,sm_90", "--as"};
  const auto as = [&](const char* form, const char* more = nullptr) {
    std::vector<std::string> all = words;
    all.emplace_back(form);
    if (more != nullptr) all.emplace_back(more);
    return fixture.inspect(all);
  };
  const auto ptx = as("ptx");
  CHECK(ptx.status == 0);
  CHECK(contains(ptx.out, "// saxpy float32(float32 a, float32 x, float32 y), contiguous, width 4 for sm_90 ("));
  CHECK(contains(ptx.out, ".visible .entry kiln_kernel("));
  CHECK(contains(ptx.err, "kiln: warning: there is no ptx of \"saxpy\" for "));
  const auto kernels = nlohmann::json::parse(as("ptx", "--json").out).at("kernels");
  REQUIRE(kernels.size() >= 2);
  CHECK(kernels.front().at("error").get<std::string>().starts_with("there is no ptx of \"saxpy\" for "));
  CHECK_FALSE(kernels.front().contains("text"));
  CHECK(contains(kernels.back().at("text").get<std::string>(), ".visible .entry"));
  const auto none = as("amdgcn");
  CHECK(none.status == 1);
  CHECK(none.out == "");
  CHECK(none.err.starts_with("kiln: error: there is no amdgcn of \"saxpy\" for "));
}

TEST_CASE("inspect: -o replaces a file whole, and writes through links and to what is no file") {
  if (!have_target("native", "cpu")) return;
  const Fixture fixture;
  const std::string file = fixture.scratch.file("out.txt");
  cli::write_file(file, "old");
  std::filesystem::create_hard_link(file, fixture.scratch.file("other name of the old"));
  std::filesystem::create_symlink("out.txt", fixture.scratch.file("link"));
  const std::vector<std::string> words{fixture.manifest(), "--as", "source", "-o"};
  const auto to = [&](const std::string& name) {
    std::vector<std::string> all = words;
    all.push_back(name);
    return fixture.inspect(all);
  };
  CHECK(to(fixture.scratch.file("link")).status == 0);
  CHECK(contains(cli::read_file(file), "a * x + y"));
  CHECK(cli::read_file(fixture.scratch.file("other name of the old")) == "old");  // not written in place
  CHECK(std::filesystem::is_symlink(fixture.scratch.file("link")));
  CHECK(to("/dev/null").status == 0);
  CHECK(fixture.scratch.count() == 5);  // manifest, cache, the file and its two other names: no temporary one
}

TEST_CASE("inspect: a kernel that does not compile does not hide the others") {
  if (!have_target("native", "cpu")) return;
  const Fixture fixture;
  const std::string manifest = fixture.scratch.file("mixed.json");
  cli::write_file(manifest, R"json({"kiln_manifest": 2, "kernels": [
    {"kernel": "float32 good(float32 x) = x"}, {"kernel": "float32 bad(float32 x) = y"},
    {"kernel": "float32 fine(float32 x) = x + 1"}]})json");
  const auto table = fixture.inspect({manifest});
  CHECK(table.status == 1);
  CHECK(table.out.starts_with("KERNEL  SIGNATURE"));
  CHECK(contains(table.out, "\ngood "));
  CHECK(contains(table.out, "\nfine "));
  CHECK_FALSE(contains(table.out, "\nbad "));  // an ID may hold the letters
  CHECK(table.err.starts_with("kiln: error: \"bad\" does not compile for native\nbad:1:"));
  const auto json = fixture.inspect({manifest, "--json"});
  CHECK(json.status == 1);
  const auto kernels = nlohmann::json::parse(json.out).at("kernels");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].contains("resources"));
  CHECK(kernels[1].at("kernel") == "bad");
  CHECK(kernels[1].at("target") == "native");
  CHECK(contains(kernels[1].at("error").get<std::string>(), "bad:1:"));
  CHECK_FALSE(kernels[1].contains("resources"));
  CHECK(kernels[2].contains("resources"));
  const auto source = fixture.inspect({manifest, "--as", "source", "-o", fixture.scratch.file("all.txt")});
  CHECK(source.status == 1);
  CHECK(contains(cli::read_file(fixture.scratch.file("all.txt")), "// fine float32(float32 x)"));
}
