; Loops of few iterations in functions annotated "kiln_rows" are kept from unrolling if vectors suit them. A remainder is
; computed under a mask. Integer divisions, strided elements and fewer than 4 iterations do not suit.
; RUN: opt %plugin -passes='kiln-short-rows<loop>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare float @llvm.exp.f32(float)

; CHECK-LABEL: @five(
; CHECK: br i1 %again, label %loop, label %exit, !llvm.loop ![[MASKED:[0-9]+]]
define void @five(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 5
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @thirty_two(
; CHECK: br i1 %again, label %loop, label %exit, !llvm.loop ![[KEPT:[0-9]+]]
define void @thirty_two(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 32
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @three(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
define void @three(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 3
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @quotients(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
define void @quotients(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr i32, ptr %x, i64 %k
  %v = load i32, ptr %from
  %twice = udiv i32 %v, 3
  %to = getelementptr i32, ptr %y, i64 %k
  store i32 %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 8
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @apart(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
define void @apart(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %three = mul nuw nsw i64 %k, 3
  %from = getelementptr float, ptr %x, i64 %three
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 8
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @no_mask_registers(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
define void @no_mask_registers(ptr noalias %x, ptr noalias %y) #2 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 5
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @functions(
; CHECK: br i1 %again, label %loop, label %exit, !llvm.loop ![[WIDE:[0-9]+]]
define void @functions(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = call float @llvm.exp.f32(float %v)
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 5
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
; CHECK-LABEL: @not_a_row(
; CHECK: br i1 %again, label %loop, label %exit{{$}}
; CHECK: ![[MASKED]] = distinct !{![[MASKED]], ![[NO_UNROLL:[0-9]+]], ![[VECTORS:[0-9]+]], ![[MASK:[0-9]+]]}
; CHECK: ![[NO_UNROLL]] = !{!"llvm.loop.unroll.disable", i32 1}
; CHECK: ![[VECTORS]] = !{!"llvm.loop.vectorize.enable", i32 1}
; CHECK: ![[MASK]] = !{!"llvm.loop.vectorize.predicate.enable", i32 1}
; CHECK: ![[KEPT]] = distinct !{![[KEPT]], ![[NO_UNROLL]]}
; CHECK: ![[WIDE]] = distinct !{![[WIDE]], ![[NO_UNROLL]], ![[VECTORS]], ![[MASK]], ![[SIXTEEN:[0-9]+]]}
; CHECK: ![[SIXTEEN]] = !{!"llvm.loop.vectorize.width", i32 16}
define void @not_a_row(ptr noalias %x, ptr noalias %y) #1 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %from
  %twice = fadd float %v, %v
  %to = getelementptr float, ptr %y, i64 %k
  store float %twice, ptr %to
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 8
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
attributes #0 = { "kiln-rows" "target-cpu"="x86-64-v4" "prefer-vector-width"="512" }
attributes #1 = { "target-cpu"="x86-64-v4" }
attributes #2 = { "kiln-rows" "target-cpu"="x86-64-v3" }
