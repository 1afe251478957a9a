; A function that nobody calls may wait and share: in debug mode it stays.
; RUN: opt %plugin -passes='kiln-spmd-blocks<last>' -S %s | FileCheck %s

target triple = "x86_64-unknown-linux-gnu"

declare void @kiln_barrier() convergent
declare ptr @kiln_shared_memory()

; CHECK-LABEL: define ptr @kiln_threads(
define ptr @kiln_threads(ptr %waiting, ptr %shared) {
  ret ptr null
}

; CHECK-LABEL: define void @unused()
; CHECK-NOT: call
define void @unused() {
  %memory = call ptr @kiln_shared_memory()
  call void @kiln_barrier()
  ret void
}
