; x86 only converts halves. Comparisons, arithmetic, roots and rounding are done in float32, with the same results to the last
; bit. Signs are bit operations.
; RUN: opt %plugin -passes='kiln-half-promotion<last>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare half @llvm.sqrt.f16(half)
declare half @llvm.fabs.f16(half)
declare half @llvm.copysign.f16(half, half)
declare half @llvm.fma.f16(half, half, half)

; CHECK-LABEL: @arithmetic(
; CHECK: fcmp nnan olt float
; CHECK: fadd nnan float
; CHECK: fptrunc {{.*}}float %{{.*}} to half
; CHECK: call float @llvm.sqrt.f32(
; CHECK-NOT: {{fadd|fcmp}} half
; CHECK: ret half
define half @arithmetic(half %x, half %y) {
  %less = fcmp nnan olt half %x, %y
  %sum = fadd nnan half %x, %y
  %root = call half @llvm.sqrt.f16(half %sum)
  %result = select i1 %less, half %root, half %x
  ret half %result
}

; CHECK-LABEL: @signs(
; CHECK: xor i16 %{{.*}}, -32768
; CHECK: and i16 %{{.*}}, 32767
; CHECK: or i16
; CHECK-NOT: float
; CHECK: ret half
define half @signs(half %x, half %y) {
  %minus = fneg half %x
  %size = call half @llvm.fabs.f16(half %minus)
  %result = call half @llvm.copysign.f16(half %size, half %y)
  ret half %result
}

; A sum of a product is rounded once: of float32's it would be twice. So would be an integer of more digits than float32 has.
; CHECK-LABEL: @rounded_once(
; CHECK: sitofp i32 %n to half
; CHECK: %[[WIDE:.*]] = sitofp i16 %m to float
; CHECK: fptrunc float %[[WIDE]] to half
; CHECK: call half @llvm.fma.f16(
; CHECK: ret half
define half @rounded_once(i32 %n, i16 %m) {
  %long = sitofp i32 %n to half
  %short = sitofp i16 %m to half
  %result = call half @llvm.fma.f16(half %long, half %short, half %long)
  ret half %result
}

; CHECK-LABEL: @integers(
; CHECK: %[[WIDE:.*]] = fpext half %x to float
; CHECK: fptosi float %[[WIDE]] to i32
; CHECK: fpext float %{{.*}} to double
; CHECK: ret double
define double @integers(half %x, ptr %to) {
  %n = fptosi half %x to i32
  store i32 %n, ptr %to
  %wide = fpext half %x to double
  ret double %wide
}
