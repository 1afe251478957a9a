; Local arrays of all lanes may have 256 KiB on the stack. 16 lanes of 4096 int32 fit, of 4097 they do not.
; RUN: opt %plugin -passes=kiln-spmd -pass-remarks-missed=kiln-lanes -S %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} its local arrays are too large for all lanes
; CHECK-LABEL: @fits(
; CHECK: alloca [262144 x i8], align 64
; CHECK: <8 x i32>
; CHECK: ret void
define void @fits(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  %own = alloca [4096 x i32]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %place = getelementptr [4096 x i32], ptr %own, i64 0, i32 %k
  store i32 %v, ptr %place
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %end
end:
  %at = getelementptr [4096 x i32], ptr %own, i64 0, i32 %v
  %value = load i32, ptr %at
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %item, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @is_too_large(
; CHECK: alloca [4097 x i32]
; CHECK-NOT: <{{[0-9]+}} x i32>
; CHECK: ret void
define void @is_too_large(ptr noalias %x, ptr noalias %y, i64 %n) #0 {
entry:
  %own = alloca [4097 x i32]
  br label %item
item:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %item ], [ %k.next, %loop ]
  %place = getelementptr [4097 x i32], ptr %own, i64 0, i32 %k
  store i32 %v, ptr %place
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %v
  br i1 %again, label %loop, label %end
end:
  %at = getelementptr [4097 x i32], ptr %own, i64 0, i32 %v
  %value = load i32, ptr %at
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %value, ptr %to
  %next = add nuw nsw i64 %i, 1
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
