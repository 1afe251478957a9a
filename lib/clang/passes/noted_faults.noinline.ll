; A function that the user marked noinline stays a call, and reports by itself.
; RUN: opt %plugin -passes='kiln-noted-faults<start>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @_ZN4kiln5debug15divided_by_zeroEv()

; CHECK-LABEL: define i32 @body(
; CHECK: call void @_ZN4kiln5debug15divided_by_zeroEv()
; CHECK: ret i32
define i32 @body(i32 %d) noinline {
  %zero = icmp eq i32 %d, 0
  br i1 %zero, label %report, label %end, !prof !0
report:
  call void @_ZN4kiln5debug15divided_by_zeroEv()
  br label %end
end:
  %r = add i32 %d, 1
  ret i32 %r
}

; CHECK-LABEL: define i1 @_ZN4kiln5loopsL11notes_faultIvEEbPi(
; CHECK: call i32 @body(
; CHECK-NOT: store i1 true
; CHECK: ret i1
define i1 @_ZN4kiln5loopsL11notes_faultIvEEbPi(ptr %x) {
  %d = load i32, ptr %x
  %r = call i32 @body(i32 %d)
  store i32 %r, ptr %x
  ret i1 false
}

; CHECK-LABEL: define void @_ZN4kiln5loopsL18compute_unreportedIvEEvPi(
; CHECK: call i32 @body(
; CHECK: ret void
define void @_ZN4kiln5loopsL18compute_unreportedIvEEvPi(ptr %x) {
  %d = load i32, ptr %x
  %r = call i32 @body(i32 %d)
  store i32 %r, ptr %x
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 1000}
