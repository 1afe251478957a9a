; What a mask guards is computed for every element where it does nothing else. Operands may be read; integers are divided by 1
; where an element does not count, and blocks without one that counts are skipped.
; RUN: opt %plugin -passes='kiln-masked-bodies' -S %s | FileCheck %s

declare zeroext i1 @kiln_computes(i1 zeroext) memory(none)
declare zeroext i1 @kiln_leaves_blocks() memory(none)
declare float @tanf(float) nounwind willreturn memory(none)
declare float @kiln_of_lanes_float(float, ptr) nounwind willreturn memory(none)
declare void @llvm.assume(i1)

; CHECK-LABEL: define float @computes(
; CHECK: br i1 true, label %then, label %join
; CHECK-NOT: @llvm.assume
; CHECK: select i1 %counts, float %r, float 0
define float @computes(ptr %operands, i1 %counts, i64 %i) {
entry:
  %x = load ptr, ptr %operands
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %a = load float, ptr %at
  %more = fcmp ogt float %a, 0.0
  call void @llvm.assume(i1 %more)
  br i1 %more, label %positive, label %other
positive:
  %t = call float @tanf(float %a)
  br label %join
other:
  %l = call float @kiln_of_lanes_float(float %a, ptr null)
  %f = call float @harmless(float %l)
  br label %join
join:
  %r = phi float [ 0.0, %entry ], [ %t, %positive ], [ %f, %other ]
  %result = select i1 %counts, float %r, float 0.0
  ret float %result
}
define float @harmless(float %x) nounwind memory(none) noinline {
entry:
  %less = fcmp olt float %x, 1.0
  br i1 %less, label %end, label %root
root:
  %s = call float @llvm.sqrt.f32(float %x)
  br label %end
end:
  %r = phi float [ %x, %entry ], [ %s, %root ]
  ret float %r
}

; CHECK-LABEL: define i32 @divides(
; CHECK: store i1 true, ptr %skips
; CHECK: br i1 true
; CHECK: [[DIVISOR:%.*]] = select i1 %counts, i32 %b, i32 1
; CHECK-NEXT: sdiv i32 %a, [[DIVISOR]]
; CHECK-NEXT: urem i32 %q, 7
define i32 @divides(i32 %a, i32 %b, i1 %counts, ptr %skips) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  %leaves = call zeroext i1 @kiln_leaves_blocks()
  store i1 %leaves, ptr %skips
  br i1 %here, label %then, label %join
then:
  %q = sdiv i32 %a, %b
  %m = urem i32 %q, 7
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %m, %then ]
  ret i32 %r
}

; Other conditions may have been joined with the mask's. Without a division blocks are computed.
; CHECK-LABEL: define float @joined(
; CHECK: store i1 false, ptr %skips
; CHECK: %both = select i1 true, i1 %more, i1 false
; CHECK: br i1 %both
define float @joined(float %a, i1 %counts, ptr %skips) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  %leaves = call zeroext i1 @kiln_leaves_blocks()
  store i1 %leaves, ptr %skips
  %more = fcmp ogt float %a, 0.0
  %both = select i1 %here, i1 %more, i1 false
  br i1 %both, label %then, label %join
then:
  %t = call float @tanf(float %a)
  br label %join
join:
  %r = phi float [ 0.0, %entry ], [ %t, %then ]
  ret float %r
}
