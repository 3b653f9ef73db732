// mma.sp: every shape and type on fragments with all kinds of numbers and legal metadata.
#include <random>

#include <fmt/format.h>

#include "tests/conformance/kernel_case.h"
#include "tests/conformance/matrix_numbers.h"

namespace lanescope::conformance {

namespace {

constexpr std::uint32_t warps = kinds_of_numbers; // one per kind

struct Product {
    const char* words; // suffix after mma.sp::ordered_metadata.sync.aligned.
    Format a, b, accumulator;
    int registers_a = 0, registers_b = 0, registers_d = 0;
    int selectors = 1;
    bool is_tf32 = false;
};

// Words of metadata: in each four bits, two ascending indices; for tf32, one of two elements.
Bytes metadata(bool is_tf32)
{
    constexpr std::uint32_t pairs[] = {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110};
    constexpr std::uint32_t singles[] = {0b0100, 0b1110};
    std::mt19937_64 random(47);
    Bytes bytes;
    for (std::uint32_t i = 0; i < warps * 32; ++i) {
        std::uint32_t word = 0;
        for (int shift = 0; shift < 32; shift += 4)
            word |= (is_tf32 ? singles[random() % 2] : pairs[random() % 6]) << shift;
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<std::byte>(word >> shift));
    }
    return bytes;
}

void add_sparse(std::vector<Case>& cases, const Product& product, int selector)
{
    std::string ptx = ".version 8.7\n.target sm_90\n.address_size 64\n\n"
                      ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 "
                      "c, .param .u64 e)\n{\n    .reg .b64 %p;\n    .reg .b32 %i, %n, %a<4>, "
                      "%b<4>, %c<4>, %d<4>, %e<1>;\n    mov.u32 %i, %tid.x;\n    mov.u32 %n, "
                      "%ctaid.x;\n    mad.lo.u32 %i, %n, 32, %i;\n";
    ptx += transfer("ld", "a", 'a', product.registers_a, 4) +
           transfer("ld", "b", 'b', product.registers_b, 4) +
           transfer("ld", "c", 'c', product.registers_d, 4) + transfer("ld", "e", 'e', 1, 4);
    ptx += fmt::format(
        "    mma.sp::ordered_metadata.sync.aligned.{} {}, {}, {}, {}, %e0, {};\n", product.words,
        register_list('d', product.registers_d), register_list('a', product.registers_a),
        register_list('b', product.registers_b), register_list('c', product.registers_d), selector);
    ptx += transfer("st", "d", 'd', product.registers_d, 4) + "    ret;\n}\n";
    Case made;
    made.group = "sparse";
    made.name = fmt::format("mma.sp.{}.{}", product.words, selector);
    made.ptx = std::move(ptx);
    made.kernel = "k";
    made.grid = {warps, 1, 1};
    made.block = {32, 1, 1};
    made.outputs = {{std::size_t{warps} * 32 * static_cast<std::size_t>(product.registers_d) * 4,
                     Element::bits,
                     {}}};
    const auto words = [](Format format, int registers, bool accumulator) {
        const std::size_t count = std::size_t{warps} * 32 * static_cast<std::size_t>(registers) *
                                  32 / static_cast<std::size_t>(format.bits());
        return numbers(format, count, accumulator, format.exponent_bits == 0 && accumulator);
    };
    made.inputs = {
        words(product.a, product.registers_a, false), words(product.b, product.registers_b, false),
        words(product.accumulator, product.registers_d, true), metadata(product.is_tf32)};
    cases.push_back(std::move(made));
}

} // namespace

void add_sparse_cases(std::vector<Case>& cases)
{
    for (const Product& product : {
             Product{"m16n8k16.row.col.f32.f16.f16.f32", f16, f16, f32, 2, 2, 4, 4},
             Product{"m16n8k16.row.col.f16.f16.f16.f16", f16, f16, f16, 2, 2, 2, 4},
             Product{"m16n8k32.row.col.f32.f16.f16.f32", f16, f16, f32, 4, 4, 4, 2},
             Product{"m16n8k32.row.col.f16.f16.f16.f16", f16, f16, f16, 4, 4, 2, 2},
             Product{"m16n8k16.row.col.f32.bf16.bf16.f32", bf16, bf16, f32, 2, 2, 4, 4},
             Product{"m16n8k32.row.col.f32.bf16.bf16.f32", bf16, bf16, f32, 4, 4, 4, 2},
             Product{"m16n8k8.row.col.f32.tf32.tf32.f32", f32, f32, f32, 2, 2, 4, 4, true},
             Product{"m16n8k16.row.col.f32.tf32.tf32.f32", f32, f32, f32, 4, 4, 4, 2, true},
             Product{"m16n8k32.row.col.s32.s8.u8.s32", integer, integer, integer, 2, 2, 4, 2},
             Product{"m16n8k64.row.col.s32.u8.s8.s32", integer, integer, integer, 4, 4, 4},
             Product{"m16n8k64.row.col.satfinite.s32.s8.s8.s32", integer, integer, integer, 4, 4,
                     4},
             Product{"m16n8k64.row.col.s32.s4.u4.s32", integer, integer, integer, 2, 2, 4, 2},
             Product{"m16n8k128.row.col.s32.s4.s4.s32", integer, integer, integer, 4, 4, 4},
             Product{"m16n8k64.row.col.f32.e4m3.e4m3.f32", e4m3, e4m3, f32, 4, 4, 4},
             Product{"m16n8k64.row.col.f32.e5m2.e4m3.f32", e5m2, e4m3, f32, 4, 4, 4},
             Product{"m16n8k64.row.col.f32.e5m2.e5m2.f32", e5m2, e5m2, f32, 4, 4, 4},
         })
        for (int selector = 0; selector < product.selectors; ++selector)
            add_sparse(cases, product, selector);
}

} // namespace lanescope::conformance
