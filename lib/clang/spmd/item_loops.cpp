#include "clang/spmd/item_loops.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <cstdlib>

#include "clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {
namespace {

bool any_loop_diverges(const llvm::Loop& loop, const Shapes& shapes) {
  return llvm::any_of(loop.getLoopsInPreorder(), [&](const llvm::Loop* inner) { return shapes.diverges(inner); });
}

/// Whether inner loops read what is the same for all items, as a table is, and no elements of the item's own.
bool reads_the_same(const llvm::Loop& loop, const Shapes& shapes) {
  if (loop.isInnermost()) return false;
  for (const llvm::Loop* const inner : loop.getLoopsInPreorder()) {
    if (inner == &loop) continue;
    for (const llvm::BasicBlock* const block : inner->blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
        if (address == nullptr ? instruction.mayReadOrWriteMemory() : !shapes.of(address).is_uniform()) return false;
      }
    }
  }
  return true;
}

/// Whether the elements of neighbouring items that the instruction accesses are adjacent.
bool is_beside(const llvm::Instruction& access, const llvm::Value& address, const Shapes& shapes) {
  llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  return shapes.of(&address) ==
         Shape::by(static_cast<std::int64_t>(access.getDataLayout().getTypeStoreSize(type).getFixedValue()));
}

/// Whether most of what items read and write is adjacent, in tiles or in memory.
bool lie_beside(const llvm::Loop& loop, const Shapes& shapes) {
  int beside = 0;
  int apart = 0;
  int moved = 0;  // of tiles, each element for few accesses: without loops
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
      if (address == nullptr || shapes.of(address).is_uniform()) continue;
      if (loop.isInnermost() && shapes.interleaved_memory(address) != nullptr) {
        ++moved;
      } else {
        ++(is_beside(instruction, *address, shapes) ? beside : apart);
      }
    }
  }
  // One by one, adjacent elements of items are each in a line of their own.
  constexpr int kOfLine = 3;
  return beside > apart && kOfLine * beside > moved;
}

/// Whether inner loops access elements of items that are adjacent in memory: for one item each is in a line of its own.
bool reads_across(const llvm::Loop& loop, const Shapes& shapes) {
  return llvm::any_of(loop.getSubLoops(), [&](const llvm::Loop* inner) {
    return llvm::any_of(inner->blocks(), [&](const llvm::BasicBlock* block) {
      return llvm::any_of(*block, [&](const llvm::Instruction& each) {
        const llvm::Value* const address = llvm::getLoadStorePointerOperand(&each);
        return address != nullptr && shapes.interleaved_memory(address) == nullptr && is_beside(each, *address, shapes);
      });
    });
  });
}

bool is_row(llvm::Loop& inner, LoopAnalyses analyses) {
  return llvm::all_of(inner.getHeader()->phis(), [&](llvm::PHINode& phi) {
    llvm::InductionDescriptor induction;
    llvm::RecurrenceDescriptor recurrence;
    if (llvm::InductionDescriptor::isInductionPHI(&phi, &inner, &analyses.evolution, induction)) return true;
    return llvm::RecurrenceDescriptor::isReductionPHI(&phi, &inner, recurrence, nullptr, nullptr, &analyses.dominators,
                                                      &analyses.evolution) &&
           !recurrence.hasExactFPMath();
  });
}

/// Whether LLVM makes vectors along every innermost loop of an item.
bool rows_are_vectors(llvm::Loop& loop, LoopAnalyses analyses) {
  return llvm::all_of(loop.getLoopsInPreorder(), [&](llvm::Loop* inner) {
    return !inner->isInnermost() || (inner != &loop && is_row(*inner, analyses) && goes_along(*inner, analyses.evolution) &&
                                     analyses.accesses.getInfo(*inner).canVectorizeMemory());
  });
}

/// Whether iterations give nothing but what they store, each for itself, by branches that become masks.
bool only_stores(llvm::Loop& inner, llvm::ScalarEvolution& evolution) {
  const bool counts = llvm::all_of(inner.getHeader()->phis(), [&](llvm::PHINode& phi) {
    llvm::InductionDescriptor induction;
    return llvm::InductionDescriptor::isInductionPHI(&phi, &inner, &evolution, induction);
  });
  return counts && llvm::all_of(inner.blocks(), [&](const llvm::BasicBlock* block) {
           return llvm::isa<llvm::BranchInst>(block->getTerminator()) &&
                  llvm::all_of(*block, [&](const llvm::Instruction& instruction) {
                    return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
                      return inner.contains(llvm::cast<llvm::Instruction>(user));
                    });
                  });
         });
}

/// Whether lanes compute something once for all that takes long: one after the other, each item would.
bool computes_for_all(const llvm::Loop& inner, const Shapes& shapes) {
  const auto takes_long = [](const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FRem:
      case llvm::Instruction::Call:
        return !instruction.getType()->isVoidTy();
      default:
        return false;
    }
  };
  return llvm::any_of(inner.blocks(), [&](llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](llvm::Instruction& each) {
      return takes_long(each) && shapes.of(&each).is_uniform() && !inner.hasLoopInvariantOperands(&each);
    });
  });
}

/// Whether each store is for all iterations, or can have a mask.
bool stores_with_masks(const llvm::Loop& inner, LoopAnalyses analyses) {
  return llvm::all_of(inner.blocks(), [&](const llvm::BasicBlock* block) {
    return analyses.dominators.dominates(block, inner.getLoopLatch()) ||
           llvm::all_of(*block, [&](const llvm::Instruction& each) {
             const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&each);
             return store == nullptr ||
                    analyses.target.isLegalMaskedStore(store->getValueOperand()->getType(), store->getAlign());
           });
  });
}

/// Whether items compute nothing that takes long, and no iteration waits for more than one operation of that before.
bool have_short_chains(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const auto takes_long = [](const llvm::Instruction& each) {
    if (llvm::isa<llvm::CallBase>(each)) return !each.getType()->isVoidTy() && core_of(&each) == nullptr;
    return each.getOpcode() == llvm::Instruction::FDiv || each.isIntDivRem();
  };
  const auto waits_once = [&](const llvm::Loop* inner) {
    return inner == &loop || llvm::all_of(inner->getHeader()->phis(), [&](llvm::PHINode& phi) {
             llvm::InductionDescriptor induction;
             if (llvm::InductionDescriptor::isInductionPHI(&phi, inner, &evolution, induction)) return true;
             // Of a filter the operation's other operand waits, too.
             return phi.hasOneUse() && llvm::isa<llvm::BinaryOperator>(phi.user_back()) &&
                    phi.user_back() == phi.getIncomingValueForBlock(inner->getLoopLatch());
           });
  };
  return llvm::all_of(loop.getLoopsInPreorder(), waits_once) &&
         llvm::none_of(loop.blocks(), [&](llvm::BasicBlock* block) { return llvm::any_of(*block, takes_long); });
}

/// The cores of the loop's items that lanes have in tiles.
llvm::SmallVector<const llvm::CallInst*, 4> cores_in_tiles(const llvm::Loop& loop, const Shapes& shapes) {
  llvm::SmallVector<const llvm::CallInst*, 4> all;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (core_of(&instruction) != nullptr && shapes.is_private(&instruction)) all.push_back(core_of(&instruction));
    }
  }
  return all;
}

/// Whether it accesses cores that are in windows, and of a lane's own memory nothing else.
bool is_of_windows(const llvm::Loop& inner, const Shapes& shapes) {
  bool any = false;
  for (const llvm::BasicBlock* const block : inner.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      for (const llvm::Use& operand : instruction.operands()) {
        const llvm::Value* const memory = shapes.is_private(operand) ? operand.get() : shapes.interleaved_memory(operand);
        if (memory == nullptr) continue;
        if (core_of(memory) == nullptr || shapes.window_bytes(*memory) == 0) return false;
        any = true;
      }
    }
  }
  return any;
}

}  // namespace

bool goes_along(const llvm::Loop& inner, llvm::ScalarEvolution& evolution) {
  return llvm::all_of(inner.blocks(), [&](llvm::BasicBlock* block) {
    return llvm::all_of(*block, [&](llvm::Instruction& instruction) {
      llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
      if (address == nullptr) return true;
      const llvm::SCEV* const at = evolution.getSCEV(address);
      if (evolution.isLoopInvariant(at, &inner)) return true;
      const auto* const grows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(at);
      const auto* const step =
          grows == nullptr ? nullptr : llvm::dyn_cast<llvm::SCEVConstant>(grows->getStepRecurrence(evolution));
      if (step == nullptr || grows->getLoop() != &inner) return false;
      const auto size = instruction.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      return step->getAPInt().abs() == size.getFixedValue();
    });
  });
}

bool is_of_items(const llvm::Loop& loop) {
  return llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.vectorize.width") == 1;
}

bool suits_shuffles(const llvm::Loop& loop, const Shapes& shapes) {
  if (!loop.isInnermost()) return false;
  constexpr std::uint64_t kMost = 8;  // elements from one item's to the next one's: what LLVM makes shuffles for
  bool apart = false;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
      if (address == nullptr) continue;
      const Shape shape = shapes.of(address);
      llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&instruction));
      const auto size = instruction.getDataLayout().getTypeStoreSize(type).getFixedValue();
      if (!shape.is_strided() || static_cast<std::uint64_t>(std::abs(shape.stride)) > kMost * size) return false;
      apart = apart || (!shape.is_uniform() && !is_beside(instruction, *address, shapes));
    }
  }
  return apart;
}

void leave_to_llvm(llvm::Loop& loop) {
  loop.setLoopID(llvm::makePostTransformationMetadata(loop.getHeader()->getContext(), loop.getLoopID(),
                                                      {"llvm.loop.vectorize.width", "llvm.loop.interleave.count"}, {}));
}

bool suits_lanes(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses) {
  if (any_loop_diverges(loop, shapes) || reads_the_same(loop, shapes)) return true;
  return lie_beside(loop, shapes) && (reads_across(loop, shapes) || !rows_are_vectors(loop, analyses));
}

llvm::Value* fewest_for_lanes(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses, unsigned lanes) {
  constexpr unsigned kFewItems = 15;  // what kernels-src/gufunc/cpu.hpp says of few
  llvm::ScalarEvolution& evolution = analyses.evolution;
  llvm::IRBuilder<> build(loop.getLoopPreheader()->getTerminator());
  const llvm::SCEV* const trips =
      evolution.getTripCountFromExitCount(evolution.getBackedgeTakenCount(&loop), build.getInt64Ty(), &loop);
  if (!is_of_items(loop) || evolution.getSignedRangeMax(trips).sgt(kFewItems)) return nullptr;
  // One item waits for as long as several do.
  constexpr unsigned kFewest = 2;
  const auto tiles = cores_in_tiles(loop, shapes);
  if (tiles.empty() || !have_short_chains(loop, evolution)) return build.getInt64(kFewest);
  // Moving windows of a few lanes takes as long as the chain of an item. Of short cores a processor has several chains in its
  // window at once, and their tiles are filled for all lanes.
  constexpr unsigned kBytes = 3;
  constexpr unsigned kShortCore = 1024;
  constexpr unsigned kAtOnce = 4;
  constexpr unsigned kChunk = 16;  // bytes that are moved at once
  const auto count = static_cast<unsigned>(tiles.size());
  const auto row = static_cast<unsigned>(lanes * shapes.interleaved(tiles.front()));
  llvm::Value* const bytes = tiles.front()->getArgOperand(kBytes);
  llvm::Value* const of_long_cores = build.getInt64(kFewest + count);
  if (!loop.isLoopInvariant(bytes)) return of_long_cores;
  return build.CreateSelect(build.CreateICmpULE(bytes, build.getInt64(kShortCore)),
                            build.getInt64(kAtOnce + count * row / kChunk), of_long_cores);
}

LoopSet loops_along_cores(llvm::Loop& loop, const Shapes& shapes, LoopAnalyses analyses) {
  LoopSet all;
  for (llvm::Loop* const inner : loop.getSubLoops()) {  // of those within others iterations may be few
    const bool is_along = inner->isInnermost() && inner->getExitingBlock() != nullptr &&
                          inner->getExitingBlock() == inner->getLoopLatch() && !shapes.diverges(inner) &&
                          is_of_windows(*inner, shapes) && only_stores(*inner, analyses.evolution) &&
                          !computes_for_all(*inner, shapes) && stores_with_masks(*inner, analyses) &&
                          goes_along(*inner, analyses.evolution) && analyses.accesses.getInfo(*inner).canVectorizeMemory();
    if (is_along) all.insert(inner);
  }
  return all;
}

}  // namespace kiln::clang_module::spmd
