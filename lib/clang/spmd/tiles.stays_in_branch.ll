; An item's place that depends on its branch cannot move out of it, and has no tile.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @some(
; CHECK-NOT: kiln_tile
; CHECK: call <8 x float> @llvm.masked.gather
; CHECK: ret void
define void @some(ptr noalias %x, ptr noalias %y, ptr noalias %w, ptr noalias %z, ptr noalias %u, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %weight = getelementptr float, ptr %w, i64 %i
  %v = load float, ptr %weight
  %some = fcmp ogt float %v, 0.0
  br i1 %some, label %sum, label %end
sum:
  %offset = load i64, ptr %z
  %first = getelementptr i8, ptr %x, i64 %offset
  %core = call ptr @kiln_core(ptr %first, i64 256, i64 %i, i64 256, i64 256, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %sum ], [ %k.next, %loop ]
  %s = phi float [ %v, %sum ], [ %s.next, %loop ]
  %from = getelementptr float, ptr %core, i64 %k
  %e = load float, ptr %from
  %s.next = fadd float %s, %e
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %r = phi float [ %v, %item ], [ %s.next, %loop ]
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
  %also = getelementptr float, ptr %u, i64 %i
  store float %r, ptr %also
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
