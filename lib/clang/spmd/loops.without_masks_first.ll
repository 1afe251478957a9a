; A loop from the lane's number to a uniform end runs without masks while the first and the last lane stay. The masked version
; does the rest.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @triangle(
; CHECK: loop{{.*}}:
; CHECK: select <8 x i1> %{{.*}}, <8 x i1> %{{.*}}, <8 x i1> zeroinitializer
; CHECK: [[FULL:full.*]]:
; CHECK-NOT: <8 x i1>
; CHECK: mul <8 x i32>
; CHECK: %[[LAST:.*]] = add i32 %{{.*}}, 1{{[56]}}
; CHECK: icmp slt i32 %{{.*}}, %[[LAST]]
; CHECK: icmp slt i32 %[[LAST]], %m
; CHECK: br i1 %{{.*}}, label %[[FULL]], label %[[REST:.*]]
; CHECK: [[REST]]:
; CHECK: icmp slt <8 x i32>
; CHECK: ret void
define void @triangle(ptr noalias %x, ptr noalias %y, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %first = trunc i64 %i to i32
  br label %loop
loop:
  %k = phi i32 [ %first, %item ], [ %k.next, %loop ]
  %r = phi i32 [ 1, %item ], [ %r.next, %loop ]
  %r.next = mul i32 %r, %v
  %k.next = add nsw i32 %k, 1
  %again = icmp slt i32 %k.next, %m
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
