// What is tried to make a program smaller.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "program.hpp"

namespace programs {
namespace {

/// All blocks and expressions of a program, in the same order in each copy of it.
struct Parts {
  std::vector<Block*> blocks;
  std::vector<Expression*> expressions;

  explicit Parts(Program& program) {
    for (auto function = program.functions.rbegin(); function != program.functions.rend(); ++function) {
      add(function->block);
      add(function->end);
    }
  }

 private:
  void add(Block& block) {
    blocks.push_back(&block);
    for (Statement& s : block) {
      for (Expression& e : s.of) add(e);
      for (Block& each : s.blocks) add(each);
    }
  }
  void add(Expression& e) {
    expressions.push_back(&e);
    for (Expression& each : e.of) add(each);
  }
};

/// Puts other statements in one's place.
void replace(Block& block, std::size_t at, const Block& with) {
  const auto place = block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
  block.insert(place, with.begin(), with.end());
}

}  // namespace

std::vector<Program> smaller(const Program& program) {
  std::vector<Program> all;
  const auto change = [&](const auto& what) {
    Program copy = program;
    what(Parts(copy));
    all.push_back(std::move(copy));
  };
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    if (!program.functions[i].packed) continue;
    all.push_back(program);
    all.back().functions[i].packed = false;
  }
  Program original = program;
  const Parts parts(original);
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    const Block& block = *parts.blocks[i];
    for (std::size_t at = 0; at < block.size(); ++at) {
      change([&](const Parts& of) { replace(*of.blocks[i], at, {}); });
      for (const Block& inner : block[at].blocks) {
        if (!inner.empty()) change([&](const Parts& of) { replace(*of.blocks[i], at, inner); });
      }
      if (block[at].blocks.size() == 2 && !block[at].blocks[1].empty() && block[at].kind == Statement::Kind::branch) {
        change([&](const Parts& of) { (*of.blocks[i])[at].blocks[1].clear(); });
      }
    }
  }
  for (std::size_t i = 0; i < parts.expressions.size(); ++i) {
    const Expression& e = *parts.expressions[i];
    for (const Expression& operand : e.of) {
      if (operand.type == e.type) change([&](const Parts& of) { *of.expressions[i] = Expression(operand); });
    }
    if (e.op == Op::literal) continue;
    for (const int number : {0, 1}) {
      Expression simple{.op = Op::literal, .type = e.type, .value = {}, .of = {}};
      if (is_floating(e.type)) {
        simple.value.real = number;
      } else {
        simple.value.integer = number;
      }
      change([&](const Parts& of) { *of.expressions[i] = simple; });
    }
  }
  return all;
}

}  // namespace programs
