// Matrix products: every form of mma on fragments with all kinds of numbers, wmma through memory in
// every layout, and the instructions that move 8 × 8 matrices.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tests/conformance/kernel_case.h"
#include "tests/conformance/matrix_numbers.h"

namespace lanescope::conformance {

namespace {

struct Product {
    const char* words; // suffix after mma.sync.aligned. or wmma
    Format factors;
    Format accumulator;                // integers use s32
    int a = 0, b = 0, c = 0;           // number of registers
    std::optional<Format> second = {}; // type of b, where it differs
    const Format& factors_of_b() const { return second ? *second : factors; }
    bool uses_octets() const { return factors.exponent_bits + factors.fraction_bits == 7; }
};

constexpr std::uint32_t warps = kinds_of_numbers; // one per kind

constexpr std::string_view head = ".version 8.0\n.target sm_90\n.address_size 64\n\n";
constexpr std::string_view fp8_header = ".version 8.7\n.target sm_90\n.address_size 64\n\n";

Case start(std::string name, std::string ptx)
{
    Case made;
    made.group = "matrices";
    made.name = std::move(name);
    made.ptx = std::move(ptx);
    made.kernel = "k";
    made.grid = {warps, 1, 1};
    made.block = {32, 1, 1};
    return made;
}

void add_mma(std::vector<Case>& cases, const Product& product)
{
    const bool wide = product.factors.fraction_bits == 52;
    const int bytes = wide ? 8 : 4;
    const std::string bits = wide ? "b64" : "b32";
    std::string ptx = std::string(product.uses_octets() ? fp8_header : head) +
                      ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 "
                      "c)\n{\n    .reg .b64 %p;\n    .reg .b32 %i, %n;\n";
    for (const auto& [name, count] : {std::pair{'a', product.a}, std::pair{'b', product.b},
                                      std::pair{'c', product.c}, std::pair{'d', product.c}})
        ptx += fmt::format("    .reg .{} %{}<{}>;\n", wide ? "f64" : bits, name, count);
    ptx += "    mov.u32 %i, %tid.x;\n    mov.u32 %n, %ctaid.x;\n    mad.lo.u32 %i, %n, 32, %i;\n";
    ptx += transfer("ld", "a", 'a', product.a, bytes) + transfer("ld", "b", 'b', product.b, bytes) +
           transfer("ld", "c", 'c', product.c, bytes);
    ptx += fmt::format("    mma.sync.aligned.{} {}, {}, {}, {};\n", product.words,
                       register_list('d', product.c), register_list('a', product.a),
                       register_list('b', product.b), register_list('c', product.c));
    ptx += transfer("st", "d", 'd', product.c, bytes) + "    ret;\n}\n";
    Case made = start(fmt::format("mma.{}", product.words), ptx);
    const auto elements = [&](int registers, const Format& format) {
        return static_cast<std::size_t>(registers * bytes * 8 / format.bits()) * warps * 32;
    };
    made.outputs = {{warps * 32u * static_cast<std::size_t>(product.c * bytes), Element::bits, {}}};
    made.recorded = !product.uses_octets();
    const bool is_s32 = product.accumulator.exponent_bits == 0;
    const std::size_t count_a = elements(product.a, product.factors);
    const std::size_t count_b = elements(product.b, product.factors_of_b());
    const std::size_t count_c = elements(product.c, product.accumulator);
    const auto inputs = [=](std::uint32_t times, std::uint64_t seed) -> std::vector<Bytes> {
        return {
            numbers(product.factors, count_a, false, false, times, seed),
            numbers(product.factors_of_b(), count_b, false, false, times,
                    seed + (times > 1 ? 1 : 0)),
            numbers(product.accumulator, count_c, true, is_s32, times, seed + (times > 1 ? 2 : 0))};
    };
    made.inputs = inputs(1, 43);
    made.more = [made, inputs](std::uint32_t times, std::uint64_t seed) {
        Case more = made;
        more.grid.x *= times;
        for (Output& output : more.outputs) output.bytes *= times;
        more.inputs = inputs(times, seed);
        return more;
    };
    cases.push_back(std::move(made));
}

struct Shape {
    const char* name;
    int m, n, k;
};
struct Tile {
    const char* type;
    Format format;
    int bytes;
    int a, b; // number of registers
};

// Loads a, b and c from memory, multiplies, stores d; also outputs the registers of a and b.
void add_wmma(std::vector<Case>& cases, const Shape& shape, const Tile& tile,
              const char* accumulator, const char* result, bool a_columns, bool b_columns,
              bool c_columns, const char* saturate = "")
{
    const auto order = [](bool columns) { return columns ? "col" : "row"; };
    const bool half = std::string_view(tile.type) == "f16";
    const std::string types =
        half ? fmt::format("{}.{}", result, accumulator)
             : fmt::format("{}.{}.{}.{}", result, tile.type, tile.type, accumulator);
    const auto size = [](std::string_view type) { return type == "f16" ? 2 : 4; };
    const auto registers = [&](std::string_view type) { return type == "f16" ? 4 : 8; };
    const int cs = registers(accumulator);
    const int ds = registers(result);
    const auto kind = [](std::string_view type) { return type == "f32" ? "f32" : "b32"; };
    std::string ptx =
        std::string(head) +
        ".visible .entry k(.param .u64 d, .param .u64 ra, .param .u64 rb, .param .u64 "
        "a, .param .u64 b, .param .u64 c)\n{\n    .reg .b64 %p, %q;\n    .reg .b32 "
        "%i, %n;\n";
    ptx += fmt::format("    .reg .b32 %a<{}>, %b<{}>;\n    .reg .{} %c<{}>;\n    .reg .{} "
                       "%d<{}>;\n",
                       tile.a, tile.b, kind(accumulator), cs, kind(result), ds);
    ptx += "    mov.u32 %i, %tid.x;\n    mov.u32 %n, %ctaid.x;\n    mad.lo.u32 %i, %n, 32, %i;\n";
    const auto place = [&](std::string_view parameter, int bytes) {
        return fmt::format("    ld.param.u64 %q, [{}];\n    cvta.to.global.u64 %q, %q;\n    "
                           "mad.wide.u32 %q, %n, {}, %q;\n",
                           parameter, bytes);
    };
    const auto load = [&](char which, int rows, int columns, bool by_columns, std::string_view type,
                          int bytes, int count) {
        return place(std::string(1, which), rows * columns * bytes) +
               fmt::format("    wmma.load.{}.sync.aligned.{}.{}.global.{} {}, [%q], {};\n", which,
                           order(by_columns), shape.name, type, register_list(which, count),
                           by_columns ? rows : columns);
    };
    ptx += load('a', shape.m, shape.k, a_columns, tile.type, tile.bytes, tile.a);
    ptx += load('b', shape.k, shape.n, b_columns, tile.type, tile.bytes, tile.b);
    ptx += load('c', shape.m, shape.n, c_columns, accumulator, size(accumulator), cs);
    ptx +=
        fmt::format("    wmma.mma.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n", order(a_columns),
                    order(b_columns), shape.name, types, saturate, register_list('d', ds),
                    register_list('a', tile.a), register_list('b', tile.b), register_list('c', cs));
    ptx += place("d", shape.m * shape.n * size(result)) +
           fmt::format("    wmma.store.d.sync.aligned.{}.{}.global.{} [%q], {}, {};\n",
                       order(!c_columns), shape.name, result, register_list('d', ds),
                       c_columns ? shape.n : shape.m);
    ptx += transfer("st", "ra", 'a', tile.a, 4) + transfer("st", "rb", 'b', tile.b, 4) +
           "    ret;\n}\n";
    Case made = start(fmt::format("wmma.{}.{}.{}.{}.{}{}", order(a_columns), order(b_columns),
                                  order(c_columns), shape.name, types, saturate),
                      ptx);
    const auto count = [&](int rows, int columns) {
        return static_cast<std::size_t>(rows * columns) * warps;
    };
    const auto output = [](std::size_t bytes) { return Output{bytes, Element::bits, {}}; };
    made.outputs = {output(count(shape.m, shape.n) * static_cast<std::size_t>(size(result))),
                    output(count(32, tile.a * 4)), output(count(32, tile.b * 4))};
    const bool is_s32 = std::string_view(accumulator) == "s32";
    const std::size_t bytes_of_c = count(shape.m, shape.n);
    made.inputs = {numbers(tile.format, count(shape.m, shape.k), false),
                   numbers(tile.format, count(shape.k, shape.n), false),
                   is_s32 ? numbers(integer, bytes_of_c * 4, true, true)
                          : numbers(size(accumulator) == 2 ? f16 : f32, bytes_of_c, true)};
    cases.push_back(std::move(made));
}

// Every lane stores a row of 16 bytes, then all load matrices from there and store them transposed.
void add_moves(std::vector<Case>& cases)
{
    for (const char* trans : {"", ".trans"})
        for (int matrices : {1, 2, 4}) {
            std::string ptx =
                std::string(head) +
                ".visible .entry k(.param .u64 d, .param .u64 e, .param .u64 a)\n{\n    .reg .b64 "
                "%p;\n    .reg .b32 %i, %n, %s, %a<4>, %d<4>, %e<4>;\n    .shared .align 16 .b8 "
                "tile[1024];\n    mov.u32 %i, %tid.x;\n    mov.u32 %n, %ctaid.x;\n    mov.u32 %s, "
                "tile;\n    mad.lo.u32 %s, %i, 16, %s;\n    mad.lo.u32 %i, %n, 32, %i;\n" +
                transfer("ld", "a", 'a', 4, 4) +
                "    st.shared.v4.b32 [%s], {%a0, %a1, %a2, %a3};\n    st.shared.v4.b32 "
                "[%s+512], {%a0, %a1, %a2, %a3};\n    bar.warp.sync -1;\n";
            ptx += fmt::format("    ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%s];\n",
                               matrices, trans, register_list('d', matrices));
            for (int i = matrices; i < 4; ++i) ptx += fmt::format("    mov.b32 %d{}, 0;\n", i);
            ptx +=
                fmt::format("    stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%s+512], {};\n",
                            matrices, *trans == '\0' ? ".trans" : "", register_list('d', matrices));
            ptx += "    movmatrix.sync.aligned.m8n8.trans.b16 %d3, %a3;\n    bar.warp.sync -1;\n"
                   "    ld.shared.v4.b32 {%e0, %e1, %e2, %e3}, [%s+512];\n" +
                   transfer("st", "d", 'd', 4, 4) + transfer("st", "e", 'e', 4, 4) +
                   "    ret;\n}\n";
            Case made = start(fmt::format("ldmatrix.x{}{}", matrices, trans), ptx);
            made.outputs = {{warps * 32u * 16u, Element::bits, {}},
                            {warps * 32u * 16u, Element::bits, {}}};
            made.inputs = {numbers(integer, warps * 32u * 16u, false)};
            cases.push_back(std::move(made));
        }
}

} // namespace

void add_matrix_cases(std::vector<Case>& cases)
{
    for (const Product& product : {
             Product{"m16n8k16.row.col.f32.f16.f16.f32", f16, f32, 4, 2, 4},
             Product{"m16n8k8.row.col.f32.f16.f16.f32", f16, f32, 2, 1, 4},
             Product{"m16n8k16.row.col.f16.f16.f16.f16", f16, f16, 4, 2, 2},
             Product{"m16n8k8.row.col.f16.f16.f16.f16", f16, f16, 2, 1, 2},
             Product{"m16n8k16.row.col.f32.bf16.bf16.f32", bf16, f32, 4, 2, 4},
             Product{"m16n8k8.row.col.f32.bf16.bf16.f32", bf16, f32, 2, 1, 4},
             Product{"m16n8k8.row.col.f32.tf32.tf32.f32", f32, f32, 4, 2, 4},
             Product{"m16n8k4.row.col.f32.tf32.tf32.f32", f32, f32, 2, 1, 4},
             Product{"m16n8k32.row.col.f32.e4m3.e4m3.f32", e4m3, f32, 4, 2, 4},
             Product{"m16n8k32.row.col.f32.e5m2.e5m2.f32", e5m2, f32, 4, 2, 4},
             Product{"m16n8k32.row.col.f32.e4m3.e5m2.f32", e4m3, f32, 4, 2, 4, e5m2},
             Product{"m16n8k32.row.col.f32.e5m2.e4m3.f32", e5m2, f32, 4, 2, 4, e4m3},
             Product{"m16n8k32.row.col.f16.e4m3.e4m3.f16", e4m3, f16, 4, 2, 2},
             Product{"m16n8k32.row.col.f16.e5m2.e5m2.f16", e5m2, f16, 4, 2, 2},
             Product{"m16n8k32.row.col.f16.e4m3.e5m2.f16", e4m3, f16, 4, 2, 2, e5m2},
             Product{"m16n8k16.row.col.f32.e4m3.e4m3.f32", e4m3, f32, 2, 1, 4},
             Product{"m16n8k16.row.col.f32.e5m2.e5m2.f32", e5m2, f32, 2, 1, 4},
             Product{"m16n8k16.row.col.f32.e5m2.e4m3.f32", e5m2, f32, 2, 1, 4, e4m3},
             Product{"m16n8k16.row.col.f16.e4m3.e4m3.f16", e4m3, f16, 2, 1, 2},
             Product{"m16n8k16.row.col.f16.e5m2.e5m2.f16", e5m2, f16, 2, 1, 2},
             Product{"m8n8k4.row.col.f64.f64.f64.f64", f64, f64, 1, 1, 2},
             Product{"m16n8k4.row.col.f64.f64.f64.f64", f64, f64, 2, 1, 4},
             Product{"m16n8k8.row.col.f64.f64.f64.f64", f64, f64, 4, 2, 4},
             Product{"m16n8k16.row.col.f64.f64.f64.f64", f64, f64, 8, 4, 4},
             Product{"m8n8k16.row.col.s32.s8.s8.s32", integer, integer, 1, 1, 2},
             Product{"m16n8k16.row.col.s32.u8.s8.s32", integer, integer, 2, 1, 4},
             Product{"m16n8k32.row.col.s32.s8.u8.s32", integer, integer, 4, 2, 4},
             Product{"m16n8k32.row.col.satfinite.s32.s8.s8.s32", integer, integer, 4, 2, 4},
             Product{"m8n8k32.row.col.satfinite.s32.s4.s4.s32", integer, integer, 1, 1, 2},
             Product{"m16n8k32.row.col.s32.u4.s4.s32", integer, integer, 2, 1, 4},
             Product{"m16n8k64.row.col.s32.s4.u4.s32", integer, integer, 4, 2, 4},
             Product{"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", integer, integer, 1, 1, 2},
             Product{"m16n8k128.row.col.s32.b1.b1.s32.and.popc", integer, integer, 2, 1, 4},
             Product{"m16n8k256.row.col.s32.b1.b1.s32.and.popc", integer, integer, 4, 2, 4},
         })
        add_mma(cases, product);
    constexpr Shape square{"m16n16k16", 16, 16, 16}, tall{"m32n8k16", 32, 8, 16},
        flat{"m8n32k16", 8, 32, 16}, thin{"m16n16k8", 16, 16, 8};
    const Tile halves{"f16", f16, 2, 8, 8};
    for (const Shape& shape : {square, tall, flat})
        for (bool columns : {false, true}) {
            add_wmma(cases, shape, halves, "f32", "f32", columns, !columns, columns);
            add_wmma(cases, shape, halves, "f16", "f16", !columns, !columns, !columns);
        }
    add_wmma(cases, square, halves, "f16", "f32", false, true, false);
    add_wmma(cases, square, halves, "f32", "f16", false, true, false);
    for (bool columns : {false, true}) {
        add_wmma(cases, square, {"bf16", bf16, 2, 4, 4}, "f32", "f32", columns, columns, false);
        add_wmma(cases, tall, {"bf16", bf16, 2, 8, 2}, "f32", "f32", columns, columns, true);
        add_wmma(cases, flat, {"bf16", bf16, 2, 2, 8}, "f32", "f32", columns, columns, false);
        add_wmma(cases, square, {"s8", integer, 1, 2, 2}, "s32", "s32", columns, columns, false);
        add_wmma(cases, tall, {"u8", integer, 1, 4, 1}, "s32", "s32", columns, columns, true);
        add_wmma(cases, flat, {"s8", integer, 1, 1, 4}, "s32", "s32", columns, columns, false,
                 ".satfinite");
        add_wmma(cases, thin, {"tf32", f32, 4, 4, 4}, "f32", "f32", columns, columns, columns);
    }
    add_moves(cases);
}

} // namespace lanescope::conformance
