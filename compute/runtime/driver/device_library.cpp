// The grid's barrier counts arrivals in a word that the launch provides (%envreg1 and %envreg2).
// All blocks add 1, except for the first: with its summand, the sum flips the word's top bit.
#include "compute/runtime/driver/device_library.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace lanescope::runtime {

namespace {

constexpr std::array<std::string_view, 2> barrier_names{"cudaCGGetIntrinsicHandle",
                                                        "cudaCGSynchronize"};
constexpr std::array<std::string_view, 1> condition_names{"cudaGraphSetConditional"};
constexpr const char* barrier_text = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .b64 %h;
    mov.u64 %h, 1;
    st.param.b64 [handle], %h;
    ret;
}
.visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %a;
    mov.u32 %r0, %envreg1;
    mov.u32 %r1, %envreg2;
    mov.b64 %a, {%r1, %r0};
    setp.ne.s64 %p, %a, 0;
    @%p bra given;
    trap;
given:
    barrier.sync 0;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %tid.y;
    mov.u32 %r2, %tid.z;
    or.b32 %r0, %r0, %r1;
    or.b32 %r0, %r0, %r2;
    setp.ne.u32 %p, %r0, 0;
    @%p bra arrived;
    mov.u32 %r0, %nctaid.x;
    mov.u32 %r1, %nctaid.y;
    mov.u32 %r2, %nctaid.z;
    mul.lo.u32 %r0, %r0, %r1;
    mul.lo.u32 %r0, %r0, %r2;
    mov.u32 %r1, 0x80000001;
    sub.u32 %r0, %r1, %r0;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %ctaid.z;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    setp.eq.u32 %p, %r1, 0;
    selp.b32 %r0, %r0, 1, %p;
    atom.add.release.gpu.u32 %r4, [%a+4], %r0;
waiting:
    ld.acquire.gpu.u32 %r5, [%a+4];
    xor.b32 %r6, %r4, %r5;
    setp.ge.s32 %p, %r6, 0;
    @%p bra waiting;
arrived:
    barrier.sync 0;
    mov.u32 %r7, 0;
    st.param.b32 [status], %r7;
    ret;
}
)";

// The handle is the address of the condition. Calls that race are found as stores that race.
constexpr const char* condition_text = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b64 %h;
    .reg .b32 %v;
    ld.param.u64 %h, [handle];
    ld.param.u32 %v, [value];
    st.global.u32 [%h], %v;
    ret;
}
)";

// True if a text declares one of the functions: a definition has a body, a declaration ends with a
// semicolon.
bool declares(const std::vector<std::string>& texts, std::span<const std::string_view> names)
{
    return std::ranges::any_of(texts, [&](const std::string& text) {
        return std::ranges::any_of(names, [&](std::string_view name) {
            const std::size_t at = text.find(name);
            if (at == text.npos) return false;
            const std::size_t end = text.find_first_of(";{", at);
            return end != text.npos && text[end] == ';';
        });
    });
}

} // namespace

void add_device_library(std::vector<std::string>& texts)
{
    const auto add = [&](std::span<const std::string_view> names, const char* text) {
        if (declares(texts, names) && std::ranges::find(texts, text) == texts.end())
            texts.emplace_back(text);
    };
    add(barrier_names, barrier_text);
    add(condition_names, condition_text);
}

} // namespace lanescope::runtime
