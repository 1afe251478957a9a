; A store to a uniform address is one store if the value is uniform. Otherwise lanes store in order, and the last value stays.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @same(
; CHECK: store i32 7, ptr %z
; CHECK-NOT: store i32
; CHECK: ret void
define void @same(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  store i32 7, ptr %z
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @last(
; CHECK: %[[LAST:.*]] = extractelement <8 x i32> %{{.*}}, i64 7
; CHECK-NEXT: store i32 %[[LAST]], ptr %z
; CHECK-NOT: scatter
; CHECK: ret void
define void @last(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %item ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  store i32 %v, ptr %z
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
