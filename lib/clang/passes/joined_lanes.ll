; Two marked functions of one vector become their joined functions, inlined, and share their common part. A function that is
; alone with its argument, or in its block, stays.
; RUN: opt %plugin -passes='kiln-joined-lanes<last>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x float> @sine(<4 x float>) #0
declare <4 x float> @cosine(<4 x float>) #1
declare <4 x float> @external(<4 x float>)

define linkonce_odr <4 x float> @joined_sine(<4 x float> %x) {
  %rest = fmul <4 x float> %x, splat (float 3.0)
  %sine = fadd <4 x float> %rest, splat (float 5.0)
  ret <4 x float> %sine
}
define linkonce_odr <4 x float> @joined_cosine(<4 x float> %x) {
  %rest = fmul <4 x float> %x, splat (float 3.0)
  %cosine = fsub <4 x float> %rest, splat (float 7.0)
  ret <4 x float> %cosine
}

; CHECK-LABEL: @both(
; CHECK-COUNT-1: fmul <4 x float> %x
; CHECK-NOT: fmul
; CHECK-NOT: call
; CHECK: fadd <4 x float> %{{.*}}, <float 5
; CHECK-NOT: fmul
; CHECK-NOT: call
; CHECK: fsub <4 x float> %{{.*}}, <float 7
; CHECK-NOT: call
; CHECK: ret
define <4 x float> @both(<4 x float> %x) {
  %sine = call <4 x float> @sine(<4 x float> %x)
  %cosine = call <4 x float> @cosine(<4 x float> %x)
  %sum = fdiv <4 x float> %sine, %cosine
  ret <4 x float> %sum
}

; CHECK-LABEL: @two_arguments(
; CHECK: call <4 x float> @sine(<4 x float> %x)
; CHECK: call <4 x float> @cosine(<4 x float> %y)
; CHECK: ret
define <4 x float> @two_arguments(<4 x float> %x, <4 x float> %y) {
  %sine = call <4 x float> @sine(<4 x float> %x)
  %cosine = call <4 x float> @cosine(<4 x float> %y)
  %sum = fdiv <4 x float> %sine, %cosine
  ret <4 x float> %sum
}

; CHECK-LABEL: @one_function(
; CHECK: call <4 x float> @sine(<4 x float> %x)
; CHECK: call <4 x float> @external(<4 x float> %x)
; CHECK: call <4 x float> @sine(<4 x float> %x)
; CHECK: ret
define <4 x float> @one_function(<4 x float> %x) {
  %sine = call <4 x float> @sine(<4 x float> %x)
  %external = call <4 x float> @external(<4 x float> %x)
  %again = call <4 x float> @sine(<4 x float> %x)
  %sum = fdiv <4 x float> %sine, %external
  %sum.2 = fdiv <4 x float> %sum, %again
  ret <4 x float> %sum.2
}

; CHECK-LABEL: @two_blocks(
; CHECK: call <4 x float> @sine(<4 x float> %x)
; CHECK: call <4 x float> @cosine(<4 x float> %x)
; CHECK: ret
define <4 x float> @two_blocks(<4 x float> %x, i1 %c) {
entry:
  br i1 %c, label %then, label %else
then:
  %sine = call <4 x float> @sine(<4 x float> %x)
  ret <4 x float> %sine
else:
  %cosine = call <4 x float> @cosine(<4 x float> %x)
  ret <4 x float> %cosine
}

; Branches on one condition become one.
declare <4 x float> @far_sine(<4 x float>)
declare <4 x float> @far_cosine(<4 x float>)
declare <4 x float> @branching_sine(<4 x float>) #2
declare <4 x float> @branching_cosine(<4 x float>) #3
define linkonce_odr <4 x float> @joined_branching_sine(<4 x float> %x) {
  %far = fcmp oge <4 x float> %x, splat (float 9.0)
  %mask = bitcast <4 x i1> %far to i4
  %any = icmp ne i4 %mask, 0
  br i1 %any, label %rare, label %end
rare:
  %other = call <4 x float> @far_sine(<4 x float> %x)
  ret <4 x float> %other
end:
  %usual = fadd <4 x float> %x, splat (float 5.0)
  ret <4 x float> %usual
}
define linkonce_odr <4 x float> @joined_branching_cosine(<4 x float> %x) {
  %far = fcmp oge <4 x float> %x, splat (float 9.0)
  %mask = bitcast <4 x i1> %far to i4
  %any = icmp ne i4 %mask, 0
  br i1 %any, label %rare, label %end
rare:
  %other = call <4 x float> @far_cosine(<4 x float> %x)
  ret <4 x float> %other
end:
  %usual = fsub <4 x float> %x, splat (float 7.0)
  ret <4 x float> %usual
}

; CHECK-LABEL: @branches(
; CHECK: br i1
; CHECK-NOT: br i1
; CHECK: call <4 x float> @far_sine(
; CHECK-NOT: br i1
; CHECK: call <4 x float> @far_cosine(
; CHECK-NOT: br i1
; CHECK: call <4 x float> @external(
; CHECK-NOT: br i1
; CHECK: ret
define <4 x float> @branches(<4 x float> %x) {
  %sine = call <4 x float> @branching_sine(<4 x float> %x)
  %external = call <4 x float> @external(<4 x float> %sine)
  %cosine = call <4 x float> @branching_cosine(<4 x float> %x)
  %sum = fdiv <4 x float> %external, %cosine
  ret <4 x float> %sum
}

attributes #0 = { "kiln-joined"="joined_sine" }
attributes #1 = { "kiln-joined"="joined_cosine" }
attributes #2 = { "kiln-joined"="joined_branching_sine" }
attributes #3 = { "kiln-joined"="joined_branching_cosine" }
