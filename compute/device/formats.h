// A table of texel formats: names, sizes and conversions follow from its rows.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "compute/device/device.h"

namespace lanescope::device {

enum class ChannelKind : std::uint8_t { unsigned_integer, signed_integer, real };

struct FormatRow {
    Format format;
    std::string_view name; // in lab records, and on the command line
    int channels;
    int channel_bytes;
    ChannelKind kind;
};

// In the order of the enum.
inline constexpr FormatRow format_rows[] = {
    {Format::r8, "r8", 1, 1, ChannelKind::unsigned_integer},
    {Format::rg8, "rg8", 2, 1, ChannelKind::unsigned_integer},
    {Format::rgba8, "rgba8", 4, 1, ChannelKind::unsigned_integer},
    {Format::r8s, "r8s", 1, 1, ChannelKind::signed_integer},
    {Format::rg8s, "rg8s", 2, 1, ChannelKind::signed_integer},
    {Format::rgba8s, "rgba8s", 4, 1, ChannelKind::signed_integer},
    {Format::r16, "r16", 1, 2, ChannelKind::unsigned_integer},
    {Format::rg16, "rg16", 2, 2, ChannelKind::unsigned_integer},
    {Format::rgba16, "rgba16", 4, 2, ChannelKind::unsigned_integer},
    {Format::r16s, "r16s", 1, 2, ChannelKind::signed_integer},
    {Format::rg16s, "rg16s", 2, 2, ChannelKind::signed_integer},
    {Format::rgba16s, "rgba16s", 4, 2, ChannelKind::signed_integer},
    {Format::r16f, "r16f", 1, 2, ChannelKind::real},
    {Format::rg16f, "rg16f", 2, 2, ChannelKind::real},
    {Format::rgba16f, "rgba16f", 4, 2, ChannelKind::real},
    {Format::r32f, "r32f", 1, 4, ChannelKind::real},
    {Format::rg32f, "rg32f", 2, 4, ChannelKind::real},
    {Format::rgba32f, "rgba32f", 4, 4, ChannelKind::real},
};

constexpr const FormatRow& row_of(Format format)
{
    return format_rows[static_cast<std::size_t>(format)];
}

static_assert(std::ranges::all_of(format_rows, [](const FormatRow& row) {
    return row_of(row.format).format == row.format;
}));

// The type of one channel: "u8", "i16", "f32", …
constexpr std::string_view channel_type(Format format)
{
    constexpr std::string_view types[3][3] = {
        {"u8", "u16", "u32"}, {"i8", "i16", "i32"}, {"", "f16", "f32"}};
    const FormatRow& row = row_of(format);
    return types[static_cast<std::size_t>(row.kind)][row.channel_bytes / 2];
}

constexpr bool has_integer_channels(Format format)
{
    return row_of(format).kind != ChannelKind::real;
}

inline std::optional<Format> format_named(std::string_view name)
{
    const auto* const found = std::ranges::find(format_rows, name, &FormatRow::name);
    if (found == std::end(format_rows)) return {};
    return found->format;
}

inline std::optional<Format> format_with(ChannelKind kind, int channels, int channel_bytes)
{
    const auto* const found = std::ranges::find_if(format_rows, [&](const FormatRow& row) {
        return row.kind == kind && row.channels == channels && row.channel_bytes == channel_bytes;
    });
    if (found == std::end(format_rows)) return {};
    return found->format;
}

} // namespace lanescope::device
