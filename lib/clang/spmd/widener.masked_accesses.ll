; Contiguous accesses in a branch are masked loads and stores. The branch is skipped if no lane is active.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @in_branch(
; CHECK: load <8 x i32>, ptr %{{.*}}, align 4
; CHECK: %[[MASK:.*]] = trunc <8 x i32> %{{.*}} to <8 x i1>
; CHECK: br i1 %{{.*}}, label %skip, label %then
; CHECK: call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %{{.*}}, i32 4, <8 x i1> %[[MASK]],
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr %{{.*}}, i32 4, <8 x i1> %[[MASK]])
; CHECK: skip:
; CHECK: store <8 x i32> %{{.*}}, ptr %{{.*}}, align 4
; CHECK: ret void
define void @in_branch(ptr noalias %x, ptr noalias %y, ptr noalias %z) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %more = getelementptr i8, ptr %from, i64 4096
  %q = load i32, ptr %more
  %also = getelementptr i32, ptr %z, i64 %i
  store i32 %q, ptr %also
  br label %end
end:
  %r = phi i32 [ %v, %item ], [ %q, %then ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
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
