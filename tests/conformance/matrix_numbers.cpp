// Random numbers in any floating-point format: by exponent, sign and fraction.
#include "tests/conformance/matrix_numbers.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace lanescope::conformance {

namespace {

// Numbers that reveal how sums are formed: `kind` 0 to 9.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : random_(seed) {}

    std::uint64_t next(const Format& format, std::uint32_t kind, bool accumulator)
    {
        if (format.exponent_bits == 0) return kind % 3 == 0 ? edge() : random_();
        const int top = (1 << format.exponent_bits) - 1;
        const int bias = top / 2;
        const std::uint64_t digits = random_() & ((std::uint64_t{1} << format.fraction_bits) - 1);
        const auto make = [&](int exponent, std::uint64_t fraction) {
            return (random_() & 1) << (format.exponent_bits + format.fraction_bits) |
                   static_cast<std::uint64_t>(std::clamp(exponent, 0, top))
                       << format.fraction_bits |
                   fraction;
        };
        const auto normal = [&](int exponent, std::uint64_t fraction) {
            return make(std::clamp(exponent, 1, top - 1), fraction);
        };
        switch (kind) {
        case 0: return make(below(top + 1), digits);
        case 1: return normal(bias - 2 + below(5), digits);
        case 2: return normal(bias - 14 + below(29), digits);
        case 3: return below(4) != 0 ? make(0, 0) : normal(bias - 10 + below(21), digits);
        case 4: return below(2) != 0 ? make(0, digits) : normal(1 + below(6), digits);
        case 5: return normal(bias + (accumulator ? below(61) - 40 : below(7) - 3), digits);
        case 6: return below(3) == 0 ? make(0, 0) : normal(bias - 13 + below(27), 0);
        case 7:
            if (below(60) != 0) return normal(bias - 4 + below(9), digits);
            return below(2) != 0 ? make(top, 0) : make(top - below(2), digits);
        case 8: return normal(below(2) != 0 ? top - 1 - below(3) : top / 2 + below(bias), digits);
        default:
            return normal(bias + below(2) + (accumulator ? 1 : 0),
                          digits >> (format.fraction_bits - 2) << (format.fraction_bits - 2));
        }
    }

private:
    int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    std::uint64_t edge()
    {
        constexpr std::uint64_t edges[] = {0x80, 0x7f, 0xff, 0x00, 0x01};
        return edges[random_() % 5];
    }
    std::mt19937_64 random_;
};

} // namespace

Bytes numbers(Format format, std::size_t count, bool accumulator, bool is_s32, std::uint32_t times,
              std::uint64_t seed, std::size_t wanted)
{
    Numbers source(seed);
    Bytes bytes;
    if (is_s32) format = integer;
    const int size = format.bits() / 8;
    const std::size_t per_warp = count / kinds_of_numbers;
    for (std::size_t i = 0; i < std::min(count * times, wanted); ++i) {
        const auto kind = static_cast<std::uint32_t>(i / per_warp % kinds_of_numbers);
        const std::uint64_t value = source.next(format, kind, accumulator);
        for (int byte = 0; byte < size; ++byte)
            bytes.push_back(static_cast<std::byte>(value >> (8 * byte)));
    }
    return bytes;
}

std::string register_list(char name, int count)
{
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return text + "}";
}

std::string transfer(std::string_view verb, std::string_view parameter, char name, int count,
                     int bytes)
{
    std::string text = fmt::format("    ld.param.u64 %p, [{}];\n    cvta.to.global.u64 %p, %p;\n"
                                   "    mad.wide.u32 %p, %i, {}, %p;\n",
                                   parameter, count * bytes);
    for (int i = 0; i < count; ++i)
        text +=
            verb == "ld"
                ? fmt::format("    ld.global.b{} %{}{}, [%p+{}];\n", 8 * bytes, name, i, i * bytes)
                : fmt::format("    st.global.b{} [%p+{}], %{}{};\n", 8 * bytes, i * bytes, name, i);
    return text;
}

} // namespace lanescope::conformance
