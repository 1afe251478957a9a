; A local array that holds elements of two sizes is contiguous for each lane: a half of an int64 is where that is.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[OWN:.*]] = alloca [128 x i8], align 64
; CHECK: getelementptr i8, ptr %[[OWN]], <4 x i64> <i64 0, i64 16, i64 32, i64 48>
; CHECK: call void @llvm.masked.scatter.v4i64
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  %own = alloca [2 x i64]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %wide = sext i32 %v to i64
  store i64 %wide, ptr %own
  %behind = getelementptr i8, ptr %own, i64 4
  %r = load i32, ptr %behind
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
