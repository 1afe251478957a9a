; Threads that exchange values through memory are computed by whole warps, whose lanes are in lockstep: all of them write before
; one of them reads, and nothing stands between.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @kiln_lockstep() convergent
declare i64 @kiln_together() memory(none)

; CHECK-LABEL: @kiln_threads(
; CHECK-SAME: #[[THREADS:[0-9]+]]
; CHECK-NOT: @kiln_lockstep
; CHECK-COUNT-4: masked.store.v8i32
; CHECK-COUNT-4: masked.load.v8i32
; CHECK: attributes #[[THREADS]] = {{.*}}"kiln-lanes"="32"
define ptr @kiln_threads(ptr noalias %x, ptr %posted, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %together = call i64 @kiln_together()
  %value = trunc i64 %together to i32
  %own = getelementptr i32, ptr %posted, i64 %i
  store i32 %value, ptr %own
  call void @kiln_lockstep()
  %other = getelementptr i32, ptr %own, i64 1
  %v = load i32, ptr %other
  %to = getelementptr i32, ptr %x, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
