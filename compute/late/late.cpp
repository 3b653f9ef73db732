// Lazy binding of shared libraries: opens a library when one of its functions is first
// called. Most commands draw nothing, and opening the graphics libraries would dominate their
// start-up time. app/cmake/late.cmake generates the stubs, which work for any parameters;
// each passes its entry in %r11.
#include <atomic>
#include <string>

#include "compute/error.h"
#include "compute/process/library.h"

namespace {

// Laid out by the generated stub: the function's address once resolved, followed by the
// zero-terminated names of library and function.
struct Entry {
    void* function;
    char library[1];
};

void* address_of(const Entry& entry)
{
    using lanescope::Error;
    using lanescope::ExitStatus;
    const std::string name = entry.library;
    void* const library = lanescope::open_library(name, lanescope::Binding::lazy);
    void* const function = library == nullptr
                               ? nullptr
                               : lanescope::find_function(library, entry.library + name.size() + 1);
    if (function == nullptr)
        throw Error(ExitStatus::no_such_thing,
                    "A library cannot be opened: " + lanescope::library_problem() + ".",
                    "Install the package that it belongs to.");
    return function;
}

} // namespace

// Saves the argument registers. The frame can be unwound, since the exception for a missing
// function is thrown from here.
asm(R"(
    .pushsection .text
    .balign 16
    .globl lanescope_late
    .hidden lanescope_late
    .type lanescope_late, @function
lanescope_late:
    .cfi_startproc
    endbr64
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $192, %rsp
    mov %rdi, 0(%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    mov %r11, %rdi
    call lanescope_open_late
    mov %rax, %r11
    mov 0(%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size lanescope_late, . - lanescope_late
    .popsection
)");

extern "C" __attribute__((visibility("hidden"), used)) void* lanescope_open_late(Entry* entry)
{
    void* const function = address_of(*entry);
    std::atomic_ref(entry->function).store(function, std::memory_order_release);
    return function;
}
