; A function with barriers becomes a coroutine. It returns at each barrier; values that live across it are in the frame, whose
; memory the caller provides.
; RUN: opt %plugin -passes=kiln-spmd-blocks -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_new_frame(ptr, i64)
declare void @kiln_barrier()

; CHECK-LABEL: define ptr @kiln_threads(
; CHECK: call ptr @kiln_new_frame(ptr %waiting, i64 {{[0-9]+}})
; CHECK: store i32 %kept,
; CHECK: ret ptr
define ptr @kiln_threads(ptr %waiting, ptr %shared, ptr %x, ptr %y) {
  %kept = load i32, ptr %x
  store i32 %kept, ptr %shared
  call void @kiln_barrier()
  %other = load i32, ptr %shared
  %sum = add i32 %kept, %other
  store i32 %sum, ptr %y
  ret ptr null
}

; CHECK-LABEL: define internal fastcc void @kiln_threads.resume(
; CHECK: load i32, ptr %{{.*}}
; CHECK: add i32
; CHECK: store i32
; CHECK-NOT: kiln_barrier
