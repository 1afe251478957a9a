; A recursive function checks at its entry whether the kernel shall stop, as it has no loop.
; RUN: opt %plugin -passes='kiln-stoppable-loops' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@kiln_faults = global { i32, i32, i32 } zeroinitializer

; CHECK-LABEL: define i32 @_ZN4kiln4user5againEi(
; CHECK: load volatile i32, ptr getelementptr inbounds ({{.*}}, ptr @kiln_faults, i32 0, i32 2)
; CHECK: ret i32 0
; CHECK: call i32 @_ZN4kiln4user5againEi(
define i32 @_ZN4kiln4user5againEi(i32 %n) {
  %less = sub i32 %n, 1
  %r = call i32 @_ZN4kiln4user5againEi(i32 %less)
  ret i32 %r
}

; CHECK-LABEL: define i32 @_ZN4kiln4user4onceEi(
; CHECK-NOT: @kiln_faults
define i32 @_ZN4kiln4user4onceEi(i32 %n) {
  %r = call i32 @_ZN4kiln4user5againEi(i32 %n)
  ret i32 %r
}
