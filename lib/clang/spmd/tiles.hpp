// Cores of neighbouring items, which are consecutive in memory, in tiles: element e of all lanes adjacent.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace kiln::clang_module::spmd {

/// Gives an item's core: kernels-src/gufunc/cpu.hpp says its arguments.
inline constexpr llvm::StringRef kCoreName = "kiln_core";
/// Stands behind all that is done with an output's.
inline constexpr llvm::StringRef kCoreEndName = "kiln_core_end";

/// The call, if it gives a core, else null; and if it ends one.
[[nodiscard]] const llvm::CallInst* core_of(const llvm::Value* value);
[[nodiscard]] bool ends_core(const llvm::Value* value);
/// Bytes that a core has at most.
[[nodiscard]] std::uint64_t core_room(const llvm::CallInst& core);

/// Where an item's core is in memory. `item`: its number, or those of several lanes.
[[nodiscard]] llvm::Value* core_place(llvm::IRBuilderBase& build, llvm::Value* first, llvm::Value* step, llvm::Value* item);

/// How tiles are made of elements.
struct TileShape {
  unsigned bytes;  ///< of an element: 4 or 8
  unsigned lanes;  ///< of a register
  unsigned all;    ///< of the tile
};

/// Puts cores `step` bytes apart into a tile, or back: elements 0 … count - 1 of the first `items` lanes. Of the lanes behind
/// them, as far as the first `lanes`, the tile gets the last item's, so that what they compute takes no longer.
void fill_tile(llvm::IRBuilderBase& build, TileShape shape, llvm::Value* tile, llvm::Value* first, llvm::Value* step,
               llvm::Value* count, llvm::Value* items, llvm::Value* lanes);
void empty_tile(llvm::IRBuilderBase& build, TileShape shape, llvm::Value* tile, llvm::Value* first, llvm::Value* step,
                llvm::Value* count, llvm::Value* items);

/// Items one at a time: cores are where they are. Whether there were any.
bool leave_cores_in_place(llvm::Function& function);

}  // namespace kiln::clang_module::spmd
