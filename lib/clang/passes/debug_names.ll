; The debug information has the kernel's name ("saxpy" in the plug-in) for functions of the templates, and no linkage names for
; them. The user's functions keep both.
; RUN: opt %plugin -passes='kiln-debug-names' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: ![[UNIT:[0-9]+]] = distinct !DICompileUnit
; CHECK-DAG: = distinct !DISubprogram(name: "saxpy", scope: {{[^,]*}}, file: {{[^,]*}}, line: 1,
; CHECK-DAG: = distinct !DISubprogram(name: "saxpy_map", scope: {{[^,]*}}, file: {{[^,]*}}, line: 2,
; CHECK-DAG: = distinct !DISubprogram(name: "saxpy_post", scope: {{[^,]*}}, file: {{[^,]*}}, line: 3,
; CHECK-DAG: = distinct !DISubprogram(name: "saxpy_identity", scope: {{[^,]*}}, file: {{[^,]*}}, line: 4,
; CHECK-DAG: = distinct !DISubprogram(name: "saxpy", scope: {{[^,]*}}, file: {{[^,]*}}, line: 5,
; CHECK-DAG: = distinct !DISubprogram(name: "users", linkageName: "_Z5usersv", scope: {{[^,]*}}, file: {{[^,]*}}, line: 6,
define void @body() !dbg !10 { ret void }
define void @map() !dbg !11 { ret void }
define void @post() !dbg !12 { ret void }
define void @identity() !dbg !13 { ret void }
define void @reduce() !dbg !14 { ret void }
define void @users() !dbg !15 { ret void }
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "kernel.cpp", directory: "/kiln")
!3 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "kiln_body", linkageName: "_Z9kiln_bodyv", scope: !2, file: !2, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!11 = distinct !DISubprogram(name: "kiln_map", linkageName: "_Z8kiln_mapv", scope: !2, file: !2, line: 2, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!12 = distinct !DISubprogram(name: "kiln_post", scope: !2, file: !2, line: 3, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!13 = distinct !DISubprogram(name: "kiln_identity", scope: !2, file: !2, line: 4, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!14 = distinct !DISubprogram(name: "kiln_reduce", scope: !2, file: !2, line: 5, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!15 = distinct !DISubprogram(name: "users", linkageName: "_Z5usersv", scope: !2, file: !2, line: 6, type: !3, spFlags: DISPFlagDefinition, unit: !1)