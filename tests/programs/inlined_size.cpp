#include <algorithm>

#include "program.hpp"

namespace programs {
namespace {

/// Sizes of functions in the order of a program's list: each calls those in front of it.
class Sizes {
 public:
  explicit Sizes(const Program& program) : program_(program) {
    for (const Function& function : program.functions) {
      const std::uint64_t size = of(function.block) + of(function.end);
      outlined_ += function.called ? size : 0;
      inlined_.push_back(function.called ? 1 : size);
    }
  }

  [[nodiscard]] std::uint64_t whole() const { return inlined_.back() + outlined_; }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // sums of a few do not overflow

  [[nodiscard]] std::uint64_t of(const Expression& expression) const {
    std::uint64_t size = 1;
    for (const Expression& each : expression.of) size += of(each);
    const auto index = static_cast<std::size_t>(expression.index);
    if (expression.op == Op::call) size += inlined_[index];
    // A compiler that knows what a pointer may point to inlines each of them.
    if (expression.op == Op::call_through) {
      for (const int each : program_.pointers[index]) size += inlined_[static_cast<std::size_t>(each)];
    }
    return std::min(size, kMost);
  }
  [[nodiscard]] std::uint64_t of(const Statement& statement) const {
    std::uint64_t size = 1;
    for (const Expression& each : statement.of) size += of(each);
    for (const Block& each : statement.blocks) size += of(each);
    return std::min(size, kMost);
  }
  [[nodiscard]] std::uint64_t of(const Block& block) const {
    std::uint64_t size = 0;
    for (const Statement& each : block) size += of(each);
    return std::min(size, kMost);
  }

  const Program& program_;
  std::vector<std::uint64_t> inlined_;
  std::uint64_t outlined_ = 0;
};

}  // namespace

std::uint64_t inlined_size(const Program& program) {
  return Sizes(program).whole();
}

}  // namespace programs
