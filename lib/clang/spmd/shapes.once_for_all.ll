; Uniform operations are done once: arithmetic, loads, and calls without side effects. A call that may write is made for each
; lane.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @pure(i32) #1
declare i32 @writes(i32) #2

; CHECK-LABEL: @kiln_threads(
; CHECK: load i32, ptr %z
; CHECK: mul i32
; CHECK: call i32 @pure(
; CHECK-NOT: call i32 @pure(
; CHECK: call i32 @writes(
; CHECK: insertelement <8 x i32>
; CHECK: call i32 @writes(
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %number = load i32, ptr %z
  %square = mul i32 %number, %number
  %known = call i32 @pure(i32 %square)
  %told = call i32 @writes(i32 %square)
  %some = add i32 %known, %told
  %r = add i32 %v, %some
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #2 = { nounwind willreturn }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
