; LLVM 19 overestimates the cost of converting 16 halves. Marked loops with halves get the width that their widest type allows.
; An explicit width stays.
; RUN: opt %plugin -passes='kiln-half-promotion<vectorizer>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @singles(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[SIXTEEN:[0-9]+]]
define void @singles(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr half, ptr %x, i64 %i
  %v = load half, ptr %place
  %wide = fpext half %v to float
  %sum = fadd float %wide, 1.0
  %back = fptrunc float %sum to half
  store half %back, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @doubles(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[EIGHT:[0-9]+]]
define void @doubles(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr half, ptr %x, i64 %i
  %v = load half, ptr %place
  %wide = fpext half %v to double
  %sum = fadd double %wide, 1.0
  %back = fptrunc double %sum to half
  store half %back, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop, !llvm.loop !5
exit:
  ret void
}

; CHECK-LABEL: @has_width(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[TWO:[0-9]+]]
define void @has_width(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr half, ptr %x, i64 %i
  %v = load half, ptr %place
  %sum = fadd half %v, 1.0
  store half %sum, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop, !llvm.loop !2
exit:
  ret void
}

; CHECK-LABEL: @no_halves(
; CHECK: br i1 %ends, label %exit, label %loop, !llvm.loop ![[NONE:[0-9]+]]
; CHECK: ![[SIXTEEN]] = distinct !{![[SIXTEEN]], ![[ENABLE:[0-9]+]], ![[WIDTH:[0-9]+]]}
; CHECK: ![[WIDTH]] = !{!"llvm.loop.vectorize.width", i32 16}
; CHECK: ![[EIGHT]] = distinct !{![[EIGHT]], ![[ENABLE]], ![[HALF:[0-9]+]]}
; CHECK: ![[HALF]] = !{!"llvm.loop.vectorize.width", i32 8}
; CHECK: ![[TWO]] = distinct !{![[TWO]], ![[ENABLE]], ![[OTHER:[0-9]+]]}
; CHECK: ![[OTHER]] = !{!"llvm.loop.vectorize.width", i32 2}
; CHECK: ![[NONE]] = distinct !{![[NONE]], ![[ENABLE]]}
define void @no_halves(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %place
  %sum = fadd float %v, 1.0
  store float %sum, ptr %place
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop, !llvm.loop !4
exit:
  ret void
}

attributes #0 = { "target-cpu"="x86-64-v4" "prefer-vector-width"="512" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{!2, !1, !3}
!3 = !{!"llvm.loop.vectorize.width", i32 2}
!4 = distinct !{!4, !1}
!5 = distinct !{!5, !1}
