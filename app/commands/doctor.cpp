// `lanescope doctor`: prints the results of diagnose(), as text or as JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/measure/doctor/diagnosis.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const render::SharingChoice& sharing)
{
    return {{"path", name(sharing.path)}, {"explanation", sharing.explanation}};
}

ordered_json as_json(const DrawingRoute& route)
{
    ordered_json json;
    if (route.context) {
        json["vendor"] = route.context->vendor;
        json["renderer"] = route.context->renderer;
        json["version"] = route.context->version;
        json["route"] = route.context->route;
        json["software"] = route.context->software;
        json["sharing"] = as_json(route.sharing);
    }
    json["problem"] = route.problem;
    return json;
}

ordered_json as_json(const KnownWalls& walls)
{
    const std::string missing = missing_walls(walls);
    return {{"complete", missing.empty()},
            {"landlock_version", walls.landlock_version},
            {"seccomp", walls.seccomp},
            {"file_view", walls.file_view},
            {"limits", true},
            {"missing", missing}};
}

// "Landlock (version 7), seccomp, limits".
std::string known_walls_text(const KnownWalls& walls)
{
    std::string words;
    if (walls.landlock_version > 0)
        words += fmt::format("Landlock (version {}), ", walls.landlock_version);
    if (walls.seccomp) words += "seccomp, ";
    if (walls.file_view) words += "file view, ";
    return words + "limits";
}

ordered_json as_json(const Diagnosis& found)
{
    ordered_json versions = ordered_json::object();
    for (const auto& [what, version] : found.versions)
        versions[what] = version.empty() ? ordered_json(nullptr) : ordered_json(version);
    ordered_json abilities = ordered_json::array();
    for (const Ability& ability : found.abilities)
        abilities.push_back(
            {{"what", ability.what}, {"works", ability.works}, {"why_not", ability.why_not}});
    ordered_json checks = ordered_json::array();
    for (const SharingCheck& check : found.sharing_checks)
        checks.push_back({{"id", check.id},
                          {"title", check.title},
                          {"state", name(check.state)},
                          {"finding", check.finding},
                          {"evidence", check.evidence},
                          {"cure", check.cure}});
    const DrawingRoute& shown = found.window.context ? found.window : found.offscreen;
    return {{"engine", found.engine},
            {"device", found.device},
            {"cuda",
             {{"available", found.gpu.available},
              {"reason", found.gpu.reason},
              {"cure", found.gpu.cure}}},
            {"offscreen", as_json(found.offscreen)},
            {"window", as_json(found.window)},
            {"sharing", as_json(shown.sharing)},
            {"versions", std::move(versions)},
            {"walls", as_json(found.walls)},
            {"abilities", std::move(abilities)},
            {"sharing_checks", std::move(checks)},
            {"advice", found.advice}};
}

void print(std::string_view title, const DrawingRoute& route)
{
    if (!route.context) {
        fmt::print("{:<18}no: {}\n", title, route.problem);
        return;
    }
    fmt::print("{:<18}{} ({}), OpenGL {}\n", title, route.context->renderer, route.context->route,
               route.context->version);
    fmt::print("{:<18}{}: {}\n", "  sharing", name(route.sharing.path), route.sharing.explanation);
    if (!route.problem.empty()) fmt::print("{:<18}{}\n", "  note", route.problem);
}

void print(const SharingCheck& check)
{
    const auto mark = [&] {
        switch (check.state) {
        case SharingCheck::State::fine: return "✓";
        case SharingCheck::State::problem: return "✗";
        case SharingCheck::State::limit: return "•";
        case SharingCheck::State::unknown: break;
        }
        return "?";
    };
    fmt::print("{} {}: {}\n    Checked: {}.\n", mark(), check.title, check.finding, check.evidence);
    if (!check.cure.empty()) fmt::print("    → {}\n", check.cure);
}

void print(const Diagnosis& found)
{
    fmt::print("{:<18}{}\n", "CUDA", found.gpu.reason);
    fmt::print("{:<18}{} ({})\n", "Engine (auto)", found.engine, found.device);
    print("OpenGL offscreen", found.offscreen);
    print("OpenGL window", found.window);
    for (const auto& [what, version] : found.versions)
        fmt::print("{:<32}{}\n", what, version.empty() ? "not found" : version);
    fmt::print("{:<32}{}\n", "Compiler sandbox", known_walls_text(found.walls));
    for (const Ability& ability : found.abilities)
        fmt::print("{} {}{}{}\n", ability.works ? "✓" : "✗", ability.what,
                   ability.works ? "" : ": ", ability.why_not);
    fmt::print("Memory shared with OpenGL, in this and other programs:\n");
    for (const SharingCheck& check : found.sharing_checks) print(check);
    if (found.advice.empty()) fmt::print("Nothing to improve.\n");
    for (const std::string& sentence : found.advice) fmt::print("→ {}\n", sentence);
}

} // namespace

void add_doctor(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "doctor",
        "Show the GPU used for computing, the OpenGL renderer, whether they share memory, and how "
        "to fix problems");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print JSON");
    command->callback([&chosen, json] {
        chosen = [json] {
            const Diagnosis found = diagnose();
            if (*json)
                print_json(as_json(found));
            else
                print(found);
            return ExitStatus::done;
        };
    });
}

} // namespace lanescope::app
