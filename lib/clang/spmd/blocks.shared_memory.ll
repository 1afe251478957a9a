; KILN_SHARED variables get offsets in the block's memory, aligned to cache lines. Functions that use them are inlined. The
; caller is told the total size.
; RUN: opt %plugin -passes='kiln-spmd-blocks<start>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [5 x i32] undef, section "kiln_shared"
@sum = internal global double undef, section "kiln_shared"
declare i64 @kiln_shared_bytes()

; CHECK-LABEL: define ptr @kiln_threads(
; CHECK: %[[TILE:.*]] = call ptr @kiln_shared_memory()
; CHECK: %[[AT:.*]] = getelementptr inbounds i8, ptr %[[TILE]], i64 0
; CHECK: store i32 7, ptr %[[AT]]
define ptr @kiln_threads(ptr %waiting, ptr %shared) {
  store i32 7, ptr @tile
  call void @user()
  ret ptr null
}

; CHECK: define internal void @user() #[[INLINED:[0-9]+]]
; CHECK: %[[SUM:.*]] = call ptr @kiln_shared_memory()
; CHECK: getelementptr inbounds i8, ptr %[[SUM]], i64 64
define internal void @user() noinline {
  store double 1.0, ptr @sum
  ret void
}

; CHECK-LABEL: define i64 @kernel(
; CHECK: ret i64 72
define i64 @kernel() {
  %bytes = call i64 @kiln_shared_bytes()
  ret i64 %bytes
}
; CHECK: attributes #[[INLINED]] = { alwaysinline
