; Intrinsics have vector forms. An intrinsic with a scalar operand is called lane by lane if that operand varies.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.powi.f32.i32(float, i32)

; CHECK-LABEL: @fused(
; CHECK: call nnan <8 x float> @llvm.fma.v8f32(<8 x float> %{{.*}}, <8 x float> %{{.*}}, <8 x float> <float 1
; CHECK: ret void
define void @fused(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  %r = call nnan float @llvm.fma.f32(float %v, float %v, float 1.0)
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @powers(
; CHECK: call <8 x float> @llvm.powi.v8f32.i32(<8 x float> %{{.*}}, i32 %k)
; CHECK: call float @llvm.powi.f32.i32(float %{{.*}}, i32 %{{.*}})
; CHECK: ret void
define void @powers(ptr noalias %x, ptr noalias %y, i32 %k) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  %n = fptosi float %v to i32
  %same = call float @llvm.powi.f32.i32(float %v, i32 %k)
  %r = call float @llvm.powi.f32.i32(float %same, i32 %n)
  %to = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %to
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
