; Items whose loops end in different iterations become lanes. A call through a varying pointer is made lane by lane, with the
; pointer in a register. LLVM 19 for x86 crashes if it folds the load from the vector in memory.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s
; RUN: opt %plugin -passes=kiln-spmd %s | llc -o /dev/null

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @increment(i32) #1
declare i32 @double(i32) #1

; CHECK-LABEL: @items(
; CHECK: lanes:
; CHECK: %[[FUNCTIONS:.*]] = select <8 x i1> %{{.*}}, <8 x ptr>
; CHECK: lane:
; CHECK: %[[FUNCTION:.*]] = extractelement <8 x ptr> %{{.*}}, i32 %{{.*}}
; CHECK: %[[HIDDEN:.*]] = call ptr asm "", "=r,0"(ptr %[[FUNCTION]])
; CHECK: call i32 %[[HIDDEN]](i32 %{{.*}})
; CHECK: ret void
define void @items(ptr noalias %a, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %a, i64 %i
  %count = load i32, ptr %from, !llvm.access.group !2
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %x = phi i32 [ %count, %item ], [ %result, %loop ]
  %bit = and i32 %x, 1
  %odd = icmp ne i32 %bit, 0
  %function = select i1 %odd, ptr @increment, ptr @double
  %result = call i32 %function(i32 %x) #1
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %count
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %result, ptr %to, !llvm.access.group !2
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
