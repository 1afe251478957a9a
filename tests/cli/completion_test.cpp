// kiln __complete: what the shells' completion scripts are told. Whatever the line is, status 0 and nothing on standard error.
#include <doctest/doctest.h>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "command.hpp"

using cli::contains;
using cli::Scratch;

namespace {

const std::string kTargets =
    "native\nsm_75\nsm_80\nsm_86\nsm_89\nsm_90\nsm_100\ngfx90a\ngfx942\ngfx1100\nx86-64\nx86-64-v2\nx86-64-v3\nx86-64-v4\n";

std::string lines_for(std::vector<std::string> words, const cli::RunOptions& options = {}) {
  words.insert(words.begin(), {"__complete", "--"});
  const auto result = cli::run(words, options);
  CHECK(result.status == 0);
  CHECK(result.err == "");
  return result.out;
}

/// Without what they mean.
std::string offered(const std::vector<std::string>& words, const cli::RunOptions& options = {}) {
  std::string names;
  const std::string lines = lines_for(words, options);
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    names += lines.substr(at, lines.find_first_of("\t\n", at) - at) + "\n";
  }
  return names;
}

}  // namespace

TEST_CASE("completion of commands") {
  const std::string commands = "eval\nfunctions\ndevices\ncache\ncompile\ntune\ninspect\nexplain\nenvironment\n";
  CHECK(offered({""}) == commands);
  CHECK(offered({}) == commands);
  CHECK(lines_for({"dev"}) == "devices\tList the devices that kernels can run on\n");
  CHECK(offered({"cache", "p"}) == "path\nprune\n");
  CHECK(offered({"help", "ca"}) == "cache\n");
  CHECK(offered({"help", "cache", "ver"}) == "verify\n");
  CHECK(offered({"evil"}) == "");
  CHECK(offered({"evil", ""}) == commands);
  CHECK(offered({"cache", "evil", "li"}) == "list\n");
  CHECK(offered({"eval", "cache", "li"}) == ":files\n");
  CHECK(offered({"__comp"}) == "");
}

TEST_CASE("completion of options") {
  CHECK(offered({"-"}) == "-h\n--help\n--version\n");
  CHECK(lines_for({"devices", "--j"}) ==
        "--json\tPrint JSON, in bytes and counts, with why a vendor has no device here, and the compilers\n");
  CHECK(offered({"devices", ""}) == "");
  CHECK(offered({"cache", "list", "--json", "-q", "--so"}) == "--sort\n");
  CHECK(offered({"eval", "add", "a.npy", "--fa"}) == "--fast-math\n");
  CHECK(offered({"eval", "--frob", "--fa"}) == "--fast-math\n");
  CHECK(offered({"eval", "--device", "--fa"}) == "");  // the device's name
  CHECK(offered({"cache", "--sort"}) == "");           // an option of `list`
}

TEST_CASE("completion of values that are of a few") {
  CHECK(offered({"cache", "list", "--sort", ""}) == "name\nsize\nage\nhits\n");
  CHECK(offered({"eval", "--casting", ""}) == "no\nequiv\nsafe\nsame_kind\nunsafe\n");
  CHECK(offered({"eval", "--dtype", "flo"}) == "float16\nfloat32\nfloat64\n");
  CHECK(offered({"eval", "--dtype", ""}).starts_with("bool\nint8\n"));
  CHECK(cli::occurrences(offered({"eval", "--dtype", ""}), "\n") == 15);
  CHECK(offered({"eval", "-m", ""}) == "call\nreduce\naccumulate\nreduceat\nouter\n");
  CHECK(offered({"eval", "-d", ""}) ==
        "best\ncpu\ncuda\nhip\nemulated:sm_75\nemulated:sm_80\nemulated:sm_90\nemulated:sm_100\n");
  CHECK(offered({"eval", "-d", "emulated:sm_9"}) == "emulated:sm_90\n");
  // Bash breaks words at colons, and wants what goes behind the last one.
  CHECK(offered({"eval", "-d", "emulated", ":"}) == "sm_75\nsm_80\nsm_90\nsm_100\n");
  CHECK(offered({"eval", "--device", "emulated", ":", "sm_1"}) == "sm_100\n");
  CHECK(offered({"eval", "--device", "emulated", ":", "sm_90", "--fa"}) == "--fast-math\n");
  CHECK(offered({"inspect", "--as", ""}) == "resources\nsource\nasm\nptx\nsass\namdgcn\nllvm-ir\n");
  CHECK(offered({"eval", "add", "--method", "re", "x.npy"}) == ":files\n");
  CHECK(offered({"cache", "prune", "--older-than", ""}) == "");
  CHECK(offered({"compile", "--jobs", ""}) == "");
  CHECK(offered({"cache", "list", "--sort", "colour"}) == "");
}

TEST_CASE("completion of a value behind '=', in a word of its own for bash") {
  CHECK(offered({"cache", "list", "--sort=n"}) == "--sort=name\n");
  CHECK(offered({"cache", "list", "--sort="}) == "--sort=name\n--sort=size\n--sort=age\n--sort=hits\n");
  CHECK(offered({"cache", "list", "--sort", "=", "n"}) == "name\n");
  CHECK(offered({"cache", "list", "--sort", "="}) == "name\nsize\nage\nhits\n");
  CHECK(offered({"cache", "list", "--sort=name", "--k"}) == "--kernel\n");
  CHECK(offered({"cache", "list", "--sort", "=", "name", "--k"}) == "--kernel\n");
  CHECK(offered({"cache", "list", "--sort=", "--k"}) == "--kernel\n");
  CHECK(offered({"eval", "--file=x"}) == ":files\n");
  CHECK(offered({"eval", "--frob=va"}) == ":files\n");
  CHECK(offered({"devices", "--json=va"}) == "");
}

TEST_CASE("completion of targets, with commas") {
  CHECK(offered({"compile", "-t", ""}) == kTargets);
  CHECK(offered({"cache", "list", "--target", "sm_90,gfx9"}) == "sm_90,gfx90a\nsm_90,gfx942\n");
  CHECK(offered({"inspect", "--target=sm_90,sm_80,nat"}) == "--target=sm_90,sm_80,native\n");
  CHECK(offered({"cache", "list", "-tnative", "--so"}) == "--sort\n");
  CHECK(offered({"compile", "-t", "z80,"}) == [] {
    std::string all;
    for (std::size_t at = 0; at < kTargets.size(); at = kTargets.find('\n', at) + 1) {
      all += "z80," + kTargets.substr(at, kTargets.find('\n', at) + 1 - at);
    }
    return all;
  }());
}

TEST_CASE("completion of files and folders is left to the shell") {
  CHECK(offered({"cache", "import", ""}) == ":files\n");
  CHECK(offered({"cache", "export", "x"}) == ":files\n");
  CHECK(offered({"cache", "explain", ""}) == ":files\n");
  CHECK(offered({"compile", "a.json", ""}) == ":files\n");
  CHECK(offered({"cache", "import", "a.bundle", ""}) == "");  // it takes one
  CHECK(offered({"eval", "-o", ""}) == ":files\n");
  CHECK(offered({"eval", "-I", "x"}) == ":folders\n");
  CHECK(offered({"cache", "path", "--dir", ""}) == ":folders\n");
}

TEST_CASE("completion of functions, for a kernel that is not in a file") {
  CHECK(lines_for({"eval", "hyp"}) == ":files\nhypot\tthe length of (x1, x2)\n");
  CHECK(lines_for({"functions", "add", "hyp"}) == "hypot\tthe length of (x1, x2)\n");
  CHECK(offered({"eval", "add", "hyp"}) == ":files\n");
  CHECK(offered({"eval", "--file", "k.txt", "hyp"}) == ":files\n");
  CHECK(offered({"eval", "--time", "hyp"}) == ":files\nhypot\n");
}

TEST_CASE("after '--' there are no options") {
  CHECK(offered({"eval", "--", "-"}) == ":files\n");
  CHECK(offered({"eval", "add", "--", "--ti"}) == ":files\n");
  CHECK(offered({"devices", "--", "--"}) == "");
  CHECK(offered({"eval", "--"}).starts_with("--help\n--file\n"));  // it may become an option
  CHECK(cli::run({"__complete", "cache", "p"}).out == cli::run({"__complete", "--", "cache", "p"}).out);
}

TEST_CASE("every value that completion offers is one") {
  const Scratch scratch;
  cli::write_file(scratch.file("none.json"), R"({"kiln_manifest": 2, "kernels": []})");
  const auto unknown = [&](std::vector<std::string> words, const char* option, const std::string& values) {
    std::string wrong;
    for (std::size_t at = 0; at < values.size(); at = values.find('\n', at) + 1) {
      const std::string value = values.substr(at, values.find('\n', at) - at);
      words.insert(words.end(), {option, value});
      const auto result = cli::run(words, {.folder = scratch.path()});
      if (result.status == 2 || contains(result.err, "unknown")) wrong += value + ": " + result.err;
      words.resize(words.size() - 2);
    }
    return wrong;
  };
  CHECK(unknown({"cache", "explain", "none.json"}, "-t", kTargets) == "");
  CHECK(unknown({"eval", "add", "1", "2"}, "-d", offered({"eval", "-d", ""})) == "");
  CHECK(unknown({"inspect", "none.json"}, "--as", offered({"inspect", "--as", ""})) == "");
  CHECK(unknown({"cache", "list"}, "--sort", offered({"cache", "list", "--sort", ""})) == "");
  std::vector<std::string> words{"functions"};
  const std::string functions = offered({"functions", ""});
  for (std::size_t at = 0; at < functions.size(); at = functions.find('\n', at) + 1) {
    words.push_back(functions.substr(at, functions.find('\n', at) - at));
  }
  CHECK(words.size() > 80);
  CHECK(cli::run(words).status == 0);
}

TEST_CASE("completion of ids, with what they are, from the cache that the line names") {
  const Scratch scratch;
  const std::string folder = scratch.file("cache");
  const cli::RunOptions here{.environment = {{"KILN_CACHE_DIR", folder}}};
  if (cli::run({"eval", cli::kTwice, "3"}, here).status != 0) {
    std::printf("KILN-NOT-RUN cpu 1\n");
    return;
  }
  const std::string id = cli::run({"cache", "list", "--quiet"}, here).out.substr(0, 64);
  const auto entry = nlohmann::json::parse(cli::run({"cache", "list", "--json"}, here).out).at("entries").at(0);
  const std::string line = entry.at("id").get<std::string>() + "\ttwice " + entry.at("signature").get<std::string>() + " " +
                           entry.at("target").get<std::string>() + "\n";
  CHECK(lines_for({"cache", "show", id.substr(0, 4)}, here) == line);
  CHECK(lines_for({"inspect", id.substr(0, 4)}, here) == ":files\n" + line);
  CHECK(offered({"cache", "show", "zz"}, here) == "");
  const cli::RunOptions elsewhere{.environment = {{"KILN_CACHE_DIR", scratch.file("other")}}};
  CHECK(lines_for({"cache", "show", ""}, elsewhere) == "");
  CHECK(lines_for({"cache", "show", "--dir", folder, ""}, elsewhere) == line);
  CHECK(lines_for({"cache", "show", "--dir=" + folder, ""}, elsewhere) == line);
  CHECK(lines_for({"cache", "show", "--dir", scratch.file("nowhere"), ""}, here) == "");
  CHECK(lines_for({"inspect", "--dir", scratch.file("nowhere"), ""}, here) == ":files\n");
}

TEST_CASE("completion writes nothing, also with a cache that cannot be") {
  const Scratch scratch;
  cli::write_file(scratch.file("file"), "");
  const std::size_t before = scratch.count();
  const std::vector<std::vector<std::string>> lines = {
      {""}, {"cache", "show", ""}, {"inspect", ""}, {"eval", ""}, {"eval", "add", ""}};
  for (const char* name : {"none", "file/inside", "file"}) {
    for (const auto& words : lines) {
      lines_for(words, {.environment = {{"KILN_CACHE_DIR", scratch.file(name)},
                                        {"KILN_CACHE_READONLY_DIRS", scratch.file("neither")},
                                        {"KILN_CACHE_MAX_BYTES", "many"},
                                        {"KILN_RECORD", scratch.file("record.json")},
                                        {"KILN_DEVICE", "abacus"}},
                        .folder = scratch.path()});
    }
  }
  CHECK(scratch.count() == before);
  const auto full = cli::run({"__complete", "--", ""}, {.out_path = "/dev/full"});
  CHECK(full.status == 0);
  CHECK(full.err == "");
}
