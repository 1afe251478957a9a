; Elements of local arrays are accessed under the mask in a branch: other lanes' elements must stay. All lanes access them without
; a mask elsewhere.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @f(ptr)

; CHECK-LABEL: @kiln_threads(
; CHECK: store <8 x i32> <i32 1,
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr %own
; CHECK: load <8 x i32>, ptr %own
; CHECK: ret ptr
define ptr @kiln_threads(ptr noalias %x, ptr noalias %y) #0 {
entry:
  %own = alloca [1 x i32]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  store i32 1, ptr %own
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  store i32 %v, ptr %own
  %q = call i32 @f(ptr %x)
  br label %end
end:
  %r = load i32, ptr %own
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
