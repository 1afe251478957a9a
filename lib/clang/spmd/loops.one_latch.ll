; A uniform loop's latch runs only if a lane is active there, as it alone says whether the loop goes on. It was run for no lane
; where it costs less than a jump, and such loops never ended.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @items(
; CHECK: left:
; CHECK: call void @llvm.masked.store
; CHECK: skip:
; CHECK: %[[REACHED:.*]] = or <8 x i1> %mask{{.*}}, %mask
; CHECK: %[[BITS:.*]] = bitcast <8 x i1> %[[REACHED]] to i8
; CHECK: %[[NONE:.*]] = icmp eq i8 %[[BITS]], 0
; CHECK: br i1 %[[NONE]], label %left, label %loop
define void @items(ptr noalias %a, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !2
  br label %loop
loop:
  %k = phi i32 [ 1, %item ], [ %k.next, %latch ]
  %r = phi i32 [ 0, %item ], [ %r.next, %latch ]
  switch i32 %k, label %latch [
    i32 50, label %some
    i32 90, label %end
  ]
some:
  %less = icmp slt i32 %r, %x
  br i1 %less, label %divide, label %latch
divide:
  %rest = srem i32 7, %x
  br label %latch
latch:
  %r.next = phi i32 [ %r, %loop ], [ %r, %some ], [ %rest, %divide ]
  %k.next = add nuw nsw i32 %k, 1
  br label %loop
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to, !llvm.access.group !2
  %next = add nuw i64 %i, 1
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
