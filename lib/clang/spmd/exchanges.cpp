// Values that lanes give one another: the functions of kernels-src/gufunc/team_cpu.hpp.
#include <llvm/IR/Constants.h>

#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {
namespace {

bool calls(const llvm::Instruction& instruction, llvm::StringRef begin) {
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName().starts_with(begin) &&
         llvm::isa<llvm::ConstantInt>(call->getArgOperand(1));
}

unsigned number_of(const llvm::Instruction& exchange) {
  return static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(exchange.getOperand(1))->getZExtValue());
}

}  // namespace

bool takes_from_below(const llvm::Instruction& instruction) {
  return calls(instruction, "kiln_from_lane_below");
}

bool takes_of_lane(const llvm::Instruction& instruction) {
  return calls(instruction, "kiln_of_lane");
}

// Lanes of a part take from one other part, and the one behind it: distances and parts are powers of two.
llvm::Value* Widener::from_lane_below(llvm::Instruction& exchange, unsigned part) {
  const unsigned distance = number_of(exchange);
  const auto source = [&](unsigned lane) {
    const unsigned number = part * width_.lanes + lane;
    return number % kWarp + distance < kWarp ? number + distance : number;
  };
  const unsigned first = source(0) / width_.lanes;
  llvm::SmallVector<int, 16> lanes;
  for (unsigned lane = 0; lane < width_.lanes; ++lane) lanes.push_back(static_cast<int>(source(lane) - first * width_.lanes));
  llvm::Value* const one = vector(exchange.getOperand(0), first);
  llvm::Value* const next =
      first + 1 < width_.parts ? vector(exchange.getOperand(0), first + 1) : llvm::PoisonValue::get(one->getType());
  return builder_.CreateShuffleVector(one, next, lanes);
}

llvm::Value* Widener::of_lane(llvm::Instruction& exchange) {
  const unsigned number = number_of(exchange);
  llvm::Value* const from = exchange.getOperand(0);
  if (shapes_.of(from).is_uniform()) return scalar(from);
  if (number >= width_.all()) return llvm::PoisonValue::get(exchange.getType());  // behind a condition that is false
  return builder_.CreateExtractElement(vector(from, number / width_.lanes), number % width_.lanes);
}

}  // namespace kiln::clang_module::spmd
