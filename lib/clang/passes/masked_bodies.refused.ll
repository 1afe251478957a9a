; What may not be executed for an element that does not count stays behind the branch.
; RUN: opt %plugin -passes='kiln-masked-bodies' -S %s | FileCheck %s

declare zeroext i1 @kiln_computes(i1 zeroext) memory(none)
declare i32 @unknown(i32) nounwind willreturn memory(none)
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@users = external global ptr

; CHECK-LABEL: define i32 @reads_table(
; CHECK: br i1 %counts, label %then, label %join
define i32 @reads_table(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %at = getelementptr inbounds [4 x i32], ptr @table, i32 0, i32 %a
  %v = load i32, ptr %at
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @users_memory(
; CHECK: br i1 %counts, label %then, label %join
define i32 @users_memory(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %memory = load ptr, ptr @users
  %v = load i32, ptr %memory
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @stores(
; CHECK: br i1 %counts, label %then, label %join
define i32 @stores(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = add i32 %a, 1
  store i32 %v, ptr %operands
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @volatile_read(
; CHECK: br i1 %counts, label %then, label %join
define i32 @volatile_read(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = load volatile i32, ptr %operands
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @calls(
; CHECK: br i1 %counts, label %then, label %join
define i32 @calls(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = call i32 @unknown(i32 %a)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @recurses(
; CHECK: br i1 %counts, label %then, label %join
define i32 @recurses(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = call i32 @itself(i32 %a)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

define i32 @itself(i32 %a) nounwind willreturn memory(none) mustprogress {
entry:
  %zero = icmp eq i32 %a, 0
  br i1 %zero, label %end, label %again
again:
  %less = sub i32 %a, 1
  %v = call i32 @itself(i32 %less)
  br label %end
end:
  %r = phi i32 [ 1, %entry ], [ %v, %again ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @calls_a_loop(
; CHECK: br i1 %counts, label %then, label %join
define i32 @calls_a_loop(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = call i32 @loops(i32 %a)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

define i32 @loops(i32 %a) nounwind willreturn memory(none) mustprogress {
entry:
  br label %loop
loop:
  %n = phi i32 [ %a, %entry ], [ %half, %loop ]
  %half = lshr i32 %n, 1
  %done = icmp eq i32 %half, 1
  br i1 %done, label %end, label %loop
end:
  ret i32 %half
}

; CHECK-LABEL: define i32 @calls_a_division(
; CHECK: br i1 %counts, label %then, label %join
define i32 @calls_a_division(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = call i32 @divides(i32 %a)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}

define i32 @divides(i32 %a) nounwind willreturn memory(none) {
  %v = udiv i32 1, %a
  ret i32 %v
}

; CHECK-LABEL: define i32 @does_not_end(
; CHECK: br i1 %counts, label %then, label %join
define i32 @does_not_end(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  br label %loop
loop:
  %n = phi i32 [ %a, %then ], [ %half, %loop ]
  %half = lshr i32 %n, 1
  %done = icmp eq i32 %half, 1
  br i1 %done, label %end, label %loop
end:
  %v = add i32 %half, 1
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %end ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @falls_off(
; CHECK: br i1 %counts, label %then, label %join
define i32 @falls_off(i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %zero = icmp eq i32 %a, 0
  br i1 %zero, label %never, label %join
never:
  unreachable
join:
  %r = phi i32 [ 0, %entry ], [ 1, %then ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @assembly(
; CHECK: br i1 %counts, label %then, label %join
define i32 @assembly(ptr %operands, i32 %a, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  %v = call i32 asm "rdtsc", "={ax}"() memory(none)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  ret i32 %r
}
