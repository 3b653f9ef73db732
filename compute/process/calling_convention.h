// How compiled C++ passes arguments on x86-64 here, for machine code that calls it and is called.
#pragma once

namespace lanescope {

// Registers by their numbers in machine code: rcx is 1, rdx 2, rsi 6, rdi 7, r8 8.
struct CallingConvention {
    int first, second, third; // arguments
    int shadow_bytes;         // reserved above the return address for the called function
    bool keeps_vectors;       // functions preserve rsi, rdi and the low halves of ymm6 to ymm15
};

#ifdef _WIN32
constexpr CallingConvention calling_convention{1, 2, 8, 32, true};
#else
constexpr CallingConvention calling_convention{7, 6, 2, 0, false};
#endif

// The stack frame of native code: it pushes rbx, rbp, r12 to r15 and, if it must preserve vectors,
// rsi and rdi; then come space that called functions may use, the vectors, and what keeps the stack
// aligned for calls.
struct NativeFrame {
    static constexpr int first_vector = 6;
    static constexpr int vectors = calling_convention.keeps_vectors ? 10 : 0;
    static constexpr int vectors_at = calling_convention.shadow_bytes; // from rsp
    static constexpr int bytes = 8 + vectors_at + 16 * vectors;        // below the pushed registers
};

} // namespace lanescope
