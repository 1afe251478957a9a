; What stands in a function that is to be inlined is looked at behind the inliner. What cannot be inlined is decided before loops
; are optimized.
; RUN: opt %plugin -passes='kiln-masked-bodies<peephole>' -S %s | FileCheck --check-prefix=BEFORE %s
; RUN: opt %plugin -passes='always-inline,function(kiln-masked-bodies<peephole>)' -S %s | FileCheck --check-prefix=BEHIND %s
; RUN: opt %plugin -passes='kiln-masked-bodies<early>' -S %s | FileCheck --check-prefix=LAST %s

declare zeroext i1 @kiln_computes(i1 zeroext) memory(none)

; BEFORE-LABEL: define float @loop(
; BEFORE: call zeroext i1 @kiln_computes(
; BEHIND-LABEL: define float @loop(
; BEHIND: br i1 true, label %then, label %join
; LAST-LABEL: define float @loop(
; LAST: br i1 %counts, label %then, label %join
define float @loop(ptr %to, i1 %counts) {
entry:
  %here = call zeroext i1 @kiln_computes(i1 zeroext %counts)
  br i1 %here, label %then, label %join
then:
  call void @body(ptr %to)
  br label %join
join:
  %r = phi float [ 0.0, %entry ], [ 1.0, %then ]
  ret float %r
}
define void @body(ptr %to) alwaysinline {
  %x = load float, ptr %to
  ret void
}
