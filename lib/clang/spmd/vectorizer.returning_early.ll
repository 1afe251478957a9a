; A body returns early for some lanes. Later blocks run with the mask of the others.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[EVEN:.*]] = xor <8 x i1> %{{.*}}, <i1 true,
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %[[VALUES:.*]], ptr %to{{.*}}, i32 4, <8 x i1> %[[EVEN]])
; CHECK: %[[OTHER:.*]] = icmp slt <8 x i32> %[[VALUES]], <i32 101,
; CHECK: %[[BOTH:.*]] = and <8 x i1> %[[OTHER]], %[[EVEN]]
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %[[VALUES]], ptr %place{{.*}}, i32 4, <8 x i1> %[[BOTH]])
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %end, label %more
more:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %to
  %large = icmp sgt i32 %v, 100
  br i1 %large, label %end, label %also
also:
  %place = getelementptr i32, ptr %z, i64 %i
  store i32 %v, ptr %place
  br label %end
end:
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret ptr null
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
