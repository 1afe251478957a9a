; A local array whose address is passed on is contiguous for each lane. The callee gets that lane's array.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @sum(ptr)

; CHECK-LABEL: @kiln_threads(
; CHECK: alloca [256 x i8], align 64
; CHECK: getelementptr i8, ptr %{{.*}}, <8 x i64> <i64 0, i64 16, i64 32,
; CHECK: call void @llvm.masked.scatter.v8i32
; CHECK: call i32 @sum(ptr
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  %own = alloca [4 x i32]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %place = getelementptr [4 x i32], ptr %own, i64 0, i64 1
  store i32 %v, ptr %place
  %r = call i32 @sum(ptr %own)
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
