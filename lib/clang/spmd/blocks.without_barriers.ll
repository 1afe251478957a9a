; A function without barriers stays a function. kiln_lanes() becomes the number of its lanes, which is 1 without vectors.
; RUN: opt %plugin -passes=kiln-spmd-blocks -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i64 @kiln_lanes()
declare ptr @kiln_shared_memory()

; CHECK-LABEL: define ptr @kiln_threads(
; CHECK: store i64 1, ptr %y
; CHECK: store i64 7, ptr %shared
; CHECK: ret ptr null
define ptr @kiln_threads(ptr %waiting, ptr %shared, ptr %y) {
  %lanes = call i64 @kiln_lanes()
  store i64 %lanes, ptr %y
  %memory = call ptr @kiln_shared_memory()
  store i64 7, ptr %memory
  ret ptr null
}

; CHECK-LABEL: define i64 @kernel(
; CHECK: ret i64 1
define i64 @kernel() {
  %lanes = call i64 @kiln_lanes()
  ret i64 %lanes
}
; CHECK-NOT: resume
