// One reduction, seen by one thread: walks the tiles and leaves of its cut, has the kernel compute states, and combines them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "device/stop_request.hpp"
#include "kernel/reduction/cut.hpp"
#include "kernel/reduction/reduced_place.hpp"

namespace kiln::kinds {

class Reducer : private ReducedPlace {
 public:
  /// At most `chunk` leaves of a tile are computed at once. Throws Stopped between two leaves if `stop` is due.
  Reducer(const CpuReduction& kernel, const ReductionLaunch& launch, const ReductionCut& cut, std::int64_t chunk,
          const backend::StopRequest* stop);

  /// All of the tiles [begin, end), with their results.
  void tiles(std::int64_t begin, std::int64_t end);
  /// The states of leaves [begin, end) of a tile, to `to`.
  void part(std::int64_t tile, std::int64_t begin, std::int64_t end, char* to);
  /// The results of a tile from the states of its parts, consecutively.
  void join(std::int64_t tile, const char* parts, std::int64_t count);

  /// Bytes of the states of a tile.
  [[nodiscard]] std::int64_t tile_bytes() const noexcept { return cut_.width * kernel_.state_size; }

 private:
  using Form = ReductionCut::Form;
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };

  void require_not_due() const {
    if (stop_ != nullptr) [[unlikely]]
      stop_->require_not_due(backend::kPartlyWritten);
  }
  void begin_tile(std::int64_t tile);
  [[nodiscard]] char* slot(std::int64_t depth) const noexcept { return stack_ + depth * slot_bytes_; }
  void push();
  char* collapse();
  void states(std::int64_t begin, std::int64_t end);
  void fold_tile();
  void fold_leaf(std::int64_t number, char* state, bool fresh);
  void gather_stretch(int operand, std::int64_t count);
  void number_stretch(std::int64_t count);
  void number_rows(char* list, std::int64_t rows, std::int64_t columns) const;
  void rows_leaf(std::int64_t rows, char* to, bool fresh);
  void narrow_leaf(std::int64_t rows, char* to);
  void transposed_leaf(std::int64_t rows, char* to);
  void* const* inputs_of_tile();
  void finish(const char* from);

  alignas(64) std::array<char, 4096> inline_;  // a small reduction needs no heap; not cleared
  const ReductionCut& cut_;
  const backend::StopRequest* const stop_;
  std::int64_t columns_ = 1;  // of the tile
  std::int64_t tile_outputs_ = 0;
  std::int64_t depth_ = 0;
  std::int64_t pushed_ = 0;
  std::int64_t slot_bytes_ = 0;
  char* stack_ = nullptr;
  char* spare_ = nullptr;  // states of a part of a narrow leaf
  std::array<CpuIndex, kCpuReduceRows> numbers_;
  CpuIndex output_ = {};                   // the numbers of the tile's outputs
  std::vector<std::int64_t> output_list_;  // where they do not rise by one
  std::array<void*, kMaxOperands> inputs_;
  std::array<char*, kMaxOperands> buffer_;
  std::array<void*, kMaxOperands * kCpuReduceRows> addresses_;
  std::unique_ptr<char, Free> heap_;
};

}  // namespace kiln::kinds
