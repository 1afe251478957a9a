; Hidden functions that nothing refers to are gone before all passes, those that call each other alone as well. What is exported
; or marked as used stays, and keeps its linkage, as does what they refer to.
; RUN: opt %plugin -passes='kiln-unused-functions<start>' -S %s | FileCheck %s
; RUN: opt %plugin -passes='kiln-unused-functions<early>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = hidden constant [1 x ptr] [ptr @in_table]
@llvm.used = appending global [1 x ptr] [ptr @marked], section "llvm.metadata"

; CHECK-NOT: @unused
; CHECK-NOT: @calls_unused
; CHECK: define hidden i32 @in_table()
; CHECK: define hidden i32 @marked()
; CHECK: define hidden i32 @called() [[ATTRIBUTES:#[0-9]+]]
; CHECK: define i32 @kiln_kernel()
; CHECK: declare i32 @elsewhere()
; CHECK: attributes [[ATTRIBUTES]] = { noinline }
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
define i32 @kiln_kernel() {
  %value = call i32 @called()
  %other = call i32 @elsewhere()
  %sum = add i32 %value, %other
  ret i32 %sum
}
declare i32 @elsewhere()
