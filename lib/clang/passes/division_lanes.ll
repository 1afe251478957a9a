; A loop with so many divisions of integers that vectors of it would have more than 2048 gets fewer lanes. Constant divisors do
; not count. LLVM takes 64 lanes of bytes where no number is asked for.
; RUN: opt %plugin -passes='kiln-division-lanes' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @few(
; CHECK: br i1 %done, label %end, label %loop, !llvm.loop [[FEW:![0-9]+]]
; CHECK-LABEL: define void @many(
; CHECK: br i1 %done, label %end, label %loop, !llvm.loop [[MANY:![0-9]+]]
; CHECK-LABEL: define void @constant(
; CHECK: br i1 %done, label %end, label %loop, !llvm.loop [[FEW]]
; CHECK-LABEL: define void @bytes(
; CHECK: br i1 %done, label %end, label %loop, !llvm.loop [[BYTES:![0-9]+]]
; CHECK: [[FEW]] = distinct !{[[FEW]], [[ASKED:![0-9]+]]}
; CHECK: [[ASKED]] = !{!"llvm.loop.vectorize.width", i32 512}
; CHECK: [[MANY]] = distinct !{[[MANY]], [[FEWER:![0-9]+]]}
; CHECK: [[FEWER]] = !{!"llvm.loop.vectorize.width", i32 256}
; CHECK: [[BYTES]] = distinct !{[[BYTES]], [[OF_BYTES:![0-9]+]]}
; CHECK: [[OF_BYTES]] = !{!"llvm.loop.vectorize.width", i32 32}
define void @few(ptr noalias %a, ptr noalias %b, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i8, ptr %a, i64 %i
  %x = load i8, ptr %at
  %to = getelementptr inbounds i8, ptr %b, i64 %i
  %q0 = load i8, ptr %to
  %q1 = sdiv i8 %q0, %x
  %q2 = sdiv i8 %q1, %x
  %q3 = sdiv i8 %q2, %x
  %q4 = sdiv i8 %q3, %x
  store i8 %q4, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}
define void @many(ptr noalias %a, ptr noalias %b, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i8, ptr %a, i64 %i
  %x = load i8, ptr %at
  %to = getelementptr inbounds i8, ptr %b, i64 %i
  %q0 = load i8, ptr %to
  %q1 = urem i8 %q0, %x
  %q2 = urem i8 %q1, %x
  %q3 = urem i8 %q2, %x
  %q4 = urem i8 %q3, %x
  %q5 = urem i8 %q4, %x
  store i8 %q5, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !1
end:
  ret void
}
define void @constant(ptr noalias %a, ptr noalias %b, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i8, ptr %a, i64 %i
  %x = load i8, ptr %at
  %to = getelementptr inbounds i8, ptr %b, i64 %i
  %q0 = load i8, ptr %to
  %q1 = sdiv i8 %q0, 7
  %q2 = sdiv i8 %q1, 7
  %q3 = sdiv i8 %q2, 7
  %q4 = sdiv i8 %q3, 7
  %q5 = sdiv i8 %q4, 7
  store i8 %q5, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}
define void @bytes(ptr noalias %a, ptr noalias %b, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i8, ptr %a, i64 %i
  %x = load i8, ptr %at
  %to = getelementptr inbounds i8, ptr %b, i64 %i
  %q0 = load i8, ptr %to
  %q1 = sdiv i8 %q0, %x
  %q2 = sdiv i8 %q1, %x
  %q3 = sdiv i8 %q2, %x
  %q4 = sdiv i8 %q3, %x
  %q5 = sdiv i8 %q4, %x
  %q6 = sdiv i8 %q5, %x
  %q7 = sdiv i8 %q6, %x
  %q8 = sdiv i8 %q7, %x
  %q9 = sdiv i8 %q8, %x
  %q10 = sdiv i8 %q9, %x
  %q11 = sdiv i8 %q10, %x
  %q12 = sdiv i8 %q11, %x
  %q13 = sdiv i8 %q12, %x
  %q14 = sdiv i8 %q13, %x
  %q15 = sdiv i8 %q14, %x
  %q16 = sdiv i8 %q15, %x
  %q17 = sdiv i8 %q16, %x
  %q18 = sdiv i8 %q17, %x
  %q19 = sdiv i8 %q18, %x
  %q20 = sdiv i8 %q19, %x
  %q21 = sdiv i8 %q20, %x
  %q22 = sdiv i8 %q21, %x
  %q23 = sdiv i8 %q22, %x
  %q24 = sdiv i8 %q23, %x
  %q25 = sdiv i8 %q24, %x
  %q26 = sdiv i8 %q25, %x
  %q27 = sdiv i8 %q26, %x
  %q28 = sdiv i8 %q27, %x
  %q29 = sdiv i8 %q28, %x
  %q30 = sdiv i8 %q29, %x
  %q31 = sdiv i8 %q30, %x
  %q32 = sdiv i8 %q31, %x
  %q33 = sdiv i8 %q32, %x
  store i8 %q33, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !3
end:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v4" "prefer-vector-width"="512" }
!0 = distinct !{!0, !2}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.vectorize.width", i32 512}
!3 = distinct !{!3}
