// A function of a shared library that is opened at the first call of any of them (late.cmake). Each
// knows where the library's own is from its first call on, and jumps there with all arguments as they
// are.
    .section .note.GNU-stack,"",@progbits

    .section .rodata.late_library,"a",@progbits
late_library:
    .asciz LIBRARY

// In %r11: where the address belongs, before its name. Keeps whatever arguments may be in.
    .section .text.late_open,"ax",@progbits
    .type late_open,@function
late_open:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $208, %rsp
    mov %rdi, 0(%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    mov %r11, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    lea late_library(%rip), %rdi
    lea 8(%r11), %rsi
    call lanescope_late_function
    mov 56(%rsp), %r11
    mov %rax, (%r11)
    mov %rax, %r11
    mov 0(%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc

// Each in sections of its own: the linker keeps what is called.
    .macro late name
    .section .data.late.\name,"aw",@progbits
    .balign 8
0:  .quad 0
    .asciz "\name"
    .section .text.late.\name,"ax",@progbits
    .globl \name
    .hidden \name
    .type \name,@function
\name:
    .cfi_startproc
    mov 0b(%rip), %r11
    test %r11, %r11
    jz 1f
    jmp *%r11
1:  lea 0b(%rip), %r11
    jmp late_open
    .cfi_endproc
    .size \name, . - \name
    .endm
