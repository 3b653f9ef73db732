// `lanescope check-lab`: tests a lab as the program's own labs are tested. Compares every variant
// at every test size with its reference, on both engines if there are two, and the counts of both
// engines; lists what a published lab should have.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/validation.h"
#include "app/document/experiment/journal.h"
#include "app/export/table.h"
#include "app/run/engine/engine.h"
#include "app/run/kernel/assumption.h"
#include "compute/cuda/compile/compiler_process.h"
#include "compute/experiment/record/record.h"
#include "compute/experiment/source/includes.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/trace.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct Outcome {
    std::string variant{};
    std::string size{}; // "size=33"
    std::string engine{};
    bool right = false;
    bool guessed = false;  // the result is wrong, but the guessed launch may be to blame
    std::string verdict{}; // "yes", "NO", "no reference", "fault, as intended"
    std::string message{};
    std::string assumed{}; // assumptions of a guessed launch
    trace::Totals totals{};
};

std::string words(const std::map<std::string, std::string>& size)
{
    std::string text;
    for (const auto& [id, value] : size)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", id, value);
    return text.empty() ? "initial values" : text;
}

// Runs three steps, checking the result after the first and the last; then counts one more launch.
Outcome try_variant(device::Device& device, Validation& validation, const labs::Lab& lab,
                    const labs::Variant& variant, const std::map<std::string, std::string>& size)
{
    Outcome outcome{.variant = variant.id,
                    .size = words(size),
                    .engine = std::string(device::name(device.engine()))};
    const auto found = [&](bool right, std::string verdict, std::string message) {
        outcome.right = right;
        outcome.verdict = std::move(verdict);
        outcome.message = std::move(message);
        return outcome;
    };
    try {
        labs::Values values(lab);
        for (const auto& [id, text] : size) values.set(id, text);
        const Refusal problem =
            validation.problem(lab, variant, {as_texts(lab, values), 7, {}}, device.engine());
        if (problem) {
            outcome.guessed = problem.status == ExitStatus::bad_usage;
            outcome.assumed = problem.assumed;
            return found(false, outcome.guessed ? "wrong guess?" : "NO", problem.sentence);
        }
        device::PlainAllocator plain(device);
        const auto experiment = lab.start({device, plain, lab, variant, values, 7, {}});
        outcome.assumed = assumption_line(assumptions(lab, variant, values, experiment->shape()));
        labs::Check check;
        for (int step = 0; step < 3; ++step) {
            experiment->step();
            if (step == 1) continue;
            check = experiment->check();
            if (!check.correct && !variant.wrong) return found(false, "NO", check.message);
        }
        trace::Trace trace;
        experiment->recount(trace);
        outcome.totals = trace.totals();
        if (!variant.fault.empty())
            return found(
                false, "NO",
                fmt::format("Expected a fault of kind {}, but none occurred.", variant.fault));
        if (variant.wrong)
            return check.correct ? found(false, "NO", "Expected a wrong result, but it is correct.")
                                 : found(true, "no, as intended", {});
        return found(true, check.message.empty() ? "yes" : check.message, {});
    } catch (const device::KernelFault& fault) {
        const bool meant = !variant.fault.empty() && fault.fault().kind == variant.fault;
        return found(meant, meant ? "fault, as intended" : "NO", meant ? "" : fault.what());
    } catch (const labs::ForbiddenInclude&) {
        throw;
    } catch (const cuda::OutsideError&) {
        throw;
    } catch (const Error& error) {
        return found(false, "NO", error.what());
    }
}

// Differences between the engines' counts; empty if equal.
std::string differences(const trace::Totals& a, const trace::Totals& b)
{
    std::string text;
    const auto compare = [&](const char* what, std::uint64_t one, std::uint64_t other) {
        if (one != other)
            text +=
                fmt::format("{}{}: simt {}, cuda {}", text.empty() ? "" : "; ", what, one, other);
    };
    const auto memory = [&](const char* what, const trace::Counts& one,
                            const trace::Counts& other) {
        compare(fmt::format("{} requests", what).c_str(), one.requests, other.requests);
        compare(fmt::format("{} sectors", what).c_str(), one.sectors, other.sectors);
        compare(fmt::format("{} wavefronts", what).c_str(), one.wavefronts, other.wavefronts);
    };
    memory("global load", a.global_load, b.global_load);
    memory("global store", a.global_store, b.global_store);
    memory("shared load", a.shared_load, b.shared_load);
    memory("shared store", a.shared_store, b.shared_store);
    compare("branches", a.branches, b.branches);
    compare("divergent branches", a.divergent_branches, b.divergent_branches);
    compare("warp instructions", a.warp_instructions, b.warp_instructions);
    compare("launches from the device", a.device_launches, b.device_launches);
    return text;
}

// One sentence for each thing that a published lab should have and this one lacks.
std::vector<std::string> missing_in(const labs::Lab& lab)
{
    std::vector<std::string> missing;
    const auto say = [&](bool lacks, const char* sentence) {
        if (lacks) missing.emplace_back(sentence);
    };
    const auto has_file = [&](const char* name) {
        try {
            return !lab.file(name).empty();
        } catch (const Error&) {
            return false;
        }
    };
    say(!has_file("lesson.md"), "lesson.md: what to look at, what to predict, and the reasons.");
    say(!has_file("beats.txt"), "beats.txt: the lesson for a clicker.");
    say(lab.test_sizes.empty(), "\"test_sizes\": sizes at which every variant must be correct, "
                                "such as 1 and one more than a block.");
    say(lab.tolerance_reason.empty(),
        "\"reason\" of \"check\": why results may differ by the tolerance.");
    say(lab.sweeps.empty(), "\"sweeps\": a parameter worth plotting.");
    say(lab.presets.empty(), "\"presets\": what the lecture shows.");
    bool compared = false;
    for (std::size_t i = 0; i < lab.variants.size(); ++i) {
        const labs::CheckPlan& check = lab.record->plans[i].check;
        compared |= check.variant.empty() || check.variant != lab.variants[i].id;
        if (lab.variants[i].idea.empty())
            missing.push_back(fmt::format("\"idea\" of the variant {}: what it does differently.",
                                          lab.variants[i].id));
    }
    say(!compared, "a reference (\"each\" or another variant): there is nothing to check the "
                   "results against.");
    return missing;
}

// Results of all variants at all sizes.
struct Findings {
    std::vector<Outcome> outcomes;
    std::vector<std::string> unequal; // variants whose counts differ between engines
    std::vector<std::string> missing;
    bool both_engines = false;

    bool right() const { return unequal.empty() && std::ranges::all_of(outcomes, &Outcome::right); }
    // True unless something is certainly wrong.
    bool may_be_correct() const
    {
        return unequal.empty() && std::ranges::all_of(outcomes, [](const Outcome& one) {
                   return one.right || one.guessed;
               });
    }
};

Findings findings_of(const Target& target, const CommonOptions& options)
{
    const labs::Lab& lab = *target.lab;
    const double limit_s = options.launch_limit_s(lab);
    const OpenedEngine simt = open_engine("simt", {.time_limit_s = limit_s});
    // Some of the faults that a record declares, such as races, are found by checks alone.
    const OpenedEngine checked =
        open_engine("simt", {.checks = simt::Checks::all(), .time_limit_s = limit_s});
    std::optional<OpenedEngine> cuda;
    try {
        cuda = open_engine("cuda");
    } catch (const device::DeviceError&) { // continue without a GPU; a note says so
    }
    std::vector<std::map<std::string, std::string>> sizes = lab.test_sizes;
    // A kernel without a record declares no test sizes.
    if (sizes.empty() || lab.variants.front().is_guessed()) sizes = {{}};
    Validation validation(options);
    Findings found;
    found.both_engines = cuda.has_value();
    std::vector<Outcome>& outcomes = found.outcomes;
    for (const labs::Variant* variant : variants_of(target))
        for (const auto& size : sizes) {
            std::optional<trace::Totals> counted;
            if (variant->runs_on(device::Engine::simt)) {
                const OpenedEngine& engine = variant->fault.empty() ? simt : checked;
                outcomes.push_back(try_variant(*engine.device, validation, lab, *variant, size));
                if (outcomes.back().right && variant->fault.empty())
                    counted = outcomes.back().totals;
            }
            if (!cuda || !variant->runs_on(device::Engine::cuda) || !variant->fault.empty())
                continue;
            outcomes.push_back(try_variant(*cuda->device, validation, lab, *variant, size));
            if (!counted || !outcomes.back().right || !variant->varies.empty()) continue;
            if (const std::string differs = differences(*counted, outcomes.back().totals);
                !differs.empty())
                found.unequal.push_back(
                    fmt::format("{} at {}: {}", variant->id, words(size), differs));
        }
    found.missing = missing_in(lab);
    return found;
}

ordered_json json_of(const Findings& found, const labs::Lab& lab)
{
    ordered_json runs = ordered_json::array();
    for (const Outcome& one : found.outcomes) {
        runs.push_back({{"variant", one.variant},
                        {"size", one.size},
                        {"engine", one.engine},
                        {"correct", one.verdict == "no reference" ? ordered_json(nullptr)
                                                                  : ordered_json(one.right)},
                        {"verdict", one.verdict}});
        if (!one.message.empty()) runs.back()["message"] = one.message;
        if (!one.assumed.empty()) runs.back()["assumed"] = one.assumed;
    }
    return {{"lab", lab.id},
            {"correct", found.right()},
            {"runs", runs},
            {"unequal_counts", found.unequal},
            {"engines", found.both_engines ? 2 : 1},
            {"missing", found.missing}};
}

void print(const Findings& found)
{
    Table table({{"variant"}, {"size"}, {"engine"}, {"correct"}});
    for (const Outcome& one : found.outcomes)
        table.add({one.variant, one.size, one.engine, one.verdict});
    fmt::print("{}\n", table.text());
    for (const Outcome& one : found.outcomes)
        if (!one.message.empty())
            fmt::print("{} at {} on {}: {}\n", one.variant, one.size, one.engine, one.message);
    for (const Outcome& one : found.outcomes)
        if (!one.assumed.empty()) fmt::print("{} on {} {}\n", one.variant, one.engine, one.assumed);
    for (const std::string& one : found.unequal) fmt::print("Counts differ: {}\n", one);
    fmt::print("{}\n",
               found.both_engines
                   ? "Checked on both engines; counts were compared."
                   : "Checked on simt only: this machine has no GPU to compare counts with.");
    for (const std::string& one : found.missing) fmt::print("Missing: {}\n", one);
}

ExitStatus check_lab(const std::string& place, bool json, const CommonOptions& options)
{
    const Target target = find_target(place);
    const Findings found = findings_of(target, options);
    if (json)
        print_json(json_of(found, *target.lab));
    else
        print(found);
    return found.right()            ? ExitStatus::done
           : found.may_be_correct() ? ExitStatus::bad_usage
                                    : ExitStatus::result_wrong;
}

} // namespace

void add_check_lab(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "check-lab", "Run a lab the way Lanescope's own tests do, and list what is missing");
    const auto place = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    const auto options = std::make_shared<CommonOptions>();
    command
        ->add_option("lab", *place,
                     "A lab, its folder, or a .cu file; LAB/VARIANT checks one variant")
        ->required();
    command->add_flag("--json", *json, "Print JSON");
    add_validation_options(*command, *options);
    add_gpu_option(*command);
    command->callback([&chosen, place, json, options] {
        chosen = [place, json, options] { return check_lab(*place, *json, *options); };
    });
}

} // namespace lanescope::app
