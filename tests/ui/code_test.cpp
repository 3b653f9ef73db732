// The kernel's text in the window, with real keys: shown beside the picture, searched, edited,
// broken, fixed, compared and reverted.
#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=64"};

void type(Desk& desk, const std::string& text)
{
    desk.xdotool({"type", "--delay", "15", text});
}

const json& code(const json& report)
{
    return report.at("code");
}

std::string text_of(const json& report)
{
    return code(report).at("text");
}

bool shows_error(const json& report, bool quiet)
{
    for (const json& note : code(report).at("notes"))
        if (note.at("cost") == false && note.at("quiet") == quiet) return true;
    return false;
}

TEST(Code, IsShownBesidePictureAndSearched)
{
    Desk desk(small_plate);
    const json before = desk.wait_for(
        "the strip", [](const json& r) { return r.at("layout").at("code").at(2) == 0; });
    desk.key("shift+c");
    const json right = desk.wait_for("the code", [](const json& r) {
        return r.at("layout").at("code").at(2) == 640 && r.at("counted_lines") >= 3;
    });
    EXPECT_EQ(right.at("layout").at("code").at(0), 640);
    EXPECT_EQ(right.at("session").at("code").at("place"), "right");
    desk.key("shift+c");
    desk.wait_for("the code at the left", [](const json& r) {
        return r.at("layout").at("code").at(0) == 0 && r.at("layout").at("code").at(2) == 640;
    });
    desk.key("f");
    desk.wait_for("the code in a lecture", [](const json& r) {
        return r.at("session").at("lecture") == true && r.at("layout").at("code").at(2) == 640;
    });
    desk.key("Escape");
    desk.key("ctrl+f");
    desk.wait_for("the field", [](const json& r) { return code(r).at("finding") == true; });
    type(desk, "int");
    desk.fresh_report();
    desk.key("Return");
    desk.wait_for("the next", [](const json& r) { return code(r).at("match") == 1; });
    desk.xdotool({"key", "Escape", "key", "Escape"});
    desk.wait_for("no field", [](const json& r) { return code(r).at("finding") == false; });
    desk.key("c");
    desk.wait_for("the code away",
                  [](const json& r) { return r.at("layout").at("code").at(2) == 0; });
    EXPECT_EQ(desk.report().at("error"), "");
}

// Pointing at the picture highlights the line that wrote the element.
TEST(Code, HighlightsLineUnderMouse)
{
    Desk desk(small_plate);
    desk.key("shift+c");
    desk.wait_for("counts", [](const json& r) { return r.at("counted_lines") >= 3; });
    const json report = desk.report();
    const json& picture = report.at("layout").at("picture");
    desk.move(picture.at(0).get<int>() + picture.at(2).get<int>() / 2,
              picture.at(1).get<int>() + picture.at(3).get<int>() / 2);
    const json lit =
        desk.wait_for("a line", [](const json& r) { return !code(r).at("lit").empty(); });
    const std::string text = text_of(lit);
    std::size_t at = 0;
    for (int line = code(lit).at("lit").at(0); line > 1; --line) at = text.find('\n', at) + 1;
    EXPECT_NE(text.substr(at, text.find('\n', at) - at).find("next["), std::string::npos);
    desk.move(1270, 700);
    desk.wait_for("no line", [](const json& r) { return code(r).at("lit").empty(); });
}

TEST(Code, IsEditedFixedComparedAndReverted)
{
    Desk desk(small_plate);
    desk.key("shift+c");
    const json plain =
        desk.wait_for("counts", [](const json& r) { return r.at("counted_lines") >= 3; });
    const std::string original = text_of(plain);
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return code(r).at("editing") == true; });

    // Typed letters go to the text, not to the program: theme, map and pause do not change.
    desk.key("ctrl+End");
    type(desk, "// th 1");
    desk.key("Return"); // type() would send a newline as a character
    const json edited = desk.wait_for("a version", [](const json& r) {
        return r.at("variant") == "naive_edited" && code(r).at("versions") >= 2 &&
               code(r).at("newer") == false && text_of(r).ends_with("// th 1\n");
    });
    EXPECT_EQ(text_of(edited), original + "// th 1\n");
    desk.wait_for("the sentence on it", [](const json& r) {
        const auto words = code(r).at("standing").get<std::string>();
        return words.starts_with("Naive") && words.find(" is compiled and runs") != words.npos;
    });
    EXPECT_EQ(edited.at("session").at("theme"), "dark");
    EXPECT_EQ(edited.at("session").at("map"), "off");
    EXPECT_EQ(edited.at("paused"), false);

    // The error is shown at its line while the picture keeps moving.
    type(desk, "wrong");
    const json wrong =
        desk.wait_for("an error", [](const json& r) { return shows_error(r, false); });
    EXPECT_EQ(wrong.at("variant"), "naive_edited");
    EXPECT_EQ(code(wrong).at("versions"), code(edited).at("versions"));
    EXPECT_EQ(wrong.at("error"), "");
    desk.wait_for("steps", [&](const json& r) { return r.at("steps") > wrong.at("steps"); });
    for (int i = 0; i < 5; ++i) desk.key("BackSpace");
    desk.wait_for("no error", [&](const json& r) {
        return text_of(r) == original + "// th 1\n" && !shows_error(r, false) &&
               !shows_error(r, true) && code(r).at("newer") == false;
    });

    // Undo and redo also restore the text. Continuous typing is a single step, and here typing and
    // deleting may have cancelled out; then it takes one more undo to reach an older text.
    const auto until = [&](const char* keys, const char* what, auto reached) {
        for (int i = 0; i < 3 && !reached(desk.fresh_report()); ++i) desk.key(keys);
        desk.wait_for(what, reached);
    };
    until("ctrl+z", "an older text",
          [&](const json& r) { return text_of(r) != original + "// th 1\n"; });
    until("ctrl+shift+z", "the text again",
          [&](const json& r) { return text_of(r) == original + "// th 1\n"; });

    desk.key("Escape");
    desk.wait_for("no editor", [](const json& r) { return code(r).at("editing") == false; });
    desk.key("shift+a");
    desk.wait_for("A/B with the version before", [](const json& r) {
        return r.at("side_by_side") == true && r.at("session").at("compare") != "";
    });
    desk.key("a");
    desk.key("ctrl+b");
    // The line was typed in one go, so this is the original or, on a busy machine, a part of it.
    desk.wait_for("the text of before", [&](const json& r) {
        return text_of(r) != original + "// th 1\n" && text_of(r).starts_with(original);
    });
    EXPECT_EQ(desk.report().at("error"), "");
}

// An edited lab is saved as a folder, and reopening the folder restores it.
TEST(Code, IsSavedAsLabAndReopened)
{
    Desk desk(small_plate);
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return code(r).at("editing") == true; });
    desk.key("ctrl+Home");
    type(desk, "// of the lecture");
    desk.key("Return");
    const json edited = desk.wait_for("a version", [](const json& r) {
        return r.at("variant") == "naive_edited" && code(r).at("newer") == false &&
               text_of(r).starts_with("// of the lecture\n");
    });
    desk.key("ctrl+shift+s");
    desk.fresh_report();
    desk.key("Return");
    desk.wait_for_notice("heat_lab");
    Desk another({(desk.folder() / "heat_lab").string(), "--variant", "naive_edited"});
    const json opened = another.wait_for("steps of it", [](const json& r) {
        return r.at("variant") == "naive_edited" && r.at("steps") > 0;
    });
    EXPECT_EQ(text_of(opened), text_of(edited));
    EXPECT_EQ(opened.at("error"), "");
}

// A burst of a hundred keys while texts are compiled: all of them arrive in order.
TEST(Code, LosesNoKey)
{
    Desk desk(small_plate);
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return code(r).at("editing") == true; });
    desk.key("ctrl+End");
    std::string typed = "//";
    for (int i = 0; i < 100; ++i) typed += static_cast<char>('a' + i % 26);
    desk.xdotool({"type", "--delay", "2", typed});
    desk.wait_for("all of it", [&](const json& r) { return text_of(r).ends_with(typed); });
    EXPECT_EQ(desk.report().at("session").at("theme"), "dark");
}

} // namespace
} // namespace lanescope::test
