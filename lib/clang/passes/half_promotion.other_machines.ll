; Only x86 lacks arithmetic of halves: the pass changes nothing on other machines.
; RUN: opt %plugin -passes='kiln-half-promotion' -S %s | FileCheck %s

target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: @sum(
; CHECK: fadd half %x, %y
define half @sum(half %x, half %y) {
  %sum = fadd half %x, %y
  ret half %sum
}
