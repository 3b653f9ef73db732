// Every command survives conversion to a script and back, and no key is bound twice.
#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "app/document/look/subject.h"
#include "app/document/script.h"
#include "app/window/input/keys.h"
#include "compute/error.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using namespace app;
using testing::HasSubstr;

template <std::size_t... index>
std::vector<ScriptLine> one_of_each(std::index_sequence<index...>)
{
    return {{static_cast<double>(index), Command::At<index>{}}...};
}

TEST(Script, CoversEveryCommand)
{
    auto lines = one_of_each(std::make_index_sequence<Command::count>());
    lines.push_back({100, SetValue{"diffusion", "0.125"}});
    lines.push_back({101, Paint{{0.25, 0.75, 0.03, true}}});
    lines.push_back({102, ShowSubject{Subject::request}});
    lines.push_back({103, Take{Taken::session}});
    lines.push_back({104, SetCapture{{4, "gif", 60, 10}}});
    const std::string text = script_to_json(lines);
    const auto read = script_from_json(text, "script.json");
    ASSERT_EQ(read.size(), lines.size());
    EXPECT_EQ(script_to_json(read), text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        EXPECT_EQ(read[i].command.index(), lines[i].command.index()) << i;
    EXPECT_EQ(read[lines.size() - 5].command.get_if<SetValue>()->text, "0.125");
    EXPECT_TRUE(read[lines.size() - 4].command.get_if<Paint>()->stroke.erase);
    std::set<std::string> words;
    for (const ScriptLine& line : lines)
        line.command.visit([&](const auto& one) { words.insert(one.word); });
    EXPECT_EQ(words.size(), Command::count) << "two commands have one word";
}

TEST(Script, ReportsMistakes)
{
    for (const char* text :
         {"", "[]", "{}", R"({"lanescope_script": 1})",
          R"({"lanescope_script": 1, "commands": [{"at": 1, "do": ["nothing"]}]})",
          R"({"lanescope_script": 1, "commands": [{"at": 1, "do": ["variant"]}]})",
          R"({"lanescope_script": 1, "commands": [{"at": "x", "do": ["undo"]}]})",
          R"({"lanescope_script": 1, "commands": [{"at": 1, "do": 7}]})"})
        EXPECT_THROW(script_from_json(text, "script.json"), Error) << text;
}

TEST(Script, RefusesNumbersBeyondEnums)
{
    const auto read = script_from_json(R"({"lanescope_script": 1, "commands": [
        {"at": 0, "do": ["show", 99]}, {"at": 0, "do": ["map_of", -1]},
        {"at": 0, "do": ["code", 1000, 0.5, "sectors"]}, {"at": 0, "do": ["take", 77]}]})",
                                       "script.json");
    ASSERT_EQ(read.size(), 4u);
    EXPECT_EQ(read[0].command.get_if<ShowSubject>()->subject,
              subject_named(subject_names().back()));
    EXPECT_EQ(read[1].command.get_if<SetMapOf>()->of, trace::Scope::all);
    EXPECT_EQ(read[2].command.get_if<PlaceCode>()->choice.place, CodePlace::last);
    EXPECT_EQ(read[3].command.get_if<Take>()->what, Taken::last);
}

TEST(Script, ReadsOldNames)
{
    const auto read = script_from_json(R"({"lanescope_script": 1, "commands": [
        {"at": 0, "do": ["go_on", -1]}, {"at": 0, "do": ["give_up"]}]})",
                                       "script.json");
    ASSERT_EQ(read.size(), 2u);
    ASSERT_TRUE(read[0].command.is<AdvanceBeat>());
    EXPECT_EQ(read[0].command.get_if<AdvanceBeat>()->by, -1);
    EXPECT_TRUE(read[1].command.is<CancelFiles>());
}

TEST(Script, RejectsNumbersOutOfRange)
{
    for (const char* command :
         {R"(["show", 1e300])", R"(["show", 4294967296])", R"(["preset", -1])",
          R"(["preset", 1.5])", R"(["line", 3000000000])", R"(["text", 1e300])",
          R"(["text", true])", R"(["paint", 1e308, 0, 0, false])", R"(["camera", 1, 2, 1e99])",
          R"(["pause", 1])", R"(["variant", 5])", R"(["at"])", R"([])", R"([5])", R"({})"}) {
        const std::string text = R"({"lanescope_script": 1, "commands": [{"at": 0, "do": )" +
                                 std::string(command) + "}]}";
        EXPECT_THROW(script_from_json(text, "script.json"), Error) << command;
    }
    EXPECT_THROW(
        script_from_json(R"({"lanescope_script": 1, "commands": [{"at": 1e999, "do": ["undo"]}]})",
                         "s"),
        Error);
}

std::string message_of(const std::function<void()>& work)
{
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Script, HasLimitedDepthAndLength)
{
    const std::string deep =
        R"({"lanescope_script": 1, "commands": [{"at": 0, "do": )" + std::string(1'000'000, '[');
    EXPECT_THAT(message_of([&] { script_from_json(deep, "deep.json"); }),
                HasSubstr("deep.json: It is nested more than 8 deep"));
    std::string many = R"({"lanescope_script": 1, "commands": [)";
    for (int i = 0; i < 1'100'000; ++i) many += "0,";
    EXPECT_THAT(message_of([&] { script_from_json(many + "0]}", "many.json"); }),
                HasSubstr("more than 1000000 values"));
    std::string objects = R"({"lanescope_script": 1, "commands": [)";
    for (int i = 0; i < 600'000; ++i) objects += "{},";
    EXPECT_THAT(message_of([&] { script_from_json(objects + "0]}", "objects.json"); }),
                HasSubstr("more than 1000000 values"));
    const std::string wide =
        R"({"lanescope_script": 1, "commands": [")" + std::string(1 << 20, 'x') + "\"]}";
    EXPECT_LT(message_of([&] { script_from_json(wide, "wide.json"); }).size(), 400u);
}

// An untrusted script may only do what a session in the same folder may do.
TEST(Script, CanDoOnlyWhatSessionsCan)
{
    const Folder folder;
    const auto refusal = [&](const Command& command) {
        std::vector<ScriptLine> lines{{1, Pause{}}, {2, command}};
        return message_of([&] { require_harmless(lines, "script.json", folder.path()); });
    };
    const std::string reported = "nothing was thrown";
    for (const Command& command :
         {Command(RunProgram{"x.cu"}), Command(RunProgramOnGpu{""}), Command(OpenLaunch{0})})
        EXPECT_THAT(refusal(command), HasSubstr("runs the host code of a program"));
    for (const Command& command :
         {Command(SaveLab{"lab"}), Command(SaveText{"victim.txt"}), Command(SaveText{}),
          Command(SaveSession{"s.json"}), Command(Take{Taken::picture}),
          Command(Take{Taken::recording}), Command(Take{Taken::session}),
          Command(Take{Taken::exhibit}), Command(SetFolder{"/tmp"})})
        EXPECT_THAT(refusal(command), HasSubstr("writes files"));
    EXPECT_THAT(refusal(SetIncludeFolders{"/etc"}), HasSubstr("reads other folders"));
    EXPECT_THAT(refusal(SetCareful{false}), HasSubstr("without validation"));
    EXPECT_EQ(refusal(SetCareful{true}), reported);
    EXPECT_EQ(refusal(Close{}), reported);
    EXPECT_EQ(refusal(EditText{"naive", "// text"}), reported);
    const std::string said = refusal(SaveText{"victim.txt"});
    EXPECT_THAT(said,
                HasSubstr("script.json: command 2, [\"save_text\",\"victim.txt\"], writes files."));
    EXPECT_THAT(said, HasSubstr("--trust-script"));
}

TEST(Script, OpensFilesBesideIt)
{
    const Folder folder;
    const Folder elsewhere;
    std::ofstream(folder / "own.cu") << "x";
    std::ofstream(elsewhere / "other.cu") << "x";
    std::filesystem::create_symlink(elsewhere / "other.cu", folder / "link.cu");
    std::filesystem::create_directory_symlink(elsewhere.path(), folder / "there");
    const auto opened = [&](const std::string& name) -> std::string {
        std::vector<ScriptLine> lines{{1, OpenFile{name}}};
        try {
            require_harmless(lines, "script.json", folder.path());
        } catch (const Error& error) {
            return error.what();
        }
        return lines.front().command.get_if<OpenFile>()->path;
    };
    const std::string own = std::filesystem::canonical(folder / "own.cu").string();
    EXPECT_EQ(opened("own.cu"), own);
    EXPECT_EQ(opened("./own.cu"), own);
    EXPECT_EQ(opened("/somewhere/else/own.cu"), own) << "as a session names what was moved with it";
    for (const std::string& name :
         {std::string("link.cu"), std::string("there/other.cu"), std::string("../x"), std::string(),
          std::string("."), std::string("/dev/zero"), std::string("/etc/passwd"),
          (elsewhere / "other.cu").string()})
        EXPECT_THAT(opened(name), HasSubstr("outside the script's own folder")) << name;
    const auto chosen = [&](const std::string& lab) {
        std::vector<ScriptLine> lines{{1, ChooseLab{lab, ""}}};
        return message_of([&] { require_harmless(lines, "script.json", folder.path()); });
    };
    EXPECT_EQ(chosen("heat"), "nothing was thrown");
    EXPECT_THAT(chosen(elsewhere.path().string()), HasSubstr("outside the script's own folder"));
    EXPECT_THAT(chosen("/etc"), HasSubstr("outside the script's own folder"));
}

TEST(Script, ReplayKeepsTimeAndWaitsForOpening)
{
    const Folder folder;
    const auto file = folder / "script.json";
    std::ofstream(file) << script_to_json(
        {{1, SetTheme{true}}, {1, ChooseLab{"rod", ""}}, {1.5, Pause{}}, {9, Undo{}}});
    ScriptPlayer player(load_script(file, false));
    EXPECT_TRUE(player.due(0.5).empty());
    EXPECT_EQ(player.due(2).size(), 2u) << "the lab is opened first";
    EXPECT_EQ(player.due(2).size(), 1u);
    EXPECT_TRUE(player.due(8).empty());
    EXPECT_EQ(player.due(9).size(), 1u);
    EXPECT_TRUE(player.due(99).empty());
}

TEST(Keys, AreUniqueAndExplained)
{
    std::set<std::string> actions;
    std::set<std::string> chords;
    std::set<std::string> stepping;
    for (const KeyRow& row : key_table()) {
        EXPECT_TRUE(actions.insert(row.action).second) << row.action;
        std::string text;
        for (std::istringstream all(row.keys); all >> text;) {
            EXPECT_TRUE(parse_chord(text)) << text;
            // The clicker's blank key has another meaning outside lectures, as have the letters
            // that answer a question while no question is open.
            const std::string_view action = row.action;
            if (action == "blank" || action.starts_with("answer")) continue;
            // Stepping mode has its own key bindings, which take precedence over the others.
            auto& known = action.starts_with("step_") ? stepping : chords;
            EXPECT_TRUE(known.insert(text).second) << text;
        }
    }
    const auto help = key_help({}, false);
    EXPECT_GE(help.size(), 25u);
    EXPECT_LE(help.size(), 60u) << "the help must fit a window";
    for (const KeyHelp& line : help) EXPECT_FALSE(line.words.empty()) << line.keys;
}

TEST(Keys, SteppingKeysApplyOnlyWhileStepping)
{
    const KeyEvent right{GLFW_KEY_RIGHT, 0, false, 0, 0};
    const KeyEvent page{GLFW_KEY_PAGE_DOWN, 0, false, 0, 0};
    const KeyEvent b{GLFW_KEY_B, 0, false, U'b', U'b'};
    const KeyEvent t{GLFW_KEY_T, 0, false, U't', U't'};
    const auto actions = [](const KeyEvent& key, const Moment& moment) {
        std::vector<std::string> all;
        for (const Pressed& one : rows_of(key, {}, moment)) all.emplace_back(one.row->action);
        return all;
    };
    using Actions = std::vector<std::string>;
    EXPECT_EQ(actions(right, {}), Actions{"right"});
    EXPECT_EQ(actions(right, {.stepping = true}), Actions{"step_line"});
    EXPECT_EQ(actions(page, {}), Actions{"next_beat"});
    EXPECT_EQ(actions(page, {.lecture = true, .stepping = true}), Actions{"step_line"});
    EXPECT_EQ(actions(b, {.stepping = true}), Actions{"step_barrier"});
    EXPECT_EQ(actions(t, {.stepping = true}), Actions{"theme"});
    for (const KeyHelp& line : key_help({}, false)) EXPECT_NE(line.keys, "W, O");
    EXPECT_TRUE(std::ranges::any_of(key_help({}, true),
                                    [](const KeyHelp& line) { return line.keys == "W, O"; }));
}

TEST(Keys, UserKeysReplaceDefaults)
{
    const KeyEvent space{GLFW_KEY_SPACE, 0, false, 0, U' '};
    const KeyEvent j{GLFW_KEY_J, 0, false, U'j', U'j'};
    ASSERT_EQ(rows_of(space, {}).size(), 1u);
    EXPECT_STREQ(rows_of(space, {}).front().row->action, "pause");
    EXPECT_TRUE(rows_of(j, {}).empty());
    const std::map<std::string, std::string> own{{"pause", "J Ctrl+K"}};
    EXPECT_TRUE(rows_of(space, own).empty());
    ASSERT_EQ(rows_of(j, own).size(), 1u);
    const auto help = key_help(own, false);
    EXPECT_TRUE(std::ranges::any_of(help, [](const KeyHelp& line) {
        return line.keys == "J, Ctrl K" && line.words == "pause, continue";
    }));
    const KeyEvent b{GLFW_KEY_B, 0, false, U'b', U'b'};
    ASSERT_EQ(rows_of(b, {}).size(), 1u);
    EXPECT_STREQ(rows_of(b, {}).front().row->action, "timings");
    const Moment projected_talk{.lecture = true, .talk = true};
    ASSERT_EQ(rows_of(b, {}, projected_talk).size(), 1u);
    EXPECT_STREQ(rows_of(b, {}, projected_talk).front().row->action, "blank");
    ASSERT_EQ(rows_of(b, {}, {.lecture = true}).size(), 1u) << "no talk";
    EXPECT_STREQ(rows_of(b, {}, {.lecture = true}).front().row->action, "timings");
    const KeyEvent dot{GLFW_KEY_PERIOD, 0, false, U'.', U'.'};
    ASSERT_EQ(rows_of(dot, {}, {.lecture = true}).size(), 1u);
    EXPECT_STREQ(rows_of(dot, {}, {.lecture = true}).front().row->action, "blank");
    EXPECT_STREQ(rows_of(dot, {}).front().row->action, "step");
    for (const bool lecture : {false, true}) {
        const auto rows = rows_of(b, {}, {.lecture = lecture, .question = true});
        ASSERT_EQ(rows.size(), 1u) << "an answer does nothing else";
        EXPECT_STREQ(rows.front().row->action, "answer");
        EXPECT_EQ(rows.front().number, 2);
    }
    const KeyEvent three{GLFW_KEY_3, 0, false, U'3', U'3'};
    ASSERT_EQ(rows_of(three, {}, {.lecture = true, .question = true}).size(), 1u);
    EXPECT_STREQ(rows_of(three, {}, {.lecture = true, .question = true}).front().row->action,
                 "variant")
        << "digits stay variants";
    EXPECT_EQ(rows_of({GLFW_KEY_4, GLFW_MOD_SHIFT, false, U'4', U'$'}, {}).front().number, 4);
    EXPECT_TRUE(rows_of({GLFW_KEY_SPACE, 0, true, 0, U' '}, {}).empty()) << "held";
}

} // namespace
} // namespace lanescope::test
