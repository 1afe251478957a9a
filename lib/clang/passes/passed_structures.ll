; Structures that are passed by value are loaded and stored member by member, so that after inlining their members are variables
; of their own types.
; RUN: opt %plugin -passes=kiln-passed-structures -S %s | FileCheck %s
; RUN: opt %plugin -passes='kiln-passed-structures,cgscc(inline),function(sroa,instcombine)' -S %s | FileCheck --check-prefix=INLINED %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%vec = type { float, float, float }
%hit = type { float, i8 }
%pair = type { i32, i32 }
%triple = type { i32, i32, i32 }
%address = type { ptr }
%own = type { <2 x float> }

; CHECK-LABEL: @scaled(
; CHECK: extractelement <2 x float> %xy, i64 0
; CHECK: store float
; CHECK: extractelement <2 x float> %xy, i64 1
; CHECK: store float
; CHECK-NOT: load {{[<{]}}
; CHECK: insertelement <2 x float>
; CHECK: insertelement <2 x float>
; CHECK: insertvalue { <2 x float>, float }
; CHECK: ret { <2 x float>, float }
define internal { <2 x float>, float } @scaled(<2 x float> %xy, float %z, float %by) {
  %a = alloca %vec, align 4
  %r = alloca %vec, align 4
  store <2 x float> %xy, ptr %a, align 4
  %third = getelementptr inbounds { <2 x float>, float }, ptr %a, i32 0, i32 1
  store float %z, ptr %third, align 4
  %x = load float, ptr %a, align 4, !tbaa !0
  %ay = getelementptr inbounds %vec, ptr %a, i32 0, i32 1
  %y = load float, ptr %ay, align 4, !tbaa !0
  %rx = fmul float %x, %by
  %ry = fmul float %y, %by
  %rz = fmul float %z, %by
  store float %rx, ptr %r, align 4, !tbaa !0
  %ary = getelementptr inbounds %vec, ptr %r, i32 0, i32 1
  store float %ry, ptr %ary, align 4, !tbaa !0
  %arz = getelementptr inbounds %vec, ptr %r, i32 0, i32 2
  store float %rz, ptr %arz, align 4, !tbaa !0
  %all = load { <2 x float>, float }, ptr %r, align 4
  ret { <2 x float>, float } %all
}

; A loop carries three numbers.
; INLINED-LABEL: @carried(
; INLINED-NOT: x float>
; INLINED: phi float
; INLINED: phi float
; INLINED: ret void
define void @carried(ptr %out, float %by, i32 %n) {
entry:
  %v = alloca %vec, align 4
  store float 1.0, ptr %v, align 4, !tbaa !0
  %vy = getelementptr inbounds %vec, ptr %v, i32 0, i32 1
  store float 2.0, ptr %vy, align 4, !tbaa !0
  %vz = getelementptr inbounds %vec, ptr %v, i32 0, i32 2
  store float 3.0, ptr %vz, align 4, !tbaa !0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %xy = load <2 x float>, ptr %v, align 4
  %z = load float, ptr %vz, align 4
  %r = call { <2 x float>, float } @scaled(<2 x float> %xy, float %z, float %by)
  %rxy = extractvalue { <2 x float>, float } %r, 0
  store <2 x float> %rxy, ptr %v, align 4
  %rz = extractvalue { <2 x float>, float } %r, 1
  store float %rz, ptr %vz, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %x = load float, ptr %v, align 4, !tbaa !0
  store float %x, ptr %out, align 4, !tbaa !0
  %y = load float, ptr %vy, align 4, !tbaa !0
  %out1 = getelementptr float, ptr %out, i64 1
  store float %y, ptr %out1, align 4, !tbaa !0
  ret void
}

; What is behind the members belongs to it, as unions may have members there.
; CHECK-LABEL: @integers(
; CHECK: %[[LOW:.*]] = trunc i64 %{{.*}} to i32
; CHECK: bitcast i32 %[[LOW]] to float
; CHECK: store float
; CHECK: lshr i64 %hit, 32
; CHECK: store i8
; CHECK: lshr i64 %hit, 40
; CHECK: store i24
; CHECK: load i32
; CHECK: load i32
; CHECK: shl i64 %{{.*}}, 32
; CHECK: ret i64
define i64 @integers(i64 %hit, ptr %pairs, i64 %i) {
  %a = alloca %hit, align 4
  store i64 %hit, ptr %a, align 4
  %at = getelementptr inbounds [4 x %pair], ptr %pairs, i64 0, i64 %i
  %r = load i64, ptr %at, align 4
  ret i64 %r
}

; A variable of the type that stands for a structure is as what it is copied to.
; CHECK-LABEL: @copied(
; CHECK: extractvalue [2 x i64] %value, 0
; CHECK: store i32
; CHECK: store i32
; CHECK: extractvalue [2 x i64] %value, 1
; CHECK: store i32
; CHECK: store i32
; CHECK: call void @llvm.memcpy
define void @copied([2 x i64] %value, ptr %out) {
  %passed = alloca [2 x i64], align 8
  %own = alloca %triple, align 4
  store [2 x i64] %value, ptr %passed, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align 8 %passed, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 4 %own, i64 12, i1 false)
  ret void
}

; What the user's text loads and stores stays as it is, and so do vectors of it, addresses and what is volatile.
; CHECK-LABEL: @others(
; CHECK: store <2 x float> %v, ptr %a, align 4, !tbaa
; CHECK: store volatile <2 x float> %v, ptr %a
; CHECK: store <2 x float> %v, ptr %b
; CHECK: store <4 x float> %w, ptr %c
; CHECK: store i64 %n, ptr %d
; CHECK: load i64, ptr %{{.*}}, align 4, !tbaa
define i64 @others(<2 x float> %v, <4 x float> %w, i64 %n, ptr %pairs, i64 %i) {
  %a = alloca %vec, align 4
  %b = alloca %own, align 8
  %c = alloca <4 x float>, align 16
  %d = alloca %address, align 8
  store <2 x float> %v, ptr %a, align 4, !tbaa !0
  store volatile <2 x float> %v, ptr %a, align 4
  store <2 x float> %v, ptr %b, align 8
  store <4 x float> %w, ptr %c, align 16
  store i64 %n, ptr %d, align 8
  %at = getelementptr inbounds [4 x %pair], ptr %pairs, i64 0, i64 %i
  %r = load i64, ptr %at, align 4, !tbaa !0
  ret i64 %r
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!0 = !{!1, !1, i64 0}
!1 = !{!"float", !2}
!2 = !{!"root"}
