; Tiles of all lanes may have 256 KiB on the stack. Longer items are gathered.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1

; CHECK-LABEL: @fits(
; CHECK: alloca [262144 x i8], align 64
; CHECK: call void @kiln_tile.in.4.4.8(
; CHECK: ret void
define void @fits(ptr noalias %x, ptr noalias %y, ptr noalias %w, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %x, i64 65536, i64 %i, i64 65536, i64 32768, i64 1, i64 0)
  %place = getelementptr i64, ptr %w, i64 %i
  %count = load i64, ptr %place
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %second = shl nuw nsw i64 %k, 1
  %from = getelementptr float, ptr %core, i64 %second
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %count
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @is_too_large(
; CHECK-NOT: kiln_tile
; CHECK: call <4 x float> @llvm.masked.gather
; CHECK: ret void
define void @is_too_large(ptr noalias %x, ptr noalias %y, ptr noalias %w, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %x, i64 65536, i64 %i, i64 65536, i64 32772, i64 1, i64 0)
  %place = getelementptr i64, ptr %w, i64 %i
  %count = load i64, ptr %place
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %second = shl nuw nsw i64 %k, 1
  %from = getelementptr float, ptr %core, i64 %second
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %count
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
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
