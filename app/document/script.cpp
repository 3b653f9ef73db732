// Commands as JSON arrays: their word, then their fields in order.
#include "app/document/script.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "app/document/look/subject.h"
#include "app/document/session/session_file.h"
#include "compute/error.h"
#include "compute/json_walk.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

constexpr int max_depth = 8;
constexpr std::size_t max_values = 1'000'000;

template <class Field>
ordered_json written(const Field& field)
{
    if constexpr (std::is_enum_v<Field>)
        return static_cast<int>(field);
    else
        return field;
}

// Enums are stored as numbers; values above the largest one are refused. An enum used as a field
// does not compile without `last`.
template <class Enum>
int greatest()
{
    return static_cast<int>(Enum::last);
}
template <>
int greatest<Subject>()
{
    return static_cast<int>(subject_names().size()) - 1;
}
template <>
int greatest<trace::Scope>()
{
    return static_cast<int>(trace::all_scopes.back());
}

// Reads a number that the type holds. Throws Unreadable for any other.
struct Unreadable {};

template <class Number>
void read_json_number(const ordered_json& json, Number& number)
{
    constexpr double largest = 1e30; // below the largest float
    if constexpr (std::is_floating_point_v<Number>) {
        if (!json.is_number() || !(std::abs(json.get<double>()) <= largest)) throw Unreadable();
        number = json.get<Number>();
    } else {
        if (!json.is_number_integer()) throw Unreadable();
        const bool fits = json.is_number_unsigned()
                              ? std::in_range<Number>(json.get<std::uint64_t>())
                              : std::in_range<Number>(json.get<std::int64_t>());
        if (!fits) throw Unreadable();
        number = json.get<Number>();
    }
}

template <class Field>
void read(const ordered_json& json, Field& field)
{
    if constexpr (std::is_enum_v<Field>) {
        int value = 0;
        read_json_number(json, value);
        field = static_cast<Field>(std::clamp(value, 0, greatest<Field>()));
    } else if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
        read_json_number(json, field);
    } else {
        field = json.get<Field>();
    }
}

ordered_json to_list(const Command& command)
{
    ordered_json list;
    command.visit([&](auto one) {
        list = ordered_json::array({one.word});
        std::apply([&](const auto&... field) { (list.push_back(written(field)), ...); },
                   one.fields());
    });
    return list;
}

// Current name of a command: scripts may use older words.
std::string current_command_word(const std::string& old)
{
    if (old == "go_on") return AdvanceBeat::word;
    if (old == "give_up") return CancelFiles::word;
    return old;
}

// Tries the alternatives of Command in order.
template <std::size_t index = 0>
bool read_as(const ordered_json& list, Command& command)
{
    if constexpr (index == Command::count) {
        return false;
    } else {
        Command::At<index> one;
        if (current_command_word(list.at(0).get<std::string>()) != one.word)
            return read_as<index + 1>(list, command);
        std::size_t at = 0;
        std::apply([&](auto&... field) { (read(list.at(++at), field), ...); }, one.fields());
        command = std::move(one);
        return true;
    }
}

template <class... All>
struct OneOfThese {
    template <class One>
    static constexpr bool has = (std::is_same_v<One, All> || ...);
};

// Commands that sessions may contain as well. A command in neither list does not compile.
using AsSessions =
    OneOfThese<ChooseVariant, SetValue, EditText, EditFile, SetRecordEntry, BeginVariant,
               RevertText, GoToVersion, CompareVersion, CompileNow, SetAutomaticCompiling,
               ChoosePreset, Paint, Pause, StepOnce, Restart, ChooseLab, ChooseEngine, OpenFile,
               SetView, SetMap, SetMapOf, SetMapBlend, SetMapScale, ShowSubject, ShowTree,
               ShowMemory, ShowRequest, Compare, ShowDifference, MoveDivider, Orbit, Zoom,
               ShowWholePicture, SetTheme, SetTextZoom, Lecture, AdvanceBeat, Blank, Vote, EndTalk,
               ShowCards, SizePanel, ShowTab, PlaceCode, WholeStrip, SetCapture, ChooseSweep,
               OpenLine, ShowHelp, ShowLog, StepMode, StepLaunch, ShowStepped, ToggleBreakpoint,
               ExplainElement, StopProgram, Undo, Redo, Dismiss, CancelFiles, Close>;
using NeedTrust = OneOfThese<RunProgram, RunProgramOnGpu, OpenLaunch, SetIncludeFolders, SetCareful,
                             SetFolder, SaveLab, SaveText, SaveSession, Take>;

// Why a command needs trust; empty for one that does not.
std::string danger_of(const Command& command)
{
    if (const auto* careful = command.get_if<SetCareful>())
        return careful->on ? "" : "runs kernels without validation";
    if (command.is<RunProgram>() || command.is<RunProgramOnGpu>() || command.is<OpenLaunch>())
        return "runs the host code of a program";
    if (command.is<SetIncludeFolders>()) return "reads other folders";
    bool needs_trust = false;
    command.visit([&](const auto& one) {
        using One = std::decay_t<decltype(one)>;
        static_assert(AsSessions::has<One> != NeedTrust::has<One>);
        needs_trust = NeedTrust::has<One>;
    });
    return needs_trust ? "writes files" : "";
}

[[noreturn]] void refuse_untrusted(const std::string& name, std::size_t number,
                                   const Command& command, const std::string& why)
{
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: command {}, {}, {}.", name, number,
                            shortened(to_list(command).dump(), 100), why),
                "If you trust the script, add --trust-script.");
}

bool is_open_command(const Command& command)
{
    return command.is<ChooseLab>() || command.is<Restart>() || command.is<OpenFile>() ||
           command.is<ChooseEngine>() || command.is<AdvanceBeat>() || command.is<SetValue>() ||
           command.is<ChoosePreset>() || command.is<OpenLaunch>() || command.is<Undo>() ||
           command.is<Redo>();
}

} // namespace

std::string script_to_json(const std::vector<ScriptLine>& lines)
{
    ordered_json commands = ordered_json::array();
    for (const ScriptLine& line : lines)
        commands.push_back({{"at", line.at}, {"do", to_list(line.command)}});
    return ordered_json{{"lanescope_script", 1}, {"commands", commands}}.dump(1) + "\n";
}

std::vector<ScriptLine> script_from_json(std::string_view text, const std::string& name)
{
    std::vector<ScriptLine> lines;
    const auto refuse = [&](const std::string& problem) {
        throw Error(ExitStatus::bad_usage, fmt::format("{}: {}", name, problem),
                    "A script is what `lanescope --write-script FILE` writes.");
    };
    std::size_t values = 0;
    walk_json(text, [&](int depth, const std::string*, bool) {
        if (depth > max_depth) refuse(fmt::format("It is nested more than {} deep.", max_depth));
        if (++values > max_values) refuse(fmt::format("It has more than {} values.", max_values));
    });
    // The value is discarded if the JSON is invalid, or if a number is too large for any type.
    const auto json = ordered_json::parse(text, nullptr, false);
    const ordered_json one = 1;
    if (!json.is_object() || !json.contains("commands") || !json.contains("lanescope_script") ||
        json.at("lanescope_script") != one)
        refuse("This is not a script: \"lanescope_script\": 1 or \"commands\" is missing.");
    for (const ordered_json& entry : json.at("commands")) {
        ScriptLine line;
        bool known = false;
        try {
            read_json_number(entry.at("at"), line.at);
            known = read_as(entry.at("do"), line.command);
        } catch (const ordered_json::exception&) {
            known = false;
        } catch (const Unreadable&) {
            known = false;
        }
        if (!known)
            refuse(fmt::format("Command {} is invalid: {}", lines.size() + 1,
                               shortened(entry.dump(), 200)));
        lines.push_back(std::move(line));
    }
    return lines;
}

void require_harmless(std::vector<ScriptLine>& lines, const std::string& name,
                      const std::filesystem::path& folder)
{
    const MayRead may{folder};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Command& command = lines[i].command;
        if (const std::string danger = danger_of(command); !danger.empty())
            refuse_untrusted(name, i + 1, command, danger);
        const auto refuse_place = [&] {
            refuse_untrusted(name, i + 1, command, "opens a file outside the script's own folder");
        };
        if (const auto* open = command.get_if<OpenFile>()) {
            const auto own = may.own(open->path);
            if (!own) refuse_place();
            command = OpenFile{own->string()};
        } else if (const auto* choose = command.get_if<ChooseLab>()) {
            try {
                command = ChooseLab{may.lab(choose->lab), choose->variant};
            } catch (const Error&) {
                refuse_place();
            }
        }
    }
}

std::vector<ScriptLine> load_script(const std::filesystem::path& file, bool trusted)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 26;
    std::vector<ScriptLine> lines =
        script_from_json(render::read_file(file, max_bytes), file.string());
    if (!trusted) require_harmless(lines, file.string(), file.parent_path());
    return lines;
}

Commands ScriptPlayer::due(double now)
{
    Commands commands;
    while (next_ < lines_.size() && lines_[next_].at <= now) {
        commands.push_back(lines_[next_++].command);
        if (is_open_command(commands.back())) break;
    }
    return commands;
}

void ScriptWriter::note(const Command& command, double now)
{
    if (!file_.empty()) lines_.push_back({now, command});
}

void ScriptWriter::write() const
{
    if (!file_.empty()) render::write_file(file_, script_to_json(lines_));
}

} // namespace lanescope::app
