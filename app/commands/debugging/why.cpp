// `lanescope why`: which lane wrote an element of a result, when, and from which values.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/measure/per_step.h"
#include "app/run/debug/why.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

struct WhyOptions {
    CommonOptions common;
    std::string target;
    std::string at;
    std::string buffer;
    std::optional<std::int64_t> index;
    int element_bytes = 4;
    std::string text;
    std::string reference;
    int depth = 12;
    bool first_wrong = false;
    bool json = false;
};

std::pair<std::int64_t, std::int64_t> column_and_row(const std::string& text)
{
    std::int64_t x = 0;
    std::int64_t y = 0;
    const char* const end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, x);
    if (error == std::errc() && stop == end) return {x, 0};
    if (error == std::errc() && *stop == ',') {
        const auto [last, wrong] = std::from_chars(stop + 1, end, y);
        if (wrong == std::errc() && last == end) return {x, y};
    }
    throw Error(ExitStatus::bad_usage, fmt::format("\"--at {}\" is not an element.", text),
                "Write it as --at COLUMN,ROW; row 0 is at the bottom of the picture.");
}

nlohmann::ordered_json tree_json(const WhyTree& tree)
{
    nlohmann::ordered_json json;
    json["place"] = tree.place;
    json["complete"] = tree.complete;
    json["operations"] = tree.operations;
    if (!tree.problem.empty()) json["problem"] = tree.problem;
    json["nodes"] = nlohmann::ordered_json::array();
    for (const WhyNode& node : tree.nodes) {
        nlohmann::ordered_json one{{"value", node.value}, {"words", node.words}};
        if (!node.via.empty()) one["via"] = node.via;
        if (node.line > 0) one["line"] = node.line;
        if (!node.written.empty()) one["written"] = node.written;
        if (!node.is_leaf || node.has_place) {
            one["operation"] = node.operation;
            one["launch"] = node.launch;
            one["position"] = node.position;
            one["block"] = node.block;
            one["warp"] = node.warp;
            one["lane"] = node.lane;
            one["children"] = node.children;
            if (node.left_out > 0) one["left_out"] = node.left_out;
        }
        json["nodes"].push_back(std::move(one));
    }
    return json;
}

// The correct counterpart of a faulty variant; null if there is none.
const labs::Variant* correct_variant(const WhyOptions& options, const Target& target)
{
    const labs::Variant& asked = *target.variant;
    if (!options.reference.empty()) return &labs::find_variant(*target.lab, options.reference);
    if (!asked.edited.empty()) return target.lab->find_variant(asked.edited);
    const auto* fixed = target.lab->counterpart(asked);
    return fixed != nullptr && !fixed->wrong ? fixed : nullptr;
}

// An element of the result or of a buffer, with its name.
struct NamedPlace {
    simt::Place place;
    std::string name;
};

NamedPlace result_element(const Explainer& explainer, std::int64_t x, std::int64_t y)
{
    return {explainer.element(x, y), fmt::format("column {}, row {}", x, y)};
}

// The element to explain. If none was named, it is the first one that differs from the reference;
// empty if none differs.
std::optional<NamedPlace> place_of(const WhyOptions& options, Explainer& explainer,
                                   Explainer* reference)
{
    if (!options.buffer.empty()) {
        const std::int64_t index = options.index.value_or(0);
        return NamedPlace{explainer.element_of(options.buffer, index, options.element_bytes),
                          fmt::format("{}[{}]", options.buffer, index)};
    }
    if (!options.at.empty()) {
        const auto [x, y] = column_and_row(options.at);
        return result_element(explainer, x, y);
    }
    if (reference == nullptr)
        throw Error(ExitStatus::bad_usage, "No element was given.",
                    "Add --at COLUMN,ROW, or --buffer NAME --index N.");
    const auto wrong = explainer.first_difference(*reference);
    if (!wrong) return std::nullopt;
    return result_element(explainer, wrong->first, wrong->second);
}

nlohmann::ordered_json first_wrong_json(const FirstWrong& wrong, const std::string& place)
{
    nlohmann::ordered_json json{{"place", place}, {"complete", wrong.complete}};
    if (wrong.line == 0)
        json["first_wrong"] = nullptr;
    else
        json["first_wrong"] = {{"line", wrong.line},         {"source", wrong.source},
                               {"sentence", wrong.sentence}, {"launch", wrong.launch},
                               {"position", wrong.position}, {"block", wrong.block},
                               {"warp", wrong.warp},         {"lane", wrong.lane}};
    return json;
}

void print_first_wrong(const FirstWrong& wrong, const std::string& place, bool with_reference)
{
    if (wrong.line == 0 && !wrong.complete)
        fmt::print("{}: its history is too long to follow. Choose a smaller size.\n", place);
    else if (wrong.line == 0)
        fmt::print("{}: every intermediate value agrees with double precision{}.\n", place,
                   with_reference ? " and with the reference" : "");
    else
        fmt::print(
            "{}: line {}: {}\n  {}\n  lane {} of warp {}, block {}, position {} of launch {}\n",
            place, wrong.line, printable(wrong.source), printable(wrong.sentence), wrong.lane,
            wrong.warp, wrong.block, wrong.position, wrong.launch);
}

ExitStatus why_command(const WhyOptions& options)
{
    if (options.common.device == "cuda")
        throw Error(ExitStatus::bad_usage,
                    "Results are explained by the lockstep machine, not by a GPU.",
                    "Leave --device out.");
    Target target = find_target(options.target);
    if (!target.variant) target.variant = &target.lab->variants.front();
    // In the text as written each value has its own line; optimised code shares lines.
    const bool written = options.text.empty() ? options.first_wrong : options.text == "written";
    const DebugStart start{.lab = target.lab,
                           .variant = target.variant,
                           .values = values_from(*target.lab, options.common.assignments),
                           .seed = options.common.seed,
                           .image = options.common.image,
                           .launches_before =
                               launches_for(*target.variant, options.common.steps.value_or(0)),
                           .text = written ? SteppedText::as_written : SteppedText::as_optimised,
                           .checks = options.first_wrong,
                           .time_limit_s = options.common.time_limit_s.value_or(20)};
    Explainer explainer(start);
    std::unique_ptr<Explainer> reference;
    if (options.first_wrong)
        if (const labs::Variant* right = correct_variant(options, target);
            right != nullptr && right != target.variant) {
            DebugStart other = start;
            other.variant = right;
            reference = std::make_unique<Explainer>(other);
        }

    const auto place = place_of(options, explainer, reference.get());
    if (!place) {
        if (options.json)
            print_json({{"first_wrong", nullptr}});
        else
            fmt::print("The result matches the reference.\n");
    } else if (options.first_wrong) {
        const FirstWrong wrong = explainer.first_wrong(place->place, reference.get());
        if (options.json)
            print_json(first_wrong_json(wrong, place->name));
        else
            print_first_wrong(wrong, place->name, reference != nullptr);
    } else {
        WhyTree tree = explainer.tree(place->place);
        tree.place = place->name;
        if (options.json)
            print_json(tree_json(tree));
        else
            fmt::print("{} is {}\n{}", place->name, tree.nodes.front().value,
                       printable(tree_text(tree, options.depth)));
    }
    return ExitStatus::done;
}

} // namespace

void add_why(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "why", "Show which lane wrote an element of a result, when, and from which values");
    const auto options = std::make_shared<WhyOptions>();
    command
        ->add_option("target", options->target,
                     "LAB/VARIANT (LAB alone: its first variant), or a lab's folder or your own "
                     ".cu file instead of LAB")
        ->required();
    add_common_options(*command, options->common);
    command->get_option("--steps")->description("Steps to run before the one to explain");
    CLI::Option* at = command->add_option(
        "--at", options->at, "COLUMN,ROW of the result; row 0 is at the bottom of the picture");
    CLI::Option* buffer = command
                              ->add_option("--buffer", options->buffer,
                                           "The name of a buffer to explain instead of the result")
                              ->excludes(at);
    command->add_option("--index", options->index, "Index of the element in the buffer")
        ->needs(buffer);
    command
        ->add_option("--element-bytes", options->element_bytes, "Bytes per element of the buffer")
        ->check(CLI::IsMember({1, 2, 4, 8}));
    command
        ->add_option("--text", options->text,
                     "optimised: what runs and is counted; written: compiled with -G, the default "
                     "of --first-wrong")
        ->check(CLI::IsMember({"written", "optimised"}));
    command->add_option("--depth", options->depth, "Number of levels of the tree to print")
        ->check(CLI::PositiveNumber);
    CLI::Option* wrong = command->add_flag(
        "--first-wrong", options->first_wrong,
        "Find the earliest operation whose value differs from double precision, or from what a "
        "correct variant computes; without --at, for the first element that differs");
    command->add_option("--reference", options->reference, "The correct variant, for --first-wrong")
        ->needs(wrong);
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([&chosen, options] { chosen = [options] { return why_command(*options); }; });
}

} // namespace lanescope::app
