; A divergent loop needs masks anyway: they include the items of the last vector, and the loop is not copied.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @some(
; CHECK-NOT: rest:
; CHECK: %[[THERE:.*]] = icmp ugt <8 x i64> %{{.*}}, <i64 0, i64 1, i64 2,
; CHECK: call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %{{.*}}, i32 4, <8 x i1> %[[THERE]],
; CHECK: %[[TAKEN:.*]] = select <8 x i1> %[[THERE]], <8 x i1> %{{.*}}, <8 x i1> zeroinitializer
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr %{{.*}}, i32 4, <8 x i1> %[[TAKEN]])
; CHECK-NOT: last:
; CHECK: ret void
define void @some(ptr noalias %x, ptr noalias %y, ptr noalias %z, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %end
then:
  %also = getelementptr i32, ptr %z, i64 %i
  store i32 %v, ptr %also
  %q = add i32 %v, 1
  br label %end
end:
  %r = phi i32 [ %v, %item ], [ %q, %then ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
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
