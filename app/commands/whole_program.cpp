// `lanescope program`: runs a CUDA program with its main() on the lockstep machine or a GPU, and
// reports what it did.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/predicted_launches.h"
#include "app/commands/shared/predicted_timeline.h"
#include "app/commands/shared/sampling.h"
#include "app/run/editing/compiling.h"
#include "app/run/program/program_json.h"
#include "app/run/program/program_run.h"
#include "compute/counting/gpus.h"
#include "compute/device/kernel_names.h"
#include "compute/numbers.h"
#include "compute/process/end_request.h"
#include "compute/text.h"
#include "compute/trace/findings.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct WholeProgramOptions {
    std::vector<std::string> files;
    std::vector<std::string> arguments;
    std::vector<std::string> suppressed;
    std::string only;
    std::string device = "simt";
    bool module = false;
    bool quick = false;
    SampleChoice sample;
    bool json = false;
    bool time = false; // predict it
    int devices = 1;
    double time_limit_s = 300;
    double launch_limit_s = 60;
    std::uint64_t memory_mib = 0;
    std::uint64_t file_mib = 1024;
    std::string keep;
    std::uint64_t keep_mib = 512;
    int keep_launch = -1;
};

// Pattern "KIND" or "KIND:WHERE", with WHERE a kernel, a file, or FILE:LINE; KIND may be *.
bool is_suppressed(const ProgramFinding& finding, const std::string& pattern)
{
    const std::size_t colon = pattern.find(':');
    const std::string kind = pattern.substr(0, colon);
    if (kind != "*" && kind != finding.kind) return false;
    if (colon == pattern.npos) return true;
    const std::string where = pattern.substr(colon + 1);
    const std::string file = std::filesystem::path(finding.file).filename().string();
    return where == finding.kernel || where == finding.file || where == file ||
           where == fmt::format("{}:{}", file, finding.line) ||
           where == fmt::format("{}:{}", finding.file, finding.line);
}

void check_suppressed(const std::vector<std::string>& patterns)
{
    for (const std::string& pattern : patterns) {
        const std::string kind = pattern.substr(0, pattern.find(':'));
        if (kind == "*" || trace::find_finding(kind) != trace::finding_rows.size()) continue;
        std::set<std::string_view> kinds;
        for (const trace::FindingRow& row : trace::finding_rows) kinds.insert(row.name);
        throw Error(ExitStatus::bad_usage,
                    fmt::format("There is no kind of finding called {}.", kind),
                    fmt::format("Use one of these, or *: {}.", fmt::join(kinds, ", ")));
    }
}

// Throws if the program launched kernels, but not the one that `only` names.
void check_only(const std::string& only, const std::vector<ProgramLaunch>& launches)
{
    if (only.empty() || launches.empty()) return;
    std::set<std::string> names;
    for (const ProgramLaunch& launch : launches) {
        if (!device::meant({launch.symbol}, only).empty()) return;
        names.insert(launch.kernel);
    }
    throw Error(ExitStatus::no_such_thing, fmt::format("The program launched no kernel {}.", only),
                fmt::format("It launched: {}.", fmt::join(names, ", ")));
}

std::string size_text(const Dim3& size)
{
    if (size.y == 1 && size.z == 1) return fmt::format("{}", size.x);
    if (size.z == 1) return fmt::format("{} x {}", size.x, size.y);
    return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

struct Row {
    std::size_t count = 0;
    std::uint64_t instructions = 0, sectors = 0;
    double ms = 0;
    std::size_t timed = 0; // number of launches timed on a GPU
    bool child = false;
    const ProgramLaunch* first = nullptr;
};

// Launches that differ only in counts and times share a row.
std::vector<Row> rows_of(const std::vector<ProgramLaunch>& launches)
{
    std::vector<Row> rows;
    std::map<std::tuple<std::string, std::string, std::string, std::uint64_t, std::string, int>,
             std::size_t>
        known;
    for (const ProgramLaunch& launch : launches) {
        const auto [place, made] = known.try_emplace(
            {launch.kernel, size_text(launch.grid), size_text(launch.block), launch.shared_bytes,
             launch.parent >= 0 ? "" : launch.stream, launch.device},
            rows.size());
        if (made) rows.push_back({.child = launch.parent >= 0, .first = &launch});
        Row& row = rows[place->second];
        ++row.count;
        row.instructions += launch.counts ? launch.counts->warp_instructions : 0;
        row.sectors += launch.sectors();
        row.ms += launch.gpu_ms.value_or(launch.machine_ms);
        row.timed += launch.gpu_ms.has_value();
    }
    return rows;
}

// "328 of 16,384" blocks, "all", or "bounds" if the launch was not checked otherwise.
std::string checked_cell(const ProgramLaunch& launch)
{
    if (!launch.sample) return "bounds";
    if (launch.sample->checked == launch.sample->blocks) return "all";
    return fmt::format("{} of {}", grouped(launch.sample->checked), grouped(launch.sample->blocks));
}

bool any_sampled(const std::vector<ProgramLaunch>& launches)
{
    return std::ranges::any_of(
        launches, [](const ProgramLaunch& launch) { return launch.sample.has_value(); });
}

// How much of the launches was checked, with --sample or --quick; otherwise empty.
std::string checked_line(const WholeProgramOptions& options,
                         const std::vector<ProgramLaunch>& launches)
{
    if (launches.empty() || options.device == "cuda") return {};
    if (options.quick) return "checked: only bounds and alignment, in all blocks\n";
    trace::Sample sum{.seed = options.sample.sample->seed};
    std::size_t count = 0;
    for (const ProgramLaunch& launch : launches) {
        if (!launch.sample) continue;
        ++count;
        sum.checked += launch.sample->checked;
        sum.blocks += launch.sample->blocks;
        sum.reason_for_all = launch.sample->reason_for_all;
        sum.stopped = sum.stopped || launch.sample->stopped;
    }
    return count == 0 ? std::string() : sample_line(sum, count) + '\n';
}

std::string launch_table(const std::vector<ProgramLaunch>& launches)
{
    const bool sampled = any_sampled(launches);
    std::string text = fmt::format("{:<28} {:>9} {:>14} {:>12} {:>8} {:>16} {:>15} {:>12} {:>9}\n",
                                   "kernel", "launches", "grid", "block", "shared", "stream",
                                   "warp instr.", "sectors", "ms (simt)");
    if (sampled) text.insert(text.size() - 1, "  checked blocks");
    for (const Row& row : rows_of(launches)) {
        text += fmt::format(
            "{:<28} {:>9} {:>14} {:>12} {:>8} {:>16} {:>15} {:>12} {:>9.2f}",
            (row.child ? "  " : "") + printable(row.first->kernel), row.count,
            size_text(row.first->grid), size_text(row.first->block), row.first->shared_bytes,
            row.child ? fmt::format("from {}", row.first->parent) : row.first->stream,
            row.instructions, row.sectors, row.ms);
        if (sampled) text += "  " + checked_cell(*row.first);
        text += '\n';
    }
    return text;
}

// Times are averages over the measured launches.
std::string gpu_table(const std::vector<ProgramLaunch>& launches)
{
    std::string text =
        fmt::format("{:<28} {:>9} {:>14} {:>12} {:>8} {:>16} {:>14} {:>8}\n", "kernel", "launches",
                    "grid", "block", "shared", "stream", "ms each (GPU)", "measured");
    for (const Row& row : rows_of(launches))
        text += fmt::format(
            "{:<28} {:>9} {:>14} {:>12} {:>8} {:>16} {:>14} {:>8}\n", printable(row.first->kernel),
            row.count, size_text(row.first->grid), size_text(row.first->block),
            row.first->shared_bytes, row.first->stream,
            row.timed > 0 ? fmt::format("{:.4f}", row.ms / static_cast<double>(row.timed)) : "-",
            row.timed);
    return text;
}

// The part of the report that only GPU runs have.
std::string gpu_text(const ProgramReport& report)
{
    std::string text;
    if (report.graph_launches > 0)
        text +=
            fmt::format("{} graph {}, whose kernels and copies are not listed\n",
                        report.graph_launches, report.graph_launches == 1 ? "launch" : "launches");
    if (report.unlisted > 0)
        text += fmt::format("{} more launches and copies are not listed\n", report.unlisted);
    if (report.allocations > 0)
        text +=
            fmt::format("{} {}, at most {} bytes at once\n", report.allocations,
                        report.allocations == 1 ? "allocation" : "allocations", report.peak_bytes);
    for (const ProgramError& error : report.errors)
        text += fmt::format(
            "\n{}{} returned {}{}: {}\n", error.host.file.empty() ? "" : error.host.text() + ": ",
            error.call, error.error,
            error.kernel.empty() ? "" : fmt::format(" for {}", error.kernel), error.text);
    return text + fmt::format("\n{}\n", not_checked_sentence);
}

// Lists where launches were stored, and why others were not.
std::string kept_text(const std::vector<ProgramLaunch>& launches)
{
    std::string text;
    std::size_t kept = 0, not_kept = 0;
    const ProgramLaunch* first = nullptr;
    for (const ProgramLaunch& launch : launches) {
        if (!launch.lab.empty()) {
            ++kept;
            if (first == nullptr) first = &launch;
        } else if (!launch.not_kept.empty() && not_kept++ < 3) {
            text += fmt::format("\nLaunch {} of {} was not kept: {}\n", launch.index, launch.kernel,
                                launch.not_kept);
        }
    }
    if (not_kept > 3) text += fmt::format("{} more were not kept.\n", not_kept - 3);
    if (first != nullptr)
        text +=
            fmt::format("\nKept {}. To open {}: lanescope {}\n",
                        kept == 1 ? "1 launch as a lab" : fmt::format("{} launches as labs", kept),
                        kept == 1 ? "it" : "the first", first->lab.string());
    return text;
}

void print_report(const WholeProgramOptions& options, const ProgramResult& result,
                  const std::vector<ProgramFinding>& suppressed)
{
    const ProgramReport& report = result.report;
    std::string text;
    if (!report.launches.empty())
        text += "\n" + checked_line(options, report.launches) +
                (report.on_gpu ? gpu_table(report.launches) : launch_table(report.launches));
    for (const auto& [direction, sum] : report.copies)
        text += fmt::format("{} {} {}, {} bytes\n", sum.count, sum.count == 1 ? "copy" : "copies",
                            direction, sum.bytes);
    if (report.on_gpu) text += gpu_text(report);
    if (options.time) text += predicted_timeline(report);
    for (const ProgramFinding& finding : report.findings) {
        text += "\n";
        if (!finding.file.empty())
            text += finding.line > 0 ? fmt::format("{}:{}: ", finding.file, finding.line)
                                     : finding.file + ": ";
        text += fmt::format("{}: {}: {}\n", finding.fault ? "fault" : "warning", finding.kind,
                            finding.message);
        if (!finding.other.file.empty()) text += fmt::format("    see {}\n", finding.other.text());
    }
    text += kept_text(report.launches);
    for (const std::string& sentence : report.missing) text += "\n" + sentence + "\n";
    if (result.end.on_request)
        text += "\nThe program was ended on request: a launch that was still running is listed "
                "with its work so far.\n";
    else if (result.end.out_of_time)
        text += "\nThe program exceeded its time limit and was ended. Raise the limit with "
                "--time-limit.\n";
    else if (result.end.signal != 0)
        text += fmt::format("\nThe program was ended by signal {} ({}).\n", result.end.signal,
                            signal_text(result.end.signal));
    const auto faults = std::ranges::count_if(report.findings, &ProgramFinding::fault);
    text += fmt::format(
        "\n{} {}, {} {}, {} {}{}.\n", report.launches.size(),
        report.launches.size() == 1 ? "launch" : "launches", faults,
        faults == 1 ? "fault" : "faults", report.findings.size() - static_cast<std::size_t>(faults),
        report.findings.size() - static_cast<std::size_t>(faults) == 1 ? "warning" : "warnings",
        suppressed.empty() ? "" : fmt::format(", {} suppressed", suppressed.size()));
    fmt::print(stderr, "{}", printable(text));
}

// Forgets the labs of launches that were kept for predictions alone.
void forget_labs(std::vector<ProgramLaunch>& launches)
{
    for (ProgramLaunch& launch : launches) {
        launch.lab.clear();
        launch.source.clear();
        launch.not_kept.clear();
    }
}

ExitStatus run(const WholeProgramOptions& options)
{
    check_suppressed(options.suppressed);
    ProgramRequest request;
    for (const std::string& file : options.files) request.files.emplace_back(file);
    request.is_module = options.module;
    request.arguments = options.arguments;
    request.compile = compile_options();
    request.checks = !options.quick;
    if (options.sample.wanted) request.sample_seed = options.sample.sample->seed;
    request.only = options.only;
    request.devices = options.devices;
    request.on_gpu = options.device == "cuda";
    if (const counting::Gpu* const gpu = counting::chosen_gpu()) request.gpu = gpu->name;
    request.launch_limit_s = options.launch_limit_s;
    request.keeps_output = options.json;
    request.keep = options.keep;
    request.keep_bytes = options.keep_mib << 20;
    request.keep_launch = options.keep_launch;
    request.limits.seconds = options.time_limit_s;
    request.limits.memory_bytes = options.memory_mib << 20;
    request.limits.file_bytes = options.file_mib << 20;
    request.ends_on_request = true;
    std::optional<WatchedFolder> kept; // for predictions alone
    if (options.time && request.keep.empty()) request.keep = kept.emplace().path() / "launches";
    ProgramResult result = run_whole_program(request);
    if (options.time) predict_launches(result.report.launches);
    if (kept) forget_labs(result.report.launches);
    if (!request.on_gpu) check_only(options.only, result.report.launches);
    // Determined before findings are suppressed: an incomplete run stays incomplete.
    const bool stopped = result.report.has("time_limit");
    const bool launch_refused = result.report.launch_refused;
    std::vector<ProgramFinding> suppressed;
    std::erase_if(result.report.findings, [&](const ProgramFinding& finding) {
        const bool gone = std::ranges::any_of(options.suppressed, [&](const std::string& pattern) {
            return is_suppressed(finding, pattern);
        });
        if (gone) suppressed.push_back(finding);
        return gone;
    });
    if (options.json)
        print_json(to_json(result));
    else
        print_report(options, result, suppressed);
    if (result.report.has_faults()) return ExitStatus::kernel_fault;
    if (launch_refused) return ExitStatus::unsupported;
    if (stopped || result.end.out_of_time) return ExitStatus::time_limit;
    return static_cast<ExitStatus>(result.end.status);
}

void add_limits(CLI::App& command, WholeProgramOptions& options)
{
    command
        .add_option("--time-limit", options.time_limit_s, "End the program after this many seconds")
        ->check(number_between(0.01, 1e6))
        ->capture_default_str();
    command
        .add_option("--launch-limit", options.launch_limit_s,
                    "End a launch after this many seconds")
        ->check(number_between(0.01, 1e6))
        ->capture_default_str();
    command.add_option("--memory-limit", options.memory_mib, "Memory limit of the program, in MiB")
        ->check(CLI::Range(std::uint64_t{64}, std::uint64_t{1} << 30));
    command
        .add_option("--file-limit", options.file_mib,
                    "Max size of a file that the program may write, in MiB")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30))
        ->capture_default_str();
}

void add_keeping(CLI::App& command, WholeProgramOptions& options)
{
    CLI::Option* const keep =
        command
            .add_option("--keep", options.keep,
                        "Keep each launch, with its memory, as a lab in this folder")
            ->type_name("FOLDER");
    command.add_option("--keep-limit", options.keep_mib, "Max disk space of kept launches, in MiB")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
        ->capture_default_str()
        ->needs(keep);
    command
        .add_option("--keep-launch", options.keep_launch, "Keep only this launch, numbered from 0")
        ->check(CLI::Range(0, 1 << 30))
        ->needs(keep);
}

} // namespace

void add_program(CLI::App& program, Subcommand& chosen)
{
    auto options = std::make_shared<WholeProgramOptions>();
    CLI::App* const command = program.add_subcommand(
        "program",
        "Run a CUDA program with its main(): on the lockstep machine with every check, or on "
        "the GPU");
    command->footer(
        "The program's own output goes where it always does, the report to standard error. Exit "
        "status: the program's own, or 5 for a fault, 6 if the program or a launch exceeded its "
        "time limit, 7 if the lockstep machine does not support a kernel; 2, 3 and 4 if it could "
        "not be built or started.\nIts host code is not sandboxed: it runs with your permissions, "
        "within the "
        "limits of time, memory and file size.\nWith --device cuda NVIDIA's runtime does the work: "
        "calls are passed to the libcudart.so that the program would find, or that "
        "LANESCOPE_CUDART names. The report then has launches, copies, times, allocations and "
        "errors; nothing is counted or checked. Calls to the driver API go to NVIDIA's driver and "
        "are not listed.");
    command
        ->add_option("files", options->files,
                     "FILE.cu ..., a program built with nvcc -cudart shared, or SCRIPT.py")
        ->required()
        ->type_name("FILE");
    command->add_flag("-m,--module", options->module,
                      "FILE is the name of a Python module, run as by python3 -m");
    command
        ->add_option("--args", options->arguments,
                     "An argument for the program; everything after -- is passed on, too")
        ->type_name("ARG");
    command
        ->add_option(
            "--suppress", options->suppressed,
            "Do not report these findings: KIND, or KIND:WHERE with a kernel, a file or FILE:LINE")
        ->type_name("KIND[:WHERE]");
    command
        ->add_option("--only", options->only,
                     "Check only this kernel, and only count the others; with --device cuda, keep "
                     "only its launches")
        ->type_name("KERNEL");
    command
        ->add_option("--device", options->device,
                     "simt: the lockstep machine; cuda: the GPU, without counts and checks")
        ->check(CLI::IsMember({"simt", "cuda"}))
        ->capture_default_str();
    add_gpu_option(*command);
    CLI::Option* const quick =
        command->add_flag("--quick", options->quick, "Count, but check only bounds and alignment");
    add_sample_options(*command, options->sample)->excludes(quick);
    command->add_option("--devices", options->devices, "Number of devices to simulate")
        ->check(CLI::Range(1, 16));
    add_limits(*command, *options);
    add_keeping(*command, *options);
    command->add_flag(
        "--time", options->time,
        "Predict the time of each launch on the simulated GPU (--gpu, else an H100), and what "
        "limits it. Needs ptxas and nvdisasm, but no GPU");
    command->add_flag("--json", options->json, "Print JSON, including the program's output");
    add_compiler_options(*command);
    command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace lanescope::app
