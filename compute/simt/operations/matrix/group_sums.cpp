// Floating-point elements are split into significands and exponents once per row, integers are
// widened.
#include "compute/simt/operations/matrix/group_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compute/simt/operations/matrix/products.h"

namespace lanescope::simt {

namespace {

bool is_fp8(MatrixElement element)
{
    return element == MatrixElement::e4m3 || element == MatrixElement::e5m2;
}

std::uint32_t element_of(const OperandRow& row, int bits, int index)
{
    std::uint32_t value = 0;
    const auto bytes = static_cast<std::size_t>(bits / 8);
    std::memcpy(&value, row.data() + static_cast<std::size_t>(index) * bytes, bytes);
    return value;
}

Factors factors_of(const OperandRow& row, MatrixElement element, bool negates)
{
    const int bits = element_bits(element);
    const std::uint32_t sign = negates ? 1u << (bits - 1) : 0u;
    Factors factors;
    for (int k = 0; k < static_cast<int>(operand_row_bytes) * 8 / bits; ++k)
        factors.set(k, element, element_of(row, bits, k) ^ sign);
    return factors;
}

} // namespace

struct GroupSums::Floats {
    std::vector<Factors> a, b;
};

struct GroupSums::Integers {
    using Row = std::array<std::int32_t, operand_row_bytes>;
    std::vector<Row> a, b; // bytes, or 32 bits each in the first eight
};

GroupSums::GroupSums(const GroupProduct& work, const std::vector<OperandRow>& a,
                     const std::vector<OperandRow>& b)
    : work_(work)
{
    if (work.result.element != MatrixElement::s32) {
        floats_ = std::make_unique<Floats>();
        for (const OperandRow& row : a)
            floats_->a.push_back(factors_of(row, work.a, work.negates_a));
        for (const OperandRow& row : b)
            floats_->b.push_back(factors_of(row, work.b, work.negates_b));
        return;
    }
    integers_ = std::make_unique<Integers>();
    const auto widen = [](const OperandRow& row, MatrixElement element) {
        Integers::Row wide{};
        if (element == MatrixElement::b1)
            std::memcpy(wide.data(), row.data(), row.size());
        else
            for (std::size_t k = 0; k < row.size(); ++k)
                wide[k] = integer_value(element, std::to_integer<std::uint32_t>(row[k]));
        return wide;
    };
    for (const OperandRow& row : a) integers_->a.push_back(widen(row, work.a));
    for (const OperandRow& row : b) integers_->b.push_back(widen(row, work.b));
}

GroupSums::~GroupSums() = default;

std::uint32_t GroupSums::sum(int row, int column, std::uint32_t c) const
{
    const auto r = static_cast<std::size_t>(row);
    const auto n = static_cast<std::size_t>(column);
    const MatrixElement d = work_.result.element;
    if (floats_ != nullptr) {
        const Factors& a = floats_->a[r];
        const Factors& b = floats_->b[n];
        if (is_fp8(work_.a))
            return sum_of_fp8_products(a, work_.a, b, work_.b, work_.shape.k, c, d);
        return sum_of_products(a, b, 0, work_.shape.k, work_.a, c, d);
    }
    const Integers::Row& a = integers_->a[r];
    const Integers::Row& b = integers_->b[n];
    std::int64_t sum = static_cast<std::int32_t>(c);
    if (work_.a == MatrixElement::b1)
        for (std::size_t i = 0; i < operand_row_bytes / 4; ++i)
            sum += std::popcount(static_cast<std::uint32_t>(a[i] & b[i]));
    else
        for (std::size_t k = 0; k < operand_row_bytes; ++k) sum += a[k] * b[k];
    if (work_.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(sum);
}

} // namespace lanescope::simt
