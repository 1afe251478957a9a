; A local array of one element type is interleaved: an element of all lanes is contiguous. A uniform index gives a vector
; access, a varying one a gather.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[OWN:.*]] = alloca [256 x i8], align 64
; CHECK: %[[TWO:.*]] = getelementptr {{.*}}i8, ptr %[[OWN]], i64 128
; CHECK: store <8 x i32> %{{.*}}, ptr %[[TWO]]
; CHECK: shl {{.*}}, <i{{32|64}} 6,
; CHECK: call <8 x i32> @llvm.masked.gather
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  %own = alloca [4 x i32]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %two = getelementptr [4 x i32], ptr %own, i64 0, i64 2
  store i32 %v, ptr %two
  %at = and i32 %v, 3
  %place = getelementptr [4 x i32], ptr %own, i64 0, i32 %at
  %r = load i32, ptr %place
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
