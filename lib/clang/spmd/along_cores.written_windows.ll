; Windows that lanes wrote go back before a loop along the items reads them there.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1
declare void @kiln_core_end(ptr, ptr, i64, i64, i64) #2

; CHECK-LABEL: @normalized(
; CHECK: left:
; CHECK: call void @kiln_tile.out.4.8.16(
; CHECK: item{{[0-9]*}}:
; CHECK: call{{.*}} @llvm.cttz.i16(
; CHECK: fsub float
; CHECK: ret void
define void @normalized(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %a = call ptr @kiln_core(ptr %x, i64 4096, i64 %i, i64 4096, i64 4096, i64 1, i64 0)
  %b = call ptr @kiln_core(ptr %y, i64 4096, i64 %i, i64 4096, i64 4096, i64 0, i64 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %from = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %from
  %sum = fadd float %s, %v
  %so.far = getelementptr float, ptr %b, i64 %k
  store float %sum, ptr %so.far
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 1024
  br i1 %again, label %loop, label %between
between:
  %mean = fmul float %sum, 0x3F50000000000000
  br label %write
write:
  %j = phi i64 [ 0, %between ], [ %j.next, %write ]
  %e.from = getelementptr float, ptr %b, i64 %j
  %e = load float, ptr %e.from
  %d = fsub float %e, %mean
  %e.to = getelementptr float, ptr %b, i64 %j
  store float %d, ptr %e.to
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 1024
  br i1 %more, label %write, label %end
end:
  call void @kiln_core_end(ptr %b, ptr %y, i64 4096, i64 %i, i64 4096)
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { noduplicate nounwind }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
