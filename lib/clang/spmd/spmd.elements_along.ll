; Items one behind the other are refused if LLVM can vectorize their loops along each item.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK: remark: {{.*}} elements of one item are adjacent, those of several are not
; CHECK-LABEL: @doubles(
; CHECK-NOT: kiln_core
; CHECK-NOT: <{{[0-9]+}} x float>
; CHECK: ret void
define void @doubles(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %a = call ptr @kiln_core(ptr %x, i64 4096, i64 %i, i64 4096, i64 4096, i64 1, i64 0)
  %b = call ptr @kiln_core(ptr %y, i64 4096, i64 %i, i64 4096, i64 4096, i64 0, i64 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %b, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 1024
  br i1 %again, label %loop, label %end
end:
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
