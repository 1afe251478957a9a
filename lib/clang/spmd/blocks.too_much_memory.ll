; KILN_SHARED variables may have 1 MiB in total.
; RUN: not opt %plugin -passes='kiln-spmd-blocks<start>' -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [131073 x i64] undef, section "kiln_shared"

; CHECK: error: KILN_SHARED variables take 1048584 bytes, and the device has 1048576 for a block; take KILN_DYNAMIC_SHARED
define ptr @kiln_threads(ptr %waiting, ptr %shared) {
  store i64 7, ptr @tile
  ret ptr null
}
