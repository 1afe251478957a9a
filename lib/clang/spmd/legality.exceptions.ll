; A call that may throw is refused.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)

; CHECK: remark: {{.*}} it has exceptions or computed jumps
; CHECK-LABEL: @throws(
; CHECK-NOT: <{{[0-9]+}} x i
; CHECK: ret void
define void @throws(ptr noalias %x, ptr noalias %y) #0 personality ptr @__gxx_personality_v0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %r = invoke i32 @may_throw(i32 %v) to label %end unwind label %caught
caught:
  %pad = landingpad { ptr, i32 } catch ptr null
  br label %end
end:
  %q = phi i32 [ %r, %item ], [ 0, %caught ]
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %q, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, 64
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
