; A division of loop invariants that a branch guards is done in front of the loop, by a divisor that cannot trap. What remains
; in the branch is nothing that LLVM's vectorizer computes for the first lane alone.
; RUN: opt %plugin -passes=kiln-conditional-divisions -S %s | FileCheck %s
; RUN: opt %plugin -passes=kiln-conditional-divisions,loop-vectorize,instcombine -force-vector-width=4 -force-vector-interleave=1 -S %s | FileCheck --check-prefix=VECTORS %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @same_address(
; CHECK: entry:
; CHECK: %[[DIVISOR:.*]] = freeze i64 %m
; CHECK: %[[ZERO:.*]] = icmp eq i64 %[[DIVISOR]], 0
; CHECK: %[[SAFE:.*]] = select i1 %[[ZERO]], i64 1, i64 %[[DIVISOR]]
; CHECK: %at = urem i64 70, %[[SAFE]]
; CHECK: %address = getelementptr i32, ptr %x, i64 %at
; CHECK: loop:
; CHECK-NOT: urem
; VECTORS-LABEL: @same_address(
; VECTORS: vector.body:
; VECTORS: call <4 x i32> @llvm.masked.gather
; VECTORS-NOT: urem
; VECTORS: middle.block:
define void @same_address(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %to = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %to
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %at = urem i64 70, %m
  %address = getelementptr i32, ptr %x, i64 %at
  %element = load i32, ptr %address
  store i32 %element, ptr %to
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; CHECK-LABEL: @consecutive(
; CHECK: %at = udiv i64 70, %{{.*}}
; CHECK: loop:
; VECTORS-LABEL: @consecutive(
; VECTORS: vector.body:
; VECTORS-NOT: udiv
; VECTORS: middle.block:
define void @consecutive(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %to = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %to
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %at = udiv i64 70, %m
  %sum = add i64 %at, %i
  %address = getelementptr i32, ptr %x, i64 %sum
  %element = load i32, ptr %address
  store i32 %element, ptr %to
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; The quotient of a quotient, of signed integers: neither by 0 nor the least by -1.
; CHECK-LABEL: @signed(
; CHECK: %[[DIVISOR:.*]] = freeze i32 %m
; CHECK: %[[ZERO:.*]] = icmp eq i32 %[[DIVISOR]], 0
; CHECK: %[[DIVIDEND:.*]] = freeze i32 %a
; CHECK: %[[LEAST:.*]] = icmp eq i32 %[[DIVIDEND]], -2147483648
; CHECK: %[[MINUS_ONE:.*]] = icmp eq i32 %[[DIVISOR]], -1
; CHECK: %[[BEYOND:.*]] = and i1 %[[LEAST]], %[[MINUS_ONE]]
; CHECK: %[[TRAPS:.*]] = or i1 %[[ZERO]], %[[BEYOND]]
; CHECK: %[[SAFE:.*]] = select i1 %[[TRAPS]], i32 1, i32 %[[DIVISOR]]
; CHECK: %first = sdiv i32 %[[DIVIDEND]], %[[SAFE]]
; CHECK: %second = srem i32 %
; CHECK: %index = sext i32 %second to i64
; CHECK: loop:
define void @signed(ptr noalias %x, ptr noalias %y, i64 %n, i32 %a, i32 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %to = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %to
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %first = sdiv i32 %a, %m
  %second = srem i32 %first, %m
  %index = sext i32 %second to i64
  %address = getelementptr i32, ptr %x, i64 %index
  %element = load i32, ptr %address
  store i32 %element, ptr %to
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; What scalar evolution knows to be invariant, though the operands change: hidden from it, and divided for each lane.
; CHECK-LABEL: @hidden(
; CHECK: loop:
; CHECK: %at = urem i64 70, %difference
; CHECK: %[[FROZEN:.*]] = freeze i64 %at
; CHECK: %address = getelementptr i32, ptr %x, i64 %[[FROZEN]]
; VECTORS-LABEL: @hidden(
; VECTORS: vector.body:
; VECTORS-COUNT-4: urem
; VECTORS: middle.block:
define void @hidden(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %k = phi i64 [ %m, %entry ], [ %k.next, %latch ]
  %to = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %to
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %difference = sub i64 %k, %i
  %at = urem i64 70, %difference
  %address = getelementptr i32, ptr %x, i64 %at
  %element = load i32, ptr %address
  store i32 %element, ptr %to
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %k.next = add i64 %k, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; A store of each lane that is in the branch.
; CHECK-LABEL: @store(
; CHECK: %address = getelementptr i32, ptr %x, i64 %at
; CHECK: loop:
; VECTORS-LABEL: @store(
; VECTORS: vector.body:
; VECTORS-NOT: urem
; VECTORS: middle.block:
define void @store(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %from
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %at = urem i64 70, %m
  %address = getelementptr i32, ptr %x, i64 %at
  store i32 %v, ptr %address
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

; Divisions that no branch guards, and those that cannot trap, stay as they are.
; CHECK-LABEL: @left_alone(
; CHECK-NOT: freeze
; CHECK-NOT: select
; CHECK: ret void
define void @left_alone(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = urem i64 70, %m
  %to = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %to
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %then, label %latch
then:
  %tenth = udiv i64 %i, 10
  %sum = add i64 %at, %tenth
  %address = getelementptr i32, ptr %x, i64 %sum
  %element = load i32, ptr %address
  store i32 %element, ptr %to
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}

attributes #0 = { "target-cpu"="x86-64-v4" }
