// From what of a layout holds everywhere to the variant of each processor.
#include "ufunc/layout_class.hpp"
#include "kernel/elementwise/spec.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

using namespace kiln;
using kinds::Access;
using ufunc::LayoutClass;
using ufunc::Packing;

namespace {

ufunc::Loop loop_of(const char* text) {
  return ufunc::fixed_loops(std::vector{signature::parse(text)}).at(0);
}

LayoutClass class_of(std::initializer_list<Access> accesses, int rank = 1) {
  LayoutClass made;
  std::size_t i = 0;
  for (const Access how : accesses) made.set_access(i++, how);
  made.rank = static_cast<std::uint8_t>(rank);
  return made;
}

}  // namespace

TEST_CASE("the width of packs is 16 bytes of the narrowest, within two accesses of the widest") {
  const auto width = [](const char* signature, const LayoutClass& how) {
    const ufunc::Loop loop = loop_of(signature);
    return ufunc::specialize(loop, ufunc::dtypes_of(loop), how, DeviceKind::cuda).width;
  };
  CHECK(width("float32(float32 a)", {}) == 4);
  CHECK(width("float64(float64 a)", {}) == 2);
  CHECK(width("int8(int8 a)", {}) == 16);
  CHECK(width("complex128(complex128 a)", {}) == 1);
  CHECK(width("float64(int8 a)", {}) == 4);
  LayoutClass ragged;
  ragged.packs = Packing::single;
  CHECK(width("float32(float32 a)", ragged) == 1);
  ragged.packs = Packing::narrow;
  CHECK(width("float32(float32 a)", ragged) == 2);
  CHECK(width("float16(float16 a)", ragged) == 4);
  CHECK(width("int8(int8 a)", ragged) == 4);
  CHECK(width("float64(float64 a)", ragged) == 1);
  ragged.packs = Packing::peeled;
  CHECK(width("float16(float16 a)", ragged) == 8);
  // Elements of a thread.
  ragged.packs = Packing::strips;
  CHECK(width("int8(int8 a)", ragged) == 16);
  CHECK(width("float64(float64 a)", ragged) == 4);
  CHECK(width("complex128(complex128 a)", ragged) == 1);
  // Only what is contiguous counts.
  CHECK(width("float32(int8 a)", class_of({Access::strided, Access::contiguous})) == 4);
  CHECK(width("float32(float32 a)", class_of({Access::strided, Access::strided})) == 1);
}

TEST_CASE("what each processor takes of a layout") {
  const ufunc::Loop loop = loop_of("float32(float32 a, float32 b)");
  LayoutClass all = class_of({Access::contiguous, Access::scalar, Access::contiguous}, 5);
  all.wide_index = all.in_place = true;
  const std::vector<DType> storage{DType::float16, DType::float32, DType::float64};
  const auto gpu = ufunc::specialize(loop, storage, all, DeviceKind::hip);
  CHECK(gpu.rank == 5);
  CHECK(gpu.width == 4);   // 16 bytes of float16 are 8, 32 of float64 are 4
  CHECK(gpu.unroll == 4);  // 8 bytes in a pack that is loaded
  CHECK(gpu.wide_index);
  CHECK(gpu.aliased);
  CHECK(gpu.inputs.at(0).storage == DType::float16);
  CHECK(gpu.inputs.at(0).compute == DType::float32);
  CHECK(gpu.inputs.at(1).access == Access::scalar);
  CHECK(gpu.outputs.at(0).storage == DType::float64);
  const auto cpu = ufunc::specialize(loop, storage, all, DeviceKind::cpu);
  CHECK(cpu.rank == 2);
  CHECK(cpu.width == 1);
  CHECK(cpu.unroll == 1);
  CHECK_FALSE(cpu.wide_index);
  CHECK_FALSE(cpu.aliased);
  CHECK(cpu.outputs.at(0).storage == DType::float64);
}

TEST_CASE("a kernel that goes by tiles has neither packs nor wide indices") {
  const ufunc::Loop loop = loop_of("float32(float32 a, float32 b)");
  LayoutClass tiled = class_of({Access::strided, Access::contiguous, Access::contiguous}, 2);
  tiled.tile = 32;
  tiled.across = 1;
  tiled.wide_index = true;
  const auto spec = ufunc::specialize(loop, ufunc::dtypes_of(loop), tiled, DeviceKind::cuda);
  CHECK(spec.tile == 32);
  CHECK(spec.inputs.at(0).access == Access::across);
  CHECK(spec.inputs.at(1).access == Access::contiguous);
  CHECK(spec.width == 1);
  CHECK(spec.unroll == 4);  // 4 bytes beside what the tiles have
  CHECK_FALSE(spec.wide_index);
}

TEST_CASE("the loop of given dtypes is the first signature's that has it") {
  const std::vector signatures{signature::parse("T(T a, T b) where T: float32, float64"),
                               signature::parse("float64(float64, int8)"), signature::parse("U(U, V)")};
  using D = DType;
  const auto text = [&](std::vector<D> dtypes) {
    const auto loop = ufunc::find_loop(signatures, dtypes);
    return loop ? loop->text : "none";
  };
  CHECK(text({D::float32, D::float32, D::float32}) == "float32(float32 a, float32 b)");
  CHECK(text({D::float64, D::int8, D::float64}) == "float64(float64, int8)");
  CHECK(text({D::int8, D::int16, D::int8}) == "int8(int8, int16)");
  CHECK(text({D::int8, D::int16, D::int16}) == "none");
  CHECK(text({D::int8, D::int16}) == "none");
  CHECK(ufunc::find_loop(signatures, std::vector{D::int8, D::int16, D::int8})->variables.at(1).second == D::int16);
}

TEST_CASE("names of variants") {
  CHECK(ufunc::variant_name(class_of({Access::contiguous, Access::contiguous}), 2) == "contiguous");
  CHECK(ufunc::variant_name(class_of({Access::broadcast, Access::contiguous}, 2), 2) == "inner-contiguous");
  CHECK(ufunc::variant_name(class_of({Access::contiguous, Access::strided}), 2) == "strided");
  LayoutClass tiled = class_of({Access::contiguous, Access::strided}, 2);
  tiled.tile = 32;
  CHECK(ufunc::variant_name(tiled, 2) == "tiled");
}

TEST_CASE("stand-ins are right for the layout: each differs only towards the general") {
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    for (const int rank : {1, 2}) {
      LayoutClass own =
          class_of({Access::contiguous, Access::broadcast, Access::scalar, Access::strided, Access::contiguous}, rank);
      own.wide_index = kind == DeviceKind::cuda && rank == 2;
      const auto all = ufunc::stand_ins(own, 5, kind);
      REQUIRE(all.size() > 1);
      CHECK(all.front() == own);
      for (const LayoutClass& each : all) {
        CHECK(each.rank >= own.rank);
        CHECK(each.rank <= (kind == DeviceKind::cpu ? 2 : 8));
        CHECK((each.wide_index || !own.wide_index));
        CHECK(each.masking == own.masking);
        for (std::size_t i = 0; i < 5; ++i) {
          const Access before = own.access_of(i);
          const Access now = each.access_of(i);
          CHECK((now == before || (now == Access::strided && before != Access::scalar)));
        }
        // Packs are known to fit where the layout is just this one.
        if (kind == DeviceKind::cuda && each.packs != Packing::single)
          CHECK((each.access == own.access && each.rank == own.rank));
      }
    }
  }
  LayoutClass in_place = class_of({Access::contiguous, Access::contiguous});
  in_place.in_place = true;
  for (const LayoutClass& each : ufunc::stand_ins(in_place, 2, DeviceKind::cuda)) CHECK(each.in_place);
}

TEST_CASE("kernels with tiles and without stand in for one another") {
  const LayoutClass plain = class_of({Access::strided, Access::contiguous, Access::contiguous}, 2);
  LayoutClass tiled = plain;
  tiled.tile = 32;
  tiled.across = 1;
  const auto all = ufunc::stand_ins(tiled, 3, DeviceKind::cuda);
  CHECK(all.front() == tiled);
  const auto without = ufunc::stand_ins(plain, 3, DeviceKind::cuda);
  for (const LayoutClass& each : without) {
    CHECK(each.tile == 0);
    CHECK(std::find(all.begin(), all.end(), each) != all.end());
  }
  CHECK(all.size() == without.size() + 2);
  // Tiles are right for arrays that are too small for them.
  const ufunc::Tiling by{.across = 1, .side = 32};
  const auto small = ufunc::stand_ins(plain, 3, DeviceKind::cuda, by);
  CHECK(small.front() == plain);
  CHECK(small.size() == without.size() + 2);
  CHECK(std::find(small.begin(), small.end(), tiled) != small.end());
  // Arrays of other sizes that lie the same way.
  const ufunc::CallForm form{.operands = 3, .inputs = 2, .dimensions = 2, .tiling = by};
  for (const LayoutClass& met : {plain, tiled}) {
    const auto sizes = ufunc::of_all_sizes(met, form, DeviceKind::cuda);
    CHECK(sizes.size() == 8);
    CHECK(sizes.front() == met);
    for (const LayoutClass& other : {plain, tiled}) CHECK(std::find(sizes.begin(), sizes.end(), other) != sizes.end());
  }
}

TEST_CASE("arrays of other sizes and alignments have other kernels on GPUs alone") {
  const LayoutClass own = class_of({Access::contiguous, Access::contiguous});
  const ufunc::CallForm unary{.operands = 2, .inputs = 1, .dimensions = 3};
  CHECK(ufunc::of_all_sizes(own, unary, DeviceKind::cpu) == std::vector{own});
  const auto all = ufunc::of_all_sizes(own, unary, DeviceKind::cuda);
  REQUIRE(all.size() == 6);
  CHECK(all.front() == own);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(all[i] == all[j]);
  }
}

TEST_CASE("what extents of 1 lead to has one kernel that is right for all of it") {
  const ufunc::CallForm binary{.operands = 4, .inputs = 3, .dimensions = 3};
  const LayoutClass own = class_of({Access::contiguous, Access::contiguous, Access::scalar, Access::contiguous});
  LayoutClass any = class_of({Access::strided, Access::strided, Access::scalar, Access::strided}, 2);
  CHECK(ufunc::of_all_sizes(own, binary, DeviceKind::cpu) == std::vector{own, any});
  CHECK(ufunc::of_all_sizes(any, binary, DeviceKind::cpu) == std::vector{any});
  any.rank = 3;
  any.packs = Packing::single;
  any.wide_index = any.in_place = true;
  const auto all = ufunc::of_all_sizes(own, binary, DeviceKind::cuda);
  REQUIRE(all.size() == 7);
  CHECK(all.back() == any);
  // Calls of more dimensions than a kernel takes are several launches.
  CHECK(ufunc::of_all_sizes(own, {.operands = 4, .inputs = 3, .dimensions = 12}, DeviceKind::cuda).back().rank == 8);
  for (const Access first : {Access::contiguous, Access::broadcast}) {
    const LayoutClass met = class_of({first, Access::broadcast, Access::scalar, Access::contiguous}, 2);
    const auto right = ufunc::stand_ins(met, 4, DeviceKind::cuda);
    CHECK(std::find(right.begin(), right.end(), any) != right.end());
  }
  // A part of a row's elements: one dimension with strides where there is one of it, and several else.
  const ufunc::CallForm unary{.operands = 2, .inputs = 1, .dimensions = 2};
  CHECK(ufunc::of_all_sizes(class_of({Access::contiguous, Access::contiguous}, 2), unary, DeviceKind::cpu).size() == 2);
}
