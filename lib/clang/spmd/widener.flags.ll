; Vector operations keep flags. The scalar copy of a strided value drops them, inbounds too, as the first lane may be inactive.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK-NOT: inbounds
; CHECK: mul i64 %{{.*}}, 3
; CHECK-NOT: inbounds
; CHECK: add nuw nsw <8 x i32>
; CHECK-NOT: inbounds
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %triple = mul nuw nsw i64 %i, 3
  %from = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %number = trunc i64 %triple to i32
  %q = add nuw nsw i32 %v, %number
  %also = getelementptr inbounds i32, ptr %z, i64 %triple
  %behind = getelementptr inbounds i8, ptr %also, i64 4
  store i32 %q, ptr %behind
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
