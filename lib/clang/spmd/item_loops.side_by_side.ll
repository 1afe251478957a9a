; Items at unit stride are lanes, even if LLVM could vectorize each item's loop. Each element of one item is in a cache line of
; its own.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @sums(
; CHECK: lanes:
; CHECK: load <8 x float>
; CHECK: fadd reassoc <8 x float>
; CHECK: ret void
define void @sums(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %row = mul nuw nsw i64 %k, %n
  %at = add nuw nsw i64 %row, %i
  %from = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %from
  %sum = fadd reassoc float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 200
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @convolution(
; CHECK: lanes:
; CHECK: load <8 x float>
; CHECK: fadd reassoc <8 x float>
; CHECK: ret void
define void @convolution(ptr noalias %x, ptr noalias %y, ptr noalias %w, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %at = add nuw nsw i64 %k, %i
  %from = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %from
  %place = getelementptr float, ptr %w, i64 %k
  %weight = load float, ptr %place
  %product = fmul float %v, %weight
  %sum = fadd reassoc float %s, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 200
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
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
