; Functions that ask where a thread is become part of the kernel's function, which has the variable. An extern __shared__ array is
; what the first member of it points to. A function that nobody calls is left alone.
; RUN: opt %plugin -passes='kiln-thread-places' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%here = type { ptr, i32, i32 }

@kiln_here = external global %here
@copy = external global [0 x float], section "kiln_dynamic"
declare void @kiln_enter(ptr)

; CHECK-NOT: @kiln_here
; CHECK-NOT: kiln_dynamic
; CHECK-LABEL: define void @kiln_kernel(
; CHECK: %[[PLACE:.*]] = alloca
; CHECK-NOT: call
; CHECK: %[[X:.*]] = getelementptr {{.*}} %[[PLACE]], i64 8
; CHECK: load i32, ptr %[[X]]
; CHECK: %[[MEMORY:.*]] = load ptr, ptr %[[PLACE]]
; CHECK: getelementptr float, ptr %[[MEMORY]], i64 3
define void @kiln_kernel(ptr %y) {
  %place = alloca %here
  call void @kiln_enter(ptr %place)
  %x = call i32 @x()
  store i32 %x, ptr %y
  call void @store()
  ret void
}

define internal i32 @x() noinline {
  %x = load i32, ptr getelementptr (i8, ptr @kiln_here, i64 8)
  ret i32 %x
}

define internal void @store() {
  store float 1.0, ptr getelementptr (float, ptr @copy, i64 3)
  ret void
}

; CHECK: define i32 @unused()
; CHECK: load i32, ptr poison
define i32 @unused() {
  %x = load i32, ptr @kiln_here
  ret i32 %x
}
