// The code view's text without a window: tokens, line wrapping, and the effect of keys.
#include <gtest/gtest.h>

#include <GLFW/glfw3.h>

#include <random>
#include <string>

#include "app/document/values/text_lines.h"
#include "app/window/editor/text/code_sheet.h"
#include "app/window/editor/text/highlight.h"
#include "app/window/editor/text/text_edit.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::test {
namespace {

using namespace app;

// Tokens of one kind in a line.
std::vector<std::string> words(std::string_view line, const std::vector<TokenSpan>& spans,
                               TokenKind ink)
{
    std::vector<std::string> found;
    for (const TokenSpan& span : spans)
        if (span.ink == ink) found.emplace_back(line.substr(span.begin, span.end - span.begin));
    return found;
}

using Strings = std::vector<std::string>;

TEST(Highlight, TokenisesCuda)
{
    const std::string text = "extern \"C\" __global__ void k(const float* a, int n) // a, n\n"
                             "/* open\n"
                             "still */ a[threadIdx.x] = 0x1F + 1.5e-3f - 'x'; #no\n"
                             "#pragma unroll 4";
    const auto lines = lines_of(text);
    const auto inks = highlight_cuda(text);
    ASSERT_EQ(inks.size(), 4u);
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::keyword), (Strings{"extern", "const"}));
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::type), (Strings{"void", "float", "int"}));
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::cuda), (Strings{"__global__"}));
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::string), (Strings{"\"C\""}));
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::comment), (Strings{"// a, n"}));
    EXPECT_EQ(words(lines[1], inks[1], TokenKind::comment), (Strings{"/* open"}));
    EXPECT_EQ(words(lines[2], inks[2], TokenKind::comment), (Strings{"still */"}));
    EXPECT_EQ(words(lines[2], inks[2], TokenKind::cuda), (Strings{"threadIdx"}));
    EXPECT_EQ(words(lines[2], inks[2], TokenKind::number), (Strings{"0x1F", "1.5e-3f"}));
    EXPECT_EQ(words(lines[2], inks[2], TokenKind::string), (Strings{"'x'"}));
    EXPECT_EQ(words(lines[3], inks[3], TokenKind::keyword), (Strings{"#pragma"}));
    EXPECT_EQ(words(lines[3], inks[3], TokenKind::number), (Strings{"4"}));
}

TEST(Highlight, TokenisesPython)
{
    const std::string text = "@cuda.jit  # a kernel\n"
                             "def scale(x: float):\n"
                             "    \"\"\"Doubles x, if\n"
                             "    it's 3 // 2.\"\"\" + 1\n"
                             "    x[(n + 255) // 256] *= 2.5e3 if x else 'a#\\'' in y";
    const auto lines = lines_of(text);
    const auto inks = highlight_python(text);
    ASSERT_EQ(inks.size(), 5u);
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::cuda), (Strings{"cuda"}));
    EXPECT_EQ(words(lines[0], inks[0], TokenKind::comment), (Strings{"# a kernel"}));
    EXPECT_EQ(words(lines[1], inks[1], TokenKind::keyword), (Strings{"def"}));
    EXPECT_EQ(words(lines[1], inks[1], TokenKind::type), (Strings{"float"}));
    EXPECT_EQ(words(lines[2], inks[2], TokenKind::string), (Strings{"\"\"\"Doubles x, if"}));
    EXPECT_EQ(words(lines[3], inks[3], TokenKind::string), (Strings{"    it's 3 // 2.\"\"\""}));
    EXPECT_EQ(words(lines[3], inks[3], TokenKind::number), (Strings{"1"}));
    EXPECT_EQ(words(lines[4], inks[4], TokenKind::number), (Strings{"255", "256", "2.5e3"}));
    EXPECT_EQ(words(lines[4], inks[4], TokenKind::keyword), (Strings{"if", "else", "in"}));
    EXPECT_EQ(words(lines[4], inks[4], TokenKind::string), (Strings{"'a#\\''"}));
    EXPECT_TRUE(words(lines[4], inks[4], TokenKind::comment).empty());
}

TEST(Highlight, TokenisesPtx)
{
    const std::string line = "@%p1 ld.global.f32 %f1, [%rd4+16];";
    const auto inks = highlight_ptx(line);
    EXPECT_EQ(words(line, inks, TokenKind::keyword), (Strings{"ld.global.f32"}));
    EXPECT_EQ(words(line, inks, TokenKind::type), (Strings{"%p1", "%f1", "%rd4"}));
    EXPECT_EQ(words(line, inks, TokenKind::number), (Strings{"16"}));
}

// For any text and width, rows follow one another without gaps, have the whole text, and fit.
TEST(CodeSheet, WrapsEveryTextToFit)
{
    std::mt19937 random(3);
    const std::string_view bytes = "ab (,;\t\n/*\"'é#0.5e-";
    for (int i = 0; i < 400; ++i) {
        std::string text;
        for (unsigned n = random() % 300; n > 0; --n) text += bytes[random() % bytes.size()];
        CodeSheet sheet;
        sheet.show(text, text, "a.cu", nullptr);
        const int columns = 8 + static_cast<int>(random() % 60);
        sheet.lay_out(columns, 0, {});
        std::string again;
        for (const CodeRow& row : sheet.rows()) {
            const std::string_view shown = sheet.text_of(row);
            EXPECT_LE(row.indent + columns_of_text(shown), columns + 4) << text;
            again += shown;
            if (row.last && row.line + 1 < sheet.line_count()) again += '\n';
        }
        EXPECT_EQ(again, text);
    }
}

TEST(CodeSheet, SearchIgnoresCase)
{
    CodeSheet sheet;
    const std::string text = "Tile tile\nnothing\n  TILE";
    sheet.show(text, text, "a.cu", nullptr);
    const auto& found = sheet.find("tile");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[1].begin, 5u);
    EXPECT_EQ(found[2].line, 2);
    EXPECT_TRUE(sheet.find("tiles").empty());
    EXPECT_TRUE(sheet.find("").empty());
}

// A text that is edited with a caret, a clipboard and key presses.
struct Page {
    std::string text;
    Caret caret;
    std::string clipboard;

    void press(int key, int modifiers = 0, char32_t label = 0, char32_t character = 0)
    {
        const Clipboard board{[this] { return clipboard; },
                              [this](const std::string& words) { clipboard = words; }};
        const KeyEvent event{key, modifiers, false, label, character};
        ASSERT_TRUE(is_editing_key(event));
        if (auto now = edited(text, caret, event, 10, board)) text = *now;
    }
    void type(std::string_view typed)
    {
        for (const char c : typed)
            if (c == '\n')
                press(GLFW_KEY_ENTER);
            else
                press(0, 0, 0, static_cast<unsigned char>(c));
    }
};

TEST(TextEdit, TypesAndMoves)
{
    Page page;
    page.type("for (;;) {\nx");
    EXPECT_EQ(page.text, "for (;;) {\n    x");
    page.press(GLFW_KEY_HOME);
    page.type("+");
    EXPECT_EQ(page.text, "for (;;) {\n    +x");
    page.press(GLFW_KEY_UP);
    page.press(GLFW_KEY_END);
    page.press(GLFW_KEY_BACKSPACE);
    EXPECT_EQ(page.text, "for (;;) \n    +x");
    page.press(GLFW_KEY_HOME, GLFW_MOD_CONTROL);
    page.press(GLFW_KEY_RIGHT, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    page.press(GLFW_KEY_X, GLFW_MOD_CONTROL, 'x');
    EXPECT_EQ(page.clipboard, "for");
    page.press(GLFW_KEY_A, GLFW_MOD_CONTROL, 'a');
    page.press(GLFW_KEY_V, GLFW_MOD_CONTROL, 'v');
    EXPECT_EQ(page.text, "for");
    page.press(0, 0, 0, U'é');
    page.press(GLFW_KEY_LEFT);
    page.press(GLFW_KEY_LEFT);
    page.press(GLFW_KEY_DELETE);
    EXPECT_EQ(page.text, "foé");
}

TEST(TextEdit, IndentsSelection)
{
    Page page{"a\nb\n\nc", {}, {}};
    page.press(GLFW_KEY_A, GLFW_MOD_CONTROL, 'a');
    page.press(GLFW_KEY_TAB);
    EXPECT_EQ(page.text, "    a\n    b\n\n    c");
    page.press(GLFW_KEY_TAB, GLFW_MOD_SHIFT);
    EXPECT_EQ(page.text, "a\nb\n\nc");
}

TEST(TextEdit, PassesProgramKeysThrough)
{
    EXPECT_FALSE(is_editing_key({GLFW_KEY_S, GLFW_MOD_CONTROL, false, 's', 0}));
    EXPECT_FALSE(is_editing_key({GLFW_KEY_Z, GLFW_MOD_CONTROL, false, 'z', 0}));
    EXPECT_FALSE(is_editing_key({GLFW_KEY_ENTER, GLFW_MOD_CONTROL, false, 0, 0}));
    EXPECT_FALSE(is_editing_key({GLFW_KEY_F1, 0, false, 0, 0}));
    EXPECT_FALSE(is_editing_key({GLFW_KEY_ESCAPE, 0, false, 0, 0}));
}

// Random keys on any text: the caret stays between characters, and cut text can be pasted back
// unchanged.
TEST(TextEdit, SurvivesRandomKeys)
{
    std::mt19937 random(16);
    const int keys[] = {GLFW_KEY_LEFT,   GLFW_KEY_RIGHT,     GLFW_KEY_UP,      GLFW_KEY_DOWN,
                        GLFW_KEY_HOME,   GLFW_KEY_END,       GLFW_KEY_ENTER,   GLFW_KEY_TAB,
                        GLFW_KEY_DELETE, GLFW_KEY_BACKSPACE, GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN};
    Page page{
        std::string(labs::find("heat").source(labs::find_variant(labs::find("heat"), "naive"))),
        {},
        {}};
    const std::string whole = page.text;
    for (int i = 0; i < 20000; ++i) {
        const bool letter = random() % 3 == 0;
        const char32_t typed = U"aé{}\"× "[random() % 7];
        const int key = keys[random() % std::size(keys)];
        const bool control = key != GLFW_KEY_ENTER && key != GLFW_KEY_TAB && key < GLFW_KEY_DOWN;
        const int modifiers = (random() % 3 == 0 ? GLFW_MOD_SHIFT : 0) |
                              (control && random() % 4 == 0 ? GLFW_MOD_CONTROL : 0);
        if (letter)
            page.press(0, 0, 0, typed);
        else if (is_editing_key({key, modifiers, false, 0, 0}))
            page.press(key, modifiers);
        ASSERT_LE(page.caret.at, page.text.size());
        for (const std::size_t at : {page.caret.at, page.caret.anchor})
            ASSERT_FALSE(at < page.text.size() &&
                         (static_cast<unsigned char>(page.text[at]) & 0xC0U) == 0x80)
                << i;
    }
    std::string before = page.text;
    page.press(GLFW_KEY_A, GLFW_MOD_CONTROL, 'a');
    page.press(GLFW_KEY_X, GLFW_MOD_CONTROL, 'x');
    EXPECT_TRUE(page.text.empty());
    page.press(GLFW_KEY_V, GLFW_MOD_CONTROL, 'v');
    EXPECT_EQ(page.text, before);
}

TEST(TextEdit, CaretFollowsExternalChanges)
{
    Caret caret{0, 0};
    follow_change("one two three", "one 2 three", caret);
    EXPECT_EQ(caret.at, 5u);
    follow_change("one", "one", caret);
    EXPECT_EQ(caret.at, caret.anchor);
    follow_change("ab", "", caret);
    EXPECT_EQ(caret.at, 0u);
}

} // namespace
} // namespace lanescope::test
