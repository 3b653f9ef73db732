// Commands as lists: their word, then their fields in order.
#include "app/document/script.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "app/document/subject.h"
#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

template <class Field>
ordered_json written(const Field& field)
{
    if constexpr (std::is_enum_v<Field>)
        return static_cast<int>(field);
    else
        return field;
}

// A script holds numbers for enums, and none beyond the greatest value is read. A new enum among
// the fields of a command does not compile before it says which that is.
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

template <class Field>
void read(const ordered_json& json, Field& field)
{
    if constexpr (std::is_enum_v<Field>)
        field = static_cast<Field>(std::clamp(json.get<int>(), 0, greatest<Field>()));
    else
        field = json.get<Field>();
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

// What a command is called by now: scripts have the words of their time.
std::string current_command_word(const std::string& old)
{
    if (old == "go_on") return AdvanceBeat::word;
    if (old == "give_up") return CancelFiles::word;
    return old;
}

// Tries the alternatives of Command one after the other.
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

bool opens_something(const Command& command)
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
    const ordered_json json = ordered_json::parse(text, nullptr, false);
    if (!json.is_object() || json.value("lanescope_script", 0) != 1 || !json.contains("commands"))
        refuse("This is not a script: \"lanescope_script\": 1 and \"commands\" are needed.");
    for (const ordered_json& entry : json.at("commands")) {
        ScriptLine line;
        bool known = false;
        try {
            line.at = entry.at("at").get<double>();
            known = read_as(entry.at("do"), line.command);
        } catch (const ordered_json::exception&) {
            known = false;
        }
        if (!known)
            refuse(fmt::format("Command {} is invalid: {}", lines.size() + 1, entry.dump()));
        lines.push_back(std::move(line));
    }
    return lines;
}

ScriptPlayer::ScriptPlayer(const std::string& file)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 26;
    if (!file.empty()) lines_ = script_from_json(render::read_file(file, max_bytes), file);
}

Commands ScriptPlayer::due(double now)
{
    Commands commands;
    while (next_ < lines_.size() && lines_[next_].at <= now) {
        commands.push_back(lines_[next_++].command);
        if (opens_something(commands.back())) break;
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
