; A uniform switch compares scalars, and its cases need no masks.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: <8 x i1>
; CHECK: i32 %m
; CHECK-NOT: <8 x i1>
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  switch i32 %m, label %other [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %one
  ]
one:
  %a = mul i32 %v, 5
  br label %end
two:
  %b = sub i32 9, %v
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ %a, %one ], [ %b, %two ], [ %v, %other ]
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
