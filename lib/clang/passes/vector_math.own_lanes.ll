; kiln_of_lanes_... names a function of whole registers of kiln's own. One number uses its first lane; loops are mapped to it
; and to half of it. A function known only at run time is called directly.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @kiln_of_lanes_exp(double, ptr)
define internal <8 x double> @lanes(<8 x double> %x) {
  %r = fadd <8 x double> %x, splat (double 1.0)
  ret <8 x double> %r
}
; CHECK-LABEL: define void @loop(
; CHECK: call double @lanes.1(double %v) #[[MAPPED:[0-9]+]]
define void @loop(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @kiln_of_lanes_exp(double %v, ptr @lanes)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define void @chosen(
; CHECK: %[[ALL:.*]] = call <8 x double> %function(<8 x double> %{{.*}})
; CHECK: extractelement <8 x double> %[[ALL]], i64 0
define void @chosen(ptr noalias %x, i64 %n, ptr %function) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @kiln_of_lanes_exp(double %v, ptr %function)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define void @not_optimized(
; CHECK: call double @lanes.1(double %v)
; CHECK: define internal double @lanes.1(double %0)
; CHECK: %[[EIGHT:.*]] = call <8 x double> @lanes(<8 x double> %{{.*}})
; CHECK: extractelement <8 x double> %[[EIGHT]], i64 0
; CHECK: define internal <4 x double> @lanes.4(<4 x double> %0)
; CHECK-DAG: attributes #[[MAPPED]] = {{.*}}"vector-function-abi-variant"="_ZGV_LLVM_N4v_lanes.1(lanes.4),_ZGV_LLVM_N8v_lanes.1(lanes)"
define void @not_optimized(ptr noalias %x, i64 %n) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @kiln_of_lanes_exp(double %v, ptr @lanes)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v4" }
attributes #1 = { noinline optnone "target-cpu"="x86-64-v4" }
