// Arithmetic benchmark of the lockstep machine, on the desktop and in browsers.
#pragma once

#include <string>

namespace lanescope::bench {

constexpr int arithmetic_of_a_turn = 64; // warp instructions per iteration

// PTX of the kernel `alu(out, turns)`: a loop of dependent and independent arithmetic with all
// lanes active. Each thread stores one word into `out`.
inline std::string arithmetic_kernel()
{
    std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry alu(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 1;
    mov.u32 %r4, 7;
    cvt.rn.f32.u32 %f1, %r2;
    mov.f32 %f2, 0f3F800001;
    mov.f32 %f3, 0f3F000000;
loop:
)";
    for (int i = 0; i < 15; ++i)
        text += "    fma.rn.f32 %f1, %f1, %f2, %f3;\n"
                "    add.s32 %r3, %r3, %r2;\n"
                "    xor.b32 %r4, %r4, %r3;\n"
                "    mul.f32 %f4, %f2, %f3;\n";
    text += R"(    add.f32 %f1, %f1, %f4;
    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra loop;
    cvt.rzi.s32.f32 %r5, %f1;
    add.s32 %r5, %r5, %r4;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
)";
    return text;
}

} // namespace lanescope::bench
