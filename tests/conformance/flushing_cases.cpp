// .ftz near the smallest normal number, and other corner cases in which a single bit decides:
// atomics whose sum is NaN, a predicate that is both read and written.
#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/conformance/instruction.h"
#include "tests/conformance/values.h"

namespace lanescope::conformance {

namespace {

using Values = std::vector<std::uint64_t>;

class Numbers {
public:
    // A random number with random sign and all mantissa bits.
    double number(int lowest_exponent, int exponents)
    {
        const double size = std::ldexp(1.0 + static_cast<double>(random_() % (1u << 23)) * 0x1p-23,
                                       lowest_exponent + static_cast<int>(random_() % exponents));
        return random_() % 2 == 0 ? size : -size;
    }
    // A number within a few ulps of the format's smallest normal number.
    double near_smallest(int exponent, int precision)
    {
        const auto steps = static_cast<double>(static_cast<int>(random_() % 17) - 8);
        const double size = std::ldexp(1.0 + std::ldexp(steps, -precision - 1), exponent);
        return random_() % 2 == 0 ? size : -size;
    }
    std::uint64_t next() { return random_(); }

private:
    std::mt19937_64 random_{41};
};

std::uint64_t bits_of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}
// Rounds to nearest; the inputs are in the range of normal halves or slightly below.
std::uint64_t half_of(double value)
{
    return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}
std::uint64_t beside(std::uint64_t bits, std::uint64_t chance)
{
    return chance % 4 == 0 ? bits + 1 : chance % 4 == 1 ? bits - 1 : bits;
}

// Replaces a case's inputs. Each call of `make` returns the operands of one thread.
template <class Make>
void add_with(std::vector<Case>& cases, const Instruction& instruction, Make make)
{
    Case made = make_case("flushing", instruction);
    Numbers numbers;
    std::vector<Values> values(made.inputs.size());
    const std::size_t count = made.grid.count() * made.block.count();
    for (std::size_t i = 0; i < count; ++i) {
        const Values one = make(numbers);
        for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back(one[k]);
    }
    for (std::size_t k = 0; k < values.size(); ++k)
        made.inputs[k] = to_bytes(values[k], static_cast<int>(made.inputs[k].size() / count));
    cases.push_back(std::move(made));
}

Values single_product(Numbers& numbers)
{
    const auto a = static_cast<float>(numbers.number(-40, 80));
    const auto b = static_cast<float>(numbers.near_smallest(-126, 24) / a);
    return {bits_of(a), beside(bits_of(b), numbers.next())};
}
Values single_quotient(Numbers& numbers)
{
    const auto b = static_cast<float>(numbers.number(0, 60));
    const auto a = static_cast<float>(numbers.near_smallest(-126, 24) * b);
    return {beside(bits_of(a), numbers.next()), bits_of(b)};
}
// Factors and addend of an fma with a result near the smallest normal number, or with an addend
// near it and a much smaller product.
Values single_sum(Numbers& numbers)
{
    const auto a = static_cast<float>(numbers.number(-30, 60));
    const bool leaves = numbers.next() % 2 == 0;
    const double product = leaves ? numbers.number(-128, 6) : numbers.number(-180, 30);
    const auto b = static_cast<float>(product / a);
    const double c = leaves ? numbers.near_smallest(-126, 24) - static_cast<double>(a) * b
                            : numbers.near_smallest(-126, 23);
    return {bits_of(a), bits_of(b), bits_of(static_cast<float>(c))};
}
Values half_product(Numbers& numbers)
{
    const double a = std::ldexp(numbers.number(0, 1), -static_cast<int>(numbers.next() % 5));
    const std::uint64_t rounded = half_of(a);
    const double b = numbers.near_smallest(-14, 11) / a;
    return {rounded, beside(half_of(b), numbers.next())};
}

std::uint64_t twice(std::uint64_t half)
{
    return half | half << 16;
}

} // namespace

void add_flushing_cases(std::vector<Case>& cases)
{
    for (const char* mode : {"rn", "rz", "rm", "rp"}) {
        for (const char* flush : {"", ".ftz"}) {
            const auto named = [&](std::string_view op, std::string_view type) {
                return fmt::format("{}.{}{}.{}", op, mode, flush, type);
            };
            add_with(cases, {named("mul", "f32"), "f32", "f32 f32"}, single_product);
            add_with(cases, {named("div", "f32"), "f32", "f32 f32"}, single_quotient);
            add_with(cases, {named("fma", "f32"), "f32", "f32 f32 f32"}, single_sum);
            add_with(cases, {named("rcp", "f32"), "f32", "f32"}, [](Numbers& numbers) {
                const auto steps = static_cast<int>(numbers.next() % 64) - 32;
                const std::uint64_t sign = numbers.next() % 2 << 31;
                return Values{(0x7e800000u + static_cast<std::uint32_t>(steps)) | sign};
            });
            add_with(cases, {named("cvt", "f32.f64"), "f32", "f64"}, [](Numbers& numbers) {
                const double size = numbers.near_smallest(-126, 24);
                return Values{beside(std::bit_cast<std::uint64_t>(size), numbers.next())};
            });
        }
        add_with(cases, {fmt::format("add.{}.ftz.f32", mode), "f32", "f32 f32"},
                 [](Numbers& numbers) {
                     const auto a = static_cast<float>(numbers.number(-126, 4));
                     const auto sum = static_cast<float>(numbers.near_smallest(-126, 22));
                     return Values{bits_of(a), bits_of(sum - a)};
                 });
    }
    for (const char* op : {"mul.ftz.f16", "mul.f16", "mul.rn.ftz.sat.f16"})
        add_with(cases, {op, "f16", "f16 f16"}, half_product);
    add_with(cases, {"mul.ftz.f16x2", "f16x2", "f16x2 f16x2"}, [](Numbers& numbers) {
        const Values low = half_product(numbers);
        const Values high = half_product(numbers);
        return Values{low[0] | high[0] << 16, low[1] | high[1] << 16};
    });
    add_with(cases, {"fma.rn.ftz.f16", "f16", "f16 f16 f16"}, [](Numbers& numbers) {
        Values values = half_product(numbers);
        const std::uint64_t choice = numbers.next();
        values.push_back(choice % 3 == 0   ? 0x0000
                         : choice % 3 == 1 ? half_of(numbers.near_smallest(-14, 10))
                                           : half_of(numbers.number(-14, 3)));
        return values;
    });
    add_with(cases, {"fma.rn.ftz.f16x2", "f16x2", "f16x2 f16x2 f16x2"}, [](Numbers& numbers) {
        const Values values = half_product(numbers);
        return Values{twice(values[0]), twice(values[1]), 0x04008400};
    });
    for (const char* op : {"add.ftz.f16", "sub.ftz.f16"})
        add_with(cases, {op, "f16", "f16 f16"}, [](Numbers& numbers) {
            return Values{half_of(numbers.number(-14, 4)), half_of(numbers.number(-14, 4))};
        });

    const std::string_view corners = "corners";
    add_cases(
        cases, corners,
        {
            {"atom.add.f32 of special values", "f32", "f32 f32",
             "ld.param.u64 %address, [D0]; cvta.to.global.u64 %address, %address; mad.wide.u32 "
             "%address, %index, 4, %address; st.global.f32 [%address], %A; red.global.add.f32 "
             "[%address], %B; membar.gl; ld.global.f32 %D0, [%address];"},
            {"atom.add.f64 of special values", "f64", "f64 f64",
             "ld.param.u64 %address, [D0]; cvta.to.global.u64 %address, %address; mad.wide.u32 "
             "%address, %index, 8, %address; st.global.f64 [%address], %A; red.global.add.f64 "
             "[%address], %B; membar.gl; ld.global.f64 %D0, [%address];"},
            {"atom.add.noftz.f16x2 of special values", "f16x2", "f16x2 f16x2",
             "ld.param.u64 %address, [D0]; cvta.to.global.u64 %address, %address; mad.wide.u32 "
             "%address, %index, 4, %address; st.global.b32 [%address], %A; "
             "red.global.add.noftz.f16x2 [%address], %B; membar.gl; ld.global.b32 %D0, "
             "[%address];"},
            {"atom.add.noftz.bf16x2 of special values", "bf16x2", "bf16x2 bf16x2",
             "ld.param.u64 %address, [D0]; cvta.to.global.u64 %address, %address; mad.wide.u32 "
             "%address, %index, 4, %address; st.global.b32 [%address], %A; "
             "red.global.add.noftz.bf16x2 [%address], %B; membar.gl; ld.global.b32 %D0, "
             "[%address];"},
            {"atom.shared.add.f32 of special values", "f32 f32", "f32 f32",
             ".shared .align 4 .b8 cells[512]; mov.u32 %X0, cells; mov.u32 %X1, %tid.x; "
             "mad.lo.u32 %X0, %X1, 4, %X0; st.shared.f32 [%X0], %A; atom.shared.add.f32 %D1, "
             "[%X0], %B; ld.shared.f32 %D0, [%X0];"},
        });
    for (const char* boolean : {"and", "or", "xor"})
        for (const char* type : {"f16x2", "bf16x2"})
            cases.push_back(make_case(
                corners, {fmt::format("setp.lt.{}.{} that reads what it writes", boolean, type),
                          "pred pred", fmt::format("{0} {0} pred", type),
                          fmt::format("mov.pred %D0, %C; setp.lt.{}.{} %D0|%D1, %A, %B, %D0;",
                                      boolean, type)}));
}

} // namespace lanescope::conformance
