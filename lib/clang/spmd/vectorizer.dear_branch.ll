; A longer branch is skipped if no lane is active.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[NONE:.*]] = icmp eq i8 %{{.*}}, 0
; CHECK: br i1 %[[NONE]], label %skip, label %then
; CHECK: then{{.*}}:
; CHECK: mul <8 x i32>
; CHECK: skip:
; CHECK: phi <8 x i32>
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %q0 = mul i32 %v, 3
  %q1 = add i32 %q0, 4
  %q2 = mul i32 %q1, 5
  %q3 = add i32 %q2, 6
  %q4 = mul i32 %q3, 7
  %q5 = add i32 %q4, 8
  %q6 = mul i32 %q5, 9
  %q7 = add i32 %q6, 10
  %q8 = mul i32 %q7, 11
  %q = xor i32 %q8, 1
  br label %end
end:
  %r = phi i32 [ %v, %item ], [ %q, %then ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
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
