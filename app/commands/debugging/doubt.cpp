// `lanescope doubt`: "is it my code, nvcc or ptxas?" Runs a kernel as compiled without and with
// optimisation, or two PTX texts, and reports the first value that differs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/launch_options.h"
#include "app/commands/shared/options.h"
#include "app/run/debug/stepped_text.h"
#include "app/run/doubt/doubt.h"
#include "app/run/doubt/doubt_output.h"
#include "app/run/doubt/reproduction.h"
#include "app/run/doubt/runs/recorded_launch.h"
#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "app/run/kernel/kernel_names.h"
#include "compute/cuda/availability.h"
#include "compute/endings.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace {

struct DoubtOptions : LaunchOptions {
    std::string device = "simt";
    std::string against;
    std::vector<std::string> with;
    std::vector<std::string> expect;
    std::vector<std::string> got;
    double tolerance = 0;
    std::string folder;
    std::vector<std::string> assignments;
    std::uint64_t seed = 1;
    DoubtLimits limits;
    bool json = false;
};

// The question to answer, with everything that a reproduction needs.
struct AskedDoubt {
    DoubtQuestion question;
    std::string file = "kernel.ptx"; // name of the kernel's file
    std::string assumed{};           // the launch, if it was guessed
};

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line(text.substr(begin, end - begin));
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(std::move(line));
        begin = end + 1;
    }
    return lines;
}

bool has_extension(const std::string& file, std::string_view ending)
{
    return std::filesystem::path(file).extension() == ending;
}

std::string optimised_name(const DoubtOptions& options)
{
    std::string name = "-O3";
    for (const std::string& flag : options.with) name += " " + flag;
    return name;
}

// The launch that the options describe, for this text.
KernelLaunch launch_of(const DoubtOptions& options, const std::string& ptx)
{
    const ptx::Module parsed = ptx::parse(ptx);
    return described_launch(options, ptx, parsed, find_kernel(parsed, options.kernel));
}

// The same launch of the second text, whose kernel may have another mangled name.
KernelLaunch with_text(const KernelLaunch& launch, std::string ptx)
{
    KernelLaunch other = launch;
    const ptx::Module parsed = ptx::parse(ptx);
    const auto names = parsed.kernel_names();
    if (std::ranges::find(names, launch.kernel) == names.end())
        other.kernel = find_kernel(parsed, names.size() == 1 ? "" : demangled(launch.kernel)).name;
    if (parsed.find_function(other.kernel)->parameters.size() != launch.arguments.size())
        throw Error(ExitStatus::bad_usage,
                    "The kernels of the two texts take different parameters.",
                    "Give two texts of the same kernel.");
    other.ptx = std::move(ptx);
    return other;
}

// Flags of the optimised compilation, plus one more.
std::vector<std::string> flags_with(const DoubtOptions& options, const std::string& more)
{
    std::vector<std::string> flags = options.with;
    flags.push_back(more);
    return flags;
}

// A file with options that describe its launch.
AskedDoubt described_question(const DoubtOptions& options)
{
    AskedDoubt asked;
    asked.file = std::filesystem::path(options.file).filename().string();
    DoubtQuestion& question = asked.question;
    if (has_extension(options.file, ending::cuda_source) && options.against.empty()) {
        question.kind = DoubtKind::compilations;
        question.source = lines_of(read_own_text(options.file).text);
        question.first = launch_of(options, read_ptx(options.file, {"-G"}));
        describe_parameters(question.first, ptx::parse(question.first.ptx));
        question.second = with_text(question.first, read_ptx(options.file, options.with));
        question.without_contraction = read_ptx(options.file, flags_with(options, "--fmad=false"));
        question.first_name = "-G";
        question.second_name = optimised_name(options);
        return asked;
    }
    question.kind = options.against.empty() ? DoubtKind::one_text : DoubtKind::texts;
    question.first = launch_of(options, read_ptx(options.file));
    question.first_name = asked.file;
    return asked;
}

// A lab, or a file whose launch is guessed.
AskedDoubt guessed_question(const DoubtOptions& options)
{
    const Target target = find_target(options.file);
    const labs::Lab& lab = *target.lab;
    const labs::Variant& variant = target.variant != nullptr ? *target.variant
                                   : options.kernel.empty()  ? lab.variants.front()
                                                             : kernel_variant(lab, options.kernel);
    const auto launches = recorded_launches(
        {lab, variant, values_from(lab, options.assignments), options.seed}, options.limits);
    if (launches.empty())
        throw Error(ExitStatus::bad_usage, fmt::format("{} launches nothing.", variant.title),
                    "Choose another variant.");
    AskedDoubt asked;
    DoubtQuestion& question = asked.question;
    question.first = question.second = launches.front();
    const std::string source(lab.source(variant));
    asked.file = std::filesystem::path(variant.source).filename().string();
    if (!has_extension(asked.file, ending::cuda_source) || !options.against.empty()) {
        question.kind = options.against.empty() ? DoubtKind::one_text : DoubtKind::texts;
        question.first_name = asked.file =
            std::filesystem::path(asked.file).replace_extension(ending::ptx).string();
        return asked;
    }
    question.kind = DoubtKind::compilations;
    question.source = lines_of(source);
    const SteppedPtx written = ptx_as_written(lab, variant);
    if (written.ptx.empty())
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("The kernel cannot be compiled with -G: {}", written.problem),
                    "Install CUDA's compiler, or compare two PTX texts with --against.");
    question.first.ptx = written.ptx;
    describe_parameters(question.first, ptx::parse(written.ptx));
    const std::string optimised = question.second.ptx;
    question.second = with_text(question.first, optimised);
    question.first_name = "-G";
    question.second_name = optimised_name(options);
    question.without_contraction =
        ptx_with_flags(lab, variant, flags_with(options, "--fmad=false")).ptx;
    if (!options.with.empty()) {
        const SteppedPtx other = ptx_with_flags(lab, variant, options.with);
        if (other.ptx.empty()) throw Error(ExitStatus::bad_usage, other.problem);
        question.second = with_text(question.first, other.ptx);
    }
    return asked;
}

AskedDoubt asked_question(const DoubtOptions& options)
{
    AskedDoubt asked =
        options.describe_launch() ? described_question(options) : guessed_question(options);
    DoubtQuestion& question = asked.question;
    if (question.kind == DoubtKind::texts) {
        question.second = with_text(question.first, read_ptx(options.against));
        question.second_name = std::filesystem::path(options.against).filename().string();
        if (question.second_name == question.first_name) {
            question.first_name = options.file;
            question.second_name = options.against;
        }
    }
    question.expect = options.expect;
    question.got = options.got;
    question.tolerance = options.tolerance;
    question.limits = options.limits;
    question.gpu =
        options.device == "cuda" || (options.device == "auto" && cuda::availability().available);
    if (question.kind == DoubtKind::one_text && question.expect.empty() && question.got.empty() &&
        !question.gpu)
        throw Error(ExitStatus::bad_usage,
                    "On the lockstep machine, a single PTX text has nothing to be compared with.",
                    "Add --against OTHER.ptx, --expect, --got, or --device cuda with a GPU.");
    return asked;
}

void check_combination(const DoubtOptions& options)
{
    if (options.file.empty())
        throw Error(ExitStatus::bad_usage, "No file was given.", "Name a FILE.cu or FILE.ptx.");
    const bool one_text = has_extension(options.file, ending::ptx) && options.against.empty();
    if (!options.with.empty() && (one_text || !options.against.empty()))
        throw Error(ExitStatus::bad_usage, "--with is an option of the compiler, for FILE.cu.",
                    "Leave it out for PTX.");
}

ExitStatus doubt_command(const DoubtOptions& options)
{
    check_combination(options);
    const AskedDoubt asked = asked_question(options);
    const DoubtReport report = doubt(asked.question);
    std::string reproduced;
    if (!options.folder.empty() && report.differs()) {
        const DoubtQuestion smaller = reduced(asked.question);
        write_reproduction(smaller, asked.file, options.folder);
        const Dim3& grid = smaller.first.grid;
        const Dim3& block = smaller.first.block;
        reproduced =
            fmt::format("Reproduced with {} of {} in {}:\n  {}\n",
                        grid.count() == 1 ? "1 block" : fmt::format("{} blocks", grid.count()),
                        block.count() == 1 ? "1 thread" : fmt::format("{} threads", block.count()),
                        options.folder, repeat_command(smaller, options.folder));
    }
    if (options.json) {
        nlohmann::ordered_json json = doubt_json(report);
        if (!reproduced.empty()) json["reproduction"] = options.folder;
        print_json(json);
    } else {
        fmt::print("{}{}", doubt_text(report), reproduced);
    }
    if (report.differs()) return ExitStatus::result_wrong;
    return report.culprit == DoubtCulprit::none ? ExitStatus::done : ExitStatus::kernel_fault;
}

} // namespace

void add_doubt(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "doubt", "Find out whether your code, nvcc or ptxas makes a result wrong: run a kernel "
                 "compiled without and with optimisation, and find the first value that differs");
    const auto options = std::make_shared<DoubtOptions>();
    add_launch_options(*command, *options);
    command->get_option("file")->description(
        "FILE.cu or FILE.ptx; without options for its launch also LAB/VARIANT or a lab's folder");
    command->add_option("--against", options->against,
                        "Another PTX text, or FILE.cu, of the same kernel to compare with");
    command
        ->add_option("--with", options->with,
                     "A compiler option for the optimised version alone: --with=--use_fast_math")
        ->allow_extra_args(false);
    command
        ->add_option("--expect", options->expect,
                     "Results that the launch should have: NAME[INDEX]=VALUE, NAME=TYPE[]:1,2,3, "
                     "NAME=FILE (raw bytes, or JSON if it ends in .json) or FILE.json with a key "
                     "per NAME. NAME is the index or name of an argument, or a variable")
        ->allow_extra_args(false);
    command
        ->add_option("--got", options->got,
                     "Results that a GPU gave, written as for --expect: reports whether ptxas is "
                     "wrong, and which instruction it computed differently")
        ->allow_extra_args(false);
    command
        ->add_option("--tolerance", options->tolerance,
                     "Floating-point results may differ by this, relative to the larger of 1 and "
                     "the value (default: no bit may differ)")
        ->check(number_between(0, 1e300));
    command->add_option("-o,--output", options->folder,
                        "A new folder for a small reproduction: fewest blocks and threads, with "
                        "the launch's record and memory");
    command->add_option("--set", options->assignments, "A parameter of the lab, name=value")
        ->allow_extra_args(false);
    command->add_option("--seed", options->seed, "Seed of all random input of a lab")
        ->check(unsigned_number())
        ->capture_default_str();
    add_compiler_options(*command);
    add_device_option(*command, options->device);
    command->get_option("--device")
        ->description("cuda also assembles the PTX at -O0 and -O3, runs both on the GPU and "
                      "compares them with "
                      "the lockstep machine; auto does so if there is a GPU");
    command
        ->add_option("--step-budget", options->limits.step_budget,
                     "Stop after this many warp instructions of one block")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
        ->capture_default_str();
    command
        ->add_option("--time-limit", options->limits.time_limit_s,
                     "Stop each launch after this many seconds")
        ->check(number_between(0.001, 1e6))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print JSON");
    command->callback(
        [&chosen, options] { chosen = [options] { return doubt_command(*options); }; });
}

} // namespace lanescope::app
