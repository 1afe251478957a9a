; An atomic operation is done lane by lane if its result is used or its address varies. So are exchanges and sums of float32,
; whose order matters.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: reduce
; CHECK: atomicrmw add ptr %z, i32
; CHECK: insertelement <8 x i32>
; CHECK: atomicrmw add ptr %{{[0-9]+}}, i32 1 monotonic
; CHECK-COUNT-8: atomicrmw xchg ptr %z
; CHECK-COUNT-8: atomicrmw fadd ptr %z
; CHECK-NOT: reduce
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %old = atomicrmw add ptr %z, i32 %v monotonic, align 4
  %wide = sext i32 %v to i64
  %place = getelementptr i32, ptr %z, i64 %wide
  %other = atomicrmw add ptr %place, i32 1 monotonic, align 4
  %last = atomicrmw xchg ptr %z, i32 %v monotonic, align 4
  %single = bitcast i32 %v to float
  %rounded = atomicrmw fadd ptr %z, float %single monotonic, align 4
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %old, ptr %to
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
