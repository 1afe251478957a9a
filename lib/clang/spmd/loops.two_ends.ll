; Lanes leave a loop by a break and at its end. A lane's values at that moment stay, whatever other lanes compute later.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @search(
; CHECK: [[LOOP:loop.*]]:
; CHECK: %[[IN:.*]] = phi <8 x i1> [ {{.*}}, %lanes ], [ %{{.*}}, %{{.*}} ]
; CHECK: %[[OTHER:.*]] = icmp ne <8 x i32> %{{.*}}, <i32 7,
; CHECK: %[[FOUND:.*]] = select <8 x i1> %[[IN]], <8 x i32> %{{.*}}, <8 x i32> %{{.*}}
; CHECK: %[[GO_ON:.*]] = select <8 x i1> %[[IN]], <8 x i1> %[[OTHER]], <8 x i1> zeroinitializer
; CHECK: latch{{.*}}:
; CHECK: select <8 x i1> %{{.*}}, <8 x i32> <i32 -1, {{.*}}>, <8 x i32> %[[FOUND]]
; CHECK: ret void
define void @search(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %latch ]
  %r = phi i32 [ %v, %item ], [ %r.next, %latch ]
  %found = icmp eq i32 %r, 7
  br i1 %found, label %end, label %latch
latch:
  %r.next = lshr i32 %r, 1
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, 30
  br i1 %again, label %loop, label %end
end:
  %r.end = phi i32 [ %k, %loop ], [ -1, %latch ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r.end, ptr %to
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
