; A loop over few items is kept beside that of lanes, for fewer items than those take the time of. Lanes behind the last item of
; a tile get that item's elements.
; RUN: opt %plugin -passes=kiln-spmd -S %s | FileCheck %s
; RUN: opt %plugin -passes=kiln-spmd %s | llc -o /dev/null

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare ptr @kiln_core(ptr, i64, i64, i64, i64, i64, i64) #1
declare i64 @llvm.smin.i64(i64, i64)

; CHECK-LABEL: @few_sums(
; CHECK: %[[ALONE:.*]] = icmp slt i64 %n, 8
; CHECK: br i1 %[[ALONE]], label %[[ITEM:.*]], label %[[LANES:.*]]
; CHECK: [[LANES]]:
; CHECK: call void @kiln_tile.in.4.8.16(ptr {{.*}}, i64 256, i64 64, i64 %{{.*}}, i64 %{{.*}})
; CHECK: [[ITEM]]:
; CHECK: load float
define void @few_sums(ptr noalias %a, ptr noalias %y, i64 %n) #0 {
entry:
  %count = call i64 @llvm.smin.i64(i64 %n, i64 15)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %item, label %exit
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %a, i64 256, i64 %i, i64 256, i64 256, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %from = getelementptr float, ptr %core, i64 %k
  %x = load float, ptr %from, !llvm.access.group !2
  %sum = fadd float %s, %x
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to, !llvm.access.group !2
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %item, label %exit, !llvm.loop !0
exit:
  ret void
}

; Of what takes long, two items are enough.
; CHECK-LABEL: @few_of_long(
; CHECK: %[[ALONE:.*]] = icmp eq i64 %n, 1
; CHECK: br i1 %[[ALONE]], label %item, label %lanes
define void @few_of_long(ptr noalias %a, ptr noalias %y, i64 %n) #0 {
entry:
  %count = call i64 @llvm.smin.i64(i64 %n, i64 15)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %item, label %exit
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %a, i64 256, i64 %i, i64 256, i64 256, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %from = getelementptr float, ptr %core, i64 %k
  %x = load float, ptr %from, !llvm.access.group !2
  %quotient = fdiv float %x, 3.0
  %sum = fadd float %s, %quotient
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to, !llvm.access.group !2
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %item, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @many_sums(
; CHECK-NOT: load float,
; CHECK: ret void
define void @many_sums(ptr noalias %a, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %core = call ptr @kiln_core(ptr %a, i64 256, i64 %i, i64 256, i64 256, i64 1, i64 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %item ], [ %sum, %loop ]
  %from = getelementptr float, ptr %core, i64 %k
  %x = load float, ptr %from, !llvm.access.group !2
  %sum = fadd float %s, %x
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 64
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to, !llvm.access.group !2
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: define internal void @kiln_tile.in.4.8.16(
; CHECK: body:
; CHECK: %[[LAST:.*]] = sub i64 %4, 1
; CHECK-NEXT: %[[ITEM:.*]] = call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %[[LAST]])
; CHECK-NEXT: mul i64 %[[ITEM]], %2
; CHECK: shufflevector <8 x i32>

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !3, !4}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 1}
