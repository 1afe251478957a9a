; A module for GPUs exports the kernel, its faults, and what is marked as used. All else becomes internal, UBSan's handlers too,
; so that it can be dropped or inlined.
; RUN: opt %plugin -passes='kiln-hidden-functions' -S %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@kiln_faults = global i32 0
@variable = global i32 0
@kept = global i32 0
@llvm.compiler.used = appending global [3 x ptr] [ptr @kept, ptr @exported, ptr @__ubsan_handle_out_of_bounds], section "llvm.metadata"

; CHECK-DAG: @kiln_faults = global i32
; CHECK-DAG: @variable = internal global i32
; CHECK-DAG: @kept = global i32
; CHECK-DAG: define void @kiln_kernel()
; CHECK-DAG: define internal i32 @helper()
; CHECK-DAG: define void @exported()
; CHECK-DAG: define internal void @__ubsan_handle_out_of_bounds()
; CHECK-DAG: declare void @other()
define void @kiln_kernel() {
  %value = call i32 @helper()
  store i32 %value, ptr @variable
  call void @other()
  ret void
}
define i32 @helper() {
  %value = load i32, ptr @kept
  ret i32 %value
}
define void @exported() { ret void }
define void @__ubsan_handle_out_of_bounds() { ret void }
declare void @other()