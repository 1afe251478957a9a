; A loop is divergent if only some lanes come to an exit, even if its condition is uniform.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @search(
; CHECK: loop{{.*}}:
; CHECK: phi <8 x i1> [ <i1 true,
; CHECK: ret void
define void @search(ptr noalias %x, ptr noalias %y, ptr noalias %z, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %latch ]
  %r = phi i32 [ %v, %item ], [ %r.next, %latch ]
  %odd = trunc i32 %r to i1
  br i1 %odd, label %check, label %latch
check:
  %place = getelementptr i32, ptr %z, i64 %i
  store i32 %k, ptr %place
  %stop = icmp eq i32 %k, %m
  br i1 %stop, label %end, label %latch
latch:
  %r.next = lshr i32 %r, 1
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, 30
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
