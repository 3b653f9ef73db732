// Options as CLI11 parses them. Messages name the option as it was typed.
#include "app/commands/shared/options.h"
#include "app/measure/assembled_counts.h"
#include "app/run/editing/first_run.h"

#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "app/run/editing/compiling.h"
#include "app/run/editing/own_lab.h"
#include "compute/counting/gpus.h"
#include "compute/cuda/compile/compile.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/read_number.h"
#include "compute/simt/machine/state/options.h"

namespace lanescope::app {
namespace {

// "compute_90" from "90", "sm_90" or itself: PTX targets virtual architectures.
std::string virtual_architecture(std::string_view text)
{
    std::string_view number = text;
    for (const std::string_view prefix : {"sm_", "compute_"})
        if (number.starts_with(prefix)) number.remove_prefix(prefix.size());
    const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
    const std::string_view rest = number.substr(digits);
    if (digits < 2 || digits > 3 || (!rest.empty() && rest != "a" && rest != "f"))
        throw Error(ExitStatus::bad_usage, fmt::format("--arch cannot be \"{}\".", text),
                    "Write it as sm_90, compute_90 or 90.");
    return fmt::format("compute_{}", number);
}

// 90 for "compute_90" and "compute_90a".
int number_of(std::string_view architecture)
{
    return std::atoi(std::string(architecture.substr(architecture.find('_') + 1)).c_str());
}

void set_compile_target(const counting::Gpu& gpu)
{
    compile_options().architecture = fmt::format("compute_{}", gpu.capability());
}

// Chooses the GPU that --gpu names. Other options of the command have been read, but their
// callbacks may not have run.
void simulate(const CLI::App& command, const std::string& name)
{
    const counting::Gpu& gpu = counting::gpu_named(name);
    const auto given = [&](const char* option) {
        const CLI::Option* const found = command.get_option_no_throw(option);
        return found != nullptr && found->count() > 0 ? found->as<std::string>() : std::string();
    };
    if (given("--device") == "cuda")
        throw Error(ExitStatus::bad_usage,
                    "--gpu names a GPU to simulate, and --device cuda runs on a real one.",
                    "Leave one of them out.");
    if (const std::string arch = given("--arch"); arch.empty())
        set_compile_target(gpu);
    else if (const std::string target = virtual_architecture(arch);
             number_of(target) > gpu.capability())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The simulated {} cannot run code for {}: its compute capability "
                                "is {}.{}.",
                                gpu.name, target, gpu.compute_major, gpu.compute_minor),
                    "Leave --arch out, or choose a newer GPU.");
    counting::choose_gpu(gpu);
}

} // namespace

void add_gpu_option(CLI::App& command, std::string* device)
{
    std::vector<std::string_view> names;
    for (const counting::Gpu& gpu : counting::gpus()) names.push_back(gpu.name);
    command
        .add_option_function<std::string>(
            "--gpu",
            [&command, device](const std::string& name) {
                simulate(command, name);
                if (device != nullptr && *device == "auto") *device = "simt";
            },
            fmt::format("The GPU that simt simulates: {} (default H100). It sets limits, device "
                        "properties and, for FILE.cu, --arch",
                        fmt::join(names, ", ")))
        ->type_name("NAME");
}

void simulate_gpu_of(Session& session)
{
    if (counting::chosen_gpu() == nullptr && session.device == "cuda") return; // runs on a real GPU
    if (counting::chosen_gpu() == nullptr && !session.gpu.empty()) {
        const counting::Gpu& named = counting::gpu_named(session.gpu);
        if (compile_options().architecture == cuda::CompileOptions{}.architecture)
            set_compile_target(named);
        counting::choose_gpu(named);
    }
    const counting::Gpu* const gpu = counting::chosen_gpu();
    if (gpu == nullptr) return;
    session.gpu = gpu->name;
    if (session.device == "auto") session.device = "simt";
}

CLI::Validator number_between(double lowest, double highest)
{
    // Like CLI::Range, with its description, but refuses NaN, which CLI::Range accepts.
    CLI::Validator range = CLI::Range(lowest, highest);
    const auto check = [range](std::string& text) -> std::string {
        std::string value = text;
        if (const std::string wrong = range(value); !wrong.empty()) return wrong;
        return std::isnan(std::strtod(text.c_str(), nullptr))
                   ? fmt::format("{} is not a number", text)
                   : "";
    };
    return CLI::Validator(check, range.get_description());
}

CLI::Validator unsigned_number()
{
    return CLI::Validator(
        [](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const auto read = read_number(text.data(), text.data() + text.size(), value);
            if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return "";
            return fmt::format("{} is not a whole number from 0 to 18446744073709551615", text);
        },
        "");
}

void add_device_option(CLI::App& command, std::string& device)
{
    command
        .add_option("--device", device,
                    "Engine: cuda (a GPU), simt (the lockstep machine on the CPU), or auto: cuda "
                    "if there is a GPU, else simt")
        ->check(CLI::IsMember({"auto", "cuda", "simt"}))
        ->capture_default_str();
    command.add_flag_callback(
        "--interpret", [] { simt::set_usual_native_code(simt::NativeCode::never); },
        "simt interprets kernels instruction by instruction instead of running native code");
    add_gpu_option(command, &device);
}

void add_common_options(CLI::App& command, CommonOptions& options)
{
    add_device_option(command, options.device);
    command
        .add_option("--set", options.assignments,
                    "A parameter of the lab, name=value (may be given several times; "
                    "`lanescope list` names them)")
        ->allow_extra_args(false);
    command.add_option("--steps", options.steps, "Steps to run")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
    command.add_option("--seed", options.seed, "Seed of all random input")
        ->check(unsigned_number())
        ->capture_default_str();
    command.add_option("--image", options.image,
                       "An input picture (PNG, JPEG), for labs that take one");
    add_validation_options(command, options);
}

std::string SassChoice::target() const
{
    if (architecture.empty() || architecture == "true") return sass_architecture();
    std::string_view number = architecture;
    for (const std::string_view prefix : {"sm_", "compute_"})
        if (number.starts_with(prefix)) number.remove_prefix(prefix.size());
    return fmt::format("sm_{}", number);
}

CLI::Option* add_sass_options(CLI::App& command, SassChoice& choice)
{
    CLI::Option* sass = command.add_flag(
        "--sass", choice.architecture,
        "Show the GPU's own instructions (SASS) and count accesses as the GPU executes them: "
        "merged, aggregated, removed; --sass=sm_80 chooses the architecture (default: that of "
        "--gpu, else this GPU's, or sm_90). Needs ptxas and nvdisasm, but no GPU");
    command
        .add_option("--reconverge", choice.reconverge,
                    "Where simt reconverges diverged lanes: sass (where the GPU's code does; "
                    "default with --sass) or ptx (where the PTX's control flow joins)")
        ->check(CLI::IsMember({"sass", "ptx"}));
    return sass;
}

void add_compiler_options(CLI::App& command)
{
    cuda::CompileOptions& compiler = compile_options();
    command
        .add_option_function<std::vector<std::string>>(
            "-I",
            [&](const std::vector<std::string>& folders) {
                for (const std::string& folder : folders)
                    compiler.include_directories.push_back(std::filesystem::absolute(folder));
            },
            "A folder with headers, for FILE.cu")
        ->allow_extra_args(false);
    command.add_option("-D", compiler.definitions, "NAME or NAME=TEXT: a definition, for FILE.cu")
        ->allow_extra_args(false);
    command.add_option_function<std::string>(
        "--arch",
        [&](const std::string& text) { compiler.architecture = virtual_architecture(text); },
        "Architecture that FILE.cu is compiled for: sm_75 to sm_120 (default: that of --gpu, or "
        "sm_75). simt "
        "always computes "
        "approximate instructions as sm_75 and later do, and matrix products as sm_90 does");
    command.add_option("--std", compiler.standard, "The language of FILE.cu")
        ->check(CLI::IsMember({"c++11", "c++14", "c++17", "c++20"}))
        ->capture_default_str();
    command
        .add_option_function<int>(
            "-O",
            [&](int level) {
                if (level == 0) compiler.flags.emplace_back("-G");
            },
            "0 compiles FILE.cu without optimising")
        ->check(CLI::Range(0, 3))
        ->default_str("3");
    command
        .add_option_function<std::vector<std::string>>(
            "--flag",
            [&](const std::vector<std::string>& flags) {
                compiler.flags.insert(compiler.flags.end(), flags.begin(), flags.end());
            },
            "Any other compiler option for FILE.cu: --flag=--use_fast_math")
        ->allow_extra_args(false);
}

void add_validation_options(CLI::App& command, CommonOptions& options)
{
    add_compiler_options(command);
    command.add_flag("!--no-validation", options.validates,
                     "Run your own kernel without validating its first step on the CPU");
    command
        .add_option("--time-limit", options.time_limit_s,
                    "Limit in seconds for this validation at each of at most two sizes (default "
                    "2), and then for each launch on simt (default 60)")
        ->check(number_between(0.001, 1e6));
}

double CommonOptions::launch_limit_s(const labs::Lab& lab) const
{
    return is_foreign(lab) ? time_limit_s.value_or(60) : 0;
}

CLI::Option* add_request_option(CLI::App& command, std::string& request)
{
    return command.add_option(
        "--request", request,
        "SITE[,WARP[,OCCURRENCE]], from 0: print the lanes of that request instead. SITE is the "
        "number that the trace prints, or L12 for the first access of line 12");
}

void add_most_steps_option(CLI::App& command, std::int64_t& max_steps)
{
    command.add_option("--most-steps", max_steps, "Max number of session steps to replay")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}))
        ->capture_default_str();
}

void require_few_steps(std::int64_t steps, std::int64_t max_steps)
{
    if (steps <= max_steps) return;
    throw Error(ExitStatus::bad_usage,
                fmt::format("The session is at step {}, and at most {} steps are replayed.", steps,
                            max_steps),
                fmt::format("To replay them all, pass --most-steps {}.", steps));
}

Target find_target(std::string_view text)
{
    if (const auto file = kernel_file_in(text)) {
        const OwnKernels own = read_kernels(*file);
        for (const std::string& note : own.notes) fmt::print(stderr, "{}\n", note);
        const labs::Lab& lab = labs::open_texts(own.texts);
        if (file->size() == text.size()) return {&lab, nullptr};
        return {&lab, &labs::find_variant(lab, text.substr(file->size() + 1))};
    }
    if (labs::is_lab_folder(text)) return {&labs::find(text), nullptr};
    const auto slash = text.rfind('/');
    const auto head = text.substr(0, slash);
    std::error_code none;
    for (const std::string_view file : {text, head})
        if (is_kernel_file(file) &&
            std::filesystem::status(file, none).type() == std::filesystem::file_type::not_found)
            read_kernels(file); // reports that the file does not exist
    // For a missing folder, "./labs/blur", the error names the whole path; for "heta/naive" it
    // names only the lab, "heta".
    const bool is_path = slash != std::string_view::npos && !labs::is_lab_folder(head) &&
                         (head.empty() || head.find_first_of("./") != std::string_view::npos);
    const labs::Lab& lab = labs::find(is_path ? text : head);
    if (slash == std::string_view::npos) return {&lab, nullptr};
    return {&lab, &labs::find_variant(lab, text.substr(slash + 1))};
}

std::vector<const labs::Variant*> variants_of(const Target& target)
{
    if (target.variant) return {target.variant};
    std::vector<const labs::Variant*> all;
    for (const labs::Variant& variant : target.lab->variants) all.push_back(&variant);
    return all;
}

labs::Values values_from(const labs::Lab& lab, std::span<const std::string> assignments)
{
    labs::Values values(lab);
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        if (equals == std::string::npos)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("\"--set {}\" has no value.", assignment),
                        "Write it as --set name=value.");
        values.set(std::string_view(assignment).substr(0, equals),
                   std::string_view(assignment).substr(equals + 1));
    }
    return values;
}

} // namespace lanescope::app
