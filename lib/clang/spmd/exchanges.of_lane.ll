; One lane's value for all lanes is an element of its vector, and uniform.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @kiln_of_lane.i32(i32, i32)

; CHECK-LABEL: @kiln_threads(
; CHECK: load <8 x i32>
; CHECK: load <8 x i32>
; CHECK: %[[THIRD:.*]] = load <8 x i32>
; CHECK: shufflevector <8 x i32> %[[THIRD]], <8 x i32> poison, <8 x i32> <i32 3, i32 3, i32 3, i32 3,
; CHECK: add <8 x i32>
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %one = call i32 @kiln_of_lane.i32(i32 %v, i32 19) #1
  %r = add i32 %v, %one
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 32
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { convergent nounwind }

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = !{!"llvm.loop.vectorize.width", i32 32}
