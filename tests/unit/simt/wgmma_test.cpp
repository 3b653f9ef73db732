// wgmma: every shape, type and layout of shared memory against a reference in double precision; the
// time of its effects; and misuse, which is found at its line.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/simt/debug/timeline.h"
#include "tests/unit/simt/elements.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t threads = 128;
constexpr int m = 64;

// --- Layouts ---

// As the canonical layouts of CUTLASS are written: coordinates with strides, then Swizzle<B, 4, 3>.
struct Layout {
    bool across = false; // M-major or N-major
    std::uint32_t width = 16;
    std::uint32_t start = 0, leading = 0, stride = 0;

    // Address of byte `byte` (of 32 along k) of a row; across, of element byte / 2.
    std::uint32_t place(int row, int byte) const
    {
        const auto r = static_cast<std::uint32_t>(row), b = static_cast<std::uint32_t>(byte);
        std::uint32_t at = start;
        if (!across) {
            // ((8, m), (16 bytes, 2)) : ((width, stride), (1, 16 or leading))
            at += r % 8 * width + r / 8 * stride + b % 16 + b / 16 * (width == 16 ? leading : 16);
        } else {
            // ((8, width / 16, m), (8, k))
            const std::uint32_t k = b / 2, lines = width / 16;
            at += r % 8 * 2 + b % 2 + r / 8 % lines * 16 + k % 8 * width;
            at += r / 8 / lines * (width == 16 ? stride : leading);
            at += k / 8 * (width == 16 ? leading : stride);
        }
        const std::uint32_t bits = width == 128 ? 7 : width == 64 ? 3 : width == 32 ? 1 : 0;
        return at ^ (at & bits << 7) >> 3;
    }
    std::uint64_t descriptor() const
    {
        const std::uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
        return std::uint64_t{start >> 4} | std::uint64_t{leading >> 4} << 16 |
               std::uint64_t{stride >> 4} << 32 | mode << 62;
    }
};

// A compact layout of `rows` rows from `start`.
Layout compact(bool across, std::uint32_t width, int rows, std::uint32_t start)
{
    const auto count = static_cast<std::uint32_t>(rows);
    if (!across) return {across, width, start, width == 16 ? count * 16 : 16, 8 * width};
    if (width == 16) return {across, width, start, count / 8 * 128, 128};
    return {across, width, start, 16 * width, 8 * width};
}

// --- Kernels ---

struct Product {
    int n = 8;
    Element a = f16, b = f16, d = f32;
    bool registers = false; // a is in registers
    Layout layout_a{}, layout_b{};
    int sign_a = 1, sign_b = 1;
    bool adds = true;
    const char* suffix = ""; // .and.popc
    const char* prefix = ""; // .satfinite

    int k() const { return 256 / a.bits; }
    int results() const { return n / 2 * d.bits / 32; } // registers of d
};

std::string list(std::string_view name, int count)
{
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += fmt::format("{}{}{}", i == 0 ? "" : ", ", name, i);
    return text + "}";
}

std::string words(const Product& product)
{
    return fmt::format("m64n{}k{}{}.{}.{}.{}{}", product.n, product.k(), product.prefix,
                       product.d.name, product.a.name, product.b.name, product.suffix);
}

std::string operands(const Product& product, std::string_view d = "%d")
{
    std::string text =
        fmt::format("{}, {}, %db, %adds", list(d, product.results()),
                    product.registers ? std::string("{%a0, %a1, %a2, %a3}") : std::string("%da"));
    if (product.d.exponent_bits != 0)
        text += fmt::format(", {}, {}", product.sign_a, product.sign_b);
    if (product.a.bits == 16) {
        if (!product.registers) text += fmt::format(", {}", product.layout_a.across ? 1 : 0);
        text += fmt::format(", {}", product.layout_b.across ? 1 : 0);
    }
    return text;
}

// Loads shared memory, a and d from buffers; runs `body`; stores d. `%t` is the thread's index.
std::string kernel(const Product& product, std::string_view body)
{
    const int count = product.results();
    std::string text = fmt::format(R"(.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 tiles[];
.visible .entry k(.param .u64 out, .param .u64 c, .param .u64 registers, .param .u64 image,
                  .param .u32 words, .param .u64 desc_a, .param .u64 desc_b, .param .u32 adds)
{{
    .reg .pred %p<9>; .reg .pred %adds;
    .reg .b32 %d<{0}>; .reg .b32 %e<{0}>; .reg .b32 %a<4>; .reg .b32 %r<16>; .reg .b32 %t;
    .reg .b64 %rd<16>; .reg .b64 %da; .reg .b64 %db;
    mov.u32 %t, %tid.x;
    ld.param.u64 %rd0, [image];
    ld.param.u32 %r0, [words];
    mov.u32 %r1, tiles;
    mov.u32 %r2, %t;
copy:
    setp.ge.u32 %p0, %r2, %r0;
    @%p0 bra copied;
    mad.wide.u32 %rd1, %r2, 4, %rd0;
    ld.global.u32 %r3, [%rd1];
    mad.lo.u32 %r4, %r2, 4, %r1;
    st.shared.u32 [%r4], %r3;
    add.u32 %r2, %r2, 128;
    bra copy;
copied:
    ld.param.u64 %rd2, [registers];
    mad.wide.u32 %rd2, %t, 16, %rd2;
    ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%rd2];
    ld.param.u64 %rd3, [c];
    mad.wide.u32 %rd3, %t, {1}, %rd3;
)",
                                   count, 4 * count);
    for (int i = 0; i < count; ++i)
        text += fmt::format("    ld.global.u32 %d{}, [%rd3+{}];\n", i, 4 * i);
    text += fmt::format(R"(    ld.param.u64 %da, [desc_a];
    ld.param.u64 %db, [desc_b];
    ld.param.u32 %r5, [adds];
    setp.ne.u32 %adds, %r5, 0;
    ld.param.u64 %rd4, [out];
    mad.wide.u32 %rd4, %t, {}, %rd4;
    fence.proxy.async.shared::cta;
    bar.sync 0;
{}
)",
                        4 * count, body);
    for (int i = 0; i < count; ++i)
        text += fmt::format("    st.global.u32 [%rd4+{}], %d{};\n", 4 * i, i);
    return text + "    ret;\n}\n";
}

std::string issue(const Product& product, std::string_view d = "%d")
{
    return fmt::format("    wgmma.mma_async.sync.aligned.{} {};\n", words(product),
                       operands(product, d));
}
const std::string fence = "    wgmma.fence.sync.aligned;\n";
const std::string commit = "    wgmma.commit_group.sync.aligned;\n";
std::string wait(int groups)
{
    return fmt::format("    wgmma.wait_group.sync.aligned {};\n", groups);
}
std::string whole(const Product& product)
{
    return fence + issue(product) + commit + wait(0);
}

// Inputs of a launch, and the matrices they hold.
struct Inputs {
    std::vector<int> a, b, c; // row by row: 64 × k, k × n, 64 × n
    std::vector<std::uint32_t> registers, image, start;
    std::uint32_t bytes = 0;
};

int row_of_d(int thread, int index)
{
    return thread / 32 * 16 + thread % 32 / 4 + index / 2 % 2 * 8;
}
int column_of_d(int thread, int index)
{
    return index / 4 * 8 + thread % 4 * 2 + index % 2;
}

// Bits of element (row, k) of `values`, at bit k * bits of a row of 32 bytes.
std::vector<std::uint8_t> packed_row(const Element& element, const std::vector<int>& row)
{
    std::vector<std::uint8_t> bytes(32);
    for (std::size_t k = 0; k < row.size(); ++k)
        for (int bit = 0; bit < element.bits; ++bit) {
            const std::size_t at =
                k * static_cast<std::size_t>(element.bits) + static_cast<std::size_t>(bit);
            if ((encoded(element, row[k]) >> bit & 1u) != 0)
                bytes[at / 8] |= static_cast<std::uint8_t>(1u << at % 8);
        }
    return bytes;
}

int value_range(const Element& element)
{
    return element.bits == 1 ? 2 : 7;
}
int lowest_value(const Element& element)
{
    return element.bits == 1 || std::string_view(element.name) == "u8" ? 0 : -3;
}

std::vector<int> random_values(const Element& element, std::size_t count, std::uint32_t seed)
{
    std::vector<int> values = numbers(count, value_range(element), seed);
    for (int& value : values) value += lowest_value(element);
    return values;
}

Inputs inputs_of(const Product& product, std::uint32_t seed = 1)
{
    Inputs made;
    const auto k = static_cast<std::size_t>(product.k());
    const auto n = static_cast<std::size_t>(product.n);
    made.a = random_values(product.a, m * k, seed);
    made.b = random_values(product.b, k * n, seed + 1);
    made.c = random_values(s8, m * n, seed + 2);
    std::vector<std::uint8_t> bytes;
    const auto put = [&](std::uint32_t at, std::uint8_t value) {
        if (bytes.size() <= at) bytes.resize(at / 1024 * 1024 + 1024, 0xee);
        bytes[at] = value;
    };
    std::vector<std::vector<std::uint8_t>> rows;
    for (int row = 0; row < m; ++row) {
        const auto begin = made.a.begin() + row * product.k();
        rows.push_back(packed_row(product.a, {begin, begin + product.k()}));
        for (int byte = 0; byte < 32 && !product.registers; ++byte)
            put(product.layout_a.place(row, byte), rows.back()[static_cast<std::size_t>(byte)]);
    }
    for (int column = 0; column < product.n; ++column) {
        std::vector<int> along;
        for (std::size_t i = 0; i < k; ++i)
            along.push_back(made.b[i * n + static_cast<std::size_t>(column)]);
        const auto row = packed_row(product.b, along);
        for (int byte = 0; byte < 32; ++byte)
            put(product.layout_b.place(column, byte), row[static_cast<std::size_t>(byte)]);
    }
    made.bytes = static_cast<std::uint32_t>(bytes.size());
    made.image.resize(bytes.size() / 4);
    std::memcpy(made.image.data(), bytes.data(), bytes.size());
    for (int thread = 0; thread < static_cast<int>(threads); ++thread) {
        for (int i = 0; i < 4; ++i) {
            const auto& row =
                rows[static_cast<std::size_t>(thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8)];
            std::uint32_t word = 0;
            std::memcpy(&word, &row[static_cast<std::size_t>(4 * (thread % 4) + i / 2 * 16)], 4);
            made.registers.push_back(word);
        }
        for (int i = 0; i < product.results(); ++i) {
            const int parts = 32 / product.d.bits;
            std::uint32_t word = 0;
            for (int part = 0; part < parts; ++part) {
                const int index = i * parts + part;
                word |=
                    encoded(product.d,
                            made.c[static_cast<std::size_t>(row_of_d(thread, index) * product.n +
                                                            column_of_d(thread, index))])
                    << part * 16;
            }
            made.start.push_back(word);
        }
    }
    return made;
}

double reference(const Product& product, const Inputs& inputs, int row, int column)
{
    const auto n = static_cast<std::size_t>(product.n);
    const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
    double sum = product.adds ? inputs.c[r * n + c] : 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(product.k()); ++k)
        sum += double{1} * product.sign_a * product.sign_b *
               inputs.a[r * static_cast<std::size_t>(product.k()) + k] * inputs.b[k * n + c];
    return sum;
}

struct Launch {
    Machine machine;
    std::unique_ptr<device::Buffer> out, start, registers, image;
    Inputs inputs;
    Product product;

    Launch(const Product& of, std::string_view body, const Options& options = {},
           std::uint32_t seed = 1)
        : machine(Machine::from_text(kernel(of, body), options)), inputs(inputs_of(of, seed)),
          product(of)
    {
        out = machine.buffer(std::vector<std::uint32_t>(inputs.start.size()));
        start = machine.buffer(inputs.start);
        registers = machine.buffer(inputs.registers);
        image = machine.buffer(inputs.image);
    }
    trace::Fault fault(std::uint32_t block = threads, std::uint64_t descriptor_b = 0)
    {
        return machine.fault("k", {{1, 1, 1}, {block, 1, 1}, inputs.bytes}, *out, *start,
                             *registers, *image, inputs.bytes / 4, product.layout_a.descriptor(),
                             descriptor_b != 0 ? descriptor_b : product.layout_b.descriptor(),
                             std::uint32_t{product.adds});
    }
    std::vector<std::uint32_t> values() { return machine.values<std::uint32_t>(*out); }
};

Options checked()
{
    Options options;
    options.checks = Checks::all();
    return options;
}

void expect_product(const Product& product, std::string_view what = "", const Options& options = {})
{
    Launch launch(product, whole(product), options);
    const trace::Fault fault = launch.fault();
    ASSERT_EQ(fault.kind, "none") << words(product) << what << ": " << fault.message;
    const auto values = launch.values();
    const int parts = 32 / product.d.bits;
    const int count = product.results() * parts;
    int wrong = 0;
    for (int thread = 0; thread < static_cast<int>(threads) && wrong < 3; ++thread)
        for (int i = 0; i < count && wrong < 3; ++i) {
            const std::uint32_t word =
                values[static_cast<std::size_t>(thread * product.results() + i / parts)];
            const double got = decoded(product.d, parts == 2 ? word >> i % 2 * 16 & 0xffffu : word);
            const double want =
                reference(product, launch.inputs, row_of_d(thread, i), column_of_d(thread, i));
            wrong += got != want;
            EXPECT_EQ(got, want) << words(product) << what << ", thread " << thread << ", element "
                                 << i;
        }
}

Product with_layouts(Product product, bool across_a, std::uint32_t width_a, bool across_b,
                     std::uint32_t width_b)
{
    product.layout_a = compact(across_a, width_a, m, 0);
    product.layout_b = compact(across_b, width_b, product.n, 16384);
    return product;
}

// --- Results ---

struct Types {
    Element a, b, d;
};
constexpr Types all_types[] = {
    {f16, f16, f32},   {f16, f16, f16},   {bf16, bf16, f32}, {tf32, tf32, f32}, {e4m3, e4m3, f32},
    {e4m3, e5m2, f32}, {e5m2, e4m3, f16}, {e5m2, e5m2, f32}, {e4m3, e4m3, f16}, {s8, s8, s32},
    {s8, u8, s32},     {u8, s8, s32},     {u8, u8, s32},     {b1, b1, s32},
};

TEST(Wgmma, EveryShapeAndType)
{
    constexpr std::uint32_t widths[] = {16, 32, 64, 128};
    int number = 0;
    for (const Types& types : all_types)
        for (int n = 8; n <= 256; n += 8) {
            if (types.d.exponent_bits == 0 && n > 32 && n % 16 != 0) continue;
            Product product{.n = n, .a = types.a, .b = types.b, .d = types.d};
            product.registers = ++number % 3 == 0;
            product.adds = number % 4 != 1;
            if (types.d.exponent_bits != 0) {
                product.sign_a = number % 5 == 0 ? -1 : 1;
                product.sign_b = number % 7 == 0 ? -1 : 1;
            }
            if (types.a.bits == 1) product.suffix = ".and.popc";
            expect_product(
                with_layouts(product, false, widths[number % 4], false, widths[number / 4 % 4]));
        }
}

TEST(Wgmma, EveryLayout)
{
    constexpr std::uint32_t widths[] = {16, 32, 64, 128};
    for (const Element& element : {f16, bf16})
        for (const int n : {8, 64, 96, 256})
            for (const bool across_a : {false, true})
                for (const bool across_b : {false, true})
                    for (const std::uint32_t width_a : widths)
                        for (const std::uint32_t width_b : widths) {
                            if (across_b && n % (static_cast<int>(width_b) / 2) != 0) continue;
                            const Product product{.n = n, .a = element, .b = element, .d = f32};
                            expect_product(
                                with_layouts(product, across_a, width_a, across_b, width_b),
                                fmt::format(", a {} {}, b {} {}", across_a, width_a, across_b,
                                            width_b));
                        }
}

// Offsets that are not compact, and a start inside the pattern of the swizzle: the second product
// of a tile of 64 values of k starts 32 bytes later.
TEST(Wgmma, OffsetsAndStarts)
{
    Product product{.n = 32};
    product.layout_a = {false, 128, 32, 16, 2048};
    product.layout_b = {false, 128, 16384 + 96, 16, 1024};
    expect_product(product);
    product.layout_a = {false, 16, 48, 4096, 512};
    product.layout_b = {false, 16, 16384, 128, 256};
    expect_product(product);
    product.n = 128;
    product.layout_a = {true, 32, 0, 1024, 4096 + 512};
    product.layout_b = {true, 128, 16384, 8192, 1024};
    expect_product(product);
    product.layout_b = {true, 16, 16384, 4096, 256};
    expect_product(product);
}

// A pattern that doesn't start at a multiple of its size is described by the base offset.
TEST(Wgmma, BaseOffset)
{
    constexpr std::uint32_t start = 16384 + 3 * 128;
    Product product = with_layouts({.n = 8}, false, 16, false, 128);
    Launch launch(product, whole(product));
    // Rows of 128 bytes from `start`, chunks exchanged by the row's number.
    const auto row_bytes = [&](int column) {
        std::vector<int> along;
        for (int k = 0; k < 16; ++k)
            along.push_back(launch.inputs.b[static_cast<std::size_t>(k * 8 + column)]);
        return packed_row(f16, along);
    };
    std::vector<std::uint8_t> bytes(launch.inputs.bytes + 2048);
    std::memcpy(bytes.data(), launch.inputs.image.data(), 16384);
    for (int column = 0; column < 8; ++column) {
        const auto row = row_bytes(column);
        for (std::uint32_t byte = 0; byte < 32; ++byte)
            bytes[start + static_cast<std::uint32_t>(column) * 128 +
                  (byte / 16 ^ static_cast<std::uint32_t>(column)) * 16 + byte % 16] = row[byte];
    }
    launch.inputs.bytes = static_cast<std::uint32_t>(bytes.size());
    std::vector<std::uint32_t> image(bytes.size() / 4);
    std::memcpy(image.data(), bytes.data(), bytes.size());
    launch.image = launch.machine.buffer(image);
    const Layout layout{false, 128, start, 16, 1024};
    ASSERT_EQ(launch.fault(threads, layout.descriptor() | std::uint64_t{3} << 49).kind, "none");
    const auto values = launch.values();
    for (int thread = 0; thread < 128; ++thread)
        for (int i = 0; i < 4; ++i)
            EXPECT_EQ(
                decoded(f32, values[static_cast<std::size_t>(thread * 4 + i)]),
                reference(product, launch.inputs, row_of_d(thread, i), column_of_d(thread, i)));
}

TEST(Wgmma, IntegersWrapOrSaturate)
{
    for (const bool saturates : {false, true}) {
        Product product = with_layouts({.n = 8, .a = u8, .b = u8, .d = s32}, false, 16, false, 16);
        product.prefix = saturates ? ".satfinite" : "";
        Launch launch(product, whole(product));
        launch.inputs.start.assign(launch.inputs.start.size(), 0x7fffffff);
        launch.start = launch.machine.buffer(launch.inputs.start);
        ASSERT_EQ(launch.fault().kind, "none");
        product.adds = false;
        const auto values = launch.values();
        for (int thread = 0; thread < 128; ++thread) {
            const auto sum = static_cast<std::uint32_t>(
                reference(product, launch.inputs, row_of_d(thread, 0), column_of_d(thread, 0)));
            const std::uint32_t want = saturates ? 0x7fffffffu : 0x7fffffffu + sum;
            EXPECT_EQ(values[static_cast<std::size_t>(thread * 4)], want) << thread;
        }
    }
}

// FP8 sums keep 13 bits below their largest term, others 25, and an f32 result of FP8 has 13
// fraction bits.
TEST(Wgmma, KeptBits)
{
    const auto sum = [](const Element& element, std::uint32_t c) {
        Product product = with_layouts({.n = 8, .a = element, .b = element}, false, 16, false, 16);
        Launch launch(product, whole(product));
        std::vector<std::uint32_t> image(launch.inputs.image.size());
        // 1 × 1 in each row's first element; the others are zero.
        for (const Layout* layout : {&product.layout_a, &product.layout_b})
            for (int row = 0; row < (layout == &product.layout_a ? m : 8); ++row)
                image[layout->place(row, 0) / 4] |= encoded(element, 1);
        launch.image = launch.machine.buffer(image);
        launch.start =
            launch.machine.buffer(std::vector<std::uint32_t>(launch.inputs.start.size(), c));
        EXPECT_EQ(launch.fault().kind, "none");
        return launch.values().front();
    };
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    EXPECT_EQ(sum(e4m3, bits(0x1p-13f)), bits(1 + 0x1p-13f));
    EXPECT_EQ(sum(e4m3, bits(0x1p-14f)), bits(1.0f));
    EXPECT_EQ(sum(e4m3, bits(1 + 0x1p-13f)), bits(2.0f)); // 2 + 2^-13 has 14 fraction bits
    EXPECT_EQ(sum(f16, bits(0x1p-14f)), bits(1 + 0x1p-14f));
    EXPECT_EQ(sum(f16, bits(0x1p-23f)), bits(1 + 0x1p-23f));
    EXPECT_EQ(sum(bf16, bits(-0x1p-25f)), bits(1 - 0x1p-24f)); // truncated
    EXPECT_EQ(sum(bf16, bits(-0x1p-26f)), bits(1.0f));
}

TEST(Wgmma, SpecialNumbers)
{
    const auto sum = [](const Element& element, std::uint32_t a) {
        Product product = with_layouts({.n = 8, .a = element, .b = element}, false, 16, false, 16);
        product.adds = false;
        Launch launch(product, whole(product));
        std::vector<std::uint32_t> image(launch.inputs.image.size());
        for (int row = 0; row < m; ++row) image[product.layout_a.place(row, 0) / 4] |= a;
        for (int row = 0; row < 8; ++row)
            image[product.layout_b.place(row, 0) / 4] |= encoded(element, 1);
        launch.image = launch.machine.buffer(image);
        EXPECT_EQ(launch.fault().kind, "none");
        return launch.values().front();
    };
    EXPECT_EQ(sum(e4m3, 0x7f), 0x7fffffffu);                           // NaN
    EXPECT_EQ(sum(e4m3, 0x7e), std::bit_cast<std::uint32_t>(448.0f));  // no infinity
    EXPECT_EQ(sum(e4m3, 0x01), std::bit_cast<std::uint32_t>(0x1p-9f)); // subnormal
    EXPECT_EQ(sum(e5m2, 0x7c), 0x7f800000u);                           // infinity
    EXPECT_EQ(sum(e5m2, 0x7d), 0x7fffffffu);                           // NaN
    EXPECT_EQ(sum(f16, 0xfc00), 0xff800000u);                          // -infinity
}

// --- Order ---

// Without checks, the accumulators get their values at the wait, from the shared memory at that
// time: the latest legal time.
TEST(Wgmma, TakesEffectAtWait)
{
    const Product product = with_layouts({.n = 8, .a = tf32, .b = tf32}, false, 16, false, 16);
    const std::string before = fence + issue(product) + commit +
                               "    add.u32 %r6, %d0, 0;\n    st.global.u32 [%rd4], %r6;\n";
    Launch early(product, before + "    ret;\n" + wait(0));
    ASSERT_EQ(early.fault().kind, "none");
    for (std::size_t thread = 0; thread < threads; ++thread)
        EXPECT_EQ(early.values()[thread * 4], early.inputs.start[thread * 4]);

    const std::string cleared =
        fence + issue(product) + commit +
        "    bar.sync 0;\n    mov.u32 %r2, %t;\nclear:\n"
        "    setp.ge.u32 %p0, %r2, %r0;\n    @%p0 bra cleared;\n"
        "    mad.lo.u32 %r4, %r2, 4, %r1;\n    st.shared.u32 [%r4], 0;\n"
        "    add.u32 %r2, %r2, 128;\n    bra clear;\ncleared:\n    bar.sync 0;\n" +
        wait(0);
    Launch late(product, cleared);
    ASSERT_EQ(late.fault().kind, "none");
    EXPECT_EQ(late.values(), late.inputs.start);
}

// Groups complete in order; a wait may leave the latest ones pending.
TEST(Wgmma, WaitsForOlderGroups)
{
    const Product product = with_layouts({.n = 8}, false, 64, false, 32);
    std::string body = "    mov.b32 %e0, 0f40000000; mov.b32 %e1, %e0; mov.b32 %e2, %e0; mov.b32 "
                       "%e3, %e0;\n";
    body += fence + issue(product) + commit + issue(product, "%e") + commit + wait(1) +
            "    add.f32 %r6, %d0, 0f00000000;\n" + wait(0) + "    mov.b32 %d1, %e1;\n" +
            "    mov.b32 %d0, %r6;\n";
    Launch launch(product, body, checked());
    const trace::Fault fault = launch.fault();
    ASSERT_EQ(fault.kind, "none") << fault.message;
    const auto values = launch.values();
    for (int thread = 0; thread < 128; ++thread) {
        const auto at = static_cast<std::size_t>(thread * 4);
        EXPECT_EQ(decoded(f32, values[at]),
                  reference(product, launch.inputs, row_of_d(thread, 0), column_of_d(thread, 0)));
        Product alone = product;
        alone.adds = false;
        EXPECT_EQ(decoded(f32, values[at + 1]),
                  2 + reference(alone, launch.inputs, row_of_d(thread, 1), column_of_d(thread, 1)));
    }
}

// Compilers copy accumulators between asm statements, also before the wait; the assembler removes
// these copies.
TEST(Wgmma, CopiesOfPendingAccumulators)
{
    const Product product = with_layouts({.n = 8}, false, 64, false, 32);
    std::string body = fence + issue(product) + commit;
    for (int i = 0; i < 4; ++i) body += fmt::format("    mov.b32 %e{0}, %d{0};\n", i);
    body += issue(product, "%e") + commit + wait(0);
    for (int i = 0; i < 4; ++i) body += fmt::format("    mov.b32 %d{0}, %e{0};\n", i);
    Launch launch(product, body, checked());
    const trace::Fault fault = launch.fault();
    ASSERT_EQ(fault.kind, "none") << fault.message;
    Product alone = product;
    alone.adds = false;
    const double want =
        reference(product, launch.inputs, 0, 0) + reference(alone, launch.inputs, 0, 0);
    EXPECT_EQ(decoded(f32, launch.values().front()), want);
}

// A pipeline of two stages, as compilers write it: one group stays pending while the other stage is
// loaded.
std::string pipeline(const Product& product)
{
    return R"(    mov.u32 %r8, 0;
loop:
    and.b32 %r9, %r8, 1;
    mad.lo.u32 %r10, %r9, 8192, %r1;
    shl.b32 %r11, %t, 5;
    add.u32 %r11, %r11, %r10;
    st.shared.v4.u32 [%r11], {%a0, %a1, %a2, %a3};
    st.shared.v4.u32 [%r11+16], {%a2, %a1, %a0, %a3};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    bfe.u32 %r12, %r10, 4, 14;
    cvt.u64.u32 %rd8, %r12;
    and.b64 %rd9, %da, -16384;
    or.b64 %da, %rd8, %rd9;
    and.b64 %rd9, %db, -16384;
    or.b64 %db, %rd8, %rd9;
)" + fence +
           issue(product) + commit + wait(1) + R"(    bar.sync 0;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 6;
    @%p1 bra loop;
)" + wait(0);
}

TEST(Wgmma, PipelinesAreNotReported)
{
    for (const bool precise : {false, true}) {
        const Product product = with_layouts({.n = 64}, false, 32, false, 32);
        Options options = checked();
        options.precise_checks = precise;
        Launch launch(product, pipeline(product), options);
        const trace::Fault fault = launch.fault();
        EXPECT_EQ(fault.kind, "none") << fault.message;
    }
}

TEST(Wgmma, EveryEngineAgrees)
{
    const Product product = with_layouts({.n = 64}, false, 32, false, 32);
    std::vector<std::vector<std::uint32_t>> all;
    for (const NativeCode native : {NativeCode::never, NativeCode::always, NativeCode::sometimes}) {
        Options options;
        options.native = native;
        Launch launch(product, pipeline(product), options);
        ASSERT_EQ(launch.fault().kind, "none");
        all.push_back(launch.values());
    }
    EXPECT_EQ(all[0], all[1]);
    EXPECT_EQ(all[0], all[2]);
}

// Pending products are part of a saved state: going back and forth gives the same result.
TEST(Wgmma, StepsBackwards)
{
    const Product product = with_layouts({.n = 8}, false, 64, false, 32);
    Launch launch(product, whole(product));
    Timeline timeline(
        launch.machine.device(), launch.machine.module().kernel("k"),
        {{1, 1, 1},
         {threads, 1, 1},
         launch.inputs.bytes,
         {*launch.out, *launch.start, *launch.registers, *launch.image, launch.inputs.bytes / 4,
          product.layout_a.descriptor(), product.layout_b.descriptor(), 1u},
         nullptr},
        {});
    const auto pending = [&] {
        std::size_t count = 0;
        for (const Warp& warp : timeline.block().warps) count += warp.products.size();
        return count;
    };
    while (!timeline.at_end() && pending() == 0) timeline.step();
    ASSERT_FALSE(timeline.at_end());
    const std::uint64_t issued = timeline.position();
    timeline.go_to(~std::uint64_t{0});
    const auto once = launch.values();
    timeline.go_to(issued);
    EXPECT_EQ(pending(), 1u);
    timeline.go_to(issued - 1);
    EXPECT_EQ(pending(), 0u);
    timeline.go_to(~std::uint64_t{0});
    EXPECT_EQ(launch.values(), once);
}

// --- Misuse ---

struct Misuse {
    const char* name;
    std::string body;
    const char* kind;
    std::vector<const char*> words;
    const char* line; // text of the line that is reported
};

TEST(Wgmma, MisuseIsReported)
{
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    Product from_registers = product;
    from_registers.registers = true;
    const std::string start = fence + issue(product) + commit;
    const Misuse misuses[] = {
        {"no fence",
         issue(product) + commit + wait(0),
         "matrix_order",
         {"without a wgmma.fence", "warpgroup_arrive"},
         "wgmma.mma_async"},
        {"read before the wait",
         start + "    add.f32 %r6, %d1, %d1;\n" + wait(0),
         "matrix_order",
         {"reads register %d1", "has not waited for", "wgmma.wait_group"},
         "add.f32"},
        {"written before the wait",
         start + "    mov.b32 %d2, 0;\n" + wait(0),
         "matrix_order",
         {"writes register %d2"},
         "mov.b32 %d2"},
        {"not committed",
         fence + issue(product) + wait(0) + "    add.f32 %d0, %d0, %d0;\n" + commit + wait(0),
         "matrix_order",
         {"reads register %d0", "wgmma.commit_group"},
         "add.f32"},
        {"one group too many",
         start + wait(1) + "    neg.f32 %d0, %d0;\n" + wait(0),
         "matrix_order",
         {"%d0"},
         "neg.f32"},
        {"a changes",
         fence + issue(from_registers) + commit + "    add.u32 %a3, %a3, 1;\n" + wait(0),
         "matrix_order",
         {"writes register %a3", "is read by"},
         "add.u32 %a3"},
        {"used without a fence",
         start + wait(0) + "    add.f32 %d3, %d3, %d3;\n" + issue(product) + commit + wait(0),
         "matrix_order",
         {"register %d3", "since the last wgmma.fence"},
         "wgmma.mma_async"},
        {"overwritten",
         start + "    mad.lo.u32 %r4, %t, 4, %r1;\n    st.shared.u32 [%r4], 0;\n" + wait(0),
         "race",
         {"may still be reading", "wgmma.wait_group"},
         "st.shared.u32 [%r4], 0"},
        {"different waits",
         start + "    setp.ge.u32 %p1, %t, 32;\n    @%p1 bra over;\n" + wait(0) +
             "    mov.u32 %r4, 16384;\n    st.shared.u32 [%r4], 0;\n    bra done;\nover:\n" +
             wait(0) + "done:\n",
         "warp_sync",
         {"different wgmma instruction"},
         "wgmma.wait_group"},
        {"no barrier after the wait",
         start + wait(0) +
             "    setp.ne.u32 %p1, %t, 5;\n    mov.u32 %r4, 16384;\n    @!%p1 "
             "st.shared.u32 [%r4], 0;\n",
         "race",
         {},
         nullptr},
        {"no proxy fence",
         "    mad.lo.u32 %r4, %t, 4, %r1;\n    st.shared.u32 [%r4+16384], %t;\n    "
         "bar.sync 0;\n" +
             start + wait(0),
         "race",
         {"fence.proxy.async", "old value", "PTX line"},
         "wgmma.mma_async"},
        {"half a warp",
         "    setp.lt.u32 %p1, %t, 16;\n    @%p1 bra over;\n" + start + wait(0) + "over:\n",
         "warp_sync",
         {"cannot arrive"},
         nullptr},
        {"three warps",
         "    setp.ge.u32 %p1, %t, 96;\n    @%p1 bra over;\n" + start + wait(0) + "over:\n",
         "warp_sync",
         {"warp 3 of its group has ended", "all 128 threads"},
         nullptr},
        {"the last three warps",
         "    setp.lt.u32 %p1, %t, 32;\n    @%p1 bra over;\n" + start + wait(0) + "over:\n",
         "warp_sync",
         {"ends without executing"},
         "ret;"},
        {"different descriptors",
         "    cvt.u64.u32 %rd8, %t;\n    shr.u64 %rd8, %rd8, 5;\n    add.u64 "
         "%db, %db, %rd8;\n" +
             start + wait(0),
         "warp_sync",
         {"the same descriptors"},
         "wgmma.mma_async"},
        {"different descriptors in a warp",
         "    cvt.u64.u32 %rd8, %t;\n    add.u64 %db, %db, %rd8;\n" + start + wait(0),
         "warp_sync",
         {"lane 0 of its warp"},
         "wgmma.mma_async"},
    };
    for (const Misuse& misuse : misuses)
        for (const bool precise : {false, true}) {
            Options options = checked();
            options.precise_checks = precise;
            const std::string text = kernel(product, misuse.body);
            Launch launch(product, misuse.body, options);
            const trace::Fault fault = launch.fault();
            EXPECT_EQ(fault.kind, misuse.kind) << misuse.name << ": " << fault.message;
            for (const char* word : misuse.words)
                EXPECT_THAT(fault.message, HasSubstr(word)) << misuse.name;
            if (misuse.line == nullptr) continue;
            std::size_t begin = 0;
            const std::string place = "PTX line ";
            const int last =
                std::stoi(fault.message.substr(fault.message.find(place) + place.size()));
            for (int line = 1; line < last; ++line) begin = text.find('\n', begin) + 1;
            EXPECT_THAT(text.substr(begin, text.find('\n', begin) - begin), HasSubstr(misuse.line))
                << misuse.name;
        }
}

TEST(Wgmma, TilesMustBeInSharedMemory)
{
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    for (const Layout& outside :
         {Layout{false, 16, 0x3fff0, 16, 128}, Layout{false, 16, 0, 0x3fff0, 128},
          Layout{false, 128, 20000 / 16 * 16, 16, 1024}}) {
        Launch launch(product, whole(product));
        const trace::Fault fault = launch.fault(threads, outside.descriptor());
        EXPECT_EQ(fault.kind, "out_of_bounds");
        EXPECT_THAT(fault.message, AllOf(HasSubstr("matrix b"), HasSubstr("descriptor")));
    }
}

TEST(Wgmma, GroupsMustBeComplete)
{
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    for (const std::uint32_t block : {32u, 96u, 100u, 127u}) {
        Launch launch(product, whole(product));
        const trace::Fault fault = launch.fault(block);
        EXPECT_EQ(fault.kind, "warp_sync") << block;
        EXPECT_THAT(fault.message, HasSubstr(fmt::format("{} threads", block)));
    }
}

// A warp that loops on wgmma instructions while another one of its group does something else for
// ever must not record them without limit.
TEST(Wgmma, WarpsMustFollow)
{
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    const std::string loops = "    mov.u32 %t, %tid.x;\n    setp.lt.u32 %p1, %t, 32;\n"
                              "    @%p1 bra ahead;\nbehind:\n    add.u32 %t, %t, 1;\n"
                              "    bra behind;\nahead:\n" +
                              std::string(commit) + "    bra ahead;\n";
    Launch launch(product, loops);
    const trace::Fault fault = launch.fault();
    EXPECT_EQ(fault.kind, "warp_sync");
    EXPECT_THAT(fault.message, AllOf(HasSubstr("wgmma.commit_group"),
                                     HasSubstr("warp 1 of its group has not executed")));
}

// Tiles that nothing has written are undefined, and so are products of them.
TEST(Wgmma, UninitialisedTiles)
{
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    Options options = checked();
    Launch launch(product, whole(product), options);
    launch.inputs.bytes = 16384;
    const trace::Fault fault = launch.machine.fault(
        "k", {{1, 1, 1}, {threads, 1, 1}, 32768}, *launch.out, *launch.start, *launch.registers,
        *launch.image, 1024u, product.layout_a.descriptor(), product.layout_b.descriptor(), 1u);
    EXPECT_EQ(fault.kind, "uninitialised");
    EXPECT_THAT(fault.message, HasSubstr("shared memory"));
}

// Accumulators need no value if they start at zero.
TEST(Wgmma, ZeroStartNeedsNoAccumulators)
{
    Product product = with_layouts({.n = 8}, false, 16, false, 16);
    std::string text = kernel(product, whole(product));
    for (int i = 0; i < 4; ++i) {
        const std::string load = fmt::format("    ld.global.u32 %d{}, [%rd3+{}];\n", i, 4 * i);
        text.erase(text.find(load), load.size());
    }
    for (const bool adds : {false, true}) {
        Launch launch(product, whole(product));
        Machine machine = Machine::from_text(text, checked());
        const auto out = machine.buffer(std::vector<std::uint32_t>(launch.inputs.start.size()));
        const auto image = machine.buffer(launch.inputs.image);
        const auto registers = machine.buffer(launch.inputs.registers);
        const trace::Fault fault = machine.fault(
            "k", {{1, 1, 1}, {threads, 1, 1}, launch.inputs.bytes}, *out, *out, *registers, *image,
            launch.inputs.bytes / 4, product.layout_a.descriptor(), product.layout_b.descriptor(),
            std::uint32_t{adds});
        EXPECT_EQ(fault.kind, adds ? "uninitialised" : "none") << fault.message;
    }
}

TEST(Wgmma, OtherFormsAreRefused)
{
    const char* forms[] = {
        "wgmma.mma_async.sync.aligned.m64n8k16.bf16.bf16.bf16 {%d0, %d1}, %da, %db, %adds, 1, 1, "
        "0, "
        "0;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %db, %adds, "
        "1, "
        "1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%d0, %d1, %d2, %d3}, %da, %db, %adds;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2}, %da, %db, %adds, 1, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %db, %adds, "
        "1, 2, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %db, %adds, "
        "1, 1;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, %d1, %d2, %d3}, %da, %db, %adds, "
        "1, 1, 0, 1;",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1 {%d0, %d1, %d2, %d3}, %da, %db, %adds;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %db, %r0, "
        "0, %adds, 1, 1, 0, 0;",
    };
    const Product product = with_layouts({.n = 8}, false, 16, false, 16);
    for (const char* form : forms) {
        Machine machine = Machine::from_text(kernel(product, form));
        EXPECT_THROW(machine.module().kernel("k"), Error) << form;
    }
}

// --- setmaxnreg ---

trace::Fault fault_of_registers(std::string_view body, std::uint32_t block = threads,
                                std::string_view directive = ".maxnreg 168")
{
    Machine machine = Machine::from_text(
        fmt::format(".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() {} {{\n"
                    ".reg .pred %p; .reg .b32 %r;\nmov.u32 %r, %tid.x;\nsetp.lt.u32 %p, %r, 128;\n"
                    "{}\nret; }}\n",
                    directive, body));
    return machine.fault("k", {{1, 1, 1}, {block, 1, 1}, 0});
}

TEST(SetMaxRegisters, GroupsExchangeRegisters)
{
    const char* body = "@%p bra less;\nsetmaxnreg.inc.sync.aligned.u32 240;\nbra done;\nless:\n"
                       "setmaxnreg.dec.sync.aligned.u32 40;\ndone:";
    EXPECT_EQ(fault_of_registers(body, 256).kind, "none");
    EXPECT_EQ(fault_of_registers(body, 256, "").kind, "none");
}

TEST(SetMaxRegisters, MisuseIsFound)
{
    const auto less = fault_of_registers("setmaxnreg.inc.sync.aligned.u32 160;");
    EXPECT_EQ(less.kind, "launch_failure");
    EXPECT_THAT(less.message, AllOf(HasSubstr("setmaxnreg.inc"), HasSubstr("while it has 168")));
    EXPECT_THAT(fault_of_registers("setmaxnreg.dec.sync.aligned.u32 176;").message,
                HasSubstr("must not raise"));
    EXPECT_THAT(fault_of_registers("setmaxnreg.dec.sync.aligned.u32 40;\n"
                                   "setmaxnreg.dec.sync.aligned.u32 48;")
                    .message,
                HasSubstr("while it has 40"));
    EXPECT_EQ(fault_of_registers("setmaxnreg.dec.sync.aligned.u32 40;", 64).kind, "warp_sync");
    EXPECT_EQ(fault_of_registers("setp.lt.u32 %p, %r, 64;\n@%p bra over;\n"
                                 "setmaxnreg.dec.sync.aligned.u32 40;\nover:")
                  .kind,
              "warp_sync");
    for (const char* count : {"16", "25", "264"}) {
        Machine machine = Machine::from_text(
            fmt::format(".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() {{\n"
                        "setmaxnreg.dec.sync.aligned.u32 {}; ret; }}\n",
                        count));
        EXPECT_THROW(machine.module().kernel("k"), Error) << count;
    }
}

} // namespace
} // namespace lanescope::simt
