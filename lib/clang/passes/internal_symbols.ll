; Hidden functions of the user's become internal, and those that nothing refers to are gone before all passes, those that call
; each other alone as well. What is exported, marked as used or kiln's own stays, and keeps its linkage; so do variables.
; RUN: opt %plugin -passes='kiln-internal-symbols<start>' -S %s | FileCheck %s
; A function that is called once is inlined, however large it is: this one is above LLVM's threshold for functions that others
; may call.
; RUN: opt %plugin -passes='kiln-internal-symbols<start>,cgscc(inline)' -inline-threshold=0 -S %s | FileCheck --check-prefix=INLINED %s
; RUN: opt %plugin -passes='cgscc(inline)' -inline-threshold=0 -S %s | FileCheck --check-prefix=OUTSIDE %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = hidden constant [1 x ptr] [ptr @in_table]
@llvm.used = appending global [1 x ptr] [ptr @marked], section "llvm.metadata"

; CHECK: @table = hidden constant
; CHECK-NOT: @unused
; CHECK-NOT: @calls_unused
; CHECK: define internal i32 @in_table()
; CHECK: define hidden i32 @marked()
; CHECK: define internal i32 @called()
; CHECK: define internal i32 @once(
; CHECK: define hidden i32 @kiln_threads(
; CHECK: define hidden i32 @_ZN4kiln5loops4workEv(
; CHECK: define internal i32 @_ZN4kiln4user5usersEv(
; CHECK: define i32 @kiln_kernel(
; CHECK: declare i32 @elsewhere()
define hidden i32 @unused() {
  %value = call i32 @calls_unused()
  ret i32 %value
}
define hidden i32 @calls_unused() {
  %value = call i32 @unused()
  ret i32 %value
}
define hidden i32 @in_table() { ret i32 1 }
define hidden i32 @marked() { ret i32 2 }
define hidden i32 @called() noinline { ret i32 3 }

; INLINED-NOT: @once
; OUTSIDE: call i32 @once
define hidden i32 @once(ptr %p) {
  %a = call i32 @elsewhere()
  %b = call i32 @elsewhere()
  %c = call i32 @elsewhere()
  %ab = mul i32 %a, %b
  %abc = mul i32 %ab, %c
  store i32 %abc, ptr %p
  ret i32 %abc
}
define hidden i32 @kiln_threads() { ret i32 5 }
define hidden i32 @_ZN4kiln5loops4workEv() { ret i32 6 }
define hidden i32 @_ZN4kiln4user5usersEv() noinline { ret i32 7 }
define i32 @kiln_kernel(ptr %p) {
  %u = call i32 @_ZN4kiln4user5usersEv()
  %value = call i32 @called()
  %other = call i32 @once(ptr %p)
  %sum = add i32 %value, %other
  %function = load ptr, ptr @table
  %more = call i32 %function()
  %all = add i32 %sum, %more
  ret i32 %all
}
declare i32 @elsewhere()
