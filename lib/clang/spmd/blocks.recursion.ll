; A barrier must end up in the function of the threads. It cannot be in a function that calls itself.
; RUN: not opt %plugin -passes=kiln-spmd-blocks -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_new_frame(ptr, i64)
declare void @kiln_barrier()

; CHECK: error: barrier() and KILN_SHARED cannot stand in a function that calls itself or whose address is taken
define internal i64 @again(i64 %n) {
  call void @kiln_barrier()
  %more = icmp sgt i64 %n, 1
  br i1 %more, label %call, label %end
call:
  %less = sub i64 %n, 1
  %result = call i64 @again(i64 %less)
  br label %end
end:
  %value = phi i64 [ %n, %0 ], [ %result, %call ]
  ret i64 %value
}
define ptr @kiln_threads(ptr %waiting, ptr %shared) {
  %value = call i64 @again(i64 9)
  store i64 %value, ptr %shared
  ret ptr null
}
