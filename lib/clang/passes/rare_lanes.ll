; kiln_rarely_...(y, x, limit, rare) becomes a call for one number with variants for 2 to 16 lanes. A variant compares all lanes,
; and calls `rare` for those that are not below the limit.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @kiln_rarely_double(double, double, double, ptr)
define internal double @far(double %x) {
  ret double %x
}
; CHECK-LABEL: define void @loop(
; CHECK: call double @far.rarely.1(double %y, double %v) #[[MAPPED:[0-9]+]]
define void @loop(ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %place
  %y = fadd double %v, 1.0
  %r = call double @kiln_rarely_double(double %y, double %v, double 8.0, ptr @far)
  store double %r, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
; CHECK: define internal double @far.rarely.1(double %0, double %1)
; CHECK: %[[SIZE:.*]] = call double @llvm.fabs.f64(double %1)
; CHECK: fcmp olt double %[[SIZE]], 8.0
; CHECK: define internal <4 x double> @far.rarely.4(<4 x double> %0, <4 x double> %1)
; CHECK: fcmp olt <4 x double> %{{.*}}, <double 8.000000e+00, double 8.000000e+00, double 8.000000e+00, double 8.000000e+00>
; CHECK: %[[ALL:.*]] = call i1 @llvm.vector.reduce.and.v4i1
; CHECK: br i1 %[[ALL]], label %end, label %some
; CHECK: define internal <4 x double> @far.rarely.4.others(<4 x double> %0, <4 x double> %1, <4 x i1> %2)
; CHECK: %[[ONE:.*]] = extractelement <4 x double> %1, i32
; CHECK: call double @far(double %[[ONE]])
; CHECK: attributes #[[MAPPED]] = {{.*}}"vector-function-abi-variant"="_ZGV_LLVM_N2vv_far.rarely.1(far.rarely.2),_ZGV_LLVM_N4vv_far.rarely.1(far.rarely.4),_ZGV_LLVM_N8vv_far.rarely.1(far.rarely.8),_ZGV_LLVM_N16vv_far.rarely.1(far.rarely.16)"
