; A local array that is also used outside of the item is refused, as lanes would share it.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} it has a local array that LLVM moved out of the item
; CHECK-LABEL: @counts(
; CHECK-NOT: <{{[0-9]+}} x i32>
; CHECK: ret void
define void @counts(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  %own = alloca [4 x i32]
  store i32 0, ptr %own
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  call void @llvm.lifetime.start.p0(i64 16, ptr %own)
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %at = and i32 %v, 3
  %place = getelementptr [4 x i32], ptr %own, i64 0, i32 %at
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %sum = load i32, ptr %place
  %more = add i32 %sum, %k
  store i32 %more, ptr %place
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %more, ptr %to
  call void @llvm.lifetime.end.p0(i64 16, ptr %own)
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
