; A call outside of loops uses the first lane of the vector function. libm's function differs in the last bits, and a broadcast
; operand must give the same result.
; RUN: opt %plugin -passes='kiln-vector-math<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare double @llvm.sin.f64(double)

; CHECK-LABEL: @once(
; CHECK: %[[ALL:.*]] = call <4 x double> @_ZGVdN4v_sin(<4 x double> %{{.*}})
; CHECK: %[[FIRST:.*]] = extractelement <4 x double> %[[ALL]], i64 0
; CHECK: ret double %[[FIRST]]
define double @once(double %x) #0 {
  %r = call double @llvm.sin.f64(double %x)
  ret double %r
}
attributes #0 = { "target-cpu"="x86-64-v3" "target-features"="+avx,+avx2" }
