// wgmma: the arithmetic of every type with all kinds of numbers, every shape, and every layout of
// shared memory. Large results are folded to a word per thread.
#include <algorithm>

#include <fmt/format.h>

#include "tests/conformance/kernel_case.h"
#include "tests/conformance/matrix_numbers.h"

namespace lanescope::conformance {

namespace {

constexpr int rows = 64;

struct Layout {
    bool across = false; // M-major or N-major
    int width = 16;      // of the swizzle; 16: none

    int bytes(int count) const { return count * (across ? 32 : std::max(32, width)); }
    // Fields of a compact tile's descriptor other than its start.
    std::uint64_t fields(int count) const
    {
        int leading = 16, stride = 8 * width;
        if (!across && width == 16) leading = count * 16;
        if (across && width == 16) leading = count / 8 * 128;
        if (across && width != 16) leading = 16 * width;
        if (width == 16) stride = 128;
        const std::uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
        return static_cast<std::uint64_t>(leading / 16) << 16 |
               static_cast<std::uint64_t>(stride / 16) << 32 | mode << 62;
    }
};

struct Product {
    const char* types; // "f32.f16.f16"
    int k = 16;
    Format a = f16, b = f16, d = f32;
    bool is_tf32 = false;
    const char* suffix = "";
    const char* prefix = "";

    bool floats() const { return d.exponent_bits != 0; }
    bool halves() const { return k == 16; }
    bool is_fp8() const { return a.exponent_bits + a.fraction_bits == 7; }
};

struct Form {
    int n = 8;
    bool registers = false; // a is in registers
    Layout a{}, b{};
    int sign_a = 1, sign_b = 1;
    bool adds = true;
    bool folds = false;
    std::uint32_t blocks = kinds_of_numbers; // one per kind of number
};

std::string operands(const Product& product, const Form& form, int results)
{
    std::string text = fmt::format("{}, {}, %db, %adds", register_list('d', results),
                                   form.registers ? register_list('a', 4) : std::string("%da"));
    if (product.floats()) text += fmt::format(", {}, {}", form.sign_a, form.sign_b);
    if (product.halves()) {
        if (!form.registers) text += form.a.across ? ", 1" : ", 0";
        text += form.b.across ? ", 1" : ", 0";
    }
    return text;
}

// Copies this block's bytes of a buffer to shared memory at `to`.
std::string copy(std::string_view parameter, int to, int bytes)
{
    std::string text = fmt::format("    ld.param.u64 %p, [{0}];\n    cvta.to.global.u64 %p, %p;\n"
                                   "    mad.wide.u32 %p, %n, {1}, %p;\n"
                                   "    mul.lo.u32 %r0, %t, 4;\n"
                                   "copy_{0}:\n    setp.ge.u32 %q, %r0, {1};\n"
                                   "    @%q bra copied_{0};\n    cvt.u64.u32 %w, %r0;\n"
                                   "    add.u64 %w, %w, %p;\n    ld.global.b32 %r1, [%w];\n"
                                   "    mov.u32 %r2, tile;\n    add.u32 %r2, %r2, %r0;\n"
                                   "    st.shared.b32 [%r2+{2}], %r1;\n"
                                   "    add.u32 %r0, %r0, 512;\n    bra copy_{0};\ncopied_{0}:\n",
                                   parameter, bytes, to);
    return text;
}

std::string descriptor(std::string_view name, int start, std::uint64_t fields)
{
    return fmt::format("    mov.u32 %r0, tile;\n    add.u32 %r0, %r0, {1};\n"
                       "    bfe.u32 %r0, %r0, 4, 14;\n    cvt.u64.u32 %{0}, %r0;\n"
                       "    or.b64 %{0}, %{0}, {2};\n",
                       name, start, fields);
}

void add(std::vector<Case>& cases, const Product& product, const Form& form, std::string name)
{
    const int results = form.n / 2 * (product.d.bits() == 16 ? 16 : 32) / 32;
    const int bytes_a = form.a.bytes(rows), bytes_b = form.b.bytes(form.n);
    const int tile_b = (bytes_a + 1023) / 1024 * 1024;
    std::string ptx = fmt::format(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\n"
        ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c)\n{{\n"
        "    .shared .align 1024 .b8 tile[{}];\n    .reg .pred %q, %adds;\n"
        "    .reg .b64 %p, %w, %da, %db;\n    .reg .b32 %i, %n, %t, %r<4>, %a<4>, %d<{}>;\n"
        "    mov.u32 %t, %tid.x;\n    mov.u32 %n, %ctaid.x;\n    mad.lo.u32 %i, %n, 128, %t;\n",
        tile_b + bytes_b, results);
    ptx += form.registers ? transfer("ld", "a", 'a', 4, 4) : copy("a", 0, bytes_a);
    ptx += copy("b", tile_b, bytes_b) + transfer("ld", "c", 'd', results, 4);
    ptx += descriptor("da", 0, form.a.fields(rows)) +
           descriptor("db", tile_b, form.b.fields(form.n)) +
           fmt::format("    setp.{}.u32 %adds, %t, %t;\n", form.adds ? "eq" : "ne");
    const std::string words = fmt::format("m64n{}k{}{}.{}{}", form.n, product.k, product.prefix,
                                          product.types, product.suffix);
    ptx += fmt::format("    fence.proxy.async.shared::cta;\n    bar.sync 0;\n"
                       "    wgmma.fence.sync.aligned;\n    wgmma.mma_async.sync.aligned.{} {};\n"
                       "    wgmma.commit_group.sync.aligned;\n"
                       "    wgmma.wait_group.sync.aligned 0;\n",
                       words, operands(product, form, results));
    if (form.folds) {
        ptx += "    mov.b32 %a0, 0;\n";
        for (int i = 0; i < results; ++i)
            ptx += fmt::format("    mad.lo.u32 %a0, %a0, 31, %d{};\n", i);
        ptx += transfer("st", "d", 'a', 1, 4);
    } else {
        ptx += transfer("st", "d", 'd', results, 4);
    }
    ptx += "    ret;\n}\n";

    Case made;
    made.group = product.is_fp8() ? "wgmma_fp8" : "wgmma";
    made.name = fmt::format("{}{}", words, name);
    made.ptx = std::move(ptx);
    made.kernel = "k";
    made.grid = {form.blocks, 1, 1};
    made.block = {128, 1, 1};
    made.outputs = {
        {std::size_t{form.blocks} * 512 * static_cast<std::size_t>(form.folds ? 1 : results),
         Element::bits,
         {}}};
    const auto bytes_of = [&](const Format& format, int bytes, bool accumulator) {
        const bool is_s32 = accumulator && !product.floats();
        const int size = is_s32 ? 1 : format.bits() / 8;
        const auto count = static_cast<std::size_t>(bytes / size) * kinds_of_numbers;
        const std::size_t blocks = form.blocks == 1 ? 2 : form.blocks;
        const std::size_t wanted = blocks * static_cast<std::size_t>(bytes / size);
        Bytes all = numbers(format, count, accumulator, is_s32, 1, usual_seed, wanted);
        // A single block gets numbers of the second kind, which are ordinary.
        if (form.blocks == 1) all.erase(all.begin(), all.begin() + bytes);
        all.resize(std::size_t{form.blocks} * static_cast<std::size_t>(bytes));
        return all;
    };
    made.inputs = {bytes_of(product.a, form.registers ? 2048 : bytes_a, false),
                   bytes_of(product.b, bytes_b, false), bytes_of(product.d, 512 * results, true)};
    cases.push_back(std::move(made));
}

} // namespace

void add_wgmma_cases(std::vector<Case>& cases)
{
    const std::size_t first = cases.size();
    const Product products[] = {
        {"f32.f16.f16"},
        {"f16.f16.f16", 16, f16, f16, f16},
        {"f32.bf16.bf16", 16, bf16, bf16},
        {"f32.tf32.tf32", 8, f32, f32, f32, true},
        {"f32.e4m3.e4m3", 32, e4m3, e4m3},
        {"f32.e5m2.e5m2", 32, e5m2, e5m2},
        {"f32.e4m3.e5m2", 32, e4m3, e5m2},
        {"f32.e5m2.e4m3", 32, e5m2, e4m3},
        {"f16.e4m3.e4m3", 32, e4m3, e4m3, f16},
        {"f16.e5m2.e5m2", 32, e5m2, e5m2, f16},
        {"f16.e4m3.e5m2", 32, e4m3, e5m2, f16},
        {"f16.e5m2.e4m3", 32, e5m2, e4m3, f16},
        {"s32.s8.s8", 32, integer, integer, integer},
        {"s32.s8.u8", 32, integer, integer, integer},
        {"s32.u8.s8", 32, integer, integer, integer},
        {"s32.u8.u8", 32, integer, integer, integer},
        {"s32.s8.s8", 32, integer, integer, integer, false, "", ".satfinite"},
        {"s32.b1.b1", 256, integer, integer, integer, false, ".and.popc"},
    };
    for (const Product& product : products) {
        add(cases, product, {}, "");
        add(cases, product, {.registers = true}, ".registers");
        add(cases, product, {.adds = false}, ".zero");
        if (product.floats())
            add(cases, product, {.registers = true, .sign_a = -1, .sign_b = -1, .adds = false},
                ".negated");
        for (int n = 16; n <= 256; n += 8) {
            if (!product.floats() && n > 32 && n % 16 != 0) continue;
            const bool registers = n % 16 == 8;
            add(cases, product,
                {.n = n,
                 .registers = registers,
                 .a = {false, 32},
                 .b = {false, 128},
                 .sign_b = product.floats() && n % 24 == 0 ? -1 : 1,
                 .folds = true,
                 .blocks = 1},
                ".folded");
        }
    }
    constexpr int widths[] = {16, 32, 64, 128};
    for (const Product& product : {products[0], products[2]})
        for (const bool across_a : {false, true})
            for (const bool across_b : {false, true})
                for (const int width_a : widths)
                    for (const int width_b : widths)
                        add(cases, product,
                            {.n = 192,
                             .a = {across_a, width_a},
                             .b = {across_b, width_b},
                             .folds = true,
                             .blocks = 1},
                            fmt::format(".{}{}.{}{}", across_a ? 'm' : 'k', width_a,
                                        across_b ? 'n' : 'k', width_b));
    for (const Product& product : {products[3], products[4], products[12], products[17]})
        for (const int width_a : widths)
            for (const int width_b : widths)
                add(cases, product,
                    {.n = 64,
                     .a = {false, width_a},
                     .b = {false, width_b},
                     .folds = true,
                     .blocks = 1},
                    fmt::format(".k{}.k{}", width_a, width_b));
    std::stable_partition(cases.begin() + static_cast<std::ptrdiff_t>(first), cases.end(),
                          [](const Case& test) { return test.group == "wgmma"; });
}

} // namespace lanescope::conformance
