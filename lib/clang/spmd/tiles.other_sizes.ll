; Elements of other sizes than 4 and 8 bytes have no tiles. Nor has a search that may end early, which would transpose elements
; in vain.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @shorts(
; CHECK-NOT: kiln_tile
; CHECK: ret void
define void @shorts(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %x, i64 128, i64 %i, i64 128, i64 128, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi i16 [ 0, %item ], [ %sum, %loop ]
  %from = getelementptr i16, ptr %core, i64 %k
  %v = load i16, ptr %from
  %triple = mul i16 %s, 3
  %sum = xor i16 %triple, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i16, ptr %y, i64 %i
  store i16 %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @search(
; CHECK-NOT: kiln_tile
; CHECK: call <8 x i32> @llvm.masked.gather
; CHECK-NOT: kiln_tile
; CHECK: ret void
define void @search(ptr noalias %x, ptr noalias %y, i64 %n, i32 %m) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %x, i64 256, i64 %i, i64 256, i64 256, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi i32 [ 0, %item ], [ %sum, %loop ]
  %from = getelementptr i32, ptr %core, i64 %k
  %v = load i32, ptr %from
  %sum = add i32 %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp slt i32 %sum, %m
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
