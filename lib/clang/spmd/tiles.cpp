#include "clang/spmd/tiles.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {
namespace {

constexpr unsigned kChunkBytes = 16;  // of an item that are read at once
/// Items are moved in groups, each along its whole core, as lines lie in memory: of a register's lanes, of items 4 KiB apart,
/// more lines would be needed at once than fall into one set of the first cache.
constexpr unsigned kGroupBytes = 32;

bool calls(const llvm::Value* value, llvm::StringRef name) {
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(value);
  return call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == name;
}

/// A function that moves elements between a tile and memory.
class TileFunction {
 public:
  TileFunction(llvm::Module& module, const llvm::Function& caller, TileShape shape, bool fills)
      : build_(module.getContext()), shape_(shape), fills_(fills) {
    const std::string name = ("kiln_tile." + llvm::Twine(fills ? "in." : "out.") + llvm::Twine(shape.bytes) + "." +
                              llvm::Twine(shape.lanes) + "." + llvm::Twine(shape.all))
                                 .str();
    function_ = module.getFunction(name);
    if (function_ != nullptr) return;
    llvm::Type* const number = build_.getInt64Ty();
    llvm::Type* const pointer = build_.getPtrTy();
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(build_.getVoidTy(), {pointer, pointer, number, number, number, number}, false),
        llvm::GlobalValue::InternalLinkage, name, module);
    // The processor that code is made for.
    function_->setAttributes(
        llvm::AttributeList::get(module.getContext(), llvm::AttributeList::FunctionIndex,
                                 llvm::AttrBuilder(module.getContext(), caller.getAttributes().getFnAttrs())));
    for (const auto kind : {llvm::Attribute::AlwaysInline, llvm::Attribute::Memory}) function_->removeFnAttr(kind);
    function_->addFnAttr(llvm::Attribute::NoInline);
    function_->setDoesNotThrow();
    function_->addParamAttr(0, llvm::Attribute::NoAlias);
    write();
  }

  [[nodiscard]] llvm::Function* get() const { return function_; }

 private:
  [[nodiscard]] llvm::Value* tile() const { return function_->getArg(0); }
  [[nodiscard]] llvm::Value* first() const { return function_->getArg(1); }
  [[nodiscard]] llvm::Value* step() const { return function_->getArg(2); }
  [[nodiscard]] llvm::Value* count() const { return function_->getArg(3); }
  [[nodiscard]] llvm::Value* items() const { return function_->getArg(4); }
  [[nodiscard]] llvm::Value* lanes() const { return function_->getArg(5); }
  [[nodiscard]] unsigned chunk() const { return kChunkBytes / shape_.bytes; }
  [[nodiscard]] unsigned group() const { return std::min(shape_.lanes, kGroupBytes / shape_.bytes); }
  [[nodiscard]] llvm::Type* element() { return build_.getIntNTy(shape_.bytes * 8); }
  [[nodiscard]] llvm::BasicBlock* block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(build_.getContext(), name, function_);
  }

  /// The loop that the branch goes around is neither unrolled nor made vectors of.
  void leave_as_it_is(llvm::BranchInst& around) {
    llvm::LLVMContext& context = build_.getContext();
    const auto word = [&](const char* name) { return llvm::MDNode::get(context, {llvm::MDString::get(context, name)}); };
    llvm::Metadata* const no = llvm::ConstantAsMetadata::get(build_.getFalse());
    llvm::MDNode* const id = llvm::MDNode::getDistinct(
        context, {nullptr, word("llvm.loop.unroll.disable"),
                  llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.vectorize.enable"), no})});
    id->replaceOperandWith(0, id);
    around.setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  /// for (i = begin; i < end; i += by) body(i). Gives i behind the loop.
  template <class Body>
  llvm::Value* loop(llvm::Value* begin, llvm::Value* end, std::uint64_t by, const Body& body) {
    llvm::BasicBlock* const before = build_.GetInsertBlock();
    llvm::BasicBlock* const head = block("head");
    llvm::BasicBlock* const inside = block("body");
    llvm::BasicBlock* const after = block("after");
    build_.CreateBr(head);
    build_.SetInsertPoint(head);
    llvm::PHINode* const i = build_.CreatePHI(build_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    build_.CreateCondBr(build_.CreateICmpULT(i, end), inside, after);
    build_.SetInsertPoint(inside);
    body(i);
    i->addIncoming(build_.CreateAdd(i, build_.getInt64(by), "", true, true), build_.GetInsertBlock());
    leave_as_it_is(*build_.CreateBr(head));
    build_.SetInsertPoint(after);
    return i;
  }

  void write() {
    build_.SetInsertPoint(block("entry"));
    llvm::BasicBlock* const whole = block("whole");
    llvm::BasicBlock* const some = block("some");
    llvm::Value* const length = build_.getInt64(chunk());
    llvm::BasicBlock* const entry = build_.GetInsertBlock();
    build_.CreateCondBr(build_.CreateICmpUGE(count(), length), whole, some);
    build_.SetInsertPoint(whole);
    // What is left of whole chunks is moved by one that ends with it, in part once more.
    llvm::Value* const last = build_.CreateSub(count(), length);
    // A group has two items at least, but those in whose lanes the last item is once more.
    llvm::Value* const end =
        build_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, build_.CreateSub(items(), build_.getInt64(1)),
                                     build_.CreateSelect(build_.CreateICmpUGT(lanes(), items()), lanes(), build_.getInt64(0)));
    llvm::Value* const left = loop(build_.getInt64(0), end, group(), [&](llvm::Value* from) {
      llvm::SmallVector<llvm::Value*, 8> cores;
      for (unsigned lane = 0; lane < group(); ++lane) {
        cores.push_back(core_of_lane(build_.CreateAdd(from, build_.getInt64(lane))));
      }
      loop(build_.getInt64(0), count(), chunk(),
           [&](llvm::Value* at) { move_chunk(cores, from, build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, last)); });
    });
    llvm::BasicBlock* const moved = build_.GetInsertBlock();
    build_.CreateBr(some);
    build_.SetInsertPoint(some);
    llvm::PHINode* const first_left = build_.CreatePHI(build_.getInt64Ty(), 2);
    first_left->addIncoming(left, moved);
    first_left->addIncoming(build_.getInt64(0), entry);
    loop(first_left, lanes(), 1, [&](llvm::Value* lane) {
      llvm::Value* const core = core_of_lane(lane);
      loop(build_.getInt64(0), count(), 1, [&](llvm::Value* at) {
        llvm::Value* const there = in_core(core, at);
        llvm::Value* const here = in_tile(at, lane);
        build_.CreateAlignedStore(build_.CreateAlignedLoad(element(), fills_ ? there : here, llvm::Align(shape_.bytes)),
                                  fills_ ? here : there, llvm::Align(shape_.bytes));
      });
    });
    build_.CreateRetVoid();
  }

  /// Lanes behind the last item have that one's.
  llvm::Value* core_of_lane(llvm::Value* lane) {
    llvm::Value* const last = build_.CreateSub(items(), build_.getInt64(1));
    llvm::Value* const item = build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, lane, last);
    return build_.CreateGEP(build_.getInt8Ty(), first(), build_.CreateMul(item, step()));
  }
  llvm::Value* in_core(llvm::Value* core, llvm::Value* at) {
    return build_.CreateGEP(build_.getInt8Ty(), core, build_.CreateMul(at, build_.getInt64(shape_.bytes)));
  }
  llvm::Value* in_tile(llvm::Value* at, llvm::Value* lane) {
    llvm::Value* const number = build_.CreateAdd(build_.CreateMul(at, build_.getInt64(shape_.all)), lane);
    return build_.CreateGEP(element(), tile(), number);
  }

  /// Squares of as many elements as there are in 16 bytes, of as many items: a group's.
  void move_chunk(llvm::ArrayRef<llvm::Value*> cores, llvm::Value* from, llvm::Value* at) {
    llvm::Type* const wide = llvm::FixedVectorType::get(element(), group());
    llvm::Type* const narrow = llvm::FixedVectorType::get(element(), chunk());
    const auto place = [&](unsigned lane) { return in_core(cores[lane], at); };
    const auto row = [&](unsigned element) { return in_tile(build_.CreateAdd(at, build_.getInt64(element)), from); };
    const llvm::Align align(shape_.bytes);
    llvm::SmallVector<llvm::Value*, 4> rows;
    for (unsigned j = 0; j < chunk(); ++j) {
      if (!fills_) {
        rows.push_back(build_.CreateAlignedLoad(wide, row(j), align));
        continue;
      }
      llvm::SmallVector<llvm::Value*, 8> chunks;
      for (unsigned lane = j; lane < group(); lane += chunk()) {
        chunks.push_back(build_.CreateAlignedLoad(narrow, place(lane), align));
      }
      rows.push_back(llvm::concatenateVectors(build_, chunks));
    }
    transpose(rows);
    for (unsigned j = 0; fills_ && j < chunk(); ++j) build_.CreateAlignedStore(rows[j], row(j), align);
    // The last item is written behind the lanes that write in its place.
    for (unsigned lane = group(); !fills_ && lane-- > 0;) {
      const unsigned first_of_square = lane / chunk() * chunk();
      llvm::SmallVector<int, 4> part;
      for (unsigned i = 0; i < chunk(); ++i) part.push_back(static_cast<int>(first_of_square + i));
      build_.CreateAlignedStore(build_.CreateShuffleVector(rows[lane % chunk()], part), place(lane), align);
    }
  }

  /// The square in each 16 bytes of all rows, by interleaving halves.
  void transpose(llvm::SmallVectorImpl<llvm::Value*>& rows) {
    const unsigned count = chunk();
    for (unsigned stage = 1; stage < count; stage *= 2) {
      llvm::SmallVector<llvm::Value*, 4> interleaved(count);
      for (unsigned j = 0; j < count / 2; ++j) {
        for (unsigned half = 0; half < 2; ++half) {
          llvm::SmallVector<int, 16> lanes;
          for (unsigned i = 0; i < group(); ++i) {
            const unsigned from = i / count * count + half * count / 2 + i % count / 2;
            lanes.push_back(static_cast<int>(from + (i % 2 == 0 ? 0 : group())));
          }
          interleaved[2 * j + half] = build_.CreateShuffleVector(rows[j], rows[j + count / 2], lanes);
        }
      }
      rows.assign(interleaved);
    }
  }

  llvm::IRBuilder<> build_;
  TileShape shape_;
  bool fills_;
  llvm::Function* function_;
};

void move(llvm::IRBuilderBase& build, TileShape shape, bool fills, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Function& caller = *build.GetInsertBlock()->getParent();
  build.CreateCall(TileFunction(*caller.getParent(), caller, shape, fills).get(), arguments);
}

}  // namespace

const llvm::CallInst* core_of(const llvm::Value* value) {
  return calls(value, kCoreName) ? llvm::cast<llvm::CallInst>(value) : nullptr;
}

bool ends_core(const llvm::Value* value) {
  return calls(value, kCoreEndName);
}

std::uint64_t core_room(const llvm::CallInst& core) {
  constexpr unsigned kRoom = 4;
  const auto* const room = llvm::dyn_cast<llvm::ConstantInt>(core.getArgOperand(kRoom));
  return room != nullptr ? room->getZExtValue() : 0;
}

llvm::Value* core_place(llvm::IRBuilderBase& build, llvm::Value* first, llvm::Value* step, llvm::Value* item) {
  return build.CreateGEP(build.getInt8Ty(), first, build.CreateMul(item, step));
}

void fill_tile(llvm::IRBuilderBase& build, TileShape shape, llvm::Value* tile, llvm::Value* first, llvm::Value* step,
               llvm::Value* count, llvm::Value* items, llvm::Value* lanes) {
  move(build, shape, true, {tile, first, step, count, items, lanes});
}
void empty_tile(llvm::IRBuilderBase& build, TileShape shape, llvm::Value* tile, llvm::Value* first, llvm::Value* step,
                llvm::Value* count, llvm::Value* items) {
  move(build, shape, false, {tile, first, step, count, items, items});
}

bool leave_cores_in_place(llvm::Function& function) {
  bool any = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const bool begins = core_of(&instruction) != nullptr;
    if (!begins && !ends_core(&instruction)) continue;
    any = true;
    if (begins) {
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      llvm::IRBuilder<> build(&call);
      call.replaceAllUsesWith(core_place(build, call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)));
    }
    instruction.eraseFromParent();
  }
  return any;
}

// How many lanes are on.
llvm::Value* Widener::count_of(const Vectors& mask) {
  if (mask.empty()) return builder_.getInt64(width_.all());
  llvm::Value* count = builder_.getInt64(0);
  for (llvm::Value* const part : mask) {
    llvm::Value* const bits = builder_.CreateBitCast(part, builder_.getIntNTy(width_.lanes));
    llvm::Value* const of_part = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
    count = builder_.CreateAdd(count, builder_.CreateZExtOrTrunc(of_part, builder_.getInt64Ty()));
  }
  return count;
}

// The lanes that are on are the first ones: only the end of the items leaves some off here.
void Widener::begin_core(llvm::CallInst& core, const Vectors& mask) {
  llvm::Value* const first = scalar(core.getArgOperand(0));
  llvm::Value* const step = scalar(core.getArgOperand(1));
  llvm::Value* const item = core.getArgOperand(2);
  if (shapes_.of(&core).is_strided() && !shapes_.is_private(&core)) {
    return set(&core, core_place(builder_, first, step, scalar(item)));
  }
  if (!shapes_.is_private(&core)) {
    Vectors all;
    for (unsigned part = 0; part < width_.parts; ++part) {
      llvm::Value* const numbers = vector(item, part);
      all.push_back(core_place(builder_, first, builder_.CreateVectorSplat(width_.lanes, step), numbers));
    }
    return set(&core, std::move(all));
  }
  const auto bytes = static_cast<unsigned>(shapes_.interleaved(&core));
  llvm::Value* const count = builder_.CreateUDiv(scalar(core.getArgOperand(3)), builder_.getInt64(bytes));
  llvm::Value* const items = count_of(mask);
  // Behind other vectors of items the tile holds some of those.
  llvm::Value* const lanes =
      builder_.CreateSelect(builder_.CreateICmpEQ(scalar(item), builder_.getInt64(0)), builder_.getInt64(width_.all()), items);
  if (shapes_.window_bytes(core) > 0) {
    return begin_windows(core, {.first = core_place(builder_, first, step, scalar(item)),
                                .step = step,
                                .count = count,
                                .items = items,
                                .lanes = lanes,
                                .reads = builder_.CreateICmpNE(scalar(core.getArgOperand(5)), builder_.getInt64(0))});
  }
  llvm::Value* const read = builder_.CreateMul(count, scalar(core.getArgOperand(5)));
  fill_tile(builder_, {bytes, width_.lanes, width_.all()}, scalar(&core), core_place(builder_, first, step, scalar(item)), step,
            read, items, lanes);
}

void Widener::end_core(llvm::CallInst& end, const Vectors& mask) {
  llvm::Value* const core = end.getArgOperand(0);
  if (!shapes_.is_private(core)) return;
  if (shapes_.window_bytes(*core) > 0) return close_window(*core);
  const auto bytes = static_cast<unsigned>(shapes_.interleaved(core));
  llvm::Value* const step = scalar(end.getArgOperand(2));
  llvm::Value* const count = builder_.CreateUDiv(scalar(end.getArgOperand(4)), builder_.getInt64(bytes));
  empty_tile(builder_, {bytes, width_.lanes, width_.all()}, scalar(core),
             core_place(builder_, scalar(end.getArgOperand(1)), step, scalar(end.getArgOperand(3))), step, count,
             count_of(mask));
}

}  // namespace kiln::clang_module::spmd
