; The mapped function is as wide as the target's registers and instruction set allow. A wider argument would come in two
; registers, which libmvec does not expect.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @llvm.sin.f64(double)
; CHECK-LABEL: @sse(
; CHECK: call double @sin(double %v) #[[SSE:[0-9]+]]
define void @sse(ptr noalias %x, i64 %n) #0 {
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
; CHECK-LABEL: @avx512(
; CHECK: call double @sin(double %v) #[[WIDE:[0-9]+]]
define void @avx512(ptr noalias %x, i64 %n) #1 {
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
; CHECK-LABEL: @prefers_256_bits(
; CHECK: call double @sin(double %v) #[[HALF:[0-9]+]]
; CHECK: attributes #[[SSE]] = {{.*}}"_ZGV_LLVM_N2v_sin(_ZGVbN2v_sin)"
; CHECK: attributes #[[WIDE]] = {{.*}}"_ZGV_LLVM_N8v_sin(_ZGVeN8v_sin),
; CHECK: attributes #[[HALF]] = {{.*}}"_ZGV_LLVM_N4v_sin(_ZGVdN4v_sin),
define void @prefers_256_bits(ptr noalias %x, i64 %n) #2 {
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
attributes #0 = { "target-cpu"="x86-64" "target-features"="+sse2" }
attributes #1 = { "target-cpu"="x86-64-v4" "target-features"="+avx2,+avx512f" "prefer-vector-width"="512" }
attributes #2 = { "target-cpu"="x86-64-v4" "target-features"="+avx2,+avx512f" "prefer-vector-width"="256" }
