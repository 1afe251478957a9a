; A race checker is called before each access of the user's text to memory that other threads may see. It gets address, size,
; kind and line. Own memory, constants and kiln's own accesses are not reported.
; RUN: opt %plugin -passes='kiln-reported-accesses' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%kiln_race_table = type { ptr, ptr, ptr, ptr, ptr, i64 }
@kiln_race = global %kiln_race_table zeroinitializer
@_ZN4kiln4user5countE = global i32 0
@constant = internal constant i32 9
declare void @escape(ptr)

; CHECK-DAG: @kiln_race = global %kiln_race_table { ptr null, ptr null, ptr null, ptr @[[PLACES:[0-9]+]], ptr @[[VARIABLES:[0-9]+]], i64 1 }
; CHECK-DAG: private constant [6 x i8] c"shift\00"
; CHECK-DAG: private constant [6 x i8] c"count\00"
; CHECK-LABEL: define void @body(
; CHECK: %[[ACCESS:.*]] = load ptr, ptr getelementptr {{.*}}(%kiln_race_table, ptr @kiln_race, i32 0, i32 1)
; CHECK: call void %[[ACCESS]](ptr %{{.*}}, ptr %x, i64 4, ptr null, i32 0, i32 0)
; CHECK: load i32, ptr %x
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr %y, i64 4, ptr %{{.*}}, i32 1, i32 1)
; CHECK: store i32 %v, ptr %y
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr @_ZN4kiln4user5countE, i64 4, ptr null, i32 3, i32 1)
; CHECK: atomicrmw add ptr @_ZN4kiln4user5countE
; CHECK-NOT: call void %
; CHECK: ret void
define void @body(ptr %x, ptr %y) !dbg !10 {
  %own = alloca i32
  call void @escape(ptr %own), !dbg !20
  %v = load i32, ptr %x, !dbg !20
  store i32 %v, ptr %y, !dbg !21
  %before = atomicrmw add ptr @_ZN4kiln4user5countE, i32 1 monotonic, !dbg !21
  store i32 %before, ptr %own, !dbg !21
  %nine = load i32, ptr @constant, !dbg !21
  ret void
}

; CHECK-LABEL: define void @kernel(
; CHECK-NOT: call
; CHECK: ret void
define void @kernel(ptr %x) !dbg !11 {
  store i32 1, ptr %x, !dbg !22
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
