// kiln cache: what each command prints, as text and as JSON, and how it ends.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

using cli::contains;
using cli::read_file;
using cli::Result;
using cli::Scratch;
using cli::write_file;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A cache of its own, and the command with that.
class CacheFixture {
 public:
  Result run(const std::vector<std::string>& words, std::map<std::string, std::string> environment = {}) const {
    environment.emplace("KILN_CACHE_DIR", directory());
    environment.emplace("KILN_CACHE_READONLY_DIRS", "");
    environment.emplace("KILN_CACHE_MAX_BYTES", "");
    return cli::run(words, {.environment = environment});
  }
  Result cache(std::vector<std::string> words, const std::map<std::string, std::string>& environment = {}) const {
    words.insert(words.begin(), "cache");
    return run(words, environment);
  }
  json cache_json(std::vector<std::string> words, int status = 0) const {
    words.emplace_back("--json");
    const Result result = cache(words);
    CHECK(result.status == status);
    return json::parse(result.out);
  }
  /// Compiles a kernel of that name into the cache.
  void compile(const std::string& name, const std::map<std::string, std::string>& environment = {}) const {
    const Result result = run({"eval", "float32 " + name + "(float32 x) = x + 1", "2"}, environment);
    REQUIRE(result.status == 0);
    REQUIRE(result.out == "3.0\n");
  }
  std::string id_of(const std::string& kernel) const {
    return cache_json({"list", "--kernel", kernel}).at("entries").at(0).at("id").get<std::string>();
  }
  std::string file_of(const std::string& id) const {
    return directory() + "/" + id.substr(0, 2) + "/" + id.substr(2) + ".kiln";
  }
  std::string directory() const { return scratch.file("cache"); }
  std::size_t entries() const { return cache_json({"list"}).at("entries").size(); }

  Scratch scratch;
};

void check_usage(const Result& result, const std::string& reason, const std::string& command) {
  CHECK(result.status == 2);
  CHECK(result.out == "");
  CHECK(result.err == "kiln: error: " + reason + "\nTry '" + command + " --help'.\n");
}

void check_failure(const Result& result, const std::string& reason) {
  CHECK(result.status == 1);
  CHECK(result.out == "");
  CHECK(result.err == "kiln: error: " + reason + "\n");
}

/// A line for the shell; what it prints, with standard error.
std::string shell(const std::string& line) {
  std::FILE* const pipe = popen(("{ " + line + "; } 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) text.append(part, size);
  pclose(pipe);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

const std::string kCacheCommands = "list, show, stats, path, verify, prune, clear, explain, export and import";

}  // namespace

TEST_CASE_FIXTURE(CacheFixture, "cache alone prints its help, and unknown commands what there is") {
  const Result help = cache({});
  CHECK(help.status == 0);
  CHECK(help.err == "");
  CHECK(help.out == cache({"--help"}).out);
  CHECK(contains(help.out, "Usage: kiln cache COMMAND [OPTIONS]"));
  for (const char* part : {"list", "show", "verify", "export", "Examples:", "Exit status: 0", "KILN_CACHE_READONLY_DIRS"}) {
    CHECK(contains(help.out, part));
  }
  check_usage(cache({"lst"}),
              "unknown command \"lst\": the commands of kiln cache are " + kCacheCommands + "; did you mean \"list\"?",
              "kiln cache");
  check_usage(cache({"frobnicate"}), "unknown command \"frobnicate\": the commands of kiln cache are " + kCacheCommands,
              "kiln cache");
  check_usage(cache({"list", "--srt", "size"}), "unknown option \"--srt\" of kiln cache list; did you mean \"--sort\"?",
              "kiln cache list");
  check_usage(cache({"list", "extra"}), "kiln cache list does not know what to do with \"extra\"", "kiln cache list");
  for (const char* command : {"list", "show", "stats", "path", "verify", "prune", "clear", "explain", "export", "import"}) {
    const Result each = cache({command, "--help"});
    CHECK(each.status == 0);
    CHECK(contains(each.out, std::string("Usage: kiln cache ") + command));
    CHECK(contains(each.out, "--dir DIR"));
    CHECK(contains(each.out, "--json"));
    CHECK(contains(each.out, "Example"));
  }
}

TEST_CASE_FIXTURE(CacheFixture, "each value of a constant is an entry, which the next process finds") {
  const std::string power =
      "float32 power(float32 x, constant int32 n) { float32 r = 1; for (int32 i = 0; i < n; ++i) r *= x; return r; }";
  const auto eval = [&](const char* n) {
    const Result result = run({"eval", power, "2", n, "--time"});
    CHECK(result.status == 0);
    return std::pair(result.out, contains(result.err, "compiled in"));
  };
  CHECK(eval("3") == std::pair(std::string("8.0\n"), true));
  CHECK(eval("3") == std::pair(std::string("8.0\n"), false));
  CHECK(eval("4") == std::pair(std::string("16.0\n"), true));
  const json entries = cache_json({"list"}).at("entries");
  REQUIRE(entries.size() == 2);
  std::vector<std::string> signatures{entries[0].at("signature"), entries[1].at("signature")};
  std::ranges::sort(signatures);
  CHECK(signatures[0] == "float32(float32 x, constant int32 n) with n = 3");
  CHECK(signatures[1] == "float32(float32 x, constant int32 n) with n = 4");
}

TEST_CASE_FIXTURE(CacheFixture, "a cache that is not there yet is empty, and looking makes nothing") {
  CHECK(cache({"list"}).out == "ID  KERNEL  SIGNATURE  VARIANT  TARGET  SIZE  COMPILE  HITS  USED\n");
  CHECK(cache_json({"list"}) == json::parse(R"({"entries": []})"));
  CHECK(cache({"path"}).out == directory() + "\n");
  CHECK(cache_json({"path"}).at("directory") == directory());
  CHECK(cache_json({"stats"}).at("entries") == 0);
  CHECK(contains(cache({"stats"}).out, "compiled in  -\n"));
  CHECK(cache({"verify"}).out == "0 entries (0 B) are sound\n");
  CHECK(cache({"prune", "--max-bytes", "0"}).out == "removed 0 entries (0 B)\n");
  CHECK(cache({"clear", "--yes"}).out == "removed 0 entries (0 B)\n");
  CHECK_FALSE(fs::exists(directory()));
  check_failure(cache({"list", "--dir", scratch.file("none")}),
                "cannot open \"" + scratch.file("none") + "\": No such file or directory");
  check_failure(cache({"path"}, {{"KILN_CACHE_DIR", ""}}),
                "there is no cache directory: KILN_CACHE_DIR is empty, or the directory was refused (the line above says why)");
}

TEST_CASE_FIXTURE(CacheFixture, "list and show tell what was compiled") {
  compile("alpha");
  compile("beta");
  const json list = cache_json({"list"}).at("entries");
  REQUIRE(list.size() == 2);
  CHECK(list[0].at("kernel") == "alpha");
  CHECK(list[1].at("kernel") == "beta");
  const std::string id = list[0].at("id").get<std::string>();
  CHECK(id.size() == 32);
  CHECK(list[0].at("kind") == "ufunc");
  CHECK(list[0].at("signature") == "float32(float32 x)");
  CHECK(list[0].at("bytes").get<std::size_t>() == fs::file_size(file_of(id)));
  CHECK(list[0].at("code_bytes").get<std::size_t>() > 1000);
  CHECK(list[0].at("compile_ms").get<double>() > 0);
  CHECK(list[0].at("created").get<std::int64_t>() > 1'700'000'000);
  CHECK(list[0].at("used").get<std::int64_t>() > 1'700'000'000);
  CHECK(list[0].at("hits") == 0);
  CHECK(list[0].at("tier") == directory());
  CHECK(contains(list[0].at("compiler").get<std::string>(), "Clang"));

  const auto lines = lines_of(cache({"list"}).out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("ID        KERNEL  SIGNATURE"));
  CHECK(lines[1].starts_with(id.substr(0, 8) + "  alpha   float32(float32 x)"));
  CHECK(cache({"list", "--quiet"}).out == id + "\n" + list[1].at("id").get<std::string>() + "\n");
  CHECK(cache({"list", "--quiet", "--kernel", "al*"}).out == id + "\n");
  CHECK(cache({"list", "--quiet", "--kernel", "alpha", "--kernel", "beta"}).out == cache({"list", "--quiet"}).out);
  CHECK(cache({"list", "--quiet", "--target", "sm_90"}).out == "");
  CHECK(cache({"list", "--quiet", "--target", "sm_90," + list[0].at("target").get<std::string>()}).out ==
        cache({"list", "--quiet"}).out);

  const Result show = cache({"show", id.substr(0, 20)});
  CHECK(show.status == 0);
  for (const std::string& part :
       {"id          " + id, std::string("kernel      alpha"), "in          " + directory(),
        std::string("signature   float32(float32 x)"), std::string("contract    false"), std::string("\nBody\n  x + 1\n")}) {
    CAPTURE(show.out);
    CAPTURE(part);
    CHECK(contains(show.out, part));
  }
  const json shown = cache_json({"show", id});
  CHECK(shown.at("id") == id);
  CHECK(shown.at("body") == "x + 1");
  CHECK(shown.at("key").at("contract") == false);
  CHECK(shown.at("key").at("source") == shown.at("source"));
  CHECK(contains(shown.at("source").get<std::string>(), "x + 1"));
  std::string upper = id.substr(0, 20);
  for (char& digit : upper) digit = static_cast<char>(std::toupper(static_cast<unsigned char>(digit)));
  CHECK(cache_json({"show", upper}) == shown);  // the text says how long ago, too
}

TEST_CASE_FIXTURE(CacheFixture, "list and show tell the kernels of one signature apart") {
  const std::string cores = "void f(T[:] x, T[:] y) { for (index i = 0; i < n; ++i) y(i) = x(i) + 1; }";
  const std::string a = cli::sample("a");
  const std::string weights = cli::sample("weights");
  const std::vector<std::vector<std::string>> calls{{"add", a, cli::sample("b")},
                                                    {"add", a, "2"},
                                                    {"add", weights, weights, "--where", cli::sample("flags")},
                                                    {"add", weights, cli::sample("dividend"), "-m", "outer"},
                                                    {"add", a, "-m", "reduce"},
                                                    {"add", a, "-m", "accumulate"},
                                                    {cores, a, "--layout", "(n)->(n)"},
                                                    {cores, cli::sample("left"), "--layout", "(n)->(n)"},
                                                    {cores, cli::sample("left"), "--layout", "(n)->(n)", "--axis", "0"}};
  for (std::vector<std::string> words : calls) {
    words.insert(words.begin(), "eval");
    const Result result = run(words);
    CHECK(result.err == "");
    REQUIRE(result.status == 0);
  }
  const json list = cache_json({"list"}).at("entries");
  CHECK(list.size() == calls.size());
  std::set<std::string> seen;
  std::set<std::string> texts;
  for (const json& entry : list) {
    const auto text = [&](const char* name) { return entry.at(name).get<std::string>(); };
    seen.insert(text("kernel") + " " + text("signature") + ", " + text("variant"));
    texts.insert(text("variant"));
    CHECK(contains(cache({"show", text("id")}).out, "\nvariant     " + text("variant") + "\n"));
    CHECK(contains(cache({"list"}).out, "  " + text("variant") + "  "));
    CHECK(json::parse(run({"inspect", text("id"), "--json"}).out).at("kernels").at(0).at("variant") == text("variant"));
  }
  CHECK(seen.size() == calls.size());
  for (const char* text :
       {"contiguous", "contiguous, input 1 scalar", "contiguous, where (zero)", "reduce, with identity", "accumulate"}) {
    CAPTURE(text);
    CHECK(texts.contains(text));
  }
}

TEST_CASE_FIXTURE(CacheFixture, "ids: none, not one, unknown, and several") {
  compile("alpha");
  check_usage(cache({"show"}), "no id: give the first digits of one, as `kiln cache list` prints them", "kiln cache show");
  check_usage(cache({"show", "xyz"}), "\"xyz\" is no id: up to 32 hexadecimal digits, as `kiln cache list` prints them",
              "kiln cache show");
  const std::string id = id_of("alpha");
  const std::string other = id.substr(0, 31) + (id[31] == '0' ? '1' : '0');
  check_failure(cache({"show", other}), "no entry's id begins with " + other + "; `kiln cache list` has them all");
  fs::copy_file(file_of(id), file_of(other));
  check_failure(cache({"show", id.substr(0, 6)}), "several entries begin with \"" + id.substr(0, 6) + "\": " +
                                                      std::min(id, other) + ", " + std::max(id, other) + "; write more digits");
  CHECK(cache({"show", id}).status == 0);
}

TEST_CASE_FIXTURE(CacheFixture, "list sorts by name, size, age and hits") {
  compile("alpha");
  compile("beta");
  const std::string alpha = id_of("alpha") + "\n";
  const std::string beta = id_of("beta") + "\n";
  const auto stamp = [&](const std::string& kernel, std::time_t seconds, long nanoseconds) {
    const timespec times[2] = {{.tv_sec = seconds, .tv_nsec = nanoseconds}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    REQUIRE(utimensat(AT_FDCWD, file_of(id_of(kernel)).c_str(), times, 0) == 0);
  };
  CHECK(cache({"list", "-q", "--sort", "name"}).out == alpha + beta);
  stamp("alpha", 1'700'000'000, 300'000);  // three hits
  stamp("beta", 1'600'000'000, 700'000);
  CHECK(cache({"list", "-q", "--sort", "age"}).out == beta + alpha);
  stamp("beta", 1'750'000'000, 700'000);
  CHECK(cache({"list", "-q", "--sort", "age"}).out == alpha + beta);
  CHECK(cache({"list", "-q", "--sort", "hits"}).out == beta + alpha);
  CHECK(cache_json({"show", id_of("beta")}).at("hits") == 7);
  compile("alpha");  // found on the disk, where it was last used long ago
  CHECK(cache_json({"show", id_of("alpha")}).at("hits") == 4);
  const json by_size = cache_json({"list", "--sort", "size"}).at("entries");
  CHECK(by_size[0].at("bytes") >= by_size[1].at("bytes"));
  check_usage(cache({"list", "--sort", "colour"}), "unknown --sort \"colour\": name, size, age or hits", "kiln cache list");
}

TEST_CASE_FIXTURE(CacheFixture, "stats sums up by target, compiler and tier") {
  compile("alpha");
  compile("beta");
  const json list = cache_json({"list"}).at("entries");
  const json stats = cache_json({"stats"});
  CHECK(stats.at("directory") == directory());
  CHECK(stats.at("max_bytes") == 1 << 30);
  CHECK(stats.at("entries") == 2);
  CHECK(stats.at("bytes") == list[0].at("bytes").get<int>() + list[1].at("bytes").get<int>());
  CHECK(stats.at("compile_ms").get<double>() ==
        doctest::Approx(list[0].at("compile_ms").get<double>() + list[1].at("compile_ms").get<double>()));
  REQUIRE(stats.at("by_target").size() == 1);
  CHECK(stats.at("by_target")[0].at("target") == list[0].at("target"));
  CHECK(stats.at("by_target")[0].at("entries") == 2);
  CHECK(stats.at("by_compiler")[0].at("bytes") == stats.at("bytes"));
  CHECK(stats.at("by_tier")[0].at("tier") == directory());
  CHECK(stats.at("oldest_use") <= stats.at("newest_use"));
  const std::string text = cache({"stats"}, {{"KILN_CACHE_MAX_BYTES", "5M"}}).out;
  CHECK(contains(text, "entries      2\n"));
  CHECK(contains(text, "; the directory is bounded to 5.0 MiB\n"));
  CHECK(contains(text, "\nTARGET"));
  CHECK(contains(text, "\nTIER"));
}

TEST_CASE_FIXTURE(CacheFixture, "verify finds what is damaged, and mends it only with --fix") {
  compile("alpha");
  compile("beta");
  CHECK(contains(cache({"verify"}).out, "2 entries ("));
  const std::string file = file_of(id_of("beta"));
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(file, bytes);
  const std::string name = file.substr(directory().size() + 1);
  const Result found = cache({"verify"});
  CHECK(found.status == 1);
  CHECK(found.out.starts_with(name + ": wrong checksum\n1 entry ("));
  CHECK(found.out.ends_with(") is sound, 1 file is not; `kiln cache verify --fix` removes what is not\n"));
  const json report = cache_json({"verify"}, 1);
  CHECK(report.at("entries") == 1);
  REQUIRE(report.at("faults").size() == 1);
  CHECK(report.at("faults")[0] == json{{"path", name}, {"reason", "wrong checksum"}, {"mended", false}});
  CHECK(fs::exists(file));
  const Result fixed = cache({"verify", "--fix"});
  CHECK(fixed.status == 0);
  CHECK(fixed.out.starts_with(name + ": wrong checksum; removed\n"));
  CHECK_FALSE(fs::exists(file));
  CHECK(cache({"verify"}).status == 0);
}

TEST_CASE_FIXTURE(CacheFixture, "prune goes by age and by size, clear asks first") {
  compile("alpha");
  compile("beta");
  const timespec old[2] = {{.tv_sec = 1'600'000'000, .tv_nsec = 0}, {.tv_sec = 1'600'000'000, .tv_nsec = 0}};
  REQUIRE(utimensat(AT_FDCWD, file_of(id_of("alpha")).c_str(), old, 0) == 0);
  check_usage(cache({"prune"}), "nothing to go by: give --max-bytes, --older-than or both", "kiln cache prune");
  check_usage(cache({"prune", "--older-than", "soon"}), "\"soon\" is no age: write it as 30d, 12h, 90m or 45s",
              "kiln cache prune");
  check_usage(cache({"prune", "--max-bytes", "1X"}), "\"1X\" is no number of bytes: write it as 1000000, 500M or 2G",
              "kiln cache prune");
  check_usage(cache({"prune", "--max-bytes", "99999999999G"}),
              "\"99999999999G\" is no number of bytes: write it as 1000000, 500M or 2G", "kiln cache prune");
  CHECK(cache({"prune", "--older-than", "1000000d"}).out == "removed 0 entries (0 B)\n");
  CHECK(cache({"prune", "--max-bytes", "1G"}).out == "removed 0 entries (0 B)\n");
  CHECK(entries() == 2);
  CHECK(cache({"prune", "--older-than", "30d"}).out.starts_with("removed 1 entry ("));
  CHECK(cache({"list", "-q"}).out == id_of("beta") + "\n");
  compile("alpha");
  const Result refused = cache({"clear"});
  CHECK(refused.status == 2);
  CHECK(refused.err.starts_with("kiln: error: 2 entries ("));
  CHECK(contains(refused.err, ") in " + directory() + " would be removed: give --yes, since nobody can be asked here\n"));
  CHECK(entries() == 2);
  CHECK(cache_json({"prune", "--max-bytes", "1"}).at("entries") == 2);
  compile("alpha");
  write_file(directory() + "/notes.txt", "mine");
  CHECK(cache_json({"clear", "--yes"}).at("entries") == 1);
  CHECK(entries() == 0);
  CHECK(read_file(directory() + "/notes.txt") == "mine");
}

TEST_CASE_FIXTURE(CacheFixture, "a bundle is the same from every machine, imports, and is a tier as it is") {
  compile("alpha");
  compile("beta");
  const CacheFixture other;
  other.compile("beta");
  other.compile("alpha");
  const std::string one = scratch.file("one.bundle");
  const Result written = cache({"export", one});
  CHECK(written.status == 0);
  CHECK(written.out.starts_with("wrote 2 entries to " + one + " ("));
  const json report = other.cache_json({"export", scratch.file("two.bundle")});
  CHECK(report.at("entries") == 2);
  CHECK(report.at("bytes") == fs::file_size(one));
  CHECK(read_file(one) == read_file(scratch.file("two.bundle")));

  const std::string part = scratch.file("part.bundle");
  CHECK(cache_json({"export", part, "--kernel", "alpha"}).at("entries") == 1);
  check_failure(cache({"export", part, "--target", "sm_90"}), "nothing to export: the cache has no entry for target sm_90");
  check_usage(cache({"export"}), "no bundle: give the file to write", "kiln cache export");
  check_usage(cache({"export", "-"}),
              "a bundle is not written to standard output: give the file to write (./- for one of that name)",
              "kiln cache export");
  check_usage(cache({"import"}), "no bundle: give the file to read", "kiln cache import");

  const CacheFixture third;
  CHECK(third.cache({"import", part}).out == "added 1 of 1 entry, 0 were there already\n");
  CHECK(third.cache_json({"import", one}) ==
        json{{"bundle", one}, {"entries", 2}, {"added", 1}, {"already", 1}, {"bytes", fs::file_size(one)}});
  CHECK(third.entries() == 2);
  CHECK(third.cache({"verify"}).status == 0);

  // As a tier nothing is compiled, and nothing written.
  const CacheFixture fourth;
  const std::map<std::string, std::string> tiers{{"KILN_CACHE_READONLY_DIRS", one}};
  const Result timed = fourth.run({"eval", "float32 alpha(float32 x) = x + 1", "2", "--time"}, tiers);
  CHECK(timed.out == "3.0\n");
  CHECK_FALSE(contains(timed.err, "compiled in"));
  CHECK_FALSE(fs::exists(fourth.directory()));
  CHECK(fourth.cache({"list", "-q"}, tiers).out == cache({"list", "-q"}).out);
  CHECK(fourth.cache({"list", "-q", "--dir", one}).out == cache({"list", "-q"}).out);

  // And where no directory is written: what is not shipped stays in memory.
  const std::map<std::string, std::string> shipped_alone{
      {"KILN_CACHE_DIR", ""}, {"KILN_CACHE_READONLY_DIRS", one}, {"KILN_CLANG", "none"}};
  const Result shipped = fourth.run({"eval", "float32 alpha(float32 x) = x + 1", "2"}, shipped_alone);
  CHECK(shipped.out == "3.0\n");
  CHECK(shipped.err == "");
  CHECK(fourth.cache({"list", "-q"}, shipped_alone).out == cache({"list", "-q"}).out);
  const Result unknown = fourth.run({"eval", "float32 gamma(float32 x) = x + 1", "2"}, shipped_alone);
  CHECK(unknown.status == 1);
  CHECK(contains(unknown.err, one + " (no entry)"));
  CHECK(fourth.cache_json({"list", "--dir", one}).at("entries")[0].at("tier") == one);
  check_usage(fourth.cache({"clear", "--yes", "--dir", one}),
              "--dir \"" + one + "\" is a file: what is in a bundle cannot be changed", "kiln cache clear");

  std::string bytes = read_file(one);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(one, bytes);
  const Result damaged = fourth.cache({"import", one});
  CHECK(damaged.status == 1);
  CHECK(damaged.err.starts_with("kiln: error: cannot read bundle " + one + ": "));
  CHECK(fourth.entries() == 0);
}

TEST_CASE_FIXTURE(CacheFixture, "explain says of each kernel of a manifest whether it is there, or what differs") {
  const std::string manifest = scratch.file("manifest.json");
  compile("alpha", {{"KILN_RECORD", manifest}});
  REQUIRE(fs::exists(manifest));
  const Result hit = cache({"explain", manifest});
  CAPTURE(hit.err);
  CHECK(hit.status == 0);
  CHECK(hit.out.starts_with("hit   alpha  float32(float32 x)  "));
  CHECK(hit.out.ends_with("  " + directory() + "\n1 of 1 found\n"));
  const json report = cache_json({"explain", manifest});
  CHECK(report.at("hits") == 1);
  CHECK(report.at("misses") == 0);
  CHECK(report.at("kernels")[0].at("id") == id_of("alpha"));
  CHECK(report.at("kernels")[0].at("tier") == directory());

  // For another target the nearest entry is this machine's, and the target is what differs.
  const Result piped = cli::run({"cache", "explain", "-", "--dir", directory()}, {.input = read_file(manifest)});
  CHECK(piped.status == 0);
  CHECK(piped.out == hit.out);
  const Result miss = cache({"explain", manifest, "--target", "x86-64-v2"});
  CHECK(miss.status == 1);
  CHECK(miss.out.starts_with("miss  alpha  float32(float32 x)  "));
  CHECK(contains(miss.out, "absent; nearest is " + id_of("alpha").substr(0, 12) + ", which differs in\n"));
  CHECK(contains(miss.out, "    target\n      wanted x86-64-v2"));
  CHECK(miss.out.ends_with("\n0 of 1 found\n"));
  const json differs = cache_json({"explain", manifest, "--target", "x86-64-v2"}, 1);
  CHECK(differs.at("kernels")[0].at("reason") == "absent");
  CHECK(differs.at("kernels")[0].at("nearest") == id_of("alpha"));
  std::set<std::string> fields;
  for (const json& difference : differs.at("kernels")[0].at("differences"))
    fields.insert(difference.at("field").get<std::string>());
  CHECK(fields.contains("target"));
  CHECK_FALSE(fields.contains("compiler"));

  const CacheFixture empty;
  const Result nothing = empty.cache({"explain", manifest});
  CHECK(nothing.status == 1);
  CHECK(contains(nothing.out, "absent; no entry of this kernel\n0 of 1 found\n"));
  check_usage(cache({"explain"}), "no manifest: give its file, or '-' for standard input", "kiln cache explain");
  CHECK(cache({"explain", scratch.file("none.json")}).status == 1);
}

TEST_CASE_FIXTURE(CacheFixture, "a terminal gets colours and its width, a pipe plain text, and a closed pipe no complaint") {
  compile("a_kernel_with_a_name_that_is_too_long_for_a_narrow_terminal");
  const std::string list = "KILN_CACHE_DIR=" + directory() + " " KILN_CLI_COMMAND " cache list";
  CHECK_FALSE(contains(shell(list), "\x1b"));
  CHECK(contains(shell(list), "a_kernel_with_a_name_that_is_too_long_for_a_narrow_terminal"));
  const auto on_terminal = [&](const std::string& variables) {
    return shell("script -qec 'env TERM=xterm COLUMNS=80 " + variables + " " + list + "' /dev/null </dev/null");
  };
  if (fs::exists("/usr/bin/script") && cli::have_terminals()) {
    const std::string coloured = on_terminal("NO_COLOR=");
    CHECK(contains(coloured, "\x1b[1mKERNEL\x1b[0m"));
    CHECK(contains(coloured, "…"));
    const std::string plain = on_terminal("NO_COLOR=1");
    CHECK_FALSE(contains(plain, "\x1b"));
    CHECK_FALSE(contains(on_terminal("NO_COLOR= TERM=dumb"), "\x1b"));
    for (const std::string& line : lines_of(plain)) {
      std::size_t columns = 0;
      for (const char byte : line) columns += byte != '\r' && (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
      CAPTURE(line);
      CHECK(columns <= 80);
    }
  }
  CHECK(shell("{ sleep 0.3; " + list + "; } | true") == "");
  CHECK(shell("( trap '' PIPE; sleep 0.3; " + list + " ) | true") == "");
}

TEST_CASE_FIXTURE(CacheFixture, "what a file says cannot steer the terminal") {
  // U+009B begins a control sequence, as ESC [ does.
  const Result result = run({"eval",
                             "float32 f(float32 x) { return x; /* \xc2\x9b"
                             "2J */ }",
                             "2"});
  REQUIRE(result.status == 0);
  const Result show = cache({"show", id_of("f")});
  CHECK(contains(show.out, "return x; /* ??2J */"));
  CHECK_FALSE(contains(show.out, "\x9b"));
}
