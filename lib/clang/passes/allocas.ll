; Own memory of a body is one object for all iterations, so its accesses lose their access group. Accesses of operands keep
; theirs. A pointer that was loaded from own memory may point to more of it.
; RUN: opt %plugin -passes='kiln-allocas' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @take(ptr, ptr)

; CHECK-LABEL: @sums(
; CHECK: load i32, ptr %from, align 4, !llvm.access.group
; CHECK: store i32 %v, ptr %place, align 4{{$}}
; CHECK: load i32, ptr %own, align 4{{$}}
; CHECK: load ptr, ptr %list, align 8{{$}}
; CHECK: load i32, ptr %link, align 4{{$}}
; CHECK: call void @take(ptr %from, ptr %own){{$}}
; CHECK: call void @take(ptr %from, ptr %y), !llvm.access.group
; CHECK: store i32 %other, ptr %to, align 4, !llvm.access.group
define void @sums(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  %own = alloca [4 x i32]
  %list = alloca ptr
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %from, !llvm.access.group !2
  %at = and i64 %i, 3
  %place = getelementptr i32, ptr %own, i64 %at
  store i32 %v, ptr %place, !llvm.access.group !2
  %first = load i32, ptr %own, !llvm.access.group !2
  %link = load ptr, ptr %list, !llvm.access.group !2
  %linked = load i32, ptr %link, !llvm.access.group !2
  call void @take(ptr %from, ptr %own), !llvm.access.group !2
  call void @take(ptr %from, ptr %y), !llvm.access.group !2
  %other = add i32 %first, %linked
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %other, ptr %to, !llvm.access.group !2
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
