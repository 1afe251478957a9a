; Calls in loops are mapped to libmvec's functions of the widest registers, and to half as many lanes of those. Intrinsics
; become functions first. The loop is not interleaved.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @llvm.sin.f64(double)
declare float @expf(float)
declare double @pow(double, double)
; CHECK-LABEL: @sines(
; CHECK: call double @sin(double %v) #[[SIN:[0-9]+]]
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[LOOP:[0-9]+]]
define void @sines(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @llvm.sin.f64(double %v)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: @exponentials(
; CHECK: call float @expf(float %v) #[[EXP:[0-9]+]]
define void @exponentials(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %place
  %r = call float @expf(float %v)
  store float %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: @powers(
; CHECK: call double @pow(double %v, double 3.0{{.*}}) #[[POW:[0-9]+]]
; CHECK: define internal <2 x double> @_ZGVdN4v_sin.2(<2 x double> %0)
; CHECK: %[[TWICE:.*]] = shufflevector <2 x double> %0, <2 x double> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 1>
; CHECK: call <4 x double> @_ZGVdN4v_sin(<4 x double> %[[TWICE]])
; CHECK: attributes #[[SIN]] = {{.*}}"vector-function-abi-variant"="_ZGV_LLVM_N4v_sin(_ZGVdN4v_sin),_ZGV_LLVM_N2v_sin(_ZGVdN4v_sin.2)"
; CHECK: attributes #[[EXP]] = {{.*}}"vector-function-abi-variant"="_ZGV_LLVM_N8v_expf(_ZGVdN8v_expf),_ZGV_LLVM_N4v_expf(_ZGVdN8v_expf.4)"
; CHECK: attributes #[[POW]] = {{.*}}"vector-function-abi-variant"="_ZGV_LLVM_N4vv_pow(_ZGVdN4vv_pow),
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[ONE:[0-9]+]]}
; CHECK: ![[ONE]] = !{!"llvm.loop.interleave.count", i32 1}
define void @powers(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @pow(double %v, double 3.0)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v3" "target-features"="+avx,+avx2" }
