; A loop with a version without masks doubles its body. The third level of loops has the masked version only.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @cubes(
; CHECK-COUNT-8: mul <8 x i32>
; CHECK-NOT: mul <8 x i32>
; CHECK: ret void
define void @cubes(ptr noalias %x, ptr noalias %y, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  %first = trunc i64 %i to i32
  br label %a
a:
  %ka = phi i32 [ %first, %item ], [ %ka.next, %a.latch ]
  %ra = phi i32 [ %v, %item ], [ %rla, %a.latch ]
  br label %b
b:
  %kb = phi i32 [ %first, %a ], [ %kb.next, %b.latch ]
  %rb = phi i32 [ %ra, %a ], [ %rlb, %b.latch ]
  br label %c
c:
  %kc = phi i32 [ %first, %b ], [ %kc.next, %c.latch ]
  %rc = phi i32 [ %rb, %b ], [ %rlc, %c.latch ]
  %s = mul i32 %rc, 3
  br label %c.latch
c.latch:
  %rlc = add i32 %s, %kc
  %kc.next = add nsw i32 %kc, 1
  %againc = icmp slt i32 %kc.next, %m
  br i1 %againc, label %c, label %b.latch
b.latch:
  %rlb = add i32 %rlc, %kb
  %kb.next = add nsw i32 %kb, 1
  %againb = icmp slt i32 %kb.next, %m
  br i1 %againb, label %b, label %a.latch
a.latch:
  %rla = add i32 %rlb, %ka
  %ka.next = add nsw i32 %ka, 1
  %againa = icmp slt i32 %ka.next, %m
  br i1 %againa, label %a, label %end
end:
  %r = add i32 %rla, 0
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %to
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
