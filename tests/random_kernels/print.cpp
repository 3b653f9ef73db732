// Prints a program as PTX and creates its initial memory.
#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {

namespace {

constexpr std::uint32_t input_words = 1024;
constexpr std::uint32_t slots = 16;
constexpr std::uint32_t registers = 16;
constexpr std::uint32_t wide_registers = 4;
constexpr std::uint32_t shared_totals = 32;
constexpr std::uint32_t totals = 64;

void print(const Block& block, std::string& out);

void print(const Statement& one, std::string& out)
{
    const int n = one.number;
    out += one.text;
    switch (one.kind) {
    case Statement::Kind::plain: break;
    case Statement::Kind::choice:
        out += fmt::format("    @!%c{} bra else_{};\n", n, n);
        print(one.parts.front(), out);
        if (one.parts.size() > 1) {
            out += fmt::format("    bra end_{};\nelse_{}:\n", n, n);
            print(one.parts[1], out);
            out += fmt::format("end_{}:\n", n);
        } else {
            out += fmt::format("else_{}:\n", n);
        }
        break;
    case Statement::Kind::loop:
        out += fmt::format("    mov.u32 %i{}, 0;\n", n);
        if (one.tests_first)
            out += fmt::format("    setp.ge.u32 %c{}, %i{}, %n{};\n    @%c{} bra end_{};\n", n, n,
                               n, n, n);
        out += fmt::format("loop_{}:\n", n);
        print(one.parts.front(), out);
        out +=
            fmt::format("next_{}:\n    add.u32 %i{}, %i{}, 1;\n    setp.lt.u32 %c{}, %i{}, %n{};\n"
                        "    @%c{} bra loop_{};\nend_{}:\n",
                        n, n, n, n, n, n, n, n, n);
        break;
    case Statement::Kind::cases: {
        std::string labels;
        for (std::size_t i = 0; i < one.parts.size(); ++i)
            labels += fmt::format("{}case_{}_{}", i == 0 ? "" : ", ", n, i);
        out += fmt::format("table_{}: .branchtargets {};\n    brx.idx %n{}, table_{};\n", n, labels,
                           n, n);
        for (std::size_t i = 0; i < one.parts.size(); ++i) {
            out += fmt::format("case_{}_{}:\n", n, i);
            print(one.parts[i], out);
            if ((one.runs_on >> i & 1) == 0) out += fmt::format("    bra end_{};\n", n);
        }
        out += fmt::format("end_{}:\n", n);
        break;
    }
    }
}

void print(const Block& block, std::string& out)
{
    for (const Statement& one : block) print(one, out);
}

std::string declarations(const Program& program)
{
    return fmt::format("    .reg .b32 %r<{}>, %n<{}>, %i<{}>, %m<{}>;\n    .reg .b64 %q<{}>;\n"
                       "    .reg .pred %c<{}>;\n"
                       "    .reg .b32 %thread, %lane, %thread_count, %stride, %t0, %t1;\n"
                       "    .reg .b64 %in, %mine;\n"
                       "    .local .align 16 .b8 array[64];\n",
                       registers, program.numbers, program.numbers, program.numbers, wide_registers,
                       program.numbers);
}

// Loads the registers from the input, at positions that depend on the thread and the register.
std::string loads(Size size)
{
    std::string text;
    if (size == Size::usual) {
        for (std::uint32_t i = 2; i < registers; ++i)
            text +=
                fmt::format("    mad.lo.u32 %t0, %self, {}, {};\n    and.b32 %t0, %t0, {};\n"
                            "    mad.wide.u32 %a, %t0, 4, %in;\n    ld.global.u32 %r{}, [%a];\n",
                            2 * i + 1, i * 77, input_words - 1, i);
        return text;
    }
    for (std::uint32_t i = 2; i < registers; i += 4) {
        const bool four = i + 4 <= registers;
        text +=
            fmt::format("    mad.lo.u32 %t0, %self, {}, {};\n    and.b32 %t0, %t0, {};\n"
                        "    mad.wide.u32 %a, %t0, 4, %in;\n    ld.global.{}.u32 {{%r{}, %r{}{}}}, "
                        "[%a];\n",
                        2 * i + 1, i * 77, input_words - 4, four ? "v4" : "v2", i, i + 1,
                        four ? fmt::format(", %r{}, %r{}", i + 2, i + 3) : "");
    }
    return text;
}

// Stores all registers: in a small kernel contiguously per thread, otherwise interleaved by thread.
std::string stores(Size size)
{
    std::string text;
    if (size == Size::small) {
        text = fmt::format("    mad.wide.u32 %a, %self, {}, %out;\n",
                           4 * (registers + 2 * wide_registers));
        for (std::uint32_t i = 0; i < registers; i += 4)
            text += fmt::format("    st.global.v4.u32 [%a+{}], {{%r{}, %r{}, %r{}, %r{}}};\n",
                                4 * i, i, i + 1, i + 2, i + 3);
        for (std::uint32_t i = 0; i < wide_registers; i += 2)
            text += fmt::format("    st.global.v2.u64 [%a+{}], {{%q{}, %q{}}};\n",
                                4 * registers + 8 * i, i, i + 1);
        return text;
    }
    const auto store = [&](std::uint32_t row, const std::string& value) {
        text += fmt::format("    mad.lo.u32 %t0, %all, {}, %self;\n"
                            "    mad.wide.u32 %a, %t0, 4, %out;\n    st.global.u32 [%a], {};\n",
                            row, value);
    };
    for (std::uint32_t i = 0; i < wide_registers; ++i) {
        text += fmt::format("    mov.b64 {{%t1, %n0}}, %q{};\n", i);
        store(registers + 2 * i, "%t1");
        store(registers + 2 * i + 1, "%n0");
    }
    for (std::uint32_t i = 0; i < registers; ++i) store(i, fmt::format("%r{}", i));
    return text;
}

constexpr std::string_view places = R"(    mov.u32 %t0, %tid.z;
    mov.u32 %t1, %ntid.y;
    mov.u32 %thread, %tid.y;
    mad.lo.u32 %thread, %t0, %t1, %thread;
    mov.u32 %t0, %tid.x;
    mov.u32 %t1, %ntid.x;
    mad.lo.u32 %thread, %thread, %t1, %t0;
    mov.u32 %t0, %ntid.y;
    mul.lo.u32 %thread_count, %t0, %t1;
    mov.u32 %t0, %ntid.z;
    mul.lo.u32 %thread_count, %thread_count, %t0;
    mov.u32 %lane, %laneid;
)";

std::string clear_array()
{
    std::string text;
    for (int i = 0; i < 64; i += 16)
        text += fmt::format("    st.local.v4.b32 [array+{}], {{%r0, %r1, %r2, %r3}};\n", i);
    return text;
}

std::string function(const Program& program, std::size_t k)
{
    std::string text =
        fmt::format(".func (.param .b32 result) f{}(.param .b32 a, .param .b32 b, .param .b64 in, "
                    ".param .b64 mine, .param .b32 stride)\n{{\n",
                    k);
    text += declarations(program);
    text += "    ld.param.b32 %r0, [a];\n    ld.param.b32 %r1, [b];\n    ld.param.b64 %in, [in];\n"
            "    ld.param.b64 %mine, [mine];\n    ld.param.b32 %stride, [stride];\n";
    text += places;
    for (std::uint32_t i = 2; i < registers; ++i)
        text += fmt::format("    mad.lo.u32 %r{}, %r{}, {}, %r1;\n", i, i - 1, 2654435761u + i * 2);
    for (std::uint32_t i = 0; i < wide_registers; ++i)
        text += fmt::format("    mov.b64 %q{}, {{%r{}, %r{}}};\n", i, i, i + 4);
    text += clear_array();
    print(program.functions[k], text);
    return text + "    xor.b32 %r0, %r0, %r5;\n    st.param.b32 [result], %r0;\n    ret;\n}\n\n";
}

std::string prologue(const Program& program)
{
    std::string text = declarations(program);
    text += R"(    .reg .b32 %block, %all, %self, %warp_mask;
    .reg .b64 %out, %totals, %a;
    .reg .pred %left;
    ld.param.u64 %in, [in];
    cvta.to.global.u64 %in, %in;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
    ld.param.u64 %mine, [slots];
    cvta.to.global.u64 %mine, %mine;
    ld.param.u64 %totals, [totals];
    cvta.to.global.u64 %totals, %totals;
)";
    text += places;
    text += R"(    mov.u32 %t0, %ctaid.z;
    mov.u32 %t1, %nctaid.y;
    mov.u32 %block, %ctaid.y;
    mad.lo.u32 %block, %t0, %t1, %block;
    mov.u32 %t0, %ctaid.x;
    mov.u32 %t1, %nctaid.x;
    mad.lo.u32 %block, %block, %t1, %t0;
    mov.u32 %t0, %nctaid.y;
    mul.lo.u32 %all, %t0, %t1;
    mov.u32 %t0, %nctaid.z;
    mul.lo.u32 %all, %all, %t0;
    mul.lo.u32 %all, %all, %thread_count;
    mad.lo.u32 %self, %block, %thread_count, %thread;
    and.b32 %t0, %thread, -32;
    sub.u32 %t0, %thread_count, %t0;
    min.u32 %t0, %t0, 32;
    mov.u32 %t1, 0;
    bmsk.clamp.b32 %warp_mask, %t1, %t0;
)";
    if (program.slots_together)
        text +=
            fmt::format("    mov.u32 %stride, 4;\n    mul.wide.u32 %a, %self, {};\n", 4 * slots);
    else
        text += "    shl.b32 %stride, %all, 2;\n    mul.wide.u32 %a, %self, 4;\n";
    text += "    add.u64 %mine, %mine, %a;\n    ld.param.u32 %r0, [first];\n"
            "    ld.param.u32 %r1, [second];\n";
    text += loads(program.size);
    text += "    xor.b32 %r0, %r0, %self;\n    add.u32 %r1, %r1, %lane;\n";
    for (std::uint32_t i = 0; i < wide_registers; ++i)
        text += fmt::format("    mov.b64 %q{}, {{%r{}, %r{}}};\n", i, i, i + 4);
    text += clear_array();
    // Initialises shared memory, each word by one thread.
    text += fmt::format(R"(    mov.u32 %t0, %thread;
share:
    and.b32 %t1, %t0, 255;
    shl.b32 %t1, %t1, 2;
    mov.u32 %r14, exchanged;
    add.u32 %r14, %r14, %t1;
    st.shared.u32 [%r14], %t0;
    add.u32 %t0, %t0, %thread_count;
    setp.lt.u32 %left, %t0, 256;
    @%left bra share;
    mov.u32 %t0, %thread;
begin:
    shl.b32 %t1, %t0, 2;
    mov.u32 %r14, totals_here;
    add.u32 %r14, %r14, %t1;
    setp.lt.u32 %left, %t0, {};
    @%left st.shared.u32 [%r14], %t0;
    add.u32 %t0, %t0, %thread_count;
    setp.lt.u32 %left, %t0, {};
    @%left bra begin;
    mov.u32 %t0, 0;
fill:
    mad.lo.u32 %t1, %t0, %thread_count, %thread;
    shl.b32 %t1, %t1, 2;
    mov.u32 %r14, slots_here;
    add.u32 %r14, %r14, %t1;
    st.shared.u32 [%r14], %r3;
    add.u32 %t0, %t0, 1;
    setp.lt.u32 %left, %t0, 4;
    @%left bra fill;
    mov.u32 %r14, %r6;
    bar.sync 0;
)",
                        shared_totals, shared_totals);
    return text;
}

// Layout of out: the registers of all threads, wide ones as two halves, then the totals per block.
std::string epilogue(Size size)
{
    std::string text = "    bar.sync 0;\n";
    text += fmt::format(R"(    mov.u32 %t0, %thread;
give:
    setp.ge.u32 %left, %t0, {};
    @%left bra given;
    {{
        .reg .b32 value, row;
        shl.b32 %t1, %t0, 2;
        mov.u32 row, totals_here;
        add.u32 row, row, %t1;
        ld.shared.u32 value, [row];
        mad.lo.u32 row, %all, {}, %t0;
        mad.lo.u32 row, %block, {}, row;
        mad.wide.u32 %a, row, 4, %out;
        st.global.u32 [%a], value;
    }}
    add.u32 %t0, %t0, %thread_count;
    bra give;
given:
)",
                        shared_totals, registers + 2 * wide_registers, shared_totals);
    return text + stores(size);
}

std::uint32_t word(std::mt19937_64& random)
{
    static constexpr std::uint32_t edges[] = {
        0,          1,          2,          3,          31,         32,         33,
        0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7ffffffe, 0x7fffffff,
        0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x40490fdb,
        0x00800000, 0x007fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f000000,
        0x4b000000, 0x3c003c00, 0x7bff0001, 0xfc007c00};
    const std::uint64_t drawn = random();
    switch (drawn & 3) {
    case 0: return edges[(drawn >> 8) % std::size(edges)];
    case 1: return static_cast<std::uint32_t>(drawn >> 32) % 64;
    default: return static_cast<std::uint32_t>(drawn >> 32);
    }
}

std::vector<std::byte> words(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes(4 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t one = word(random);
        std::memcpy(bytes.data() + 4 * i, &one, 4);
    }
    return bytes;
}

} // namespace

RandomKernel kernel_of(const Program& program)
{
    RandomKernel made;
    made.seed = program.seed;
    made.kernel = "drawn";
    made.grid = program.grid;
    made.block = program.block;
    made.dynamic_shared_bytes = 4096;
    std::string& text = made.ptx;
    text = fmt::format("// seed {}, grid {} {} {}, block {} {} {}\n.version 7.8\n.target sm_80\n"
                       ".address_size 64\n\n.const .align 4 .b32 constants[64] = {{",
                       program.seed, program.grid.x, program.grid.y, program.grid.z,
                       program.block.x, program.block.y, program.block.z);
    std::mt19937_64 random(program.seed + 1);
    for (int i = 0; i < 64; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", word(random));
    text += fmt::format("}};\n.shared .align 4 .b32 exchanged[256];\n.shared .align 4 .b32 "
                        "totals_here[{}];\n.shared .align 16 .b8 copied[4096];\n"
                        ".extern .shared .align 16 .b8 slots_here[];\n\n",
                        shared_totals);
    for (std::size_t k = 0; k < program.functions.size(); ++k) text += function(program, k);
    text += ".visible .entry drawn(.param .u64 in, .param .u64 out, .param .u64 slots, "
            ".param .u64 totals, .param .u32 first, .param .u32 second)\n{\n";
    text += prologue(program);
    print(program.body, text);
    text += epilogue(program.size);
    print(program.tail, text);
    text += "    ret;\n}\n";

    const std::size_t threads = program.grid.count() * program.block.count();
    made.buffers.push_back(words(input_words, program.seed + 2));
    made.buffers.emplace_back(
        4 * (threads * (registers + 2 * wide_registers) + program.grid.count() * shared_totals));
    made.buffers.push_back(words(threads * slots, program.seed + 3));
    made.buffers.push_back(words(totals, program.seed + 4));
    made.scalars = {word(random), word(random)};
    return made;
}

} // namespace lanescope::random_kernels
