; The value of the lane a constant number of lanes ahead is a shuffle of two vectors. The warp's last lanes keep their own
; value.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @kiln_from_lane_below.i32(i32, i32)

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[FIRST:.*]] = load <8 x i32>
; CHECK: %[[SECOND:.*]] = load <8 x i32>
; CHECK-DAG: shufflevector <8 x i32> %[[FIRST]], <8 x i32> %[[SECOND]], <8 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9>
; CHECK-DAG: shufflevector <8 x i32> %{{.*}}, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 6, i32 7>
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %r = call i32 @kiln_from_lane_below.i32(i32 %v, i32 2) #1
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
