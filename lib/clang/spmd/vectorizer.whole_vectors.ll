; A number of items that is a multiple of the lanes needs no masks.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @copy(
; CHECK: lanes:
; CHECK: %[[I:i[0-9]*]] = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %lanes ]
; CHECK-NOT: masked
; CHECK-NOT: <8 x i1>
; CHECK: store <8 x i32>
; CHECK: %[[NEXT]] = add i64 %[[I]], 16
; CHECK-NOT: masked
; CHECK: ret void
define void @copy(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  %whole = shl nuw nsw i64 %n, 4
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %whole
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
