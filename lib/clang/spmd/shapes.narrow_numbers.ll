; A 32-bit index may wrap before it is extended, so its elements are not known to be contiguous.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: load <8 x i32>
; CHECK-COUNT-4: call <8 x i32> @llvm.masked.gather
; CHECK: store <8 x i32>
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %narrow = trunc i64 %i to i32
  %sum = add i32 %narrow, %m
  %wide = zext i32 %sum to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %from
  %also = getelementptr i32, ptr %x, i32 %narrow
  %w = load i32, ptr %also
  %r = add i32 %v, %w
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
