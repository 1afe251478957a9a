; Atomic operations on memory that does not escape the thread become plain ones. Memory whose address is passed on keeps them.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @share(ptr)

; CHECK-LABEL: @own(
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: ret i32
define i32 @own(i32 %v) #0 {
  %memory = alloca i32
  store i32 1, ptr %memory
  %before = atomicrmw add ptr %memory, i32 %v seq_cst
  %both = cmpxchg ptr %memory, i32 %before, i32 9 seq_cst seq_cst
  %result = load i32, ptr %memory
  ret i32 %result
}

; CHECK-LABEL: @shared(
; CHECK: atomicrmw add
; CHECK: cmpxchg
; CHECK: ret i32
define i32 @shared(i32 %v) #0 {
  %memory = alloca i32
  store i32 1, ptr %memory
  call void @share(ptr %memory)
  %before = atomicrmw add ptr %memory, i32 %v seq_cst
  %both = cmpxchg ptr %memory, i32 %before, i32 9 seq_cst seq_cst
  %result = load i32, ptr %memory
  ret i32 %result
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
