; Inactive lanes divide 0 by an odd number. The operands are frozen first: LLVM took a poison 8 >> n for not zero. The divisor is
; not selected: InstCombine divides by both sides of a select, and a constant vector with one zero made all lanes poison.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @guarded(
; CHECK: %[[OFF:.*]] = xor <8 x i1> %[[ON:.*]], <i1 true,
; CHECK: %[[BITS:.*]] = lshr exact <8 x i32> <i32 8, i32 8,
; CHECK: %[[DIVIDEND:.*]] = select <8 x i1> %[[ON]], <8 x i32> %{{.*}}, <8 x i32> zeroinitializer
; CHECK: %[[ODD:.*]] = zext <8 x i1> %[[OFF]] to <8 x i32>
; CHECK: %[[DIVISOR:.*]] = freeze <8 x i32> %[[BITS]]
; CHECK: %[[SAFE:.*]] = or <8 x i32> %[[DIVISOR]], %[[ODD]]
; CHECK: udiv <8 x i32> %[[DIVIDEND]], %[[SAFE]]
; CHECK: ret void
define void @guarded(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %d = lshr exact i32 8, %v
  %q = udiv i32 %v, %d
  br label %end
end:
  %r = phi i32 [ %v, %item ], [ %q, %then ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @for_all(
; CHECK-NOT: select
; CHECK: udiv <8 x i32>
; CHECK-NOT: select
; CHECK: ret void
define void @for_all(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %d = or i32 %v, 1
  %r = udiv i32 %v, %d
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
