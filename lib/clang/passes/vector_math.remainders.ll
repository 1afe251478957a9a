; The remainder of a vectorized loop uses the first lane of the same vector function. A function without a vector call in the
; kernel keeps libm's.
; RUN: opt %plugin -passes='kiln-vector-math<last>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @sin(double)
declare double @cos(double)
declare <4 x double> @_ZGVdN4v_sin(<4 x double>)
declare <4 x double> @_ZGVdN4v_cos(<4 x double>)

; CHECK-LABEL: @sines(
; CHECK: call <4 x double> @_ZGVdN4v_sin(<4 x double> %v)
; CHECK: %[[ALL:.*]] = call <4 x double> @_ZGVdN4v_sin(<4 x double> %{{.*}})
; CHECK: extractelement <4 x double> %[[ALL]], i64 0
; CHECK-NOT: call double @sin
; CHECK: call double @cos(double %x)
define void @sines(<4 x double> %v, double %x, ptr %y) {
  %vector = call <4 x double> @_ZGVdN4v_sin(<4 x double> %v)
  store <4 x double> %vector, ptr %y
  %one = call double @sin(double %x) #0
  %other = call double @cos(double %x) #1
  %sum = fadd double %one, %other
  store double %sum, ptr %y
  ret void
}

attributes #0 = { nounwind memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_sin(_ZGVdN4v_sin)" }
attributes #1 = { nounwind memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_cos(_ZGVdN4v_cos)" }
