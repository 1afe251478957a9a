; The widest type that the body computes with decides the number of lanes. Two registers are interleaved. Two lanes to a
; register are not worth the masks.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} a register holds two of its numbers only
; CHECK-LABEL: @singles(
; CHECK-COUNT-2: fmul <8 x float>
; CHECK-NOT: fmul
; CHECK: ret void
define void @singles(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %s = phi float [ %v, %item ], [ %s.next, %loop ]
  %s.next = fmul float %s, %v
  %k.next = add i32 %k, 1
  %again = fcmp olt float %s.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %y, i64 %i
  store float %s.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @doubles(
; CHECK-COUNT-2: fmul <4 x double>
; CHECK-NOT: fmul
; CHECK: ret void
define void @doubles(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %s = phi double [ %v, %item ], [ %s.next, %loop ]
  %s.next = fmul double %s, %v
  %k.next = add i32 %k, 1
  %again = fcmp olt double %s.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr double, ptr %y, i64 %i
  store double %s.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @halves(
; CHECK-COUNT-2: fmul <8 x half>
; CHECK-NOT: fmul
; CHECK: ret void
define void @halves(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr half, ptr %x, i64 %i
  %v = load half, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %s = phi half [ %v, %item ], [ %s.next, %loop ]
  %s.next = fmul half %s, %v
  %k.next = add i32 %k, 1
  %again = fcmp olt half %s.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr half, ptr %y, i64 %i
  store half %s.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @wide_doubles(
; CHECK-COUNT-2: fmul <8 x double>
; CHECK-NOT: fmul
; CHECK: ret void
define void @wide_doubles(ptr noalias %x, ptr noalias %y, i64 %n) #1 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %s = phi double [ %v, %item ], [ %s.next, %loop ]
  %s.next = fmul double %s, %v
  %k.next = add i32 %k, 1
  %again = fcmp olt double %s.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr double, ptr %y, i64 %i
  store double %s.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @two_doubles(
; CHECK-NOT: fmul <
; CHECK: ret void
define void @two_doubles(ptr noalias %x, ptr noalias %y, i64 %n) #2 {
entry:
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %s = phi double [ %v, %item ], [ %s.next, %loop ]
  %s.next = fmul double %s, %v
  %k.next = add i32 %k, 1
  %again = fcmp olt double %s.next, %v
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr double, ptr %y, i64 %i
  store double %s.next, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64-v3" }
attributes #1 = { nounwind "target-cpu"="x86-64-v4" "prefer-vector-width"="512" }
attributes #2 = { nounwind "target-cpu"="x86-64" }

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
