; Volatile accesses are refused, and the loop is known for one item at a time.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} it reads or writes what is volatile
; CHECK-LABEL: @reads(
; CHECK-NOT: <{{[0-9]+}} x i
; CHECK: ret void
; CHECK: !"kiln.loop.scalar_items"
define void @reads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load volatile i32, ptr %from
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
