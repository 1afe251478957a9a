; A loop is interleaved if an element waits for several inlined functions or divisions. It is not if it has a rare slow path, or
; if elements would be left over.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @kiln_of_lanes_exp(double, ptr)
declare double @sin(double)
declare <8 x double> @rare(<8 x double>)
define internal <8 x double> @straight(<8 x double> %x) {
  %r = fadd <8 x double> %x, splat (double 1.0)
  ret <8 x double> %r
}
define internal <8 x double> @branches(<8 x double> %x) {
  %r = call <8 x double> @rare(<8 x double> %x)
  ret <8 x double> %r
}
; CHECK-LABEL: define void @several(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[FOUR:[0-9]+]]
define void @several(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %e = call double @kiln_of_lanes_exp(double %v, ptr @straight)
  %r = fdiv double %e, %v
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, 512
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define void @one(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[ONE:[0-9]+]]
define void @one(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %r = call double @kiln_of_lanes_exp(double %v, ptr @straight)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, 512
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define void @rare_numbers(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[ALSO_ONE:[0-9]+]]
define void @rare_numbers(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %e = call double @kiln_of_lanes_exp(double %v, ptr @branches)
  %r = fdiv double %e, %v
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, 512
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK-LABEL: define void @left_over(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[LEFT_OVER:[0-9]+]]
; CHECK: ![[FOUR]] = distinct !{![[FOUR]], ![[COUNT_4:[0-9]+]]}
; CHECK: ![[COUNT_4]] = !{!"llvm.loop.interleave.count", i32 4}
; CHECK: ![[ONE]] = distinct !{![[ONE]], ![[COUNT_1:[0-9]+]]}
; CHECK: ![[COUNT_1]] = !{!"llvm.loop.interleave.count", i32 1}
; CHECK: ![[ALSO_ONE]] = distinct !{![[ALSO_ONE]], ![[COUNT_1]]}
; CHECK: ![[LEFT_OVER]] = distinct !{![[LEFT_OVER]], ![[COUNT_1]]}
define void @left_over(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %e = call double @kiln_of_lanes_exp(double %v, ptr @straight)
  %r = fdiv double %e, %v
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, 100
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v4" }
