// One call of Ufunc::at, step by step: check, place, choose the loop, read the indices, launch. Lives on the stack.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "call/place.hpp"
#include "kinds/scatter/launch.hpp"
#include "ufunc/impl.hpp"

namespace kiln::ufunc {

class AtCall {
 public:
  /// `value` is null where the user gave no second operand. Throws TypeError and ShapeError for what the arguments alone tell.
  AtCall(const detail::UfuncImpl& ufunc, Array target, std::span<const Array> indices, const Arg* value,
         const AtOptions& options);

  void run();
  /// Its loop, of a call that is only planned.
  const Loop& plan();
  /// After plan(): what run() would load for such a device.
  [[nodiscard]] std::vector<program::Request> requests(DeviceKind kind) const;

 private:
  void check_ufunc() const;
  void check_arrays() const;
  void choose_loop();
  void convert_scalar_operand();
  void check_shapes();
  void check_indices(std::span<const Array> indices) const;
  void bring_to_device();
  void look_for_bad_indices(backend::Backend& backend);
  void read_indices();
  void fold_into_one(const std::vector<std::int64_t>& offsets);
  void separate_overlaps();
  void record(Recorder& recorder, const detail::ArrayRep& target) const;
  [[nodiscard]] MethodVariant variant() const;
  [[nodiscard]] kinds::ScatterLaunch launch() const;
  [[nodiscard]] std::string index_name(std::size_t i) const;

  const detail::UfuncImpl& ufunc_;
  const std::string what_;  // "add.at"
  Array target_;
  std::vector<Array> indices_;
  const Arg* scalar_ = nullptr;  // a second operand that is no array
  Array value_;                  // the second operand as an array; empty where there is none, or none yet
  backend::Queue* queue_;

  call::Place place_;
  bool gpu_ = false;
  detail::UfuncImpl::MethodPlan* plan_ = nullptr;
  const Variant* kernel_ = nullptr;
  Shape shape_;  // of the indices, broadcast together
  Shape full_;   // with the axes of the target that are not indexed
  // Of a GPU:
  bool checked_ = false;
  bool one_index_ = false;  // the indices are offsets into the target
  Array order_;
  Array starts_;
};

}  // namespace kiln::ufunc
