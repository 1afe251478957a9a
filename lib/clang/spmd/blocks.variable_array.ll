; A coroutine frame has a fixed size: a kernel with barriers cannot have an array of variable length.
; RUN: not opt %plugin -passes=kiln-spmd-blocks -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_new_frame(ptr, i64)
declare void @kiln_barrier()

; CHECK: error: a kernel with barrier() cannot have an array whose length is known only when it runs
define ptr @kiln_threads(ptr %waiting, ptr %shared, i64 %n) {
  %own = alloca i64, i64 %n
  store i64 7, ptr %own
  call void @kiln_barrier()
  %value = load i64, ptr %own
  store i64 %value, ptr %shared
  ret ptr null
}
