// mma.sp: every shape and type against a reference in double precision. The test expands its own
// sparse matrices, and arranges stored elements and metadata as the PTX manual describes.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/elements.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

struct Product {
    Element a, b, d;
    int k;
    int selector = 0;
    bool ordered = true;
    int stored() const { return k / 2; }
    int a_registers() const { return 16 * stored() * a.bits / 32 / 32; }
    int b_registers() const { return 8 * k * b.bits / 32 / 32; }
    int d_registers() const { return d.bits == 16 ? 2 : 4; }
};

struct Words {
    std::vector<std::uint32_t> a, b, c, metadata; // lane by lane
    std::vector<int> dense_a, dense_b, dense_c;   // 16 × k, k × 8, 16 × 8
};

Words words_of(const Product& product)
{
    Words made;
    const int k = product.k, stored = product.stored();
    const auto lowest = [](const Element& element) { return element.name[0] == 'u' ? 0 : -3; };
    std::vector<int> values = numbers(static_cast<std::size_t>(16 * stored), 7, 5);
    std::vector<int> choices = numbers(static_cast<std::size_t>(16 * k), 6, 6);
    made.dense_b = numbers(static_cast<std::size_t>(8 * k), 7, 7);
    made.dense_c = numbers(128, 9, 8);
    for (int& value : values) value += lowest(product.a);
    for (int& value : made.dense_b) value += lowest(product.b);
    made.dense_a.assign(static_cast<std::size_t>(16 * k), 0);

    // Bits of metadata of each row, two per index.
    std::vector<std::vector<std::uint32_t>> bits(16);
    constexpr int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    std::size_t next_choice = 0;
    const auto at = [&](int row, int column) -> int& {
        return made.dense_a[static_cast<std::size_t>(row * k + column)];
    };
    const auto value = [&](int row, int index) {
        return values[static_cast<std::size_t>(row * stored + index)];
    };
    for (int row = 0; row < 16; ++row) {
        auto& own = bits[static_cast<std::size_t>(row)];
        int index = 0;
        if (product.a.bits == 32)
            for (int chunk = 0; chunk < k; chunk += 2) {
                const int which = choices[next_choice++] % 2;
                at(row, chunk + which) = value(row, index++);
                own.insert(own.end(), {which == 0 ? 0u : 2u, which == 0 ? 1u : 3u});
            }
        else
            for (int chunk = 0; chunk < k; chunk += product.a.bits == 4 ? 8 : 4)
                for (const int which : pairs[choices[next_choice++] % 6]) {
                    own.push_back(static_cast<std::uint32_t>(which));
                    if (product.a.bits == 4) {
                        at(row, chunk + 2 * which) = value(row, index++);
                        at(row, chunk + 2 * which + 1) = value(row, index++);
                    } else {
                        at(row, chunk + which) = value(row, index++);
                    }
                }
    }

    const int per_word = 32 / product.a.bits;
    for (int lane = 0; lane < 32; ++lane) {
        const int group = lane / 4, place = lane % 4;
        for (int reg = 0; reg < product.a_registers(); ++reg) {
            const int row = group + reg % 2 * 8;
            const int first = (place + reg / 2 * 4) * per_word;
            std::uint32_t word = 0;
            for (int i = 0; i < per_word; ++i)
                word |= encoded(product.a, value(row, first + i)) << i * product.a.bits;
            made.a.push_back(word);
        }
        for (int reg = 0; reg < product.b_registers(); ++reg) {
            std::uint32_t word = 0;
            for (int i = 0; i < per_word; ++i)
                word |= encoded(product.b, made.dense_b[static_cast<std::size_t>(
                                               ((place + reg * 4) * per_word + i) * 8 + group)])
                        << i * product.b.bits;
            made.b.push_back(word);
        }
        for (int reg = 0; reg < product.d_registers(); ++reg) {
            std::uint32_t word = 0;
            const int parts = 32 / product.d.bits;
            for (int i = 0; i < parts; ++i) {
                const int index = reg * parts + i;
                word |=
                    encoded(product.d, made.dense_c[static_cast<std::size_t>(
                                           (group + index / 2 * 8) * 8 + place * 2 + index % 2)])
                    << i * 16;
            }
            made.c.push_back(word);
        }
        // Words that nothing should read are noise.
        std::uint32_t word = 0x5a5a5a5a ^ static_cast<std::uint32_t>(lane * 0x01030507);
        const auto index_bits = [&](int row, int begin, int count) {
            std::uint32_t all = 0;
            for (int i = 0; i < count; ++i)
                all |= bits[static_cast<std::size_t>(row)][static_cast<std::size_t>(begin + i)]
                       << 2 * i;
            return all;
        };
        const int indices = static_cast<int>(bits[0].size()); // per row
        if (product.a.bits >= 16) {
            // A word holds 8 indices of row `group` and 8 of row `group` + 8.
            const int words = indices / 8;
            const int part = words == 1 ? 0 : place % 2;
            if (words == 1 ? place == product.selector : place / 2 == product.selector)
                word = index_bits(group, part * 8, 8) | index_bits(group + 8, part * 8, 8) << 16;
        } else {
            // Even lanes hold 16 indices of row `group`, odd lanes of row `group` + 8.
            const int words = indices / 16;
            if (words == 2 || place / 2 == product.selector)
                word = index_bits(group + place % 2 * 8, words == 2 ? place / 2 * 16 : 0, 16);
        }
        made.metadata.push_back(word);
    }
    return made;
}

std::string list(char name, int count)
{
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return text + "}";
}

std::string kernel(const Product& product)
{
    std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                       ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param "
                       ".u64 c, .param .u64 e)\n{\n    .reg .b32 %a<4>, %b<4>, %c<4>, %d<4>, %t, "
                       "%m;\n    .reg .b64 %p;\n    mov.u32 %t, %tid.x;\n";
    const auto load = [&](char name, int count) {
        text += fmt::format("    ld.param.u64 %p, [{}];\n    mad.wide.u32 %p, %t, {}, %p;\n", name,
                            4 * count);
        for (int i = 0; i < count; ++i)
            text += fmt::format("    ld.global.u32 %{}{}, [%p+{}];\n", name, i, 4 * i);
    };
    load('a', product.a_registers());
    load('b', product.b_registers());
    load('c', product.d_registers());
    const int count = product.d_registers();
    text += fmt::format("    ld.param.u64 %p, [e];\n    mad.wide.u32 %p, %t, 4, %p;\n"
                        "    ld.global.u32 %m, [%p];\n"
                        "    mma.sp{}.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{} {}, {}, {}, {}, "
                        "%m, {};\n"
                        "    ld.param.u64 %p, [out];\n    mad.wide.u32 %p, %t, {}, %p;\n",
                        product.ordered ? "::ordered_metadata" : "", product.k, product.d.name,
                        product.a.name, product.b.name, product.d.name, list('d', count),
                        list('a', product.a_registers()), list('b', product.b_registers()),
                        list('c', count), product.selector, 4 * count);
    for (int i = 0; i < count; ++i)
        text += fmt::format("    st.global.u32 [%p+{}], %d{};\n", 4 * i, i);
    return text + "    ret;\n}\n";
}

TEST(SparseProducts, EveryShapeAndType)
{
    std::vector<Product> products;
    for (const bool ordered : {false, true}) {
        for (const Element& d : {f16, f32})
            for (int selector = 0; selector < 4; ++selector) {
                products.push_back({f16, f16, d, 16, selector, ordered});
                if (selector < 2) products.push_back({f16, f16, d, 32, selector, ordered});
            }
        for (int selector = 0; selector < 4; ++selector) {
            products.push_back({bf16, bf16, f32, 16, selector, ordered});
            products.push_back({tf32, tf32, f32, 8, selector, ordered});
        }
        for (int selector = 0; selector < 2; ++selector) {
            products.push_back({bf16, bf16, f32, 32, selector, ordered});
            products.push_back({tf32, tf32, f32, 16, selector, ordered});
            products.push_back({s8, u8, s32, 32, selector, ordered});
            products.push_back({u4, s4, s32, 64, selector, ordered});
        }
        products.push_back({s8, s8, s32, 64, 0, ordered});
        products.push_back({u8, s8, s32, 64, 0, ordered});
        products.push_back({s4, s4, s32, 128, 0, ordered});
        products.push_back({s4, u4, s32, 128, 0, ordered});
        products.push_back({e4m3, e4m3, f32, 64, 0, ordered});
        products.push_back({e5m2, e4m3, f32, 64, 0, ordered});
    }
    for (const Product& product : products) {
        Machine machine = Machine::from_text(kernel(product));
        const Words words = words_of(product);
        const auto a = machine.buffer(words.a);
        const auto b = machine.buffer(words.b);
        const auto c = machine.buffer(words.c);
        const auto metadata = machine.buffer(words.metadata);
        const auto out = machine.buffer(std::vector<std::uint32_t>(words.c.size()));
        machine.run("k", {}, *out, *a, *b, *c, *metadata);
        const auto values = machine.values<std::uint32_t>(*out);
        const int parts = 32 / product.d.bits;
        int wrong = 0;
        for (int lane = 0; lane < 32 && wrong < 4; ++lane)
            for (int i = 0; i < 4; ++i) {
                const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
                double want = words.dense_c[static_cast<std::size_t>(row * 8 + column)];
                for (int k = 0; k < product.k; ++k)
                    want += words.dense_a[static_cast<std::size_t>(row * product.k + k)] *
                            words.dense_b[static_cast<std::size_t>(k * 8 + column)];
                const std::uint32_t word =
                    values[static_cast<std::size_t>(lane * product.d_registers() + i / parts)];
                const double got =
                    decoded(product.d, parts == 2 ? word >> i % 2 * 16 & 0xffffu : word);
                wrong += got != want;
                EXPECT_EQ(got, want) << kernel(product) << lane << " " << i;
            }
    }
}

TEST(SparseProducts, OtherFormsAreRefused)
{
    for (const Product& product :
         {Product{f16, f16, f32, 32, 2}, Product{f16, f16, f32, 16, 4}, Product{s8, s8, s32, 64, 1},
          Product{f16, bf16, f32, 16}, Product{s8, s8, s32, 16}, Product{tf32, tf32, f32, 32},
          Product{bf16, bf16, f16, 16}, Product{e4m3, e5m2, f16, 64}}) {
        Machine machine = Machine::from_text(kernel(product));
        EXPECT_THROW(machine.module().kernel("k"), Error) << kernel(product);
    }
}

} // namespace
} // namespace lanescope::simt
