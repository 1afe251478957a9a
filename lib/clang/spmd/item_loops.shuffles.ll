; An item without loops that reads a few adjacent elements is left to LLVM, which loads whole vectors and shuffles them. LLVM
; may choose the width.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @lengths(
; CHECK-NOT: <8 x float>
; CHECK: !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ret void
; CHECK: ![[LOOP]] = distinct !{![[LOOP]],
; CHECK-NOT: llvm.loop.vectorize.width
define void @lengths(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %core = call ptr @kiln_core(ptr %x, i64 8, i64 %i, i64 8, i64 8, i64 1, i64 0)
  %v = load float, ptr %core
  %second = getelementptr i8, ptr %core, i64 4
  %w = load float, ptr %second
  %sum = fadd float %v, %w
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
