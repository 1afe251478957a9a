; A copy of memory is reported as a read and a write, a fill as a write of its byte. Written values are passed along, since
; equal writes are no race.
; RUN: opt %plugin -passes='kiln-reported-accesses' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%kiln_race_table = type { ptr, ptr, ptr, ptr, ptr, i64 }
@kiln_race = global %kiln_race_table zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: define void @body(
; CHECK: %[[COPY:.*]] = alloca i8
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr %x, i64 %n, ptr null, i32 0, i32 0)
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr %y, i64 %n, ptr %x, i32 1, i32 0)
; CHECK: call void @llvm.memcpy
; CHECK: store i8 7, ptr %[[COPY]]
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr %y, i64 64, ptr %[[COPY]], i32 5, i32 1)
; CHECK: call void @llvm.memset
define void @body(ptr %x, ptr %y, i64 %n) !dbg !10 {
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 %n, i1 false), !dbg !20
  call void @llvm.memset.p0.i64(ptr %y, i8 7, i64 64, i1 false), !dbg !21
  ret void
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "/kiln/kernel.cpp", directory: "/")
!3 = !DIFile(filename: "/shift", directory: "/")
!4 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "kiln_body", scope: !3, file: !3, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!11 = distinct !DISubprogram(name: "kiln_kernel", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!20 = !DILocation(line: 7, column: 3, scope: !10)
!21 = !DILocation(line: 8, column: 5, scope: !10)
!22 = !DILocation(line: 90, column: 1, scope: !11)
