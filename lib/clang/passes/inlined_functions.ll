; Functions of the user's of up to 600 instructions are inlined wherever they are called. What calls itself or is marked noinline
; stays, as do kiln's own functions, which say themselves what they want.
; RUN: opt %plugin -passes='kiln-inlined-functions<callees>' -S %s | FileCheck %s
; RUN: opt %plugin -passes='kiln-inlined-functions<callees>,cgscc(inline)' -inline-threshold=0 -S %s | FileCheck --check-prefix=INLINED %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: define internal i32 @_ZN4kiln4user5smallEi({{.*}}) [[MARKED:#[0-9]+]] {
; CHECK: define internal i32 @_ZN4kiln4user6itselfEi({{[^)]*}}) {
; CHECK: define internal i32 @_ZN4kiln4user4evenEi({{[^)]*}}) {
; CHECK: define internal i32 @_ZN4kiln4user3oddEi({{[^)]*}}) {
; CHECK: define internal i32 @_ZN4kiln4user4keptEi({{.*}}) [[KEPT:#[0-9]+]] {
; CHECK: define internal i32 @_ZN4kiln5otherEi({{[^)]*}}) {
; CHECK: define internal i32 @kiln_other(i32 %x) {
; CHECK: define internal i32 @in_no_namespace({{.*}}) [[MARKED]] {
; CHECK: attributes [[MARKED]] = { alwaysinline }
; CHECK: attributes [[KEPT]] = { noinline }
define internal i32 @_ZN4kiln4user5smallEi(i32 %x) {
  %a = call i32 @elsewhere(i32 %x)
  %b = call i32 @elsewhere(i32 %a)
  ret i32 %b
}
define internal i32 @_ZN4kiln4user6itselfEi(i32 %x) {
  %a = call i32 @_ZN4kiln4user6itselfEi(i32 %x)
  ret i32 %a
}
define internal i32 @_ZN4kiln4user4evenEi(i32 %x) {
  %a = call i32 @_ZN4kiln4user3oddEi(i32 %x)
  ret i32 %a
}
define internal i32 @_ZN4kiln4user3oddEi(i32 %x) {
  %a = call i32 @_ZN4kiln4user4evenEi(i32 %x)
  ret i32 %a
}
define internal i32 @_ZN4kiln4user4keptEi(i32 %x) noinline {
  ret i32 %x
}
define internal i32 @_ZN4kiln5otherEi(i32 %x) {
  %a = call i32 @elsewhere(i32 %x)
  %b = call i32 @elsewhere(i32 %a)
  ret i32 %b
}
define internal i32 @kiln_other(i32 %x) {
  %a = call i32 @elsewhere(i32 %x)
  %b = call i32 @elsewhere(i32 %a)
  ret i32 %b
}
define internal i32 @in_no_namespace(i32 %x) {
  %a = call i32 @elsewhere(i32 %x)
  %b = call i32 @elsewhere(i32 %a)
  ret i32 %b
}

; INLINED-LABEL: define i32 @kiln_kernel(
; INLINED-NOT: call i32 @_ZN4kiln4user5smallEi
; INLINED: call i32 @_ZN4kiln4user6itselfEi
; INLINED: call i32 @_ZN4kiln4user4keptEi
; INLINED: call i32 @_ZN4kiln5otherEi
; INLINED: call i32 @kiln_other
; INLINED-NOT: call i32 @in_no_namespace
; INLINED: ret
define i32 @kiln_kernel(i32 %x) {
  %a = call i32 @_ZN4kiln4user5smallEi(i32 %x)
  %b = call i32 @_ZN4kiln4user5smallEi(i32 %a)
  %c = call i32 @_ZN4kiln4user6itselfEi(i32 %b)
  %d = call i32 @_ZN4kiln4user4evenEi(i32 %c)
  %e = call i32 @_ZN4kiln4user4keptEi(i32 %d)
  %f = call i32 @_ZN4kiln5otherEi(i32 %e)
  %g = call i32 @_ZN4kiln5otherEi(i32 %f)
  %h = call i32 @kiln_other(i32 %g)
  %more = call i32 @kiln_other(i32 %h)
  %i = call i32 @in_no_namespace(i32 %more)
  %j = call i32 @in_no_namespace(i32 %i)
  ret i32 %j
}
declare i32 @elsewhere(i32)
