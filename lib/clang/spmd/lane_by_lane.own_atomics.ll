; The memory of a block belongs to one thread of the host: operations of its lanes are not atomic.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_shared_memory() #1

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: load i32
; CHECK: store i32
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %shared = call ptr @kiln_shared_memory()
  %wide = zext i32 %v to i64
  %place = getelementptr i32, ptr %shared, i64 %wide
  %unused = atomicrmw add ptr %shared, i32 1 seq_cst, align 4
  %old = atomicrmw add ptr %place, i32 1 seq_cst, align 4
  %both = cmpxchg ptr %place, i32 %old, i32 3 seq_cst seq_cst
  %r = extractvalue { i32, i1 } %both, 0
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
