; Operations that a check has reported have defined results. Shifts use the amount modulo the width, conversions are frozen, and
; an index out of bounds becomes 0.
; RUN: opt %plugin -passes='kiln-reported-operations' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__ubsan_handle_out_of_bounds(ptr, i64)

; CHECK-LABEL: @shifts(
; CHECK: %[[BITS:.*]] = and i32 %n, 31
; CHECK: shl i32 %x, %[[BITS]]
; CHECK: lshr i32 %x, 5
; CHECK: shl i24 %y, %m
; CHECK: ret i32
define i32 @shifts(i32 %x, i32 %n, i24 %y, i24 %m, ptr %to) {
  %left = shl i32 %x, %n
  %right = lshr i32 %x, 5
  %odd = shl i24 %y, %m
  store i24 %odd, ptr %to
  %sum = add i32 %left, %right
  ret i32 %sum
}

; CHECK-LABEL: @conversions(
; CHECK: %[[NUMBER:.*]] = fptosi float %x to i32
; CHECK: %[[FROZEN:.*]] = freeze i32 %[[NUMBER]]
; CHECK: ret i32 %[[FROZEN]]
define i32 @conversions(float %x) {
  %n = fptosi float %x to i32
  ret i32 %n
}

; CHECK-LABEL: @index(
; CHECK: %[[IN:.*]] = icmp ult i64 %wide, 4
; CHECK: access:
; CHECK: getelementptr inbounds [4 x i32], ptr %x, i64 0, i64 %other
; CHECK: %[[AT:.*]] = select i1 %[[IN]], i64 %wide, i64 0
; CHECK: getelementptr inbounds [4 x i32], ptr %x, i64 0, i64 %[[AT]]
define i32 @index(ptr %x, i32 %at, i64 %other) {
  %wide = zext i32 %at to i64
  %within = icmp ult i64 %wide, 4
  br i1 %within, label %access, label %report
report:
  call void @__ubsan_handle_out_of_bounds(ptr null, i64 %wide)
  br label %access
access:
  %also = getelementptr inbounds [4 x i32], ptr %x, i64 0, i64 %other
  %place = getelementptr inbounds [4 x i32], ptr %x, i64 0, i64 %wide
  %v = load i32, ptr %place
  %w = load i32, ptr %also
  %sum = add i32 %v, %w
  ret i32 %sum
}
