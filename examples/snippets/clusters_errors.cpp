// Snippets of docs/clusters.md: what ranks report, by the steps of kiln::warm without messages.
#include <iostream>
#include <kiln/kiln.hpp>
#include <kiln/warm.hpp>

namespace {

void warm_two(const kiln::WarmOptions& first, const kiln::WarmOptions& second) {
  const auto manifest =
      kiln::Manifest::parse(R"({"kiln_manifest": 2, "kernels": [{"kernel": "float32 half(float32 a) = a / 2"}]})");
  try {
    kiln::Warming a(0, 2, manifest, first), b(1, 2, manifest, second);
    while (!a.done()) {
      const std::vector<std::string> messages = {a.message(), b.message()};
      a.receive(messages);
      b.receive(messages);
    }
  } catch (const kiln::RankError& error) {
    std::cout << error.what() << "\n";
  }
}

}  // namespace

int main() {
  // snippet: errors
  warm_two({.targets = {"native"}}, {.targets = {"sm_90"}});
  const kiln::Cache full({.directory = "/dev/full/kiln"});
  warm_two({.targets = {"native"}}, {.targets = {"native"}, .cache = full});
  // end
}
