// Contents of an exported page: font subsets that render the same letters, the files of its labs,
// and precompiled PTX, since browsers cannot compile kernels.
#include "app/export/page/page_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ft2build.h>
#include FT_FREETYPE_H

#include "app/export/page/thin_font.h"
#include "assets/package.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::test {
namespace {

TEST(Package, UnpacksItsFiles)
{
    using namespace std::string_view_literals;
    const std::vector<assets::File> files{{"a/b", "text"}, {"empty", ""}, {"zeros", "\0\n\0"sv}};
    const std::string package = assets::pack(files);
    const std::vector<assets::File> found = assets::unpack(package);
    ASSERT_EQ(found.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ(found[i].path, files[i].path);
        EXPECT_EQ(found[i].bytes, files[i].bytes);
        EXPECT_EQ(found[i].bytes.data()[found[i].bytes.size()], '\0');
    }
    for (std::size_t cut = 0; cut < package.size(); ++cut)
        EXPECT_LT(assets::unpack(std::string_view(package).substr(0, cut)).size(), files.size());
}

std::string_view font_named(std::string_view part)
{
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(part)) return file.bytes;
    return {};
}

// Rendered pixels and advance of a letter.
std::vector<int> drawn(std::string_view font, char32_t letter)
{
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    std::vector<int> picture;
    if (FT_Init_FreeType(&library) != 0) return picture;
    if (FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(font.data()),
                           static_cast<FT_Long>(font.size()), 0, &face) == 0 &&
        FT_Set_Pixel_Sizes(face, 0, 40) == 0 && FT_Load_Char(face, letter, FT_LOAD_RENDER) == 0) {
        const FT_Bitmap& bitmap = face->glyph->bitmap;
        picture = {static_cast<int>(face->glyph->advance.x), face->glyph->bitmap_left,
                   face->glyph->bitmap_top, static_cast<int>(bitmap.width)};
        picture.insert(picture.end(), bitmap.buffer,
                       bitmap.buffer + static_cast<std::size_t>(bitmap.rows) *
                                           static_cast<std::size_t>(bitmap.pitch));
    }
    FT_Done_FreeType(library);
    return picture;
}

TEST(ThinFont, LettersMatchFullFont)
{
    for (const char* name : {"fonts/Inter-Regular.", "fonts/Inter-Bold.", "fonts/JetBrainsMono-"}) {
        const std::string_view font = font_named(name);
        ASSERT_FALSE(font.empty()) << name;
        const std::string thin = app::thin_font(font);
        for (const char32_t letter : std::u32string_view(U"AgzQ09{}%&äÄßé×·→≤²µΣЖ…–"))
            EXPECT_EQ(drawn(thin, letter), drawn(font, letter))
                << name << ' ' << static_cast<unsigned>(letter);
        constexpr char32_t small_capital = 0x1d00, vietnamese = 0x1ea4;
        for (const char32_t other : {small_capital, vietnamese})
            EXPECT_EQ(drawn(thin, other), drawn(thin, 0xfffff)) << "it is left out";
    }
}

TEST(ThinFont, RefusesTruncatedFont)
{
    const std::string_view font = font_named("fonts/JetBrainsMono-");
    for (const std::size_t length : {std::size_t{0}, std::size_t{11}, font.size() / 2})
        EXPECT_THROW(app::thin_font(font.substr(0, length)), Error);
}

TEST(PageFiles, CoverShownLabs)
{
    const std::string package = app::page_files({"rod"});
    const std::vector<assets::File> files = assets::unpack(package);
    const auto has = [&](std::string_view path) {
        return std::ranges::find(files, path, &assets::File::path) != files.end();
    };
    EXPECT_TRUE(has("compute/labs/rod/naive.ptx"));
    EXPECT_TRUE(has("compute/labs/rod/lab.json"));
    EXPECT_TRUE(has("NOTICES.txt"));
    EXPECT_FALSE(has("compute/labs/heat/lab.json"));
    const std::string whole = app::site_files();
    EXPECT_LT(5 * package.size(), whole.size());
    EXPECT_NE(whole.find("compute/labs/heat/lab.json"), whole.npos);
    for (const assets::File& file : files)
        if (file.path == "assets/measurements.json") {
            EXPECT_NE(file.bytes.find("\"rod\""), file.bytes.npos);
            EXPECT_EQ(file.bytes.find("\"heat\""), file.bytes.npos);
        }
}

TEST(PageFiles, CoverAllLabsOfLecture)
{
    const auto named = app::labs_named_in("show: transpose/tile\npreset: rod | Cold\n");
    EXPECT_TRUE(named.contains("transpose"));
    EXPECT_TRUE(named.contains("rod"));
    EXPECT_FALSE(named.contains("matmul"));
}

// The page has no compiler, so the session must contain the PTX of an edited kernel.
TEST(PageSession, IncludesPtxOfEditedKernel)
{
    const auto compiler = [](std::string_view text, const std::filesystem::path&,
                             const std::filesystem::path&) {
        return labs::CompiledText("// PTX of " + std::string(text), "");
    };
    labs::compile_with(compiler);
    const labs::Lab& rod = labs::find("rod");
    const labs::Edited edited = labs::with_edited_variant(rod, "naive", "// edited");
    app::Session session;
    session.journal.start.lab = labs::open_texts(edited.texts).place;
    session.journal.start.variant = edited.variant;
    const app::Session carried = app::with_ptx(session);
    const std::string written = to_json(carried);
    session.journal.start.lab = "rod";
    EXPECT_EQ(app::with_ptx(session).journal.start.lab, "rod");

    labs::compile_with({});
    labs::clear_compiled_cache();
    const std::string ptx = "naive_edited.ptx";
    const app::Session read = app::session_from_json(written, "page");
    const labs::Lab& lab = labs::find(read.journal.start.lab);
    EXPECT_EQ(lab.file(ptx), "// PTX of // edited");
    EXPECT_EQ(lab.file("naive_edited.cu"), "// edited");

    // Another edit invalidates the PTX of the previous text.
    const labs::Edited again = labs::with_edited_variant(lab, edited.variant, "// again");
    EXPECT_FALSE(again.texts.files.contains(ptx));
    EXPECT_THROW(labs::open_texts(again.texts).file(ptx), Error);
}

} // namespace
} // namespace lanescope::test
