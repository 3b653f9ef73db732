// Movements of matrices with elements below 16 bits: ldmatrix and stmatrix of 8-bit elements,
// compared with the layouts that CUTLASS gives for them, as strides in bits; and wmma on single
// bits and on 4-bit integers.
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr std::string_view head = ".version 8.8\n.target sm_100a\n.address_size 64\n";

std::string list(char name, int count)
{
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return text + "}";
}

// Each lane stores 16 bytes of `in` in shared memory, and points there; then the instruction; then
// each lane stores its registers, or its 16 bytes of shared memory.
std::string kernel(std::string_view instruction, int registers, bool stores)
{
    std::string text = fmt::format(
        "{}.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n"
        "    .shared .align 16 .b8 tile[512];\n    .reg .b32 %r<8>, %d<4>, %t;\n"
        "    .reg .b64 %p, %q;\n    mov.u32 %t, %tid.x;\n    ld.param.u64 %p, [in];\n"
        "    ld.param.u64 %q, [out];\n    mad.wide.u32 %p, %t, 16, %p;\n"
        "    mad.wide.u32 %q, %t, 16, %q;\n    mov.u32 %r0, tile;\n"
        "    mad.lo.u32 %r0, %t, 16, %r0;\n    ld.global.v4.b32 {{%d0, %d1, %d2, %d3}}, [%p];\n",
        head);
    if (!stores) text += "    st.shared.v4.b32 [%r0], {%d0, %d1, %d2, %d3};\n";
    text += "    bar.warp.sync -1;\n";
    text += stores ? fmt::format("    {} [%r0], {};\n", instruction, list('d', registers))
                   : fmt::format("    {} {}, [%r0];\n", instruction, list('d', registers));
    text += "    bar.warp.sync -1;\n";
    if (stores) text += "    ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%r0];\n";
    return text + "    st.global.v4.b32 [%q], {%d0, %d1, %d2, %d3};\n    ret;\n}\n";
}

std::vector<std::uint8_t> run(const std::string& text, const std::vector<std::uint8_t>& in)
{
    Machine machine = Machine::from_text(text);
    const auto from = machine.buffer(in);
    const auto out = machine.buffer(std::vector<std::uint8_t>(512));
    machine.run("k", {}, *out, *from);
    return machine.values<std::uint8_t>(*out);
}

std::vector<std::uint8_t> some_bytes()
{
    std::vector<std::uint8_t> bytes;
    for (const int number : numbers(512, 256, 11))
        bytes.push_back(static_cast<std::uint8_t>(number));
    return bytes;
}

// Bit of byte `part` of a lane's register in the layouts ((4, 8), (8, 2, 2, …)) with the strides
// ((256, 8), (1, 128, 64, 1024)).
int transposed_bit(int lane, int reg, int part)
{
    return 256 * (lane % 4) + 8 * (lane / 4) + 128 * (part % 2) + 64 * (part / 2) + 1024 * reg;
}
// First bit of the row that a lane points to: ((2, 2, 4, 2)) with (128, 1024, 256, 2048).
int square_row_bit(int lane)
{
    return 128 * (lane % 2) + 1024 * (lane / 2 % 2) + 256 * (lane / 4 % 4) + 2048 * (lane / 16);
}

// Element of a row of 16 bytes, with elements of `bits` bits.
int element(const std::vector<std::uint8_t>& in, int row, int index, int bits)
{
    int value = 0;
    for (int bit = 0; bit < bits; ++bit) {
        const int at = index * bits + bit;
        value |= (in[static_cast<std::size_t>(row * 16 + at / 8)] >> at % 8 & 1) << bit;
    }
    return value;
}

TEST(OctetMatrices, SquareTransposedLoads)
{
    const auto in = some_bytes();
    for (const auto& [format, bits] :
         {std::pair{"b8", 8}, std::pair{"b8x16.b6x16_p32", 6}, std::pair{"b8x16.b4x16_p64", 4}})
        for (const int matrices : {1, 2}) {
            const auto out =
                run(kernel(fmt::format("ldmatrix.sync.aligned.m16n16.x{}.trans.shared.{}", matrices,
                                       format),
                           2 * matrices, false),
                    in);
            for (int lane = 0; lane < 32; ++lane)
                for (int reg = 0; reg < 2 * matrices; ++reg)
                    for (int part = 0; part < 4; ++part) {
                        const int bit = transposed_bit(lane, reg, part);
                        int source = 0;
                        while (square_row_bit(source) != bit / 128 * 128) ++source;
                        EXPECT_EQ(int{out[static_cast<std::size_t>(lane * 16 + reg * 4 + part)]},
                                  element(in, source, bit % 128 / 8, bits))
                            << format << " x" << matrices << " lane " << lane << " register "
                            << reg;
                    }
        }
}

TEST(OctetMatrices, PackedLoads)
{
    const auto in = some_bytes();
    for (const auto& [format, bits] :
         {std::pair{"b8x16.b6x16_p32", 6}, std::pair{"b8x16.b4x16_p64", 4}})
        for (const int matrices : {1, 2, 4}) {
            const auto out = run(
                kernel(fmt::format("ldmatrix.sync.aligned.m8n16.x{}.shared.{}", matrices, format),
                       matrices, false),
                in);
            for (int lane = 0; lane < 32; ++lane)
                for (int reg = 0; reg < matrices; ++reg)
                    for (int part = 0; part < 4; ++part) {
                        const int bit = 32 * lane + 8 * part + 1024 * reg;
                        EXPECT_EQ(int{out[static_cast<std::size_t>(lane * 16 + reg * 4 + part)]},
                                  element(in, bit / 128, bit % 128 / 8, bits))
                            << format << " x" << matrices << " lane " << lane;
                    }
        }
}

TEST(OctetMatrices, TransposedStores)
{
    const auto in = some_bytes();
    for (const int matrices : {1, 2, 4}) {
        const auto out =
            run(kernel(fmt::format("stmatrix.sync.aligned.m16n8.x{}.trans.shared.b8", matrices),
                       matrices, true),
                in);
        for (int lane = 0; lane < 32; ++lane)
            for (int reg = 0; reg < matrices; ++reg)
                for (int part = 0; part < 4; ++part)
                    EXPECT_EQ(
                        int{out[static_cast<std::size_t>(transposed_bit(lane, reg, part) / 8)]},
                        int{in[static_cast<std::size_t>(lane * 16 + reg * 4 + part)]})
                        << matrices << " lane " << lane;
    }
}

TEST(OctetMatrices, MisuseFaultsAndOtherFormsAreRefused)
{
    std::string far = kernel("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", 2, false);
    far.replace(far.find("[%r0];\n    bar"), 5, "[%r0+512]");
    Machine machine = Machine::from_text(far);
    const auto buffer = machine.buffer(some_bytes());
    EXPECT_EQ(machine.fault("k", {}, *buffer, *buffer).kind, "out_of_bounds");
    for (const char* form :
         {"ldmatrix.sync.aligned.m16n16.x1.shared.b8",
          "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b16",
          "ldmatrix.sync.aligned.m8n16.x1.shared.b8", "ldmatrix.sync.aligned.m8n8.x1.shared.b8",
          "ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b6x16_p32",
          "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16"}) {
        Machine other = Machine::from_text(kernel(form, 2, false));
        EXPECT_THROW(other.module().kernel("k"), Error) << form;
    }
    Machine other = Machine::from_text(kernel("stmatrix.sync.aligned.m16n8.x1.shared.b8", 1, true));
    EXPECT_THROW(other.module().kernel("k"), Error);
}

// --- wmma ---

// Loads a and b of 8 × 128 bits each, c of 8 × 8 words; multiplies; stores d.
std::string wmma_kernel(std::string_view shape, std::string_view type, std::string_view operation)
{
    return fmt::format(
        ".version 7.1\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c)\n{{\n"
        "    .reg .b32 %a, %b, %c<2>, %d<2>;\n    .reg .b64 %p;\n    ld.param.u64 %p, [a];\n"
        "    wmma.load.a.sync.aligned.row.{0}.global.{1} {{%a}}, [%p];\n    ld.param.u64 %p, [b];\n"
        "    wmma.load.b.sync.aligned.col.{0}.global.{1} {{%b}}, [%p];\n    ld.param.u64 %p, [c];\n"
        "    wmma.load.c.sync.aligned.row.{0}.global.s32 {{%c0, %c1}}, [%p];\n"
        "    wmma.mma{2}.sync.aligned.row.col.{0}.s32.{1}.{1}.s32 {{%d0, %d1}}, {{%a}}, {{%b}}, "
        "{{%c0, %c1}};\n    ld.param.u64 %p, [d];\n"
        "    wmma.store.d.sync.aligned.row.{0}.global.s32 [%p], {{%d0, %d1}};\n    ret;\n}}\n",
        shape, type, operation);
}

std::vector<int> product(const std::string& text, const std::vector<std::uint32_t>& a,
                         const std::vector<std::uint32_t>& b, const std::vector<int>& c)
{
    Machine machine = Machine::from_text(text);
    const auto rows = machine.buffer(a), columns = machine.buffer(b);
    const auto start = machine.buffer(c);
    const auto out = machine.buffer(std::vector<int>(64));
    machine.run("k", {}, *out, *rows, *columns, *start);
    return machine.values<int>(*out);
}

std::vector<std::uint32_t> words(std::uint32_t seed)
{
    std::vector<std::uint32_t> all;
    for (const int part : numbers(64, 1 << 16, seed))
        if (all.size() < 32) all.push_back(static_cast<std::uint32_t>(part) * 0x9e3779b9u);
    return all;
}

TEST(SmallElements, SingleBits)
{
    const auto a = words(3), b = words(4);
    const std::vector<int> c = numbers(64, 1000, 5);
    for (const bool conjunction : {false, true}) {
        const auto d = product(
            wmma_kernel("m8n8k128", "b1", conjunction ? ".and.popc" : ".xor.popc"), a, b, c);
        for (std::size_t i = 0; i < 64; ++i) {
            int want = c[i];
            for (std::size_t word = 0; word < 4; ++word) {
                const std::uint32_t p = a[i / 8 * 4 + word], q = b[i % 8 * 4 + word];
                want += std::popcount(conjunction ? p & q : p ^ q);
            }
            EXPECT_EQ(d[i], want) << conjunction << " " << i;
        }
    }
}

TEST(SmallElements, FourBitIntegers)
{
    const auto a = words(6), b = words(7);
    const std::vector<int> c = numbers(64, 1000, 8);
    for (const bool is_signed : {false, true}) {
        const auto d = product(wmma_kernel("m8n8k32", is_signed ? "s4" : "u4", ""), a, b, c);
        const auto value = [&](const std::vector<std::uint32_t>& from, std::size_t row,
                               std::size_t k) {
            const auto bits = static_cast<int>(from[row * 4 + k / 8] >> k % 8 * 4 & 15u);
            return is_signed && bits > 7 ? bits - 16 : bits;
        };
        for (std::size_t i = 0; i < 64; ++i) {
            int want = c[i];
            for (std::size_t k = 0; k < 32; ++k) want += value(a, i / 8, k) * value(b, i % 8, k);
            EXPECT_EQ(d[i], want) << is_signed << " " << i;
        }
    }
}

TEST(SmallElements, OtherFormsAreRefused)
{
    for (const std::string& text :
         {wmma_kernel("m8n8k128", "b1", ""), wmma_kernel("m8n8k32", "s4", ".xor.popc"),
          wmma_kernel("m8n8k32", "b1", ".xor.popc"), wmma_kernel("m8n8k128", "s4", "")}) {
        Machine machine = Machine::from_text(text);
        EXPECT_THROW(machine.module().kernel("k"), Error) << text;
    }
    std::string columns = wmma_kernel("m8n8k128", "b1", ".xor.popc");
    columns.replace(columns.find("wmma.load.a.sync.aligned.row"), 28,
                    "wmma.load.a.sync.aligned.col");
    Machine machine = Machine::from_text(columns);
    EXPECT_THROW(machine.module().kernel("k"), Error);
}

} // namespace
} // namespace lanescope::simt
