; NVIDIA's approximate instructions replace float32 quotients, reciprocals and roots with the flag "afn". Operations without the
; flag and float64's stay.
; RUN: opt %plugin -passes='kiln-approximate-math' -S %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)

; CHECK-LABEL: @marked(
; CHECK: call float @llvm.nvvm.div.approx.ftz.f(float %x, float %y)
; CHECK: call float @llvm.nvvm.rcp.approx.ftz.f(float %x)
; CHECK: call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
; CHECK: call float @llvm.nvvm.rsqrt.approx.ftz.f(float %y)
; CHECK-NOT: fdiv
; CHECK: ret float
define float @marked(float %x, float %y) {
  %quotient = fdiv afn float %x, %y
  %reciprocal = fdiv afn float 1.0, %x
  %root = call afn float @llvm.sqrt.f32(float %x)
  %other = call afn float @llvm.sqrt.f32(float %y)
  %inverse = fdiv afn float 1.0, %other
  %a = fadd float %quotient, %reciprocal
  %b = fadd float %root, %inverse
  %sum = fadd float %a, %b
  ret float %sum
}

; A root that is used otherwise, too, is computed by itself.
; CHECK-LABEL: @root_used_twice(
; CHECK: %[[ROOT:.*]] = call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
; CHECK: call float @llvm.nvvm.rcp.approx.ftz.f(float %[[ROOT]])
; CHECK-NOT: rsqrt
; CHECK: ret float
define float @root_used_twice(float %x) {
  %root = call afn float @llvm.sqrt.f32(float %x)
  %inverse = fdiv afn float 1.0, %root
  %sum = fadd float %root, %inverse
  ret float %sum
}

; CHECK-LABEL: @unmarked(
; CHECK-NOT: nvvm
; CHECK: ret double
define double @unmarked(float %x, float %y, double %z) {
  %quotient = fdiv float %x, %y
  %root = call float @llvm.sqrt.f32(float %quotient)
  %wide = fpext float %root to double
  %reciprocal = fdiv afn double 1.0, %z
  %other = call afn double @llvm.sqrt.f64(double %reciprocal)
  %sum = fadd double %wide, %other
  ret double %sum
}
