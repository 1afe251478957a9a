; The user's loops check after each iteration whether the kernel shall stop; if so, they confirm it and return. Loops of up to
; 64 iterations and kiln's functions do not.
; RUN: opt %plugin -passes='kiln-stoppable-loops' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@kiln_faults = global { i32, i32, i32 } zeroinitializer

; CHECK-LABEL: define i32 @_ZN4kiln4user4waitEv(
; CHECK: loop:
; CHECK: %[[STOP:.*]] = load volatile i32, ptr getelementptr inbounds ({{.*}}, ptr @kiln_faults, i32 0, i32 2)
; CHECK: %[[TOLD:.*]] = icmp ne i32 %[[STOP]], 0
; CHECK: br i1 %[[TOLD]], label %[[STOPS:.*]], label %
; CHECK: [[STOPS]]:
; CHECK-NEXT: store volatile i32 2, ptr getelementptr inbounds ({{.*}}, ptr @kiln_faults, i32 0, i32 2)
; CHECK-NEXT: ret i32 0
define i32 @_ZN4kiln4user4waitEv(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = load volatile i32, ptr %x
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %exit
exit:
  ret i32 %k
}

; CHECK-LABEL: define void @_ZN4kiln4user5shortEv(
; CHECK-NOT: @kiln_faults
; CHECK: ret void
define void @_ZN4kiln4user5shortEv(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = load volatile i32, ptr %x
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %k.next, 64
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: define void @_ZN4kiln4user6longerEv(
; CHECK: @kiln_faults
; CHECK: ret void
define void @_ZN4kiln4user6longerEv(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = load volatile i32, ptr %x
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %k.next, 65
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: define void @_ZN4kiln4mathEv(
; CHECK-NOT: @kiln_faults
; CHECK: ret void
define void @_ZN4kiln4mathEv(ptr %x, i32 %n) {
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
