; The joined function is dropped, with what it alone calls, if all calls name the same lanes: nothing can be joined then. It
; stays if calls name different lanes.
; RUN: opt %plugin -passes='kiln-joined-lanes<start>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @alone(
; CHECK: call double @kiln_of_lanes_sin_joined(double %x, ptr @sine, ptr null)
define double @alone(double %x) {
  %r = call double @kiln_of_lanes_sin_joined(double %x, ptr @sine, ptr @joined_sine)
  ret double %r
}

; CHECK-LABEL: @both(
; CHECK: call double @kiln_of_lanes_exp_joined(double %x, ptr @exponential, ptr @joined_exponential)
; CHECK: call double @kiln_of_lanes_exp_joined(double %x, ptr @other, ptr @joined_other)
define double @both(double %x) {
  %r = call double @kiln_of_lanes_exp_joined(double %x, ptr @exponential, ptr @joined_exponential)
  %q = call double @kiln_of_lanes_exp_joined(double %x, ptr @other, ptr @joined_other)
  %sum = fadd double %r, %q
  ret double %sum
}

; CHECK-NOT: @joined_sine
; CHECK-NOT: @reduced
; CHECK: define internal <8 x double> @joined_exponential(
declare double @kiln_of_lanes_sin_joined(double, ptr, ptr)
declare double @kiln_of_lanes_exp_joined(double, ptr, ptr)
declare <8 x double> @sine(<8 x double>)
declare <8 x double> @exponential(<8 x double>)
declare <8 x double> @other(<8 x double>)
define internal <8 x double> @joined_sine(<8 x double> %x) {
  %rest = call <8 x double> @reduced(<8 x double> %x)
  ret <8 x double> %rest
}
define internal <8 x double> @reduced(<8 x double> %x) {
  ret <8 x double> %x
}
define internal <8 x double> @joined_exponential(<8 x double> %x) {
  ret <8 x double> %x
}
define internal <8 x double> @joined_other(<8 x double> %x) {
  ret <8 x double> %x
}
