; A body with irreducible control flow is refused.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} it jumps into a loop
; CHECK-LABEL: @jumps(
; CHECK-NOT: <{{[0-9]+}} x i32>
; CHECK: ret void
define void @jumps(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %one, label %other
one:
  %a = phi i32 [ %v, %item ], [ %b.next, %other ]
  %a.next = udiv i32 %a, 3
  %less = icmp ult i32 %a, 9
  br i1 %less, label %end, label %other
other:
  %b = phi i32 [ %v, %item ], [ %a.next, %one ]
  %b.next = lshr i32 %b, 1
  br label %one
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %a.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
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
