; Annotations become attributes. Annotated functions are inlined into their callers whatever their size, as the vectorizer over
; items does not look through calls.
; RUN: opt %plugin -passes='kiln-short-rows' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@text = private unnamed_addr constant [10 x i8] c"kiln_rows\00", section "llvm.metadata"
@other = private unnamed_addr constant [6 x i8] c"other\00", section "llvm.metadata"
@file = private unnamed_addr constant [2 x i8] c"f\00", section "llvm.metadata"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @unmarked, ptr @other, ptr @file, i32 1, ptr null }]

; CHECK-NOT: llvm.global.annotations
; CHECK-NOT: @body
; CHECK-LABEL: define i32 @kernel(
; CHECK: mul i32 %x, 3
; CHECK: call i32 @unmarked(
; CHECK: call i32 @exported(
define i32 @kernel(i32 %x) {
  %a = call i32 @body(i32 %x)
  %b = call i32 @unmarked(i32 %a)
  %c = call i32 @exported(i32 %b)
  ret i32 %c
}
define internal i32 @body(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}
define i32 @exported(i32 %x) noinline "kiln-rows" {
  %r = sub i32 %x, 3
  ret i32 %r
}
define internal i32 @unmarked(i32 %x) noinline {
  %r = add i32 %x, 3
  ret i32 %r
}
