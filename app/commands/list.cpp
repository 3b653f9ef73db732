// `lanescope list`: the labs, their variants and parameters, straight from their records.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/export/table.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

std::string_view kind_name(labs::Parameter::Kind kind)
{
    switch (kind) {
    case labs::Parameter::Kind::integer: return "integer";
    case labs::Parameter::Kind::real: return "real";
    case labs::Parameter::Kind::choice: return "choice";
    case labs::Parameter::Kind::toggle: return "toggle";
    }
    return "";
}

ordered_json as_json(const labs::Lab& lab)
{
    ordered_json variants = ordered_json::array();
    for (std::size_t rung = 0; rung < lab.variants.size(); ++rung) {
        const labs::Variant& variant = lab.variants[rung];
        variants.push_back({{"id", variant.id},
                            {"title", variant.title},
                            {"rung", rung + 1},
                            {"idea", variant.idea}});
    }
    ordered_json parameters = ordered_json::array();
    for (const labs::Parameter& parameter : lab.parameters) {
        const double max_value = parameter.choices.empty()
                                     ? parameter.max
                                     : static_cast<double>(parameter.choices.size()) - 1;
        ordered_json one = {{"id", parameter.id},           {"title", parameter.title},
                            {"unit", parameter.unit},       {"kind", kind_name(parameter.kind)},
                            {"min", parameter.min},         {"max", max_value},
                            {"default", parameter.initial}, {"help", parameter.help}};
        if (!parameter.choices.empty()) one["choices"] = parameter.choices;
        if (!parameter.variants.empty()) one["for"] = parameter.variants;
        parameters.push_back(std::move(one));
    }
    return {{"id", lab.id},
            {"title", lab.title},
            {"question", lab.question},
            {"variants", std::move(variants)},
            {"parameters", std::move(parameters)},
            {"views", lab.views}};
}

// "0.001 to 0.25", "off, on" or the named choices.
std::string range(const labs::Parameter& parameter)
{
    switch (parameter.kind) {
    case labs::Parameter::Kind::choice:
        return fmt::format("{}", fmt::join(parameter.choices, ", "));
    case labs::Parameter::Kind::toggle: return "off, on";
    default: return fmt::format("{} to {}", parameter.min, parameter.max);
    }
}

void print(const labs::Lab& lab)
{
    fmt::print("{}: {}\n  {}\n", lab.id, lab.title, lab.question);
    Table variants({{"  variant"}, {"idea"}});
    for (const labs::Variant& variant : lab.variants)
        variants.add({fmt::format("  {}/{}", lab.id, variant.id), variant.idea});
    Table parameters({{"  parameter"}, {"default"}, {"range"}, {"unit"}, {"meaning"}});
    const labs::Values initial(lab);
    for (const labs::Parameter& parameter : lab.parameters)
        parameters.add({"  " + parameter.id, initial.text(parameter.id), range(parameter),
                        parameter.unit, parameter.title});
    fmt::print("{}{}\n", variants.text(), parameters.text());
}

} // namespace

void add_list(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand("list", "List labs, variants and parameters");
    const auto json = std::make_shared<bool>(false);
    const auto record = std::make_shared<bool>(false);
    const auto target = std::make_shared<std::string>();
    command->add_option("lab", *target, "One lab alone: its name, its folder or a .cu file");
    add_compiler_options(*command);
    command->add_flag("--json", *json, "Print JSON");
    command->add_flag("--record", *record,
                      "Print the lab's lab.json; for a .cu file, the guessed one");
    command->callback([&chosen, json, record, target] {
        chosen = [json, record, target] {
            std::vector<const labs::Lab*> labs;
            if (!target->empty()) labs.push_back(find_target(*target).lab);
            if (*record && labs.empty())
                throw Error(ExitStatus::bad_usage, "--record takes one lab.",
                            "Give a lab or a .cu file.");
            if (*record) {
                const std::string_view text = labs.front()->file("lab.json");
                if (*json)
                    print_json(ordered_json::parse(text));
                else
                    fmt::print("{}", text);
                return ExitStatus::done;
            }
            if (labs.empty())
                for (const labs::Lab& lab : labs::all()) labs.push_back(&lab);
            if (*json) {
                ordered_json all = ordered_json::array();
                for (const labs::Lab* lab : labs) all.push_back(as_json(*lab));
                print_json(ordered_json{{"labs", std::move(all)}});
            } else {
                for (const labs::Lab* lab : labs) print(*lab);
            }
            return ExitStatus::done;
        };
    });
}

} // namespace lanescope::app
