; A kernel without checks needs one loop only. notes_faults() returns true, so that the other loop computes the elements.
; RUN: opt %plugin -passes='kiln-noted-faults<start>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i1 @_ZN4kiln5loopsL12notes_faultsIvEEbPi(
; CHECK-NEXT: ret i1 true
; CHECK-NEXT: }
define i1 @_ZN4kiln5loopsL12notes_faultsIvEEbPi(ptr %x) {
  %d = load i32, ptr %x
  %zero = icmp eq i32 %d, 0
  ret i1 %zero
}

; CHECK-LABEL: define void @_ZN4kiln5loopsL18compute_unreportedIvEEvPi(
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @_ZN4kiln5loopsL18compute_unreportedIvEEvPi(ptr %x) {
  store i32 1, ptr %x
  ret void
}
