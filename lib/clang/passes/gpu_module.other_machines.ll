; AMD's code generator handles "afn" itself: the pass changes nothing there.
; RUN: opt %plugin -passes='kiln-approximate-math' -S %s | FileCheck %s

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @quotient(
; CHECK: fdiv afn float %x, %y
define float @quotient(float %x, float %y) {
  %quotient = fdiv afn float %x, %y
  ret float %quotient
}
