; An item without loops is not worth a tile if it reads many elements of the tile and few at unit stride across items.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK: remark: {{.*}} elements of one item are adjacent, those of several are not
; CHECK-LABEL: @sums(
; CHECK-NOT: <{{[0-9]+}} x float>
; CHECK: ret void
define void @sums(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %core = call ptr @kiln_core(ptr %x, i64 64, i64 %i, i64 64, i64 64, i64 1, i64 0)
  %p0 = getelementptr i8, ptr %core, i64 0
  %v0 = load float, ptr %p0
  %p1 = getelementptr i8, ptr %core, i64 4
  %v1 = load float, ptr %p1
  %p2 = getelementptr i8, ptr %core, i64 8
  %v2 = load float, ptr %p2
  %p3 = getelementptr i8, ptr %core, i64 12
  %v3 = load float, ptr %p3
  %p4 = getelementptr i8, ptr %core, i64 16
  %v4 = load float, ptr %p4
  %p5 = getelementptr i8, ptr %core, i64 20
  %v5 = load float, ptr %p5
  %p6 = getelementptr i8, ptr %core, i64 24
  %v6 = load float, ptr %p6
  %p7 = getelementptr i8, ptr %core, i64 28
  %v7 = load float, ptr %p7
  %s1 = fadd float %v0, %v1
  %s2 = fadd float %s1, %v2
  %s3 = fadd float %s2, %v3
  %s4 = fadd float %s3, %v4
  %s5 = fadd float %s4, %v5
  %s6 = fadd float %s5, %v6
  %s7 = fadd float %s6, %v7
  %to = getelementptr float, ptr %y, i64 %i
  store float %s7, ptr %to
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
