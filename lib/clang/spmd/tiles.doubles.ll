; A tile of float64 has half as many lanes and elements of 8 bytes. It is filled by transposing squares of 16 bytes,
; and of shorter items element by element.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @sums(
; CHECK: alloca [4096 x i8], align 64
; CHECK: call void @kiln_tile.in.8.4.8(
; CHECK: fadd <4 x double>
; CHECK: ret void
; CHECK-LABEL: define internal void @kiln_tile.in.8.4.8(
; CHECK: %[[LONG:.*]] = icmp uge i64 %3, 2
; CHECK: br i1 %[[LONG]], label %whole, label %some
; CHECK: load <2 x i64>
; CHECK: %[[EVEN:.*]] = shufflevector <2 x i64> %{{.*}}, <2 x i64> %{{.*}}, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: %[[ODD:.*]] = shufflevector <2 x i64> %{{.*}}, <2 x i64> %{{.*}}, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: %[[FIRST:.*]] = shufflevector <4 x i64> %[[EVEN]], <4 x i64> %[[ODD]], <4 x i32> <i32 0, i32 4, i32 2, i32 6>
; CHECK: %[[SECOND:.*]] = shufflevector <4 x i64> %[[EVEN]], <4 x i64> %[[ODD]], <4 x i32> <i32 1, i32 5, i32 3, i32 7>
; CHECK: store <4 x i64> %[[FIRST]]
; CHECK: store <4 x i64> %[[SECOND]]
define void @sums(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %x, i64 512, i64 %i, i64 512, i64 512, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi double [ 0.0, %item ], [ %sum, %loop ]
  %from = getelementptr double, ptr %core, i64 %k
  %v = load double, ptr %from
  %sum = fadd double %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr double, ptr %y, i64 %i
  store double %sum, ptr %to
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
