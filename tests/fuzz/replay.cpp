// Runs every target over its seeds, without libFuzzer: what once broke a reader stays in its folder and is tried in every
// build. usage: kiln-fuzz-replay CORPUS
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.hpp"

namespace {

// A copy of exactly that length, so that the address sanitizer sees a read beyond it.
std::vector<char> read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::puts("usage: kiln-fuzz-replay CORPUS");
    return 2;
  }
  int status = 0;
  for (const kiln::fuzz::Target& target : kiln::fuzz::targets()) {
    std::vector<std::filesystem::path> seeds;
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / target.name, none)) {
      seeds.push_back(file.path());
    }
    std::sort(seeds.begin(), seeds.end());
    for (const std::filesystem::path& seed : seeds) {
      std::fprintf(stderr, "%s\n", seed.c_str());  // the last line is the one that broke it
      const std::vector<char> bytes = read(seed);
      target.run({bytes.data(), bytes.size()});
    }
    std::printf("%s: %zu seeds\n", target.name, seeds.size());
    if (seeds.empty()) status = 1;
  }
  return status;
}
