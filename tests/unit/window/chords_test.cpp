// Keys follow the printed label on every layout; digits follow the physical position.
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "app/window/input/events/chords.h"
#include "compute/error.h"

namespace lanescope::test {
namespace {

using app::KeyEvent;

bool matches(const char* chord, const KeyEvent& event)
{
    const auto parsed = app::parse_chord(chord);
    EXPECT_TRUE(parsed) << chord;
    return parsed && app::matches(*parsed, event);
}

constexpr int shift = GLFW_MOD_SHIFT;
constexpr int ctrl = GLFW_MOD_CONTROL;

TEST(Chords, LettersFollowLabels)
{
    const KeyEvent german_z{GLFW_KEY_Y, 0, false, U'z', U'z'};
    EXPECT_TRUE(matches("Z", german_z));
    EXPECT_FALSE(matches("Y", german_z));
    EXPECT_TRUE(matches("Ctrl+Z", {GLFW_KEY_Y, ctrl, false, U'z', 0}));
    EXPECT_FALSE(matches("Z", {GLFW_KEY_Y, ctrl, false, U'z', 0}));
    EXPECT_TRUE(matches("Shift+S", {GLFW_KEY_S, shift, false, U's', U'S'}));
    EXPECT_FALSE(matches("S", {GLFW_KEY_S, shift, false, U's', U'S'}));
    // French: A is where Q is on American keyboards, and M is beside L.
    EXPECT_TRUE(matches("A", {GLFW_KEY_Q, 0, false, U'a', U'a'}));
    EXPECT_TRUE(matches("M", {GLFW_KEY_SEMICOLON, 0, false, U'm', U'm'}));
    // Russian: keys have no Latin letters.
    EXPECT_TRUE(matches("F", {GLFW_KEY_F, 0, false, U'а', U'а'}));
}

TEST(Chords, SymbolsFollowProducedCharacter)
{
    EXPECT_TRUE(matches("?", {GLFW_KEY_SLASH, shift, false, U'/', U'?'}));     // American
    EXPECT_TRUE(matches("?", {GLFW_KEY_MINUS, shift, false, U'ß', U'?'}));     // German
    EXPECT_TRUE(matches("?", {GLFW_KEY_M, shift, false, U',', U'?'}));         // French
    EXPECT_TRUE(matches("+", {GLFW_KEY_EQUAL, shift, false, U'=', U'+'}));     // American
    EXPECT_TRUE(matches("+", {GLFW_KEY_RIGHT_BRACKET, 0, false, U'+', U'+'})); // German
    EXPECT_TRUE(matches("+", {GLFW_KEY_KP_ADD, 0, false, U'+', U'+'}));
    EXPECT_TRUE(matches("Ctrl++", {GLFW_KEY_RIGHT_BRACKET, ctrl, false, U'+', U'+'}));
    EXPECT_TRUE(matches("Ctrl++", {GLFW_KEY_EQUAL, ctrl | shift, false, U'=', U'+'}));
    EXPECT_FALSE(matches("+", {GLFW_KEY_EQUAL, ctrl | shift, false, U'=', U'+'}));
    EXPECT_FALSE(matches("?", {GLFW_KEY_MINUS, 0, false, U'ß', U'ß'}));
    EXPECT_TRUE(matches("[", {GLFW_KEY_8, 0, false, U'8', U'['})) << "German, with AltGr";
    EXPECT_FALSE(matches("8", {GLFW_KEY_8, 0, false, U'8', U'['}));
}

TEST(Chords, DigitsFollowPosition)
{
    EXPECT_TRUE(matches("1", {GLFW_KEY_1, 0, false, U'1', U'1'}));
    EXPECT_TRUE(matches("6", {GLFW_KEY_6, 0, false, U'-', U'-'})) << "French";
    EXPECT_FALSE(matches("-", {GLFW_KEY_6, 0, false, U'-', U'-'}));
    EXPECT_TRUE(matches("Ctrl+-", {GLFW_KEY_6, ctrl, false, U'-', U'-'}));
    EXPECT_TRUE(matches("Shift+7", {GLFW_KEY_7, shift, false, U'7', U'/'})) << "German";
    EXPECT_TRUE(matches("3", {GLFW_KEY_KP_3, 0, false, U'3', U'3'}));
    EXPECT_FALSE(matches("3", {GLFW_KEY_3, shift, false, U'3', U'#'}));
}

TEST(Chords, NamedKeys)
{
    EXPECT_TRUE(matches("Ctrl+PageDown", {GLFW_KEY_PAGE_DOWN, ctrl}));
    EXPECT_FALSE(matches("PageDown", {GLFW_KEY_PAGE_DOWN, ctrl}));
    EXPECT_TRUE(matches("Space", {GLFW_KEY_SPACE, 0, false, 0, U' '}));
    EXPECT_TRUE(matches("Shift+F6", {GLFW_KEY_F6, shift}));
    EXPECT_TRUE(matches("F12", {GLFW_KEY_F12, 0}));
    for (const char* wrong : {"", "Banana", "F0", "F13", "Ctrl+", "Hyper+A", "ab"})
        EXPECT_FALSE(app::parse_chord(wrong)) << wrong;
    EXPECT_EQ(app::words_of("Ctrl+Shift+Left"), "Ctrl Shift ←");
}

TEST(Chords, UserFileAcceptsOldNames)
{
    const auto keys = app::keys_from_json(
        R"({"lanescope_keys": 1, "keys": {"go_on": "N", "give_up": "X", "mend": "Q"}})",
        "keys.json", {"next_beat", "previous_beat", "cancel_video", "fix"});
    const std::map<std::string, std::string> today{
        {"next_beat", "N"}, {"cancel_video", "X"}, {"fix", "Q"}};
    EXPECT_EQ(keys, today);
}

TEST(Chords, UserFileReportsMistakes)
{
    const std::vector<std::string> actions{"pause", "picture", "help"};
    const auto keys =
        app::keys_from_json(R"({"lanescope_keys": 1, "keys": {"pause": "Space P", "help": "?"}})",
                            "keys.json", actions);
    EXPECT_EQ(keys.at("pause"), "Space P");
    const auto problem = [&](const char* text) {
        try {
            app::keys_from_json(text, "keys.json", actions);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(problem("{\"lanescope_keys\": 1,\n\"keys\": {\"pause\": \"Banana\"}}")
                  .find("keys.json, line 2"),
              std::string::npos);
    EXPECT_NE(problem("{}").find("lanescope_keys"), std::string::npos);
    const std::string unknown =
        problem("{\"lanescope_keys\": 1,\n\"keys\": {\"help\": \"?\",\n\"puase\": \"P\"}}");
    for (const char* words : {"keys.json, line 3", "no action \"puase\"", "pause, picture."})
        EXPECT_NE(unknown.find(words), std::string::npos) << unknown;
}

} // namespace
} // namespace lanescope::test
