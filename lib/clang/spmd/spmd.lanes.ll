; A loop over items with an inner loop becomes a loop over vectors of items. The inner loop runs while a lane is active; results
; of lanes that left it stay.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @products(
; CHECK: lanes:
; CHECK: %[[VALUES:.*]] = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %{{.*}}, i32 4, <8 x i1> %{{.*}}, <8 x i32> poison)
; CHECK: [[LOOP:loop.*]]:
; CHECK: %[[IN:.*]] = phi <8 x i1> [ %{{.*}}, %lanes ], [ %[[STAYS:.*]], %[[LOOP]] ]
; CHECK: %[[PRODUCT:.*]] = mul <8 x i32> %{{.*}}, %[[VALUES]]
; CHECK: %[[AGAIN:.*]] = icmp slt <8 x i32> %{{.*}}, %[[VALUES]]
; CHECK: %[[STAYS]] = select <8 x i1> %[[IN]], <8 x i1> %[[AGAIN]], <8 x i1> zeroinitializer
; CHECK: %[[CHOSEN:.*]] = select <8 x i1> %[[IN]], <8 x i32> %[[PRODUCT]], <8 x i32> %{{.*}}
; CHECK: left:
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %[[CHOSEN]], ptr
; CHECK-NOT: store i32
; CHECK: ret void
define void @products(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %r = phi i32 [ 1, %item ], [ %r.next, %loop ]
  %r.next = mul i32 %r, %v
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r.next, ptr %to
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
