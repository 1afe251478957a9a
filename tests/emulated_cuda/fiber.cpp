#include "fiber.hpp"

#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <new>

namespace kiln_emulated {
namespace {

constexpr std::size_t kStackBytes = 256 << 10, kGuardBytes = 64 << 10;

thread_local Fiber* fiber_of_thread = nullptr;

}  // namespace

#if defined(__x86_64__)
// swapcontext() asks the kernel for the signal mask each time, which is a hundred times the price of this.
extern "C" void kiln_emulated_switch(void** from, void* to);
asm(R"(
  .text
  .hidden kiln_emulated_switch
  .type kiln_emulated_switch, @function
kiln_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size kiln_emulated_switch, .-kiln_emulated_switch
)");

Fiber::Fiber(void (*entry)()) : entry_(entry) {
  void* const mapped = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<char*>(mapped);
  mprotect(pages_, kGuardBytes, PROT_NONE);
  // As kiln_emulated_switch() leaves a stack: six registers, where to go on, and the return address of that.
  void** const top = reinterpret_cast<void**>(pages_ + kStackBytes);
  top[-2] = reinterpret_cast<void*>(&Fiber::run);
  stack_ = top - 8;
}

Fiber::~Fiber() {
  munmap(pages_, kStackBytes);
}

void Fiber::resume() {
  fiber_of_thread = this;
  kiln_emulated_switch(&resumer_, stack_);
  fiber_of_thread = nullptr;
}

void Fiber::pause() {
  Fiber& fiber = *fiber_of_thread;
  kiln_emulated_switch(&fiber.stack_, fiber.resumer_);
}
#else
Fiber::Fiber(void (*entry)()) : entry_(entry) {
  void* const mapped = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<char*>(mapped);
  mprotect(pages_, kGuardBytes, PROT_NONE);
  auto* const context = new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = pages_;
  context->uc_stack.ss_size = kStackBytes;
  makecontext(context, &Fiber::run, 0);
  stack_ = context;
  resumer_ = new ucontext_t;
}

Fiber::~Fiber() {
  delete static_cast<ucontext_t*>(stack_);
  delete static_cast<ucontext_t*>(resumer_);
  munmap(pages_, kStackBytes);
}

void Fiber::resume() {
  fiber_of_thread = this;
  swapcontext(static_cast<ucontext_t*>(resumer_), static_cast<ucontext_t*>(stack_));
  fiber_of_thread = nullptr;
}

void Fiber::pause() {
  Fiber& fiber = *fiber_of_thread;
  swapcontext(static_cast<ucontext_t*>(fiber.stack_), static_cast<ucontext_t*>(fiber.resumer_));
}
#endif

Fiber* Fiber::running() {
  return fiber_of_thread;
}

void Fiber::run() {
  while (true) {
    fiber_of_thread->entry_();
    pause();
  }
}

}  // namespace kiln_emulated
