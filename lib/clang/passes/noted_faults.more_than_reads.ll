; A body with side effects, as one that prints, must run once. notes_faults() returns true then. It stays if it only reads
; memory.
; RUN: opt %plugin -passes='kiln-noted-faults<early>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @_ZN4kiln5debug6failedEv()

; CHECK-LABEL: define i1 @_ZN4kiln5loopsL12notes_faultsIvEEbPi(
; CHECK-NEXT: ret i1 true
define i1 @_ZN4kiln5loopsL12notes_faultsIvEEbPi(ptr %x) {
  store i32 1, ptr %x
  ret i1 false
}

; CHECK-LABEL: define i1 @_Zreads_ZN4kiln5loopsL12notes_faultsIvEEbPi(
; CHECK: load i32, ptr %x
; CHECK: ret i1 %zero
define i1 @_Zreads_ZN4kiln5loopsL12notes_faultsIvEEbPi(ptr %x) memory(read) {
  %d = load i32, ptr %x
  %zero = icmp eq i32 %d, 0
  ret i1 %zero
}
