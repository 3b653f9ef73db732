// One function per kind of requirement: takes a run's facts, returns met or missed, and why.
#include "app/judge/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "app/judge/schema.h"
#include "compute/error.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_message_bytes = 2000;
constexpr std::size_t max_document_bytes = std::size_t{256} << 20;

struct Finding {
    bool met = true;
    bool decided = true; // false: neither met nor missed
    std::string message{};
};

Finding missed(std::string message)
{
    return {false, true, std::move(message)};
}

std::string short_text(const Json& text)
{
    return shortened(text.get<std::string>(), max_message_bytes);
}

std::string outcome_of(const Json& run)
{
    return run.at("outcome").get<std::string>();
}

Finding fault_finding(const Json& run)
{
    const std::string outcome = outcome_of(run);
    if (outcome == "finished") return {};
    return missed(short_text(run.at("message")));
}

Finding result_finding(const Json& run)
{
    if (Finding fault = fault_finding(run); !fault.met) return fault;
    if (run.at("correct").is_null())
        return {false, false, "Neither a reference nor a check defines the right result."};
    if (run.at("correct").get<bool>()) return {};
    return missed(short_text(run.at("message")));
}

Finding warning_finding(const Json& run)
{
    if (Finding fault = fault_finding(run); !fault.met) return fault;
    if (run.at("warnings").empty()) return {};
    return missed(short_text(run.at("warnings").front().at("message")));
}

Finding coverage_finding(const Json& run)
{
    if (Finding fault = fault_finding(run); !fault.met) return fault;
    if (run.at("elements").is_null())
        return {false, false, "The lab's result is not an array, so its elements are not counted."};
    const auto unwritten = run.at("unwritten").get<std::uint64_t>();
    if (unwritten == 0) return {};
    return missed(fmt::format("{} of {} elements of the result are never written.", unwritten,
                              run.at("elements").get<std::uint64_t>()));
}

// A kernel's cost gives points only if the kernel finishes and its result is not wrong.
Finding work_finding(const Json& run)
{
    if (Finding fault = fault_finding(run); !fault.met) return fault;
    if (run.at("correct") == false)
        return missed("The result is wrong, so its cost does not count.");
    return {};
}

Finding order_finding(const Json& run)
{
    if (Finding work = work_finding(run); !work.met) return work;
    if (run.at("order").empty()) return {};
    return missed(short_text(run.at("order").front()));
}

Finding count_finding(const Json& run, const Requirement& requirement)
{
    if (Finding work = work_finding(run); !work.met) return work;
    const auto value_in = [&](const char* counts) -> std::optional<double> {
        const auto found = run.at(counts).find(requirement.count);
        if (found == run.at(counts).end()) return {};
        return found->get<double>();
    };
    // A ratio whose denominator is 0, such as sectors per load in a kernel without loads, has no
    // value. It satisfies every upper limit.
    const auto value = value_in("counts");
    if (!value && !requirement.at_least) return {};
    if (!value) return missed(fmt::format("Nothing has {}.", requirement.count));
    double unit = 1;
    std::string of;
    if (requirement.relative_to_reference) {
        const auto reference = value_in("reference_counts");
        if (!reference)
            return {false, false, fmt::format("The reference has no {}.", requirement.count)};
        unit = *reference;
        of = fmt::format(" (the reference has {:g})", unit);
    }
    constexpr double slack = 1e-9; // ratios of counts are rounded
    const auto limit = [&](const char* word, double bound) {
        return missed(fmt::format("{} is {:g}; {} {:g} is required{}.", requirement.count, *value,
                                  word, bound * unit, of));
    };
    if (requirement.at_most &&
        *value > *requirement.at_most * unit + slack * std::abs(*requirement.at_most * unit))
        return limit("at most", *requirement.at_most);
    if (requirement.at_least &&
        *value < *requirement.at_least * unit - slack * std::abs(*requirement.at_least * unit))
        return limit("at least", *requirement.at_least);
    return {};
}

Finding finding_at(const Json& run, const Requirement& requirement)
{
    using enum Requirement::Kind;
    switch (requirement.kind) {
    case compiles: return {};
    case no_faults: return fault_finding(run);
    case result: return result_finding(run);
    case no_warnings: return warning_finding(run);
    case coverage: return coverage_finding(run);
    case deterministic: return order_finding(run);
    case count: return count_finding(run, requirement);
    }
    return {};
}

// A requirement is missed if it is missed at any of its sizes; reports the first such size.
Finding finding_at_all_sizes(const Json& runs, const Assignment& assignment,
                             const Requirement& requirement)
{
    if (requirement.kind == Requirement::Kind::compiles) return {};
    Finding open;
    for (const LabSize& size : assignment.sizes_of(requirement)) {
        const std::string text = size_text(size);
        const auto run = std::ranges::find_if(
            runs, [&](const Json& one) { return one.at("size").get<std::string>() == text; });
        if (run == runs.end()) return {false, false, fmt::format("It was not run at {}.", text)};
        Finding found = finding_at(*run, requirement);
        if (found.met) continue;
        if (outcome_of(*run) == "refused" && run->at("fault").is_object()) found.decided = false;
        found.message = fmt::format("At {}: {}", text, found.message);
        if (found.decided) return found;
        if (open.met) open = std::move(found);
    }
    return open;
}

Json requirement_json(const Requirement& requirement, const Finding& found)
{
    return {{"id", requirement.id},
            {"status", found.met       ? "met"
                       : found.decided ? "missed"
                                       : "undecided"},
            {"points", found.met ? requirement.points : 0.0},
            {"message", found.message}};
}

// The worst outcome at any size.
std::string verdict_of(const Json& submission)
{
    if (!submission.at("compiled").at("ok").get<bool>()) return "does_not_compile";
    const Json& runs = submission.at("runs");
    for (const char* outcome : {"fault", "stopped", "refused"})
        for (const Json& run : runs)
            if (outcome_of(run) == outcome) return outcome;
    for (const Json& run : runs)
        if (run.at("correct") == false) return "wrong_result";
    for (const Json& one : submission.at("requirements"))
        if (one.at("status") != "met") return "misses_requirements";
    return "meets_all";
}

void add_points(Json& submission)
{
    double sum = 0;
    for (const Json& one : submission.at("requirements")) sum += one.at("points").get<double>();
    submission["points"] = sum;
}

Json without_facts(const Assignment& assignment, Json submission, const std::string& verdict,
                   const std::string& problem)
{
    submission["verdict"] = verdict;
    submission["problem"] = shortened(problem, max_message_bytes);
    submission["compiled"] = nullptr;
    submission["runs"] = Json::array();
    submission["lines"] = Json::array();
    submission["requirements"] = Json::array();
    for (const Requirement& one : assignment.requirements)
        submission["requirements"].push_back(
            requirement_json(one, {false, verdict != "not_judged", problem}));
    add_points(submission);
    return submission;
}

// Describes a contradiction within a document that matches the schema; empty if there is none.
std::string contradiction_in(const Json& document)
{
    const Json& requirements = document.at("assignment").at("requirements");
    std::set<std::string> names;
    for (const Json& submission : document.at("submissions")) {
        const std::string name = submission.at("name").get<std::string>();
        if (!names.insert(name).second) return fmt::format("it has two submissions {}", name);
        const Json& findings = submission.at("requirements");
        if (findings.size() != requirements.size())
            return fmt::format("{} does not have all requirements", name);
        double sum = 0;
        for (std::size_t i = 0; i < findings.size(); ++i) {
            const double points = findings[i].at("points").get<double>();
            const bool met = findings[i].at("status") == "met";
            if (findings[i].at("id") != requirements[i].at("id"))
                return fmt::format("{} has a requirement that the assignment does not have", name);
            if (points != (met ? requirements[i].at("points").get<double>() : 0))
                return fmt::format("points and status of {} differ in {}", name,
                                   findings[i].at("id").dump());
            sum += points;
        }
        if (submission.at("points").get<double>() != sum)
            return fmt::format("the points of {} are not the sum", name);
    }
    return {};
}

} // namespace

Json submission_json(const Assignment& assignment, const Submission& found, const Json& facts,
                     const std::string& problem, bool timed_out, std::string_view sandbox)
{
    const Json start{{"name", found.name}, {"fingerprint", found.fingerprint},
                     {"verdict", ""},      {"points", 0.0},
                     {"problem", ""},      {"sandbox", sandbox}};
    if (!found.problem.empty())
        return without_facts(assignment, start, "not_accepted", found.problem);
    if (timed_out) return without_facts(assignment, start, "stopped", problem);
    if (facts.is_null()) return without_facts(assignment, start, "not_judged", problem);
    try {
        Json submission = start;
        submission["compiled"] = facts.at("compiled");
        submission["runs"] = facts.at("runs");
        submission["lines"] = facts.at("lines");
        submission["requirements"] = Json::array();
        const Json& compiled = facts.at("compiled");
        const bool ok = compiled.at("ok").get<bool>();
        for (const Requirement& one : assignment.requirements)
            submission["requirements"].push_back(requirement_json(
                one, ok ? finding_at_all_sizes(facts.at("runs"), assignment, one)
                        : missed(fmt::format("It does not compile: {}",
                                             short_text(compiled.at("message"))))));
        submission["verdict"] = verdict_of(submission);
        add_points(submission);
        const std::string invalid = schema_problem(
            judge_schema(), class_json(assignment_json(assignment), Json::array({submission})));
        if (invalid.empty()) return submission;
        return without_facts(assignment, start, "not_judged",
                             fmt::format("Its facts are invalid: {}.", invalid));
    } catch (const Json::exception& error) {
        return without_facts(assignment, start, "not_judged",
                             fmt::format("Its facts are incomplete: {}", error.what()));
    }
}

Json assignment_json(const Assignment& assignment)
{
    Json requirements = Json::array();
    for (const Requirement& one : assignment.requirements)
        requirements.push_back({{"id", one.id},
                                {"title", one.title},
                                {"kind", name(one.kind)},
                                {"points", one.points},
                                {"visibility", one.hidden ? "hidden" : "public"}});
    return {{"title", assignment.title},
            {"fingerprint", assignment.fingerprint},
            {"max_points", assignment.max_points()},
            {"requirements", requirements}};
}

Json class_json(const Json& assignment, Json submissions)
{
    std::sort(submissions.begin(), submissions.end(), [](const Json& one, const Json& other) {
        return one.at("name").get<std::string>() < other.at("name").get<std::string>();
    });
    return {{"format", judge_format},
            {"version", judge_version},
            {"assignment", assignment},
            {"submissions", std::move(submissions)}};
}

Json read_judge_document(const std::filesystem::path& path)
{
    const Json document = Json::parse(render::read_file(path, max_document_bytes), nullptr, false);
    std::string problem =
        document.is_discarded() ? "it is not JSON" : schema_problem(judge_schema(), document);
    if (problem.empty()) problem = contradiction_in(document);
    if (!problem.empty())
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} is not a document of lanescope judge: {}.", path.string(), problem),
            "Judge the submission again.");
    return document;
}

} // namespace lanescope::app
