; Functions of kiln's that are always inlined are inlined first: their accesses are reported at the user's line.
; RUN: opt %plugin -passes='kiln-reported-accesses' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%kiln_race_table = type { ptr, ptr, ptr, ptr, ptr, i64 }
@kiln_race = global %kiln_race_table zeroinitializer

; CHECK-LABEL: define void @body(
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr %x, i64 4, ptr null, i32 0, i32 0)
; CHECK: load i32, ptr %x
define void @body(ptr %x, ptr %y) !dbg !10 {
  %v = call i32 @element(ptr %x), !dbg !20
  ret void
}
define internal i32 @element(ptr %at) alwaysinline !dbg !11 {
  %v = load i32, ptr %at, !dbg !22
  ret i32 %v
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
