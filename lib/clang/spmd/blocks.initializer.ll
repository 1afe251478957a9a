; The address of a KILN_SHARED variable is no constant, so it cannot initialize another variable.
; RUN: not opt %plugin -passes='kiln-spmd-blocks<start>' -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i64] undef, section "kiln_shared"
@halves = internal global [2 x ptr] [ptr @tile, ptr getelementptr (i8, ptr @tile, i64 256)]

; CHECK: error: the address of a KILN_SHARED variable cannot initialize another variable
define ptr @kiln_threads(ptr %waiting, ptr %shared) {
  store i64 7, ptr @tile
  ret ptr null
}
