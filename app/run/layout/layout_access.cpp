// A formula is evaluated for each lane by the evaluator of lab records.
#include "app/run/layout/layout_access.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/experiment/record/expression.h"
#include "compute/text.h"

namespace lanescope::app {

namespace {

using counting::Layout;
using AccessKind = TileAccess::Kind;

constexpr int max_width_bytes = 16; // per lane, of one instruction
constexpr int matrix_rows = 8;

[[noreturn]] void refuse(std::string_view text, std::string_view problem)
{
    throw Error(ExitStatus::bad_usage, fmt::format("The access \"{}\" {}.", text, problem),
                "Write row, column, \"ROW, COLUMN\" as formulas of lane, or ldmatrix.x4; before "
                "it store, after it x4 for vectors.");
}

bool take_word(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word)) return false;
    const std::string_view rest = text.substr(word.size());
    if (!rest.empty() && rest[0] != ' ') return false;
    text = trimmed(rest);
    return true;
}

// Removes "x4" from the end: elements per lane.
int take_vector(std::string_view& text)
{
    for (const int count : {2, 4, 8, 16}) {
        const std::string ending = fmt::format(" x{}", count);
        if (!text.ends_with(ending)) continue;
        text = trimmed(text.substr(0, text.size() - ending.size()));
        return count;
    }
    return 1;
}

double xor_of(double a, double b)
{
    constexpr double max = 1 << 20;
    if (!(a >= 0 && a < max && b >= 0 && b < max)) return -1; // refused as a coordinate
    return static_cast<double>(static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(b));
}

std::uint64_t coordinate(double value, std::uint64_t extent, std::string_view text, int lane,
                         std::string_view name)
{
    if (!(value >= 0) || value != std::floor(value) || value >= static_cast<double>(extent))
        refuse(text, fmt::format("puts lane {} in {} {:g}; the layout has {} 0 to {}", lane, name,
                                 value, name, extent - 1));
    return static_cast<std::uint64_t>(value);
}

// The comma between the two formulas, outside parentheses.
std::size_t middle_of(std::string_view text)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        if (text[i] == ',' && depth == 0) return i;
    }
    return std::string_view::npos;
}

void read_formulas(std::string_view pattern, const Layout& layout, TileAccess& access)
{
    const std::size_t comma = middle_of(pattern);
    if (comma == std::string_view::npos) refuse(access.text, "is none of the known ones");
    const labs::Formula row{std::string(trimmed(pattern.substr(0, comma))), "--access"};
    const labs::Formula column{std::string(trimmed(pattern.substr(comma + 1))), "--access"};
    labs::Evaluator evaluate;
    evaluate.set("xor", [](std::span<const double> of) {
        return of.size() == 2 ? xor_of(of[0], of[1]) : -1;
    });
    evaluate.set("lane", 0.0);
    for (int lane = 0; lane < 32; ++lane) {
        evaluate.set("lane", lane);
        access.lanes[static_cast<std::size_t>(lane)] = {
            coordinate(evaluate(row), layout.rows(), access.text, lane, "row"),
            coordinate(evaluate(column), layout.columns(), access.text, lane, "column")};
    }
}

// "row 3" and "column 3": the number, 0 without one.
std::uint64_t line_of(std::string_view rest, std::string_view text)
{
    if (rest.empty()) return 0;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{} || end != rest.data() + rest.size())
        refuse(text, fmt::format("has \"{}\" where a number is expected", rest));
    return number;
}

void read_lines(std::string_view pattern, const Layout& layout, int elements, TileAccess& access)
{
    const auto set = [&](auto place) {
        for (int lane = 0; lane < 32; ++lane) {
            const auto [row, column] = place(static_cast<double>(lane));
            access.lanes[static_cast<std::size_t>(lane)] = {
                coordinate(row, layout.rows(), access.text, lane, "row"),
                coordinate(column, layout.columns(), access.text, lane, "column")};
        }
    };
    using Pair = std::pair<double, double>;
    if (take_word(pattern, "row")) {
        const auto row = static_cast<double>(line_of(pattern, access.text));
        set([&](double lane) { return Pair{row, lane * elements}; });
    } else if (take_word(pattern, "column")) {
        const auto column = static_cast<double>(line_of(pattern, access.text));
        set([&](double lane) { return Pair{lane, column}; });
    } else {
        read_formulas(pattern, layout, access);
    }
}

// "ldmatrix.x4": lane i gives row i % 8 of matrix i / 8; matrices go down first, then right.
bool read_matrices(std::string_view pattern, const Layout& layout, int element_bytes,
                   TileAccess& access)
{
    const bool loads = pattern.starts_with("ldmatrix");
    if (!loads && !pattern.starts_with("stmatrix")) return false;
    std::string_view rest = pattern.substr(8);
    if (rest.ends_with(".trans")) rest = rest.substr(0, rest.size() - 6);
    access.kind = loads ? AccessKind::load_matrix : AccessKind::store_matrix;
    access.matrices = rest == ".x1" ? 1 : rest == ".x2" ? 2 : rest == ".x4" ? 4 : 0;
    if (access.matrices == 0) refuse(access.text, "has none of the sizes .x1, .x2 and .x4");
    if (element_bytes > 4) refuse(access.text, "moves elements of 1, 2 or 4 bytes");
    access.width_bytes = max_width_bytes;
    const int lanes = matrix_rows * access.matrices;
    access.active = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int lane = 0; lane < lanes; ++lane) {
        const int matrix = lane / matrix_rows;
        access.lanes[static_cast<std::size_t>(lane)] = {
            coordinate(lane % matrix_rows + matrix % 2 * matrix_rows, layout.rows(), access.text,
                       lane, "row"),
            coordinate(matrix / 2 * (max_width_bytes / element_bytes), layout.columns(),
                       access.text, lane, "column")};
    }
    return true;
}

// Null if the lane's elements are consecutive and aligned; otherwise what is wrong.
std::optional<std::string> problem_of(const TileAccess& access, const Layout& layout,
                                      int element_bytes, std::size_t lane, std::uint64_t& offset)
{
    const TileAccess::Coordinate& first = access.lanes[lane];
    const auto count = static_cast<std::uint64_t>(access.width_bytes / element_bytes);
    const auto width = static_cast<std::uint64_t>(access.width_bytes);
    if (first.column + count > layout.columns())
        return fmt::format("needs {} elements from column {}; the layout has {} columns", count,
                           first.column, layout.columns());
    const std::uint64_t begin = layout(first.row, first.column);
    offset = begin * static_cast<std::uint64_t>(element_bytes);
    for (std::uint64_t i = 1; i < count; ++i)
        if (layout(first.row, first.column + i) != begin + i)
            return fmt::format("needs {} consecutive elements, but element ({}, {}) does not "
                               "follow the one before it in memory",
                               count, first.row, first.column + i);
    if (offset % width != 0)
        return fmt::format("is not aligned: its {} bytes begin at byte {}", width, offset);
    return {};
}

} // namespace

TileAccess read_access(std::string_view text, const Layout& layout, int element_bytes)
{
    TileAccess access;
    access.text = trimmed(text);
    std::string_view pattern = access.text;
    if (read_matrices(pattern, layout, element_bytes, access)) return access;
    if (take_word(pattern, "store"))
        access.kind = AccessKind::store;
    else
        take_word(pattern, "load");
    const int elements = take_vector(pattern);
    access.width_bytes = elements * element_bytes;
    if (access.width_bytes > max_width_bytes)
        refuse(text, fmt::format("moves {} bytes per lane; an instruction moves at most {}",
                                 access.width_bytes, max_width_bytes));
    read_lines(pattern, layout, elements, access);
    return access;
}

std::array<std::uint64_t, 32> offsets_of(const TileAccess& access, const Layout& layout,
                                         int element_bytes)
{
    std::array<std::uint64_t, 32> offsets{};
    for (std::size_t lane = 0; lane < offsets.size(); ++lane) {
        if ((access.active >> lane & 1) == 0) continue;
        if (const auto problem = problem_of(access, layout, element_bytes, lane, offsets[lane]))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("Under the layout {}, lane {} of the access \"{}\" {}.",
                                    layout.text(), lane, access.text, *problem),
                        "Choose fewer elements per lane, or a layout that keeps them together.");
    }
    return offsets;
}

bool offsets_of(const TileAccess& access, const Layout& layout, int element_bytes,
                std::array<std::uint64_t, 32>& offsets)
{
    for (std::size_t lane = 0; lane < offsets.size(); ++lane)
        if ((access.active >> lane & 1) != 0 &&
            problem_of(access, layout, element_bytes, lane, offsets[lane]))
            return false;
    return true;
}

} // namespace lanescope::app
