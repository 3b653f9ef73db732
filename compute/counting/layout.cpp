// Reads a layout's text by recursive descent: shape and stride are trees of the same form, whose
// leaves become the digits of a coordinate.
#include "compute/counting/layout.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/error.h"

namespace lanescope::counting {

namespace {

constexpr int max_depth = 8;

// A number, or a list of trees.
struct Tree {
    std::uint64_t number = 0;
    std::vector<Tree> parts; // empty: a number
};

bool is_number(const Tree& tree)
{
    return tree.parts.empty();
}

void add_leaves(const Tree& tree, std::vector<std::uint64_t>& leaves)
{
    if (is_number(tree)) leaves.push_back(tree.number);
    for (const Tree& part : tree.parts) add_leaves(part, leaves);
}

bool same_form(const Tree& a, const Tree& b)
{
    return std::ranges::equal(a.parts, b.parts, same_form);
}

// Strides of a shape without any: the first part is contiguous.
Tree contiguous(const Tree& shape, std::uint64_t& stride)
{
    Tree made;
    if (is_number(shape)) {
        made.number = stride;
        stride = std::min(stride * std::max<std::uint64_t>(shape.number, 1), Layout::max_elements);
    }
    for (const Tree& part : shape.parts) made.parts.push_back(contiguous(part, stride));
    return made;
}

std::string text_of(const std::vector<std::uint64_t>& digits)
{
    return digits.size() == 1 ? std::to_string(digits[0])
                              : fmt::format("({})", fmt::join(digits, ","));
}

} // namespace

std::uint64_t Swizzle::operator()(std::uint64_t offset) const
{
    const std::uint64_t digits = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t from = offset >> (base + std::max(shift, 0)) & digits;
    return offset ^ from << (base - std::min(shift, 0));
}

class Layout::Reader {
public:
    explicit Reader(std::string_view text) : text_(text), rest_(text) {}

    Layout read()
    {
        skip_spaces();
        if (const std::optional<Layout> grid = as_grid()) return *grid;
        Layout layout;
        if (rest_.starts_with("Sw<")) {
            layout.swizzle_ = swizzle();
            expect("o");
            if (!rest_.starts_with("(") || rest_.starts_with("(unset")) skip_pointer(layout);
        }
        fill(layout);
        if (!rest_.empty()) refuse("its end");
        check(layout);
        return layout;
    }

private:
    [[noreturn]] void refuse(std::string_view wanted) const
    {
        const std::string_view shown = rest_.substr(0, 20);
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The layout \"{}\" has {} where {} is expected.",
                                text_.substr(0, 80),
                                shown.empty() ? "its end" : fmt::format("\"{}\"", shown), wanted),
                    "Write it as CuTe does, such as Sw<3,3,3> o (8,64):(64,1), or as rows × "
                    "columns, such as 32x32+1.");
    }

    void skip_spaces()
    {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    bool take(std::string_view word)
    {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        skip_spaces();
        return true;
    }
    void expect(std::string_view word)
    {
        if (!take(word)) refuse(fmt::format("\"{}\"", word));
    }

    // A number of at most max_elements. CuTe writes an underscore before constants.
    std::uint64_t number()
    {
        std::string_view digits = rest_;
        if (digits.starts_with('_')) digits.remove_prefix(1);
        std::uint64_t value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || value > max_elements)
            refuse(fmt::format("a number from 0 to {}", max_elements));
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        skip_spaces();
        return value;
    }

    // "32x33" or "32x32+1".
    std::optional<Layout> as_grid()
    {
        const std::size_t x = rest_.find_first_not_of("0123456789 ");
        if (x == 0 || x == std::string_view::npos || rest_[x] != 'x') return {};
        const std::uint64_t rows = number();
        expect("x");
        const std::uint64_t columns = number();
        const std::uint64_t padding = take("+") ? number() : 0;
        if (!rest_.empty()) refuse("its end, or +PADDING");
        const Layout layout = padded(rows, columns, padding);
        check(layout);
        return layout;
    }

    int small(int lowest, int highest)
    {
        const bool negative = take("-");
        const auto value = static_cast<std::int64_t>(number()) * (negative ? -1 : 1);
        if (value < lowest || value > highest)
            refuse(fmt::format("a swizzle parameter from {} to {} before it", lowest, highest));
        return static_cast<int>(value);
    }

    Swizzle swizzle()
    {
        constexpr int max_bits = 10;
        Swizzle made;
        expect("Sw<");
        made.bits = small(0, max_bits);
        expect(",");
        made.base = small(0, max_bits);
        expect(",");
        made.shift = small(-max_bits, max_bits);
        expect(">");
        if (std::abs(made.shift) < made.bits)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("Sw<{},{},{}> would change the bits that it reads: its shift "
                                    "is less than its number of bits.",
                                    made.bits, made.base, made.shift),
                        "Choose a shift of at least the first number.");
        return made;
    }

    // "64 o" or "smem_ptr[16b](unset) o"
    void skip_pointer(Layout& layout)
    {
        if (take("smem_ptr")) {
            const std::size_t end = rest_.find(')');
            if (end == std::string_view::npos) refuse("the pointer's \")\"");
            rest_.remove_prefix(end + 1);
            skip_spaces();
        } else {
            layout.begin_ = number();
        }
        expect("o");
    }

    Tree tree(int depth = 0)
    {
        Tree made;
        if (!take("(")) {
            made.number = number();
            return made;
        }
        if (depth == max_depth) refuse("less nesting");
        do {
            made.parts.push_back(tree(depth + 1));
        } while (take(","));
        expect(")");
        return made;
    }

    void fill(Layout& layout)
    {
        const Tree shape = tree();
        std::uint64_t stride = 1;
        const Tree strides = take(":") ? tree() : contiguous(shape, stride);
        if (!same_form(shape, strides))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("The shape and the strides of \"{}\" have different forms.",
                                    text_.substr(0, 80)),
                        "Give one stride for each number of the shape, nested alike.");
        if (shape.parts.size() > 2)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("\"{}\" has {} modes; a tile has rows and columns.",
                                    text_.substr(0, 80), shape.parts.size()),
                        "Group its modes in two: ((2,4),8) instead of (2,4,8).");
        const bool both = shape.parts.size() == 2;
        const auto mode = [&](std::size_t i) {
            Mode made;
            add_leaves(both ? shape.parts[i] : shape, made.extents);
            add_leaves(both ? strides.parts[i] : strides, made.strides);
            return made;
        };
        if (both) layout.rows_ = mode(0);
        layout.columns_ = mode(both ? 1 : 0);
    }

    void check(const Layout& layout) const
    {
        const auto too_large = [&](std::string_view of) {
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("\"{}\" has more than {} {}.", text_.substr(0, 80), max_elements, of),
                "Choose a smaller tile.");
        };
        std::uint64_t elements = 1;
        std::uint64_t last = layout.begin_;
        for (const Mode* mode : {&layout.rows_, &layout.columns_})
            for (std::size_t i = 0; i < mode->extents.size(); ++i) {
                const std::uint64_t extent = mode->extents[i];
                if (extent == 0)
                    throw Error(ExitStatus::bad_usage,
                                fmt::format("\"{}\" has no elements.", text_.substr(0, 80)),
                                "Its extents must be at least 1.");
                elements *= extent; // at most 2^40: the previous product was checked
                if (elements > max_elements) too_large("elements");
                last += (extent - 1) * mode->strides[i];
                if (last >= max_elements) too_large("elements of memory");
            }
    }

    std::string_view text_;
    std::string_view rest_;
};

std::uint64_t Layout::Mode::size() const
{
    std::uint64_t product = 1;
    for (const std::uint64_t extent : extents) product *= extent;
    return product;
}

std::uint64_t Layout::Mode::offset(std::uint64_t coordinate) const
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        sum += coordinate % extents[i] * strides[i];
        coordinate /= extents[i];
    }
    return sum;
}

Layout Layout::read(std::string_view text)
{
    return Reader(text).read();
}

Layout Layout::padded(std::uint64_t rows, std::uint64_t columns, std::uint64_t padding)
{
    Layout layout;
    layout.rows_ = {{rows}, {columns + padding}};
    layout.columns_ = {{columns}, {1}};
    return layout;
}

std::uint64_t Layout::operator()(std::uint64_t row, std::uint64_t column) const
{
    return swizzle_(begin_ + rows_.offset(row) + columns_.offset(column));
}

std::uint64_t Layout::memory() const
{
    std::uint64_t last = 0;
    for (std::uint64_t row = 0; row < rows(); ++row)
        for (std::uint64_t column = 0; column < columns(); ++column)
            last = std::max(last, (*this)(row, column));
    return last + 1;
}

Layout Layout::swizzled(const Swizzle& swizzle) const
{
    Layout made = *this;
    made.swizzle_ = swizzle;
    return made;
}

std::string Layout::text() const
{
    std::string plain =
        fmt::format("({},{}):({},{})", text_of(rows_.extents), text_of(columns_.extents),
                    text_of(rows_.strides), text_of(columns_.strides));
    if (swizzle_.bits == 0 && begin_ == 0) return plain;
    const std::string begin = begin_ == 0 ? "" : fmt::format("{} o ", begin_);
    return fmt::format("Sw<{},{},{}> o {}{}", swizzle_.bits, swizzle_.base, swizzle_.shift, begin,
                       plain);
}

} // namespace lanescope::counting
