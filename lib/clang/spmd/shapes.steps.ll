; Strides go through sums, differences, products with constants, shifts and addresses. Unit stride is found behind them.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: gather
; CHECK: load <8 x i32>, ptr %from
; CHECK-NOT: gather
; CHECK: load <8 x i32>, ptr %also
; CHECK-NOT: gather
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %ten = mul i64 %i, 10
  %nine = sub i64 %ten, %i
  %one = sub i64 %ten, %nine
  %from = getelementptr i32, ptr %x, i64 %one
  %v = load i32, ptr %from
  %two = shl i64 %i, 1
  %also = getelementptr i16, ptr %z, i64 %two
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
