// Switches between fibers, in the language of each processor.
//
// Compare    System V ABI for x86-64 (2018), section 3.2.1, and Procedure Call Standard
//            for the Arm 64-bit Architecture, section 6.1: what a function must keep
// Read next  kernels/simt/runtime/block.h

#include "kernels/simt/runtime/fiber.h"

#include <cstdint>

#if defined(SIMT_UCONTEXT)

namespace simt {

void Fiber::Prepare(char* stack, size_t size, void (*entry)()) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

void Fiber::Switch(Fiber* from, Fiber* to) {
  swapcontext(&from->context_, &to->context_);
}

}  // namespace simt

#else

extern "C" void simt_switch(void** from, void* to);

// Pushes what must be kept, exchanges the stack pointers, pops, and jumps to where the
// other fiber was left, or to the entry of a new one.
#if defined(__x86_64__)
constexpr int kKept = 6;  // registers
asm(R"(
.text
.globl simt_switch
.type simt_switch, @function
simt_switch:
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
  popq %rcx
  jmp *%rcx
.size simt_switch, . - simt_switch
)");
#else  // aarch64; not run yet on such a machine
constexpr int kKept = 19;  // x19 to x29 and d8 to d15
asm(R"(
.text
.globl simt_switch
.type simt_switch, %function
simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp d8, d9, [sp, #80]
  stp d10, d11, [sp, #96]
  stp d12, d13, [sp, #112]
  stp d14, d15, [sp, #128]
  stp x29, x30, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp d8, d9, [sp, #80]
  ldp d10, d11, [sp, #96]
  ldp d12, d13, [sp, #112]
  ldp d14, d15, [sp, #128]
  ldp x29, x30, [sp, #144]
  add sp, sp, #160
  ret
.size simt_switch, . - simt_switch
)");
#endif

namespace simt {

void Fiber::Prepare(char* stack, size_t size, void (*entry)()) {
  auto top = reinterpret_cast<uintptr_t>(stack + size) & ~uintptr_t{15};
  // Above the entry lies a return address of 0, where who walks up the stack stops; it
  // also makes the stack as aligned as after a call.
  auto* word = reinterpret_cast<uintptr_t*>(top);
#if defined(__x86_64__)
  *--word = 0;
#endif
  *--word = reinterpret_cast<uintptr_t>(entry);
  for (int i = 0; i < kKept; ++i) *--word = 0;
  stack_pointer_ = word;
}

void Fiber::Switch(Fiber* from, Fiber* to) {
  simt_switch(&from->stack_pointer_, to->stack_pointer_);
}

}  // namespace simt

#endif
