; A vector form of a function is used at the vector's width, twice at half the width, or once at a larger width.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare float @exact(float)
declare float @half(float)
declare float @wide(float)
declare <4 x float> @four(<4 x float>)
declare <8 x float> @eight(<8 x float>)
declare <16 x float> @sixteen(<16 x float>)

; CHECK-LABEL: @call_exact(
; CHECK-COUNT-2: call <8 x float> @eight(<8 x float>
; CHECK-NOT: call
; CHECK: ret void
define void @call_exact(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  %r = call float @exact(float %v) #1
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @call_half(
; CHECK: %[[UPPER:.*]] = shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; CHECK: call <4 x float> @four(<4 x float> %[[UPPER]])
; CHECK: ret void
define void @call_half(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  %r = call float @half(float %v) #2
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @call_wide(
; CHECK: call <16 x float> @sixteen(
; CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: ret void
define void @call_wide(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  %r = call float @wide(float %v) #3
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_exact(four),_ZGV_LLVM_N8v_exact(eight),_ZGV_LLVM_N16v_exact(sixteen)" }
attributes #2 = { nounwind memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_half(four)" }
attributes #3 = { nounwind memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N16v_wide(sixteen)" }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
