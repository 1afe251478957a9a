; A function that calls itself cannot be part of the kernel's: an error says so.
; RUN: not opt %plugin -passes='kiln-thread-places' -S %s 2>&1 | FileCheck %s

target triple = "x86_64-unknown-linux-gnu"

@kiln_here = external global { ptr, i32 }
declare void @kiln_enter(ptr)

; CHECK: error: threadIdx and its kin, functions of a warp and extern __shared__ arrays cannot stand in a function that calls itself
define void @kiln_kernel(ptr %y) {
  %place = alloca { ptr, i32 }
  call void @kiln_enter(ptr %place)
  %x = call i32 @again(i32 3)
  store i32 %x, ptr %y
  ret void
}

define internal i32 @again(i32 %n) {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @again(i32 %less)
  ret i32 %rest
end:
  %x = load i32, ptr getelementptr (i8, ptr @kiln_here, i64 8)
  ret i32 %x
}
