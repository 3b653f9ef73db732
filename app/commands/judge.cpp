// `lanescope judge`: judges submissions for an assignment, each in a sandbox, and writes documents,
// pages and a table for the class.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/judge/class.h"
#include "app/judge/reports.h"
#include "app/judge/schema.h"
#include "compute/process/end_request.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct JudgeOptions {
    std::vector<std::string> files; // the assignment and its submissions, or folders to merge
    std::string folder = "judged";
    std::string shard = "1/1";
    std::string gradescope;
    int jobs = 0;
    bool merge = false;
    bool again = false;
    bool show_hidden = false;
    bool no_sandbox = false;
    bool report_only = false;
    bool json = false;
};

Sandbox sandbox_for(bool none)
{
    if (none) return Sandbox::none;
    const Sandbox best = best_sandbox();
    if (best == Sandbox::none)
        throw Error(
            ExitStatus::device_unavailable,
            "This machine has no sandbox for submissions: bubblewrap does not work, and its "
            "kernel has no Landlock.",
            "Install bubblewrap, or pass --no-sandbox if you trust all submissions.");
    return best;
}

void print_progress(const ordered_json& submission, bool before)
{
    fmt::print(stderr, "{}: {}{}\n", printable(submission.at("name").get<std::string>()),
               verdict_words(submission.at("verdict").get<std::string>()),
               before ? " (judged before)" : "");
}

ordered_json judged_class(const JudgeOptions& options, ClassOptions how)
{
    if (options.files.size() < 2)
        throw Error(ExitStatus::bad_usage, "There is nothing to judge.",
                    "Name the assignment's JSON file, then submissions or their folder.");
    how.sandbox = sandbox_for(options.no_sandbox);
    const Assignment assignment = read_assignment(options.files.front());
    const auto submissions = find_submissions({options.files.begin() + 1, options.files.end()},
                                              open_judged_lab(assignment).file);
    if (!options.gradescope.empty() && submissions.size() != 1)
        throw Error(ExitStatus::bad_usage, "--gradescope is for a single submission.",
                    "Name one submission.");
    note_end_requests();
    const auto begin = std::chrono::steady_clock::now();
    const ordered_json document = judge_class(assignment, submissions, how);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const std::size_t count = document.at("submissions").size();
    fmt::print(stderr, "{} submission{} in {:.1f} s; sandbox: {}.\n", count, count == 1 ? "" : "s",
               taken.count(), name(how.sandbox));
    return document;
}

ExitStatus judge(const JudgeOptions& options)
{
    ClassOptions how{.folder = options.folder,
                     .shard = read_shard(options.shard),
                     .jobs = options.jobs,
                     .again = options.again,
                     .hidden = options.show_hidden,
                     .progress = print_progress};
    const ordered_json document =
        options.merge ? merge_shards({options.files.begin(), options.files.end()}, how)
                      : judged_class(options, how);
    if (end_request() != 0) {
        fmt::print(stderr, "Interrupted. Run the same command again to continue.\n");
        return ExitStatus::time_limit;
    }
    if (!options.gradescope.empty())
        render::write_file(options.gradescope, gradescope_json(document).dump(1) + '\n');
    if (options.json)
        print_json(document);
    else
        fmt::print("{}", class_text(document));
    const bool all = std::ranges::all_of(document.at("submissions"), [](const ordered_json& one) {
        return one.at("verdict") == "meets_all";
    });
    return all || options.report_only ? ExitStatus::done : ExitStatus::result_wrong;
}

} // namespace

void add_judge(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "judge", "Judge submissions for an assignment: results, faults, coverage and counts, with "
                 "points");
    const auto options = std::make_shared<JudgeOptions>();
    command
        ->add_option(
            "files", options->files,
            "The assignment's JSON file, then submissions: a .cu file, a folder, or a folder of "
            "these; with --merge the folders that shards were written to")
        ->required();
    command
        ->add_option("-o", options->folder,
                     "The folder for results, pages and the class's table; existing results are "
                     "kept")
        ->capture_default_str();
    command
        ->add_option("--jobs", options->jobs,
                     "Submissions to judge at a time (default: one per core)")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--shard", options->shard,
                     "I/N: judge only part I of N, for the jobs of a cluster")
        ->capture_default_str();
    command->add_flag("--merge", options->merge, "Merge the results of shards");
    command->add_flag("--again", options->again,
                      "Also judge submissions that already have a result");
    command
        ->add_option("--gradescope", options->gradescope,
                     "Also write the results.json of Gradescope, for one submission")
        ->excludes("--merge");
    command->add_flag("--show-hidden", options->show_hidden,
                      "Show hidden requirements in pages and junit.xml");
    command->add_flag("--no-sandbox", options->no_sandbox,
                      "Judge without a sandbox, if you trust all submissions");
    command->add_flag("--report-only", options->report_only,
                      "Exit with status 0 even if a submission misses a requirement");
    command->add_flag("--json", options->json, "Print the document as JSON");
    command->callback([&chosen, options] { chosen = [options] { return judge(*options); }; });
}

} // namespace lanescope::app
