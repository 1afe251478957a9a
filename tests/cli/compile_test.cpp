// kiln compile: what it prints where, exit statuses, faults, interruption, and the example of docs/manifest.md.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

#include "command.hpp"

using cli::contains;
using cli::run;
using cli::Scratch;
using nlohmann::json;

namespace {

const char* const kTarget = "x86-64-v3";

std::string manifest_of(const std::vector<std::string>& kernels) {
  json list = json::array();
  for (const std::string& kernel : kernels) list.push_back({{"kernel", kernel}});
  return json{{"kiln_manifest", 2}, {"kernels", list}}.dump();
}

std::vector<std::string> many(int count) {
  std::vector<std::string> kernels;
  for (int i = 0; i < count; ++i)
    kernels.push_back("float32 k" + std::to_string(i) + "(float32 x) = exp(x) + " + std::to_string(i));
  return kernels;
}

/// Files below a folder whose name contains `part`.
std::size_t files(const std::string& folder, const std::string& part) {
  std::size_t count = 0;
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    count += it->is_regular_file(ignored) && contains(it->path().filename().string(), part) ? 1U : 0U;
  }
  return count;
}

/// Starts the command on a terminal (or with standard error in a file), and gives its process.
struct OnTerminal {
  OnTerminal(const std::vector<std::string>& arguments, const std::vector<std::pair<const char*, const char*>>& environment) {
    winsize size{24, 70, 0, 0};
    pid = forkpty(&terminal, nullptr, nullptr, &size);
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "forkpty");  // kill(-1) would end everything
    if (pid != 0) return;
    for (const auto& [name, value] : environment) value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    std::vector<std::string> words{KILN_CLI_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(KILN_CLI_COMMAND, pointers.data());
    _exit(127);
  }
  /// Everything that it wrote, and its status.
  std::pair<std::string, int> finish() {
    std::string text;
    char block[4096];
    for (ssize_t got = 0; (got = read(terminal, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(pid, &status, 0);
    close(terminal);
    return {text, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  }
  pid_t pid = -1;
  int terminal = -1;
};

}  // namespace

TEST_CASE("compile: --dir is a directory, no bundle") {
  const Scratch scratch;
  cli::write_file(scratch.file("file"), "text");
  const auto file = run({"compile", "-", "-t", kTarget, "--dir", scratch.file("file")}, {.input = manifest_of(many(1))});
  CHECK(file.status == 2);
  CHECK(contains(file.err, "is a file: what is in a bundle cannot be changed"));
}

TEST_CASE("compile fills the cache: lines on standard error, a summary on standard output, nothing to do the second time") {
  const Scratch scratch;
  cli::write_file(scratch.file("m.json"),
                  manifest_of({"float32 one(float32 x) = x", "T two(T x) where T: float32, float64 = x + x"}));
  const std::vector<std::string> words{"compile", scratch.file("m.json"), "--target", kTarget,
                                       "--dir",   scratch.file("cache"),  "-j",       "1"};
  const auto first = run(words);
  CHECK(first.status == 0);
  CHECK(first.out.starts_with("3 compiled, 0 found, 0 failed in "));
  CHECK(first.out.ends_with(" s\n"));
  CHECK(first.err.starts_with("[1/3] compiled one for x86-64-v3: float32(float32 x), contiguous in "));
  CHECK(contains(first.err, "[3/3] compiled two for x86-64-v3: float64(float64 x), contiguous in "));
  CHECK(cli::occurrences(first.err, "\n") == 3);
  CHECK(files(scratch.file("cache"), ".kiln") == 3);
  const auto second = run(words);
  CHECK(second.status == 0);
  CHECK(second.out.starts_with("0 compiled, 3 found, 0 failed in "));
  CHECK(contains(second.err, "[1/3] found one for x86-64-v3: float32(float32 x), contiguous\n"));
}

TEST_CASE("compile takes standard input, several manifests and targets, each target once") {
  const Scratch scratch;
  cli::write_file(scratch.file("m.json"), manifest_of({"float32 one(float32 x) = x"}));
  const auto result = run(
      {"compile", "-", scratch.file("m.json"), "-t", "x86-64-v3,x86-64-v2", "--target", "x86-64-v3", "--quiet"},
      {.input = manifest_of({"float32 two(float32 x) = x + x"}), .environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
  CHECK(result.status == 0);
  CHECK(result.out == "");
  CHECK(result.err == "");
  CHECK(files(scratch.file("cache"), ".kiln") == 4);
}

TEST_CASE("compile --json reports every kernel") {
  const Scratch scratch;
  const auto result = run({"compile", "-", "-t", kTarget, "--json", "--dir", scratch.file("cache")},
                          {.input = manifest_of({"float32 good(float32 x) = x", "float32 bad(float32 x) = y"})});
  CHECK(result.status == 1);
  const json report = json::parse(result.out);
  CHECK(report.at("compiled") == 1);
  CHECK(report.at("found") == 0);
  CHECK(report.at("failed") == 1);
  CHECK(report.at("left") == 0);
  REQUIRE(report.at("kernels").size() == 2);
  for (const json& kernel : report.at("kernels")) {
    const bool good = kernel.at("kernel") == "good";
    CHECK(kernel.at("manifest") == "standard input");
    CHECK(kernel.at("where") == (good ? "/kernels/0" : "/kernels/1"));
    CHECK(kernel.at("state") == (good ? "compiled" : "failed"));
    CHECK(kernel.at("target") == kTarget);
    CHECK(kernel.at("signature") == "float32(float32 x)");
    CHECK(kernel.at("variant") == "contiguous");
    CHECK(kernel.contains("error") == !good);
  }
}

TEST_CASE("a kernel that does not compile is status 1, with its diagnostics; the others are compiled") {
  const Scratch scratch;
  cli::write_file(scratch.file("m.json"), manifest_of({"float32 bad(float32 x) = y", "float32 good(float32 x) = x"}));
  const auto result = run({"compile", scratch.file("m.json"), "-t", kTarget, "--dir", scratch.file("cache"), "-q"});
  CHECK(result.status == 1);
  CHECK(result.out == "");
  CHECK(result.err ==
        "kiln: error: " + scratch.file("m.json") +
            ": /kernels/0: the kernel does not compile\nbad:1:1: error: use of undeclared identifier 'y'\n  y\n  ^\n"
            "  while compiling \"float32(float32 x)\" for x86-64-v3 (Clang 19.1.7)\n");
  CHECK(files(scratch.file("cache"), ".kiln") == 1);
}

TEST_CASE("compile: faults that are told before anything is compiled") {
  const Scratch scratch;
  cli::write_file(scratch.file("m.json"), manifest_of({"float32 good(float32 x) = x"}));
  cli::write_file(
      scratch.file("bad.json"),
      R"j({"kiln_manifest": 2, "kernels": [{"kind": "ufunc", "name": "f", "signatures": ["float31(float31 a)"], "body": "x"}]})j");
  const auto failing = [&](const std::vector<std::string>& words, int status = 1) {
    const auto result = run(words, {.environment = {{"KILN_CACHE_DIR", scratch.file("cache")}}});
    CHECK(result.status == status);
    CHECK(result.out == "");
    CHECK_FALSE(std::filesystem::exists(scratch.file("cache")));
    return result.err;
  };
  for (const std::vector<std::string>& command : {std::vector<std::string>{"compile"}, {"inspect"}, {"cache", "explain"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {scratch.file("m.json"), "-t", "sparc"});
    CHECK(failing(words, 2).starts_with("kiln: error: unknown target \"sparc\"; targets are sm_NN (NVIDIA: sm_75, "));
  }
  CHECK(failing({"compile", scratch.file("m.json"), "-t", "x86-64-v3,sparc"}, 2).starts_with("kiln: error: unknown target"));
  CHECK(failing({"compile", scratch.file("m.json"), scratch.file("bad.json"), "-t", kTarget}) ==
        "kiln: error: " + scratch.file("bad.json") +
            ": /kernels/0/signatures/0: unknown dtype \"float31\": did you mean \"float32\"?\nfloat31(float31 a)\n^\n");
  CHECK(failing({"compile", scratch.file("none.json"), "-t", kTarget}) ==
        "kiln: error: failed to read the manifest: cannot open " + scratch.file("none.json") + ": No such file or directory\n");
}

TEST_CASE("compile: command lines that cannot be understood") {
  const auto usage = [](const std::vector<std::string>& words) {
    const auto result = run(words);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(result.err.ends_with("\nTry 'kiln compile --help'.\n"));
    return result.err;
  };
  CHECK(contains(usage({"compile", "m.json"}), "no target: give --target, as in --target sm_90,gfx90a,x86-64-v3,native"));
  CHECK(contains(usage({"compile", "-t", "native"}),
                 "no manifest: give a JSON file that lists kernels, or '-' for standard input"));
  CHECK(contains(usage({"compile", "-", "-", "-t", "native"}), "standard input ('-') can be read only once"));
  CHECK(contains(usage({"compile", "m.json", "-t", "native", "-j", "0"}), "--jobs"));
  CHECK(contains(usage({"compile", "m.json", "-t", "native", "-j", "many"}), "--jobs"));
  const auto help = run({"compile", "--help"});
  CHECK(help.status == 0);
  for (const char* part : {"Usage: kiln compile [OPTIONS] MANIFEST... --target TARGET[,TARGET...]", "-t,--target", "-j,--jobs",
                           "--dir", "--json", "-q,--quiet", "--strict", "Examples:", "Exit status: 0"}) {
    CAPTURE(part);
    CHECK(contains(help.out, part));
  }
}

TEST_CASE("a kernel that could not be kept is a failure") {
  const Scratch scratch;
  cli::write_file(scratch.file("file"), "");
  const cli::RunOptions input{.input = manifest_of({"float32 good(float32 x) = x"})};
  const std::vector<std::string> words{"compile", "-", "-t", kTarget, "-q", "--dir", scratch.file("file") + "/cache"};
  const auto refused = run(words, input);
  CHECK(refused.status == 1);
  CHECK(refused.err.starts_with("kiln: warning: cache directory "));
  CHECK(refused.err.ends_with("kiln: error: 1 of 1 compiled kernels could not be kept: failed to write to " +
                              scratch.file("file") + "/cache\n"));
  std::vector<std::string> report = words;
  report.emplace_back("--json");
  const json written = json::parse(run(report, input).out);
  CHECK(written.at("not_kept") == 1);
  CHECK(written.at("kernels").at(0).at("kept") == false);
  CHECK(run({"compile", "-", "-t", kTarget, "-q", "--strict", "--dir", scratch.file("cache")}, input).status == 0);
}

TEST_CASE("a bar on a terminal, plain lines on a dumb one, no colours where they are not wanted") {
  if (!cli::have_terminals()) return;
  const Scratch scratch;
  cli::write_file(scratch.file("m.json"), manifest_of({"float32 one(float32 x) = x", "float32 bad(float32 x) = y"}));
  const std::vector<std::string> words{"compile", scratch.file("m.json"), "-t", kTarget, "-j", "1",
                                       "--dir",   scratch.file("cache")};
  const auto bar = OnTerminal(words, {{"TERM", "xterm"}, {"NO_COLOR", nullptr}}).finish();
  CHECK(bar.second == 1);
  CHECK(contains(bar.first, "\r[\x1b[32m############\x1b[0m............] 1/2 x86-64-v3 one\x1b[K"));
  CHECK(contains(bar.first, "] 2/2 x86-64-v3 bad\x1b[K\r\x1b[Kkiln: error: "));
  CHECK(contains(bar.first, "1 compiled, 0 found, 1 failed in "));
  CHECK_FALSE(contains(bar.first, "[1/2]"));
  const auto plain = OnTerminal(words, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).finish();
  CHECK(contains(plain.first, "\r[############............] 1/2 x86-64-v3 one\x1b[K"));
  CHECK_FALSE(contains(plain.first, "\x1b[32m"));
  const auto dumb = OnTerminal(words, {{"TERM", "dumb"}}).finish();
  CHECK(contains(dumb.first, "[1/2] found one for x86-64-v3"));
  CHECK_FALSE(contains(dumb.first, "\x1b"));
}

TEST_CASE("Ctrl-C stops with status 130, and leaves nothing half-written") {
  if (!cli::have_terminals()) return;
  const Scratch scratch;
  // So many that a machine under load, too, tells of the first long before the last.
  constexpr int kMany = 1000;
  cli::write_file(scratch.file("m.json"), manifest_of(many(kMany)));
  const std::vector<std::string> words{"compile", scratch.file("m.json"), "-t", kTarget, "--dir", scratch.file("cache")};
  OnTerminal command(words, {{"TERM", "dumb"}});
  while (files(scratch.file("cache"), ".kiln") == 0) std::this_thread::yield();
  kill(command.pid, SIGINT);
  const auto [text, status] = command.finish();
  CHECK(status == 130);
  CHECK(contains(text, "; stopped with "));
  const std::size_t kept = files(scratch.file("cache"), ".kiln");
  CHECK(kept >= 1);
  CHECK(kept < kMany);
  CHECK(files(scratch.file("cache"), ".tmp-") == 0);
  // What is there is sound: the next run finds exactly these.
  const auto next =
      run({"compile", "-", "-t", kTarget, "--dir", scratch.file("cache"), "--json"}, {.input = manifest_of(many(3))});
  CHECK(json::parse(next.out).at("found").get<std::size_t>() >= 1);
}

TEST_CASE("a kernel whose header is not there is told without a variant") {
  const Scratch scratch;
  const std::string text =
      R"({"kiln_manifest": 2, "kernels": [{"kernel": "float32 lost(float32 x) = x", "preamble": "#include \"nowhere.h\""}]})";
  const auto result = run({"compile", "-", "-t", kTarget, "--dir", scratch.file("cache")}, {.input = text});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "[1/1] failed lost for x86-64-v3: float32(float32 x)\n"));
  CHECK(contains(result.err, "failed to find the header \"nowhere.h\", which lost.preamble:1 includes"));
}

TEST_CASE("the examples of docs/manifest.md are manifests, and compile") {
  const std::string docs = cli::read_file(KILN_CLI_DOCS "/manifest.md");
  std::size_t examples = 0;
  for (std::size_t at = docs.find("```json\n"); at != std::string::npos; at = docs.find("```json\n", at + 1)) {
    const std::size_t begin = at + 8;
    const Scratch scratch;
    const auto result = run({"compile", "-", "-t", kTarget, "--exact", "--dir", scratch.file("cache")},
                            {.input = docs.substr(begin, docs.find("```", begin) - begin)});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    constexpr const char* kCompiled[] = {"5", "6", "1", "3", "1", "2", "2"};
    REQUIRE(examples < std::size(kCompiled));
    CHECK(result.out.starts_with(std::string(kCompiled[examples]) + " compiled, 0 found, 0 failed in "));
    ++examples;
  }
  CHECK(examples == 7);
}

TEST_CASE("what a command recorded, compile finds in its cache") {
  const Scratch scratch;
  const std::map<std::string, std::string> environment{
      {"KILN_CACHE_DIR", scratch.file("cache")}, {"KILN_RECORD", scratch.file("m.json")}, {"KILN_DEVICE", "cpu"}};
  CHECK(run({"eval", "T scale(T x, T k) = x * k", cli::sample("a"), "2.5"}, {.environment = environment}).status == 0);
  CHECK(run({"eval", "T plus(T x, T k) = x + k", cli::sample("matrix"), cli::sample("row")}, {.environment = environment})
            .status == 0);
  CHECK(run({"eval", "add", cli::sample("matrix"), "--method", "reduce"}, {.environment = environment}).status == 0);
  CHECK(run({"eval", "add", cli::sample("matrix"), "--method", "accumulate"}, {.environment = environment}).status == 0);
  const auto result = run({"compile", scratch.file("m.json"), "-t", "native", "-q", "--json"}, {.environment = environment});
  CHECK(result.status == 0);
  const json report = json::parse(result.out);
  CHECK(report.at("found") == 4);
  CHECK(report.at("compiled") == 1);  // plus for a matrix and a row of other extents, such as 1
  const auto explained = run({"cache", "explain", scratch.file("m.json"), "--json"}, {.environment = environment});
  CHECK(explained.status == 0);
  std::vector<std::string> variants;
  const json findings = json::parse(explained.out);
  for (const json& kernel : findings.at("kernels")) variants.push_back(kernel.at("variant"));
  std::sort(variants.begin(), variants.end());
  CHECK(variants.front() == "accumulate");
  CHECK(variants.back() == "reduce, with identity");
  const auto inspected =
      run({"inspect", scratch.file("m.json"), "--kernel", "add", "--as", "resources", "--json"}, {.environment = environment});
  CHECK(inspected.status == 0);
  CHECK(json::parse(inspected.out).at("kernels").size() == 2);
}

TEST_CASE("compile: every architecture of both vendors in one command, with neither CUDA nor ROCm") {
  const Scratch scratch;
  const std::map<std::string, std::string> environment{{"KILN_GPU_COMPILER", "clang"}};
  const std::string text =
      manifest_of({"float32 saxpy(float32 a, float32 x, float32 y) = a * x + y", "float64 gauss(float64 x) = exp(-x * x)"});
  const std::string targets = "sm_75,sm_90,sm_100,gfx90a,gfx942,gfx1100,gfx1201,x86-64-v3";
  const auto result = run({"compile", "-", "--target", targets, "--exact", "--dir", scratch.file("cache"), "--json", "-q"},
                          {.input = text, .environment = environment});
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(json::parse(result.out).at("compiled") == 16);
  const auto listed = run({"cache", "list", "--dir", scratch.file("cache"), "--json"});
  std::map<std::string, int> by_target;
  const json entries = json::parse(listed.out).at("entries");
  for (const json& entry : entries) {
    ++by_target[entry.at("target").get<std::string>()];
    CHECK(entry.at("compiler").get<std::string>().starts_with("Clang "));
  }
  CHECK(by_target == std::map<std::string, int>{{"sm_75", 2},
                                                {"sm_90", 2},
                                                {"sm_100", 2},
                                                {"gfx90a", 2},
                                                {"gfx942", 2},
                                                {"gfx1100", 2},
                                                {"gfx1201", 2},
                                                {"x86-64-v3", 2}});

  // inspect says which compiler it was, and makes the forms on the way without the vendor's.
  for (const auto& [target, form, part] : {std::tuple{"sm_100", "ptx", ".target sm_90\n"},
                                           {"sm_100", "llvm-ir", "target triple = \"nvptx64-nvidia-cuda\""},
                                           {"gfx942", "llvm-ir", "target triple = \"amdgcn-amd-amdhsa\""},
                                           {"gfx942", "asm", "s_endpgm"}}) {
    const auto shown = run({"inspect", "-", "-t", target, "-k", "saxpy", "--as", form, "--dir", scratch.file("cache")},
                           {.input = text, .environment = environment});
    CAPTURE(shown.err);
    CHECK(shown.status == 0);
    CHECK_MESSAGE(contains(shown.out, part), target, " ", form);
  }
  const auto resources = run({"inspect", "-", "-t", "gfx942", "-k", "saxpy", "--dir", scratch.file("cache")},
                             {.input = text, .environment = environment});
  CHECK(contains(resources.out, "compiler   Clang "));
  CHECK(contains(resources.out, "threads    256 in a block at most"));
}

TEST_CASE("compile: a GPU compiler that is misspelt, not there or no compiler of the target's is a clear error") {
  const Scratch scratch;
  const auto compile = [&](const char* target, const std::map<std::string, std::string>& environment) {
    return run({"compile", "-", "-t", target, "--dir", scratch.file("cache")},
               {.input = manifest_of(many(1)), .environment = environment});
  };
  const auto misspelt = compile("sm_90", {{"KILN_GPU_COMPILER", "nvcc"}});
  CHECK(misspelt.status == 1);
  CHECK(misspelt.err ==
        "kiln: error: KILN_GPU_COMPILER is \"nvcc\", which is no compiler of kiln's: set it to nvrtc, hiprtc or clang, or "
        "unset it "
        "to have kiln choose\n");
  const auto missing = compile("sm_90", {{"KILN_GPU_COMPILER", "nvrtc"}, {"KILN_NVRTC", "/nowhere/nvrtc"}});
  CHECK(missing.status == 1);
  CHECK(contains(missing.err, "NVRTC was not found: tried /nowhere/nvrtc (no such file); "));
  CHECK(contains(missing.err, " (KILN_GPU_COMPILER=nvrtc asks for this compiler; unset it to have kiln choose)\n"));
  const auto unknown = compile("sm_35", {{"KILN_GPU_COMPILER", "clang"}});
  CHECK(unknown.status == 1);
  CHECK(contains(unknown.err, "Clang does not compile for sm_35; it compiles for sm_70, sm_72, sm_75, "));
}
