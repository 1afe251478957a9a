; "or disjoint" holds for active lanes only. The scalar copy for the first lane, which may be inactive, is a sum.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: or disjoint
; CHECK-NOT: or i64
; CHECK: add
; CHECK-SAME: %offset
; CHECK-NOT: or disjoint
; CHECK-NOT: or i64
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, i64 %offset) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %even = and i32 %v, 1
  %is.even = icmp eq i32 %even, 0
  br i1 %is.even, label %then, label %end
then:
  %double = shl i64 %i, 1
  %behind = or disjoint i64 %double, %offset
  %q = trunc i64 %behind to i32
  br label %end
end:
  %r = phi i32 [ %v, %item ], [ %q, %then ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
