; A function that the user defined, functions of libm without a vector form, and code that is not optimized keep their calls.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @llvm.floor.f64(double)
declare double @llvm.cos.f64(double)
define double @sin(double %x) {
  ret double %x
}
; CHECK-LABEL: @users(
; CHECK: call double @sin(double %v){{$}}
define void @users(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @sin(double %v)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: @not_optimized(
; CHECK: call double @llvm.cos.f64(double %v){{$}}
define void @not_optimized(ptr noalias %x, i64 %n) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @llvm.cos.f64(double %v)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: @no_function(
; CHECK: call double @llvm.floor.f64(double %v){{$}}
; CHECK-NOT: vector-function-abi-variant
define void @no_function(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @llvm.floor.f64(double %v)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v3" "target-features"="+avx,+avx2" }
attributes #1 = { noinline optnone "target-cpu"="x86-64-v3" "target-features"="+avx,+avx2" }
