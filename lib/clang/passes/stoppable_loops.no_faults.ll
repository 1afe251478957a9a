; A kernel outside of debug mode has no fault buffer and is not changed.
; RUN: opt %plugin -passes='kiln-stoppable-loops' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @_ZN4kiln4user4waitEv(
; CHECK-NOT: store
; CHECK: ret void
define void @_ZN4kiln4user4waitEv(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = load volatile i32, ptr %x
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %exit
exit:
  ret void
}
