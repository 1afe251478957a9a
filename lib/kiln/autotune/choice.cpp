#include "autotune/choice.hpp"

#include <algorithm>
#include <array>

namespace kiln::autotune {
namespace {

constexpr std::array kBlocks{64, 128, 256, 512, 1024};

}  // namespace

bool is_free(const Choice& choice, const Freedom& freedom) noexcept {
  return choice.block >= freedom.warp_size && choice.block <= freedom.max_threads && choice.block % freedom.warp_size == 0 &&
         std::ranges::find(freedom.accesses, choice.accesses) != freedom.accesses.end();
}

std::vector<Choice> candidates(const Choice& model, const Freedom& freedom) {
  std::vector<Choice> all{model};
  for (const int accesses : freedom.accesses) {
    for (const int block : kBlocks) {
      const Choice choice{.block = block, .accesses = accesses};
      if (choice != model && is_free(choice, freedom)) all.push_back(choice);
    }
  }
  return all;
}

}  // namespace kiln::autotune
