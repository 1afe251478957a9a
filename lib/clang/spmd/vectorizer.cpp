#include "clang/spmd/vectorizer.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "clang/spmd/legality.hpp"
#include "clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {

Vectorizer::Vectorizer(const Regions& regions, const Shapes& shapes, llvm::ScalarEvolution& evolution, LoopSet along_cores,
                       Width width)
    : regions_(regions),
      shapes_(shapes),
      evolution_(evolution),
      along_cores_(std::move(along_cores)),
      loop_(regions.outermost()),
      function_(*loop_.getHeader()->getParent()),
      builder_(function_.getContext(), llvm::InstSimplifyFolder(function_.getParent()->getDataLayout())),
      widener_(builder_, shapes, width) {}

Vectorizer::Slots Vectorizer::slots(llvm::Type* type, bool varying, const llvm::Twine& name) {
  Slots made;
  for (unsigned part = 0; part < (varying ? widener_.width().parts : 1); ++part) {
    made.push_back(new llvm::AllocaInst(varying ? widener_.widened(type) : type,
                                        function_.getParent()->getDataLayout().getAllocaAddrSpace(), name,
                                        function_.getEntryBlock().getFirstInsertionPt()));
  }
  all_slots_.append(made);
  return made;
}

Vectors Vectorizer::load(const Slots& slots) {
  Vectors values;
  for (llvm::AllocaInst* const slot : slots) values.push_back(builder_.CreateLoad(slot->getAllocatedType(), slot));
  return values;
}

void Vectorizer::clear(const Slots& slots) {
  for (llvm::AllocaInst* const slot : slots) builder_.CreateStore(llvm::Constant::getNullValue(slot->getAllocatedType()), slot);
}

llvm::BasicBlock* Vectorizer::block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(builder_.getContext(), name, &function_, loop_.getHeader());
}

void Vectorizer::run_once() {
  llvm::BasicBlock* const preheader = loop_.getLoopPreheader();
  prepare();
  llvm::BasicBlock* const begin = block("lanes");
  builder_.SetInsertPoint(begin);
  for (llvm::PHINode& phi : loop_.getHeader()->phis()) widener_.set(&phi, phi.getIncomingValueForBlock(preheader));
  emit_level(regions_.of(&loop_), {});
  builder_.CreateBr(loop_.getExitBlock());
  preheader->getTerminator()->replaceSuccessorWith(loop_.getHeader(), begin);
  finish(false);
}

void Vectorizer::finish(bool keep_loop) {
  if (!keep_loop) llvm::DeleteDeadBlocks(llvm::SmallVector<llvm::BasicBlock*, 16>(loop_.blocks()));
  widener_.finish();
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(all_slots_, dominators);
}

void Vectorizer::run(llvm::Value* fewest) {
  if (widener_.width().once) return run_once();
  llvm::BasicBlock* const preheader = loop_.getLoopPreheader();
  llvm::BasicBlock* const header = loop_.getHeader();
  const unsigned lanes = widener_.width().all();
  llvm::IntegerType* const number = builder_.getInt64Ty();

  const llvm::SCEV* const trips =
      evolution_.getTripCountFromExitCount(evolution_.getBackedgeTakenCount(&loop_), number, &loop_);
  llvm::SCEVExpander expander(evolution_, function_.getParent()->getDataLayout(), "trips");
  llvm::Value* const count = expander.expandCodeFor(trips, number, preheader->getTerminator());
  // Where lanes never go different ways, masks would be those of the last vector alone: it is written once more, unless they
  // are of no use, or few items make no more than one.
  const bool whole = evolution_.getSmallConstantTripMultiple(&loop_) % lanes == 0;
  const bool last_apart = !whole && fewest == nullptr && !shapes_.any_diverges() && needs_masks();
  builder_.SetInsertPoint(preheader->getTerminator());
  llvm::Value* const end = last_apart ? builder_.CreateAnd(count, ~std::uint64_t{lanes - 1}) : count;

  prepare();
  llvm::BasicBlock* const begin = block("lanes");
  llvm::BasicBlock* const rest = last_apart ? block("rest") : loop_.getExitBlock();
  builder_.SetInsertPoint(begin);
  // With its first value alone a phi would be that to the builder, which simplifies; and it looks at the ends of blocks that
  // values come from.
  const auto later = [&](llvm::Type* type) {
    return new llvm::FreezeInst(llvm::PoisonValue::get(type), "later", preheader->getTerminator()->getIterator());
  };
  const auto begin_with = [&](llvm::Value* value, const llvm::Twine& name) {
    llvm::PHINode* const phi = builder_.CreatePHI(value->getType(), 2, name);
    phi->addIncoming(value, preheader);
    phi->addIncoming(later(value->getType()), preheader);
    return phi;
  };
  const auto go_on_with = [&](llvm::PHINode* phi, llvm::Value* value) {
    auto* const unknown = llvm::cast<llvm::Instruction>(phi->getIncomingValue(1));
    phi->setIncomingValue(1, value);
    phi->setIncomingBlock(1, builder_.GetInsertBlock());
    unknown->eraseFromParent();
  };
  llvm::PHINode* const first = begin_with(builder_.getInt64(0), "first");
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::PHINode*>, 4> growing;
  for (llvm::PHINode& phi : header->phis()) {
    growing.emplace_back(&phi, begin_with(phi.getIncomingValueForBlock(preheader), phi.getName()));
    widener_.set(&phi, growing.back().second);
  }
  emit_level(regions_.of(&loop_), whole || last_apart ? Vectors() : lanes_below(builder_.CreateSub(count, first)));

  for (const auto& [of, phi] : growing) {
    const std::int64_t step = shapes_.of(of).stride * static_cast<std::int64_t>(lanes);
    const bool pointer = phi->getType()->isPointerTy();
    llvm::Value* const by = llvm::ConstantInt::getSigned(pointer ? number : phi->getType(), step);
    go_on_with(phi, pointer ? builder_.CreateGEP(builder_.getInt8Ty(), phi, by) : builder_.CreateAdd(phi, by));
  }
  llvm::Value* const next = builder_.CreateAdd(first, builder_.getInt64(lanes), "next", /*HasNUW=*/true);
  go_on_with(first, next);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, end), begin, rest);

  if (last_apart) {
    builder_.SetInsertPoint(rest);
    const auto after = [&](llvm::PHINode* phi) {
      llvm::PHINode* const last = builder_.CreatePHI(phi->getType(), 2, phi->getName());
      last->addIncoming(phi->getIncomingValue(0), preheader);
      last->addIncoming(phi->getIncomingValue(1), phi->getIncomingBlock(1));
      return last;
    };
    llvm::PHINode* const from = after(first);
    for (const auto& [of, phi] : growing) widener_.set(of, after(phi));
    llvm::BasicBlock* const last = block("last");
    builder_.CreateCondBr(builder_.CreateICmpULT(from, count), last, loop_.getExitBlock());
    builder_.SetInsertPoint(last);
    emit_level(regions_.of(&loop_), lanes_below(builder_.CreateSub(count, from)));
    builder_.CreateBr(loop_.getExitBlock());
    builder_.SetInsertPoint(preheader->getTerminator());
    builder_.CreateCondBr(builder_.CreateICmpNE(end, builder_.getInt64(0)), begin, rest);
    preheader->getTerminator()->eraseFromParent();
  } else if (fewest != nullptr) {
    builder_.SetInsertPoint(preheader->getTerminator());
    builder_.CreateCondBr(builder_.CreateICmpULT(count, fewest), header, begin);
    preheader->getTerminator()->eraseFromParent();
  } else {
    preheader->getTerminator()->replaceSuccessorWith(header, begin);
  }
  finish(fewest != nullptr);
}

// Whether lanes that are off would access what is not theirs.
bool Vectorizer::needs_masks() const {
  return llvm::any_of(loop_.blocks(), [&](llvm::BasicBlock* each) {
    if (along_cores_.contains(regions_.innermost_of(each))) return false;
    return llvm::any_of(*each, [&](const llvm::Instruction& instruction) {
      const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
      if (address == nullptr)
        return instruction.mayReadOrWriteMemory() && needs_a_lane(instruction, shapes_) && core_of(&instruction) == nullptr &&
               !ends_core(&instruction);
      const bool is_one = llvm::isa<llvm::LoadInst>(instruction) && shapes_.of(address).is_uniform();
      return !is_one && shapes_.interleaved_memory(address) == nullptr;
    });
  });
}

Vectors Vectorizer::lanes_below(llvm::Value* count) {
  Vectors mask;
  const unsigned lanes = widener_.width().lanes;
  for (unsigned part = 0; part < widener_.width().parts; ++part) {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (unsigned lane = 0; lane < lanes; ++lane) numbers.push_back(builder_.getInt64(part * lanes + lane));
    mask.push_back(builder_.CreateICmpULT(llvm::ConstantVector::get(numbers), builder_.CreateVectorSplat(lanes, count)));
  }
  return mask;
}

void Vectorizer::prepare() {
  make_private_memory();
  for (llvm::BasicBlock* const each : loop_.blocks()) {
    if (each == loop_.getHeader()) continue;
    for (llvm::PHINode& phi : each->phis()) {
      phis_[&phi] = slots(phi.getType(), shapes_.of(&phi).is_varying(), phi.getName());
    }
  }
  for (const llvm::Loop* const each : loop_.getLoopsInPreorder()) {
    const Region& region = regions_.of(each);
    next_[each] = slots(builder_.getInt1Ty(), shapes_.diverges(each), "next");
    for (unsigned at = 1; at < region.nodes().size(); ++at) {
      const Node& node = region.nodes()[at];
      if (!node.always) arrivals_[{&region, at}] = slots(builder_.getInt1Ty(), !shapes_.comes_together(node.block), "mask");
    }
  }
}

void Vectorizer::make_private_memory() {
  constexpr std::uint64_t kRegister = 64;
  const auto make = [&](llvm::Instruction& memory, llvm::BasicBlock::iterator before, llvm::Align align) {
    auto* const type = llvm::ArrayType::get(builder_.getInt8Ty(), shapes_.bytes_of(memory) * widener_.width().all());
    auto* const widened = new llvm::AllocaInst(type, function_.getDataLayout().getAllocaAddrSpace(), memory.getName(), before);
    widened->setAlignment(std::max(align, llvm::Align(kRegister)));
    widener_.set(&memory, widened);
  };
  for (llvm::Instruction& instruction : function_.getEntryBlock()) {
    auto* const memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory != nullptr && shapes_.is_private(memory)) make(*memory, memory->getIterator(), memory->getAlign());
  }
  for (llvm::BasicBlock* const each : loop_.blocks()) {
    for (llvm::Instruction& instruction : *each) {
      if (core_of(&instruction) == nullptr || !shapes_.is_private(&instruction)) continue;
      make(instruction, function_.getEntryBlock().getFirstInsertionPt(), llvm::Align(kRegister));
      if (shapes_.window_bytes(instruction) == 0) continue;
      const auto variable = [&](llvm::Type* type, const char* name) { return slots(type, false, name).front(); };
      widener_.set(&instruction, Window{.current = variable(builder_.getInt64Ty(), "window"),
                                        .written = variable(builder_.getInt1Ty(), "written"),
                                        .behind = variable(builder_.getInt64Ty(), "behind")});
    }
  }
}

void Vectorizer::emit_level(const Region& region, const Vectors& mask) {
  for (unsigned at = 1; at < region.nodes().size(); ++at) {
    clear(arrivals_.lookup({&region, at}));
    if (region.nodes()[at].loop != nullptr) continue;
    // Nothing of an iteration before, or it would be kept until then.
    for (llvm::PHINode& phi : region.nodes()[at].block->phis()) {
      for (llvm::AllocaInst* const slot : phis_.lookup(&phi)) {
        builder_.CreateStore(llvm::PoisonValue::get(slot->getAllocatedType()), slot);
      }
    }
  }
  reached_[{&region, 0}] = mask;
  emit_node(region, 0);
}

void Vectorizer::emit_node(const Region& region, unsigned at) {
  const Node& node = region.nodes()[at];
  llvm::BasicBlock* skipped = nullptr;
  if (at > 0) {
    llvm::Value* guard = nullptr;
    const Slots arrival = arrivals_.lookup({&region, at});
    Vectors mask;
    if (node.always) {
      mask = reached_.lookup({&region, node.dominator});
    } else if (shapes_.comes_together(node.block)) {
      guard = load(arrival).front();
      mask = reached_.lookup({&region, region.node_of(node.before.front().from)});
    } else {
      mask = load(arrival);
      if (!is_cheap(region, at)) guard = any(arrival);
    }
    reached_[{&region, at}] = mask;
    if (guard != nullptr) {
      llvm::BasicBlock* const guarded = block(node.block->getName());
      skipped = block("skip");
      builder_.CreateCondBr(guard, guarded, skipped);
      builder_.SetInsertPoint(guarded);
    }
  }
  if (node.loop != nullptr) {
    emit_loop(node, reached_.lookup({&region, at}));
  } else {
    emit_block(region, at);
  }
  for (const unsigned dominated : node.dominated) emit_node(region, dominated);
  if (skipped != nullptr) {
    builder_.CreateBr(skipped);
    builder_.SetInsertPoint(skipped);
  }
}

void Vectorizer::emit_block(const Region& region, unsigned at) {
  llvm::BasicBlock& old = *region.nodes()[at].block;
  for (llvm::PHINode& phi : old.phis()) {
    const Slots given = phis_.lookup(&phi);
    if (given.empty()) continue;  // the outermost loop's own
    if (shapes_.of(&phi).is_varying()) {
      widener_.set(&phi, load(given));
    } else {
      widener_.set(&phi, load(given).front());
    }
  }
  const Vectors mask = reached_.lookup({&region, at});
  for (auto each = old.getFirstNonPHIIt(); !each->isTerminator(); ++each) widener_.widen(*each, mask);
  leave(region, at);
}

llvm::Value* Vectorizer::any(const Slots& mask) {
  llvm::Value* all = nullptr;
  for (llvm::Value* const part : load(mask)) all = all == nullptr ? part : builder_.CreateOr(all, part);
  return builder_.CreateOrReduce(all);
}

llvm::Value* Vectorizer::all(const Slots& mask) {
  llvm::Value* every = nullptr;
  for (llvm::Value* const part : load(mask)) every = every == nullptr ? part : builder_.CreateAnd(every, part);
  return builder_.CreateAndReduce(every);
}

// Of lanes that are off a condition may be anything.
Vectors Vectorizer::both(const Vectors& mask, const Vectors& condition) {
  if (mask.empty()) return condition;
  Vectors made;
  for (unsigned part = 0; part < mask.size(); ++part) {
    made.push_back(builder_.CreateSelect(mask[part], condition[part], widener_.none()));
  }
  return made;
}

Vectors Vectorizer::inverse(const Vectors& condition) {
  Vectors made;
  for (llvm::Value* const part : condition) made.push_back(builder_.CreateNot(part));
  return made;
}

llvm::Value* Vectorizer::chosen(llvm::Value* taken, const Vectors& mask, unsigned part) {
  llvm::Value* const on = mask.empty() ? widener_.all() : mask[part];
  return taken == nullptr ? on : builder_.CreateSelect(taken, on, widener_.none());
}

// Few instructions that do no harm where no lane is on: less than a branch that is mispredicted. Where all lanes stay in a loop
// together, its latch alone tells that they do: it may not run for none.
bool Vectorizer::is_cheap(const Region& region, unsigned at) const {
  constexpr unsigned kMost = 8;
  const llvm::BasicBlock* const uniform_latch = shapes_.diverges(&region.loop()) ? nullptr : region.loop().getLoopLatch();
  unsigned count = 0;
  llvm::SmallVector<unsigned, 4> pending{at};
  while (!pending.empty()) {
    const Node& node = region.nodes()[pending.pop_back_val()];
    if (node.loop != nullptr || node.block == uniform_latch) return false;
    for (const llvm::Instruction& instruction : *node.block) {
      if (needs_a_lane(instruction, shapes_) || ++count > kMost) return false;
    }
    if (node.block->getTerminator()->getNumSuccessors() > 1 && !shapes_.diverges(node.block)) return false;
    pending.append(node.dominated.begin(), node.dominated.end());
  }
  return true;
}

}  // namespace kiln::clang_module::spmd
