// Edge values per type; random values come from a fixed seed as raw bits, never from library
// distributions, so that they are the same everywhere.
#include "tests/conformance/values.h"

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

namespace lanescope::conformance {

namespace {

using Values = std::vector<std::uint64_t>;

const Values integers_8 = {0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x55, 0x10};
const Values integers_16 = {0,      1,      2,      3,      7,     0xffff, 0xfffe, 0x8000,
                            0x8001, 0x7fff, 0x7ffe, 0xff,   0x100, 0x80,   0x7f,   0xff80,
                            0xff7f, 0x1234, 0xbeef, 0x00f0, 31,    16,     15,     0x4000};
const Values integers_32 = {0,          1,          2,          3,          7,          10,
                            0xffffffff, 0xfffffffe, 0xfffffff9, 0x80000000, 0x80000001, 0x7fffffff,
                            0x7ffffffe, 0xff,       0x8000,     0xffff,     0x10000,    0xffff8000,
                            0xffff7fff, 0x12345678, 0xdeadbeef, 31,         0x00800000, 0x40000000};
const Values integers_64 = {0,
                            1,
                            2,
                            3,
                            10,
                            0xffffffffffffffff,
                            0xfffffffffffffffe,
                            0x8000000000000000,
                            0x8000000000000001,
                            0x7fffffffffffffff,
                            0x7ffffffffffffffe,
                            0xffffffff,
                            0x100000000,
                            0x80000000,
                            0x7fffffff,
                            0xffffffff80000000,
                            0xffffffff7fffffff,
                            0x0123456789abcdef,
                            0xdeadbeefcafebabe,
                            0x20000000000001,
                            0x3fffffffffffff,
                            0x7ffffffffffffc00,
                            0x8000000000000400,
                            0xffffff8000000001};
const Values amounts = {0,  1,  2,  4,  7,  8,  15,  16,  17,  24,  30,         31,        32,
                        33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 0x80000000, 0xffffffff};
const Values floats_32 = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000,
    0x3fc00000, 0xc0200000, 0x40490fdb,                         // 0 1 .5 1.5 -2.5 pi
    0x00000001, 0x807fffff, 0x00800000, 0x80800001, 0x00400000, // around the smallest
    0x7f7fffff, 0xff7fffff, 0x7e800000, 0x7f000000,             // around the largest
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, // infinities, NaN
    0x4b000001, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000,
    0x4f7fffff, 0x4f800000, 0x5f000000, 0x33000001, 0xc2f00000};
const Values floats_64 = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3fe0000000000000, 0x3ff8000000000000, 0xc004000000000000, 0x400921fb54442d18,
    0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8123456789abc, 0x7ff0000000000001, 0x41dfffffffc00000, 0x41e0000000000000,
    0xc1e0000000200000, 0x43e0000000000000, 0x43efffffffffffff, 0x36a0000000000000,
    0x380fffffffffffff, 0x47efffffe0000000, 0x47effffff0000000, 0x3e60000000000001,
    0x40effc0000000000, 0x3f10000000000001};
const Values halves = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0xc100, 0x4248,
                       0x0001, 0x83ff, 0x0400, 0x8401, 0x0200, 0x7bff, 0xfbff, 0x7800,
                       0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0x6401, 0x6801, 0x1001};
const Values bfloats = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0xc020, 0x4049,
                        0x0001, 0x807f, 0x0080, 0x8081, 0x0040, 0x7f7f, 0xff7f, 0x7f00,
                        0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x4b01, 0x4f00, 0x3301};
const Values predicates = {0, 1};

Values pairs_of(const Values& singles)
{
    Values pairs;
    for (std::size_t i = 0; i < singles.size(); ++i)
        pairs.push_back(singles[i] | singles[(i * 5 + 3) % singles.size()] << 16);
    return pairs;
}

struct TypeRow {
    int bytes;
    std::string_view register_type;
    Element element;
    Values edges;
};

const std::map<std::string_view, TypeRow>& types()
{
    static const std::map<std::string_view, TypeRow> rows = {
        {"u8", {1, "b16", Element::bits, integers_8}},
        {"s8", {1, "b16", Element::bits, integers_8}},
        {"u16", {2, "b16", Element::bits, integers_16}},
        {"s16", {2, "b16", Element::bits, integers_16}},
        {"b16", {2, "b16", Element::bits, integers_16}},
        {"u32", {4, "b32", Element::bits, integers_32}},
        {"s32", {4, "b32", Element::bits, integers_32}},
        {"b32", {4, "b32", Element::bits, integers_32}},
        {"u64", {8, "b64", Element::bits, integers_64}},
        {"s64", {8, "b64", Element::bits, integers_64}},
        {"b64", {8, "b64", Element::bits, integers_64}},
        {"amount", {4, "b32", Element::bits, amounts}},
        {"f32", {4, "f32", Element::f32, floats_32}},
        {"f64", {8, "f64", Element::f64, floats_64}},
        {"f16", {2, "b16", Element::f16, halves}},
        {"bf16", {2, "b16", Element::bf16, bfloats}},
        {"f16x2", {4, "b32", Element::f16, pairs_of(halves)}},
        {"bf16x2", {4, "b32", Element::bf16, pairs_of(bfloats)}},
        {"pred", {1, "pred", Element::bits, predicates}},
    };
    return rows;
}

const TypeRow& row(std::string_view type)
{
    const auto found = types().find(type);
    if (found == types().end())
        throw std::logic_error("no such operand type: " + std::string(type));
    return found->second;
}

} // namespace

int Operand::bytes() const
{
    return row(type).bytes;
}
std::string_view Operand::register_type() const
{
    return row(type).register_type;
}
Element Operand::element() const
{
    return row(type).element;
}
const std::vector<std::uint64_t>& edges(std::string_view type)
{
    return row(type).edges;
}

std::vector<std::vector<std::uint64_t>> inputs(const std::vector<Operand>& operands, int count)
{
    std::mt19937_64 random(2024);
    std::vector<std::vector<std::uint64_t>> result(operands.size());
    std::size_t combinations = 1;
    for (const Operand& operand : operands) combinations *= edges(operand.type).size();
    for (int i = 0; i < count; ++i) {
        // If there are more pairs than operands, a stride samples the pairs evenly.
        const bool systematic = operands.size() < 3 && static_cast<std::size_t>(i) < combinations;
        std::size_t combination = static_cast<std::size_t>(i) *
                                  (combinations > static_cast<std::size_t>(count) ? 13 : 1) %
                                  combinations;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const auto& values = edges(operands[k].type);
            const std::uint64_t mask = operands[k].type == "pred"
                                           ? 1
                                           : ~std::uint64_t{0} >> (64 - 8 * operands[k].bytes());
            const std::uint64_t drawn = random();
            if (systematic) {
                result[k].push_back(values[combination % values.size()]);
                combination /= values.size();
            } else if (drawn % 4 != 0) {
                result[k].push_back(values[(drawn >> 8) % values.size()]);
            } else {
                result[k].push_back(random() & mask);
            }
        }
    }
    return result;
}

std::vector<std::vector<std::uint64_t>> drawn_inputs(const std::vector<Operand>& operands,
                                                     int count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::vector<std::uint64_t>> result(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const auto& values = edges(operands[k].type);
        const int bits = 8 * operands[k].bytes();
        const std::uint64_t mask =
            operands[k].type == "pred" ? 1 : ~std::uint64_t{0} >> (64 - bits);
        const bool follows = k > 0 && operands[k].type == operands[k - 1].type;
        for (int i = 0; i < count; ++i) {
            const std::uint64_t drawn = random();
            const std::uint64_t any = random();
            std::uint64_t value = any;
            switch (drawn % 8) {
            case 0:
            case 1: value = values[any % values.size()]; break;
            case 2: value = values[any % values.size()] + (any >> 32) % 7 - 3; break;
            case 3: value = any >> any % 64; break;
            case 4: value = any & ~(mask >> (bits / 4 + any % 8)); break;
            case 5:
                if (follows) value = result[k - 1][static_cast<std::size_t>(i)] ^ any % 8;
                break;
            case 6:
                if (follows)
                    value = result[k - 1][static_cast<std::size_t>(i)] ^ std::uint64_t{1}
                                                                             << (bits - 1);
                break;
            default: break;
            }
            result[k].push_back(value & mask);
        }
    }
    return result;
}

Bytes to_bytes(const std::vector<std::uint64_t>& values, int bytes_each)
{
    Bytes bytes(values.size() * static_cast<std::size_t>(bytes_each));
    for (std::size_t i = 0; i < values.size(); ++i)
        std::memcpy(bytes.data() + i * bytes_each, &values[i], bytes_each);
    return bytes;
}

} // namespace lanescope::conformance
