// Removed outlines keep their offsets in the file: TrueType outlines become zeros, that is, a glyph
// without contours; CFF outlines become `endchar`.
#include "app/export/page/thin_font.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <ft2build.h>
#include FT_FREETYPE_H

#include "compute/error.h"

namespace lanescope::app {
namespace {

using u32 = std::uint32_t;

constexpr std::array<std::pair<u32, u32>, 13> kept_letters{{{0x20, 0x7e},
                                                            {0xa0, 0x17f},
                                                            {0x2b0, 0x2ff},
                                                            {0x370, 0x3ff},
                                                            {0x400, 0x45f},
                                                            {0x2000, 0x206f},
                                                            {0x2070, 0x209f},
                                                            {0x20a0, 0x214f},
                                                            {0x2150, 0x21ff},
                                                            {0x2200, 0x23ff},
                                                            {0x2500, 0x25ff},
                                                            {0x2600, 0x27ff},
                                                            {0xfffd, 0xfffd}}};

[[noreturn]] void refuse()
{
    throw Error(ExitStatus::bad_usage, "A font in this build cannot be subset for a page.",
                "Build Lanescope with Inter and JetBrains Mono as TrueType or OpenType fonts.");
}

// Reads a big-endian number of `count` bytes.
u32 number(std::string_view bytes, std::size_t at, std::size_t count)
{
    if (at > bytes.size() || count > bytes.size() - at) refuse();
    u32 value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return value;
}
void put(std::string& bytes, u32 value, int count)
{
    for (int i = count - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xffu);
}

void blank(std::string& table, std::size_t begin, std::size_t end, char with)
{
    if (begin > end || end > table.size()) refuse();
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(begin),
              table.begin() + static_cast<std::ptrdiff_t>(end), with);
}

using Letters = std::map<u32, u32>; // glyphs by code point

Letters letters_of(std::string_view font)
{
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) refuse();
    const std::unique_ptr<FT_LibraryRec_, decltype(&FT_Done_FreeType)> owner(library,
                                                                             &FT_Done_FreeType);
    FT_Face face = nullptr;
    if (FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(font.data()),
                           static_cast<FT_Long>(font.size()), 0, &face) != 0)
        refuse();
    Letters letters;
    for (const auto& [first, last] : kept_letters)
        for (u32 letter = first; letter <= last; ++letter)
            if (const FT_UInt glyph = FT_Get_Char_Index(face, letter)) letters[letter] = glyph;
    return letters;
}

// Format 12: runs of code points with consecutive glyphs.
std::string cmap_of(const Letters& letters)
{
    struct Run {
        u32 first, last, glyph;
    };
    std::vector<Run> runs;
    for (const auto& [letter, glyph] : letters) {
        if (!runs.empty() && runs.back().last + 1 == letter &&
            runs.back().glyph + (letter - runs.back().first) == glyph)
            runs.back().last = letter;
        else
            runs.push_back({letter, letter, glyph});
    }
    const auto count = static_cast<u32>(runs.size());
    std::string table;
    for (const u32 half : {0u, 1u, 3u, 10u}) put(table, half, 2); // one subtable, for Unicode
    put(table, 12, 4);
    for (const u32 half : {12u, 0u}) put(table, half, 2);
    for (const u32 word : {16 + 12 * count, 0u, count}) put(table, word, 4);
    for (const Run& run : runs)
        for (const u32 word : {run.first, run.last, run.glyph}) put(table, word, 4);
    return table;
}

// Offsets of the glyphs' outlines in `glyf`, and its end.
std::vector<u32> places_of(const std::map<std::string, std::string>& tables)
{
    const std::string& loca = tables.at("loca");
    const bool wide = number(tables.at("head"), 50, 2) != 0;
    const u32 count = number(tables.at("maxp"), 4, 2) + 1;
    std::vector<u32> places;
    for (u32 i = 0; i < count; ++i)
        places.push_back(wide ? number(loca, 4 * i, 4) : 2 * number(loca, 2 * i, 2));
    return places;
}

// Adds the glyphs that others are composed of.
void add_components(const std::string& glyf, const std::vector<u32>& places, std::set<u32>& kept)
{
    constexpr u32 words = 1, scale = 8, more = 32, two_scales = 64, four_scales = 128;
    std::vector<u32> open(kept.begin(), kept.end());
    while (!open.empty()) {
        const u32 glyph = open.back();
        open.pop_back();
        if (glyph + 1 >= places.size()) refuse();
        if (places[glyph] == places[glyph + 1]) continue;
        std::size_t at = places[glyph];
        if (number(glyf, at, 2) < 0x8000) continue; // a glyph with contours
        at += 10;
        for (u32 flags = more; (flags & more) != 0;) {
            flags = number(glyf, at, 2);
            const u32 component = number(glyf, at + 2, 2);
            if (kept.insert(component).second) open.push_back(component);
            at += 4 + ((flags & words) != 0 ? 4 : 2);
            at += (flags & scale) != 0         ? 2
                  : (flags & two_scales) != 0  ? 4
                  : (flags & four_scales) != 0 ? 8
                                               : 0;
        }
    }
}

void thin_truetype(std::map<std::string, std::string>& tables, std::set<u32> kept)
{
    std::string& glyf = tables.at("glyf");
    const std::vector<u32> places = places_of(tables);
    add_components(glyf, places, kept);
    for (u32 i = 0; i + 1 < places.size(); ++i)
        if (!kept.contains(i)) blank(glyf, places[i], places[i + 1], '\0');
}

// Offsets of the items of a CFF INDEX, and its end.
std::vector<std::size_t> index_at(const std::string& cff, std::size_t at)
{
    const u32 count = number(cff, at, 2);
    if (count == 0) return {at + 2};
    const u32 size = number(cff, at + 2, 1);
    if (size < 1 || size > 4) refuse();
    const std::size_t data = at + 3 + (std::size_t{count} + 1) * size - 1;
    std::vector<std::size_t> places;
    for (u32 i = 0; i <= count; ++i) places.push_back(data + number(cff, at + 3 + i * size, size));
    return places;
}

// Operand of the operator CharStrings (17) in a DICT.
std::size_t char_strings_at(const std::string& cff, std::size_t at, std::size_t end)
{
    u32 operand = 0;
    while (at < end) {
        const u32 first = number(cff, at, 1);
        if (first == 17) return operand;
        if (first == 28) {
            operand = number(cff, at + 1, 2);
            at += 3;
        } else if (first == 29) {
            operand = number(cff, at + 1, 4);
            at += 5;
        } else if (first == 30) { // a real number ends with a nibble of ones
            for (++at; (number(cff, at, 1) & 0xfu) != 0xfu && number(cff, at, 1) >> 4 != 0xfu;)
                ++at;
            ++at;
        } else if (first >= 247 && first <= 254) {
            const u32 second = number(cff, at + 1, 1);
            operand = first < 251 ? (first - 247) * 256 + second + 108 : 0;
            at += 2;
        } else {
            if (first >= 32) operand = first - 139;
            at += first == 12 ? 2 : 1;
        }
    }
    refuse();
}

void thin_cff(std::string& cff, const std::set<u32>& kept)
{
    constexpr char endchar = 14;
    const std::vector<std::size_t> names = index_at(cff, number(cff, 2, 1));
    const std::vector<std::size_t> dicts = index_at(cff, names.back());
    if (dicts.size() < 2) refuse();
    const std::vector<std::size_t> strings = index_at(cff, dicts.back()); // glyphs' names
    blank(cff, strings.front(), strings.back(), ' ');
    const std::vector<std::size_t> glyphs =
        index_at(cff, char_strings_at(cff, dicts.front(), dicts.back()));
    for (u32 i = 0; i + 1 < glyphs.size(); ++i)
        if (!kept.contains(i)) blank(cff, glyphs[i], glyphs[i + 1], endchar);
}

std::string font_of(u32 kind, const std::map<std::string, std::string>& tables)
{
    std::string font, body;
    put(font, kind, 4);
    put(font, static_cast<u32>(tables.size()), 2);
    font.append(6, '\0'); // binary search hints, which no reader uses
    const std::size_t begin = 12 + 16 * tables.size();
    for (const auto& [name, table] : tables) {
        font += name;
        put(font, 0, 4); // checksum, which no reader verifies
        put(font, static_cast<u32>(begin + body.size()), 4);
        put(font, static_cast<u32>(table.size()), 4);
        body += table;
        body.append((4 - body.size() % 4) % 4, '\0');
    }
    return font + body;
}

} // namespace

std::string thin_font(std::string_view font)
{
    const std::set<std::string> kept_tables{"CFF ", "OS/2", "cvt ", "fpgm", "gasp", "glyf", "head",
                                            "hhea", "hmtx", "loca", "maxp", "name", "prep"};
    std::map<std::string, std::string> tables;
    for (u32 i = 0; i < number(font, 4, 2); ++i) {
        const std::size_t at = 12 + 16 * std::size_t{i};
        const u32 begin = number(font, at + 8, 4), length = number(font, at + 12, 4);
        const std::string name(font.substr(at, 4));
        if (begin > font.size() || length > font.size() - begin) refuse();
        if (kept_tables.contains(name)) tables[name] = std::string(font.substr(begin, length));
    }
    const Letters letters = letters_of(font);
    std::set<u32> kept{0};
    for (const auto& [letter, glyph] : letters) kept.insert(glyph);
    if (tables.contains("glyf") && tables.contains("loca") && tables.contains("head") &&
        tables.contains("maxp"))
        thin_truetype(tables, kept);
    else if (tables.contains("CFF "))
        thin_cff(tables["CFF "], kept);
    else
        refuse();
    std::string& widths = tables["hmtx"];
    for (u32 i = 0; i < number(tables["hhea"], 34, 2); ++i)
        if (!kept.contains(i)) blank(widths, 4 * i, 4 * i + 4, '\0');
    tables["cmap"] = cmap_of(letters);
    return font_of(number(font, 0, 4), tables);
}

} // namespace lanescope::app
