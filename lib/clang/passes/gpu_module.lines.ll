; PTX has no lines of inlined code. Instructions inlined from kiln's text get the line of the user's text that called them.
; Lines without a caller in the user's text stay.
; RUN: opt %plugin -passes='kiln-users-lines' -S %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @kernel(
; CHECK: add i32 %x, 1, !dbg ![[USERS:[0-9]+]]
; CHECK: mul i32 %a, 3, !dbg ![[USERS]]
; CHECK: sub i32 %b, 5, !dbg ![[KILNS:[0-9]+]]
; CHECK: ![[USERS]] = !DILocation(line: 7, column: 3, scope:
; CHECK: ![[KILNS]] = !DILocation(line: 90, column: 1, scope:
define i32 @kernel(i32 %x) !dbg !10 {
  %a = add i32 %x, 1, !dbg !20
  %b = mul i32 %a, 3, !dbg !21
  %c = sub i32 %b, 5, !dbg !22
  ret i32 %c, !dbg !22
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "/kiln/kernel.cpp", directory: "/")
!3 = !DIFile(filename: "/kiln/include/kiln/math/math.hpp", directory: "/")
!4 = !DIFile(filename: "/saxpy", directory: "/")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "kiln_kernel", scope: !2, file: !2, line: 90, type: !5, spFlags: DISPFlagDefinition, unit: !1)
!11 = distinct !DISubprogram(name: "kiln_body", scope: !4, file: !4, line: 1, type: !5, spFlags: DISPFlagDefinition, unit: !1)
!12 = distinct !DISubprogram(name: "sin", scope: !3, file: !3, line: 40, type: !5, spFlags: DISPFlagDefinition, unit: !1)
!20 = !DILocation(line: 41, column: 5, scope: !12, inlinedAt: !21)
!21 = !DILocation(line: 7, column: 3, scope: !11, inlinedAt: !22)
!22 = !DILocation(line: 90, column: 1, scope: !10)
