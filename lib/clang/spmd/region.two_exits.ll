; An inner loop is one node. Its two exits lead to different blocks, each with the mask of the lanes that left there.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @search(
; CHECK: %[[FOUND:.*]] = icmp eq <8 x i32> %{{.*}}, <i32 7,
; CHECK: %[[NOW:.*]] = select <8 x i1> %{{.*}}, <8 x i1> %[[FOUND]], <8 x i1> zeroinitializer
; CHECK: %[[HIT:.*]] = or <8 x i1> %{{.*}}, %[[NOW]]
; CHECK: left:
; CHECK-DAG: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr %also{{.*}}, i32 4, <8 x i1> %[[HIT]])
; CHECK-DAG: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr %more{{.*}}, i32 4, <8 x i1> %{{.*}})
; CHECK: ret void
define void @search(ptr noalias %x, ptr noalias %y, ptr noalias %z, ptr noalias %w, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %latch ]
  %rest = phi i32 [ %v, %item ], [ %rest.next, %latch ]
  %found = icmp eq i32 %rest, 7
  br i1 %found, label %hit, label %latch
latch:
  %rest.next = lshr i32 %rest, 1
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %miss
hit:
  %also = getelementptr i32, ptr %z, i64 %i
  store i32 %k, ptr %also
  br label %end
miss:
  %more = getelementptr i32, ptr %w, i64 %i
  store i32 %rest.next, ptr %more
  br label %end
end:
  %r = phi i32 [ 1, %hit ], [ 2, %miss ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
