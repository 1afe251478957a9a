; A masked gather is a gather even on a target that prefers single loads, which would need a branch for each lane.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @kiln_threads(
; CHECK: %[[MASK:.*]] = trunc <8 x i32> %{{.*}} to <8 x i1>
; CHECK: call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> %{{.*}}, i32 4, <8 x i1> %[[MASK]],
; CHECK: ret ptr
; CHECK-NOT: prefer-no-gather
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y, ptr noalias %table) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %wide = sext i32 %v to i64
  %place = getelementptr i32, ptr %table, i64 %wide
  %q = load i32, ptr %place
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

attributes #0 = { nounwind "target-cpu"="x86-64-v3" "target-features"="+avx2,+prefer-no-gather" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
