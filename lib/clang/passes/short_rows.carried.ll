; A loop-carried sum in order is kept from unrolling for the vectorizer over items. If that does not take the loop, LLVM may
; unroll it.
; RUN: opt %plugin -passes='kiln-short-rows<loop>' -S %s | FileCheck %s
; RUN: opt %plugin -passes='kiln-short-rows<loop>,kiln-spmd' -S %s | FileCheck --check-prefix=UNROLLS %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @sums(
; CHECK: br i1 %again, label %loop, label %exit, !llvm.loop ![[KEPT:[0-9]+]]
; UNROLLS-LABEL: @sums(
; UNROLLS-NOT: kiln.carried
; UNROLLS-NOT: llvm.loop.unroll.disable
define void @sums(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 20
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; The loop around goes along elements at unit stride: LLVM can take that.
; CHECK-LABEL: @columns(
; CHECK: br i1 %again, label %loop, label %end{{$}}
define void @columns(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %row = mul nuw nsw i64 %k, 100
  %at = add nuw nsw i64 %row, %i
  %from = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 20
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 100
  br i1 %ends, label %exit, label %item
exit:
  ret void
}

; CHECK-LABEL: @few(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
; CHECK: ![[KEPT]] = distinct !{![[KEPT]], ![[CARRIED:[0-9]+]], ![[NO_UNROLL:[0-9]+]]}
; CHECK: ![[CARRIED]] = !{!"kiln.carried", i32 1}
; CHECK: ![[NO_UNROLL]] = !{!"llvm.loop.unroll.disable", i32 1}
define void @few(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 8
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
attributes #0 = { "kiln-rows" "target-cpu"="x86-64-v4" "prefer-vector-width"="512" }
