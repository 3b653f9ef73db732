// `lanescope emulate`: runs a user's kernel on the lockstep machine with all its checks (or on a
// GPU), and prints or saves its trace and results.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "app/commands/commands.h"
#include "app/commands/shared/caches.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/launch_options.h"
#include "app/commands/shared/launch_watch.h"
#include "app/commands/shared/leaked.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/sampling.h"
#include "app/commands/shared/tree.h"
#include "app/commands/shared/validation.h"
#include "app/document/experiment/request.h"
#include "app/export/output/comparison_output.h"
#include "app/export/output/request_output.h"
#include "app/export/output/supported_output.h"
#include "app/export/output/trace_output.h"
#include "app/measure/assembled_counts.h"
#include "app/measure/comparison.h"
#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "app/run/engine/engine.h"
#include "app/run/kernel/assumption.h"
#include "app/run/kernel/kernel_names.h"
#include "app/run/kernel/kernel_results.h"
#include "app/run/kernel/kernel_run.h"
#include "app/run/kernel/orders.h"
#include "app/run/kernel/printed_output.h"
#include "compute/device/kernel_names.h"
#include "compute/endings.h"
#include "compute/experiment/source/includes.h"
#include "compute/numbers.h"
#include "compute/process/end_request.h"
#include "compute/ptx/sites/sites.h"
#include "compute/simt/machine/state/options.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/findings.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct EmulateOptions : LaunchOptions {
    std::string device = "simt";
    bool device_given = false;
    std::vector<std::string> dumps;
    std::vector<std::string> variable_dumps;
    std::vector<std::string> prints;
    bool parameter_sizes = false;
    bool supported = false;
    bool plain = false;
    bool compare = false;
    std::string ncu_csv;
    std::string checks = "all";
    std::uint64_t step_budget = simt::Options{}.step_budget;
    double time_limit_s = 0; // 0: none
    int keep_going = 0;
    bool json = false;
    bool ptx = false;
    std::string request;
    TreeChoice tree;
    SassChoice sass;
    Orders orders;
    CachesChoice caches;
    SampleChoice sample;
    std::unique_ptr<simt::Progress> progress = std::make_unique<simt::Progress>();
};

void print_parameters(const ptx::Module& module, const ptx::Function& kernel, bool json)
{
    ordered_json parameters = ordered_json::array();
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const ptx::Variable& parameter = kernel.parameters[i];
        parameters.push_back({{"index", i},
                              {"name", parameter.name},
                              {"bytes", parameter.size_bytes()},
                              {"alignment", parameter.alignment}});
        if (!json)
            fmt::print("{}  {} bytes, aligned to {}  {}\n", i, parameter.size_bytes(),
                       parameter.alignment, parameter.name);
    }
    ordered_json variables = ordered_json::array();
    for (const ptx::Variable& variable : module.variables) {
        const bool constant = variable.space == ptx::Space::constant;
        if ((!constant && variable.space != ptx::Space::global) || variable.name.starts_with('$'))
            continue;
        variables.push_back({{"name", variable.name},
                             {"bytes", variable.size_bytes()},
                             {"space", constant ? "constant" : "global"}});
        if (!json)
            fmt::print("{}  {} bytes, {}\n", demangled(variable.name), variable.size_bytes(),
                       constant ? "__constant__" : "__device__");
    }
    if (json)
        print_json({{"kernel", kernel.name},
                    {"parameters", std::move(parameters)},
                    {"variables", std::move(variables)}});
}

// A launch together with the trace it is counted in, for comparisons.
class CountedKernel : public Counted {
public:
    CountedKernel(device::Device& device, const KernelLaunch& launch)
        : device_(device), launch_(launch), run_(device, launch)
    {
    }
    trace::Trace count(std::string_view architecture) override
    {
        trace::Trace trace;
        trace.per_warp = false;
        if (!architecture.empty()) trace.assembler = assembler_for(std::string(architecture));
        run_.launch(&trace);
        device_.synchronize();
        return trace;
    }
    void step() override
    {
        run_.launch(nullptr);
        device_.synchronize();
    }
    // All results except addresses, which differ between devices.
    std::vector<std::pair<std::string, std::vector<std::byte>>> results() override
    {
        std::vector<std::pair<std::string, std::vector<std::byte>>> all;
        const auto add = [&](const std::string& name, const Value& value) {
            const bool own =
                value.kind == Value::Kind::buffer || (value.is_image() && value.image_of.empty());
            if (own && value.references.empty()) all.emplace_back(name, run_.contents(name));
        };
        for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
            add(std::to_string(i), launch_.arguments[i]);
        for (const auto& [name, value] : launch_.named) add(name, value);
        for (const auto& [name, value] : launch_.variables)
            if (value.references.empty()) all.emplace_back(name, run_.variable(name));
        return all;
    }

private:
    device::Device& device_;
    const KernelLaunch& launch_;
    KernelRun run_;
};

// Command line that produces a file for --ncu: the same launch with --plain.
std::string ncu_command(const EmulateOptions& options, const KernelLaunch& launch)
{
    const auto sizes = [](const Dim3& size) {
        return fmt::format("{},{},{}", size.x, size.y, size.z);
    };
    std::string command = fmt::format("ncu --csv --log-file counters.csv --metrics {} lanescope "
                                      "emulate '{}' --plain --kernel '{}' --grid {} --block {}",
                                      trace::metric_list(), options.file, launch.kernel,
                                      sizes(launch.grid), sizes(launch.block));
    if (launch.cluster) command += fmt::format(" --cluster {}", sizes(*launch.cluster));
    if (launch.shared_bytes > 0) command += fmt::format(" --shared {}", launch.shared_bytes);
    const auto all = [&](std::string_view option, const std::vector<std::string>& values) {
        for (const std::string& value : values) command += fmt::format(" {} '{}'", option, value);
    };
    all("--arg", options.arguments);
    all("--let", options.named);
    all("--var", options.variables);
    return command;
}

ExitStatus compare(const EmulateOptions& options, const KernelLaunch& launch,
                   const simt::Options& checked)
{
    const auto start = [&](device::Device& device) -> std::unique_ptr<Counted> {
        return std::make_unique<CountedKernel>(device, launch);
    };
    const Comparison comparison =
        compare_sources(start, options.ncu_csv, ncu_command(options, launch), checked);
    if (options.json)
        print_json(comparison_json(comparison));
    else
        fmt::print("{}", comparison_text(comparison));
    return comparison.agrees() ? ExitStatus::done : ExitStatus::result_wrong;
}

// "all", "none" or a comma-separated list of checks.
simt::Checks parse_checks(std::string_view list)
{
    if (list == "all") return simt::Checks::all();
    simt::Checks checks;
    if (list == "none") return checks;
    for (;;) {
        const std::size_t comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        if (word == "uninitialised" || word == "uninitialized")
            checks.uninitialised = true;
        else if (word == "races")
            checks.races = true;
        else if (word == "barriers")
            checks.divergent_barriers = true;
        else
            throw Error(ExitStatus::bad_usage, fmt::format("There is no check \"{}\".", word),
                        "Write --checks as all, none, or some of uninitialised,races,barriers. "
                        "Out-of-bounds and misaligned accesses are always detected.");
        if (comma == list.npos) return checks;
        list.remove_prefix(comma + 1);
    }
}

// Cancels waiting for a GPU after this many seconds, unless destroyed before; simt has its own
// limit.
class TimeLimit {
public:
    TimeLimit(device::Device& device, double seconds)
    {
        if (seconds <= 0 || device.engine() == device::Engine::simt) return;
        thread_ = std::jthread([this, &device, seconds](const std::stop_token& stop) {
            std::unique_lock lock(mutex_);
            const auto limit = std::chrono::duration<double>(seconds);
            if (!ended_.wait_for(lock, stop, limit, [] { return false; }) && !stop.stop_requested())
                device.cancel();
        });
    }

private:
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

struct Launched {
    trace::Trace trace;
    std::string fault;   // empty if none
    std::string stopped; // "stopped after …", when a limit ended the launch
    std::string printed;
    std::size_t printed_bytes = 0; // total; `printed` may hold only the start
    std::string no_sass;           // why requested SASS counts are missing
    std::unique_ptr<CacheReport> caches;
    std::unique_ptr<TimeReport> time;
};

// The launched kernel and its text, and optional contents of the trace besides its counts.
struct Asked {
    std::string_view ptx;
    std::string_view kernel;
    trace::WatchedRequest request{};
    trace::LaneRecording lanes{};
    trace::Assembler assembler{};
};

trace::Assembler requested_assembler(const EmulateOptions& options, std::string_view ptx,
                                     std::string_view kernel)
{
    if (!options.sass.counts()) return {};
    trace::Assembler assembler = assembler_for(options.sass.target());
    assembler(ptx, kernel); // compile before the launch, whose time may be limited
    return assembler;
}

// Runs the launch once; with --plain, without counting.
Launched launch_once(const EmulateOptions& options, device::Device& device,
                     const std::function<void(trace::Trace*)>& launch, const Asked& asked)
{
    constexpr std::size_t max_printed = 16 << 20;
    Launched outcome;
    trace::Trace& trace = outcome.trace;
    trace.per_warp = false;
    trace.request = asked.request;
    trace.lanes = asked.lanes;
    trace.assembler = asked.assembler;
    std::optional<PrintedOutput> printed;
    if (options.json) printed.emplace();
    options.sample.sample->forget();
    const CacheRecording recording(options.caches, device);
    try {
        const TimeLimit limit(device, options.time_limit_s);
        const LaunchWatch watch(device, *options.progress);
        launch(options.plain ? nullptr : &trace);
        device.synchronize();
    } catch (const device::KernelFault& error) {
        outcome.fault = error.what();
        if (trace.faults.empty()) trace.faults.push_back(error.fault());
    } catch (const device::Cancelled&) {
        device.resume();
        if (end_request() != 0) {
            outcome.stopped = fmt::format("stopped on request, after {} of {} blocks",
                                          grouped(trace.blocks_ended), grouped(trace.grid.count()));
            outcome.fault = fmt::format("The launch was {}.", outcome.stopped);
        } else {
            outcome.stopped = fmt::format("stopped after {} s", options.time_limit_s);
            outcome.fault = fmt::format("The launch was {}: it did not finish within --time-limit. "
                                        "Raise the limit, or reduce the work.",
                                        outcome.stopped);
        }
    }
    if (options.sass.counts()) outcome.no_sass = why_not_assembled(trace, device.engine());
    if (printed) {
        outcome.printed = printed->take(max_printed);
        outcome.printed_bytes = printed->bytes();
    }
    for (const trace::Fault& fault : trace.faults)
        if (outcome.fault.empty() && !trace::is_doubt(fault.kind)) outcome.fault = fault.message;
    if (outcome.fault.empty()) {
        outcome.caches = recording.report(trace);
        outcome.time = recording.time(outcome.caches.get(), asked.ptx);
        if (!options.caches.shown()) outcome.caches = nullptr;
    }
    for (const trace::Fault& fault : trace.faults) {
        if (fault.kind == trace::kind::step_budget)
            outcome.stopped = fmt::format("stopped after {} warp instructions of a block",
                                          grouped(options.step_budget));
        if (fault.kind == trace::kind::time_limit)
            outcome.stopped = fmt::format("stopped after {} s", options.time_limit_s);
    }
    return outcome;
}

ordered_json outcome_json(const EmulateOptions& options, const KernelLaunch& launch,
                          const Launched& outcome)
{
    const bool request = outcome.fault.empty() && !options.request.empty();
    ordered_json json = request ? request_json(outcome.trace) : trace_json(outcome.trace);
    if (options.plain) {
        json = {{"kernel", launch.kernel},
                {"engine", "cuda"},
                {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                {"block", {launch.block.x, launch.block.y, launch.block.z}},
                {"plain", true},
                {"faults", json.at("faults")}};
    }
    if (!outcome.no_sass.empty()) json["assembled"] = {{"unavailable", outcome.no_sass}};
    if (options.sample.is_used()) json["checked"] = sample_json(*options.sample.sample);
    if (outcome.caches) json["caches"] = caches_json(*outcome.caches);
    if (outcome.time) json["time"] = time_json(*outcome.time);
    if (!outcome.stopped.empty()) json["stopped"] = outcome.stopped;
    if (outcome.printed_bytes > 0) json["printf"] = outcome.printed;
    if (outcome.printed_bytes > outcome.printed.size())
        json["printf_bytes"] = outcome.printed_bytes;
    return json;
}

std::string outcome_text(const EmulateOptions& options, const KernelLaunch& launch,
                         const Launched& outcome)
{
    if (options.plain)
        return fmt::format("{} on cuda, grid {}×{}×{}, block {}×{}×{}, launched without probes: "
                           "nothing was counted.\n",
                           demangled(launch.kernel), launch.grid.x, launch.grid.y, launch.grid.z,
                           launch.block.x, launch.block.y, launch.block.z);
    const std::string checked =
        options.sample.is_used() ? sample_line(*options.sample.sample) + '\n' : std::string();
    if (outcome.fault.empty() && !options.request.empty())
        return checked + request_text(outcome.trace);
    const std::filesystem::path file = options.file;
    const bool has_source = file.extension() == ending::cuda_source;
    const std::string source = has_source ? render::read_file(file) : std::string();
    return checked +
           trace_text(outcome.trace, {.ptx = options.ptx,
                                      .source = source,
                                      .file = file.filename().string(),
                                      .about = {},
                                      .kernel = demangled(launch.kernel),
                                      .sass = options.sass.counts()}) +
           (outcome.caches ? caches_text(outcome.trace, *outcome.caches, options.ptx) : "") +
           (outcome.time ? time_text(*outcome.time) : "") +
           (outcome.no_sass.empty()
                ? ""
                : fmt::format("All counts refer to the PTX. {}\n", outcome.no_sass)) +
           (outcome.stopped.empty() ? "" : outcome.stopped + "\n");
}

simt::Options machine_options(const EmulateOptions& options)
{
    simt::Options checked;
    checked.checks = parse_checks(options.checks);
    checked.step_budget = options.step_budget;
    checked.time_limit_s = options.time_limit_s;
    checked.keep_going = options.keep_going;
    checked.survives_doubtful_results = true;
    checked.progress = options.progress.get();
    checked.sample = options.sample.requested();
    if (meets_as_sass(options.sass, options.caches))
        checked.meetings = meetings_of_sass(options.sass.target());
    return checked;
}

// True if no launch options were given: the launch is then guessed the way `run` does it.
bool describes_no_launch(const EmulateOptions& options)
{
    const bool described = options.describe_launch() || !options.dumps.empty() ||
                           !options.variable_dumps.empty() || !options.prints.empty();
    return !described && !options.parameter_sizes && !options.plain && !options.compare &&
           options.ncu_csv.empty();
}

ExitStatus print_orders(const OrderReport& report, bool json)
{
    if (json)
        print_json({{"orders", as_json(report)}});
    else
        fmt::print("{}", text(report));
    return report.different.empty() ? ExitStatus::done : ExitStatus::result_wrong;
}

ExitStatus run_guessed(const EmulateOptions& options)
{
    const Target target = find_target(options.file);
    const labs::Lab& lab = *target.lab;
    const labs::Variant& variant = kernel_variant(lab, options.kernel);
    const labs::Values values(lab);
    if (options.orders.count > 0)
        return print_orders(try_orders({.lab = lab, .variant = variant, .values = values},
                                       options.orders, machine_options(options)),
                            options.json);
    const OpenedEngine engine =
        open_engine(device_of(options.tree, options.device), machine_options(options));
    CommonOptions common;
    if (options.time_limit_s > 0) common.time_limit_s = options.time_limit_s;
    if (engine.device->engine() == device::Engine::cuda)
        Validation(common).require(lab, variant, start_of(lab, common), device::Engine::cuda);
    device::PlainAllocator plain(*engine.device);
    const auto experiment = lab.start({*engine.device, plain, lab, variant, values, 1, {}});
    const labs::Experiment::Shape shape = experiment->shape();
    KernelLaunch launch;
    launch.kernel = std::string(shape.kernel->name());
    launch.grid = shape.grid;
    launch.block = shape.block;
    Asked asked{.ptx = lab.ptx(variant), .kernel = launch.kernel};
    if (!options.request.empty())
        asked.request = parse_request(
            options.request, ptx::sites_of(ptx::parse(lab.ptx(variant)), launch.kernel).sites);
    if (options.tree.wanted()) asked.lanes = recording_of(options.tree, launch.grid, launch.block);
    asked.assembler = requested_assembler(options, lab.ptx(variant), launch.kernel);
    Launched outcome = launch_once(
        options, *engine.device, [&](trace::Trace* trace) { experiment->step(trace); }, asked);
    ExitStatus status = outcome.fault.empty() ? ExitStatus::done : ExitStatus::kernel_fault;
    std::vector<std::string> warnings;
    for (trace::Fault& fault : outcome.trace.faults) {
        if (is_due_to_guess(fault, lab, variant)) {
            fault.message = outcome.fault = complaint_about(fault, lab, variant, false).sentence;
            status = ExitStatus::bad_usage;
        }
        if (trace::is_doubt(fault.kind)) warnings.push_back(fault.message);
    }
    if (const auto nothing = nothing_written(outcome.trace, variant);
        status == ExitStatus::done && nothing)
        warnings.push_back(nothing->sentence);
    for (const std::string& one : warnings) fmt::print(stderr, "lanescope: warning: {}\n", one);
    const std::string assumed = assumption_line(assumptions(lab, variant, values, shape));
    if (options.json) {
        ordered_json json = outcome_json(options, launch, outcome);
        json["assumed"] = assumed;
        print_json(json);
    } else {
        fmt::print("{}{}\n", outcome_text(options, launch, outcome), assumed);
    }
    if (options.tree.wanted())
        save_tree(options.tree, outcome.trace.lanes, demangled(launch.kernel), launch.grid,
                  launch.block);
    if (status != ExitStatus::done) fmt::print(stderr, "lanescope: {}\n", outcome.fault);
    return status;
}

// Memory read after the launch, for files and printing.
struct ReadBack {
    std::vector<Dump> dumps{};
    std::vector<Print> prints{};
};

ReadBack read_back(const EmulateOptions& options, const KernelLaunch& launch,
                   const ptx::Module& parsed)
{
    ReadBack shown;
    for (const std::string& dump : options.dumps) shown.dumps.push_back(parse_dump(dump, launch));
    for (const std::string& dump : options.variable_dumps)
        shown.dumps.push_back(parse_variable_dump(dump, parsed));
    for (const std::string& print : options.prints)
        shown.prints.push_back(parse_print(print, launch, parsed));
    return shown;
}

// `run` is null if memory cannot be read any more.
void print_outcome(const EmulateOptions& options, const KernelLaunch& launch,
                   const Launched& outcome, const std::vector<Print>& prints, KernelRun* run)
{
    for (const trace::Fault& fault : outcome.trace.faults)
        if (trace::is_doubt(fault.kind))
            fmt::print(stderr, "lanescope: warning: {}\n", fault.message);
    if (options.json) {
        auto& json = leak_at_exit<ordered_json>(outcome_json(options, launch, outcome));
        for (const Print& print : prints)
            if (run) json["values"].push_back(print_json(print, *run));
        print_json(json);
    } else {
        fmt::print("{}", outcome_text(options, launch, outcome));
        for (const Print& print : prints)
            if (run) fmt::print("\n{}", print_text(print, *run));
    }
}

// The lockstep machine reuses the already parsed module.
std::unique_ptr<device::Module> loaded(device::Device& device, const std::string& text,
                                       ptx::Module parsed)
{
    if (auto* machine = dynamic_cast<simt::SimtDevice*>(&device))
        return machine->load_parsed(std::move(parsed));
    return device.load(text);
}

// Leaks the simulator's objects on purpose (the process is about to exit); releases the GPU.
void leak_objects_at_exit(std::unique_ptr<KernelRun>& kernel_run, OpenedEngine& engine)
{
    if (engine.device->engine() != device::Engine::simt) return;
    leak_at_exit<std::unique_ptr<KernelRun>>(std::move(kernel_run));
    leak_at_exit<OpenedEngine>(std::move(engine));
}

ExitStatus run(const EmulateOptions& options)
{
    if (describes_no_launch(options)) return run_guessed(options);
    std::string text = read_ptx(options.file);
    ptx::Module parsed = ptx::parse(text);
    const ptx::Function& kernel = find_kernel(parsed, options.kernel);
    if (options.parameter_sizes) {
        print_parameters(parsed, kernel, options.json);
        return ExitStatus::done;
    }
    auto& launch =
        leak_at_exit<KernelLaunch>(described_launch(options, std::move(text), parsed, kernel));
    const ReadBack shown = read_back(options, launch, parsed);
    const simt::Options checked = machine_options(options);
    if (options.compare || !options.ncu_csv.empty()) return compare(options, launch, checked);
    if (options.orders.count > 0)
        return print_orders(try_orders(launch, options.orders, checked), options.json);
    Asked asked{.ptx = launch.ptx, .kernel = launch.kernel};
    if (!options.request.empty())
        asked.request = parse_request(options.request, ptx::sites_of(parsed, kernel.name).sites);
    if (options.tree.wanted()) asked.lanes = recording_of(options.tree, launch.grid, launch.block);
    OpenedEngine engine = open_engine(
        options.plain ? std::string("cuda") : device_of(options.tree, options.device), checked);
    asked.assembler = requested_assembler(options, launch.ptx, kernel.name);
    auto kernel_run = std::make_unique<KernelRun>(
        *engine.device, launch, loaded(*engine.device, launch.ptx, std::move(parsed)));
    const auto& outcome = leak_at_exit<Launched>(launch_once(
        options, *engine.device, [&](trace::Trace* trace) { kernel_run->launch(trace); }, asked));

    // A GPU's memory is lost after a fault; the simulator's keeps everything written before it.
    const bool readable = outcome.fault.empty() || engine.device->engine() == device::Engine::simt;
    print_outcome(options, launch, outcome, shown.prints, readable ? kernel_run.get() : nullptr);
    // Does not wait for a kernel that is still running on the GPU.
    if (!readable && !outcome.stopped.empty()) {
        fmt::print(stderr, "lanescope: {}\n", outcome.fault);
        finish_json();
        std::fflush(nullptr);
        std::_Exit(static_cast<int>(ExitStatus::kernel_fault));
    }
    if (options.tree.wanted())
        save_tree(options.tree, outcome.trace.lanes, demangled(launch.kernel), launch.grid,
                  launch.block);
    for (const Dump& dump : shown.dumps)
        if (readable) write_dump(dump, *kernel_run);
    leak_objects_at_exit(kernel_run, engine);
    if (!outcome.fault.empty()) throw Error(ExitStatus::kernel_fault, outcome.fault);
    return ExitStatus::done;
}

void check_combination(const EmulateOptions& options)
{
    if (options.plain && options.device_given && options.device == "simt")
        throw Error(ExitStatus::bad_usage, "--plain launches the unmodified kernel on a GPU.",
                    "Leave out --device simt, or --plain.");
    if (options.orders.count > 0 && options.device == "cuda")
        throw Error(ExitStatus::bad_usage, "A GPU chooses the order of its threads itself.",
                    "Leave out --device cuda, or --orders.");
    if (!options.sample.wanted) return;
    if (options.device == "cuda")
        throw Error(ExitStatus::bad_usage, "A GPU checks no blocks.",
                    "Leave out --device cuda, or --sample.");
    if (!parse_checks(options.checks).any())
        throw Error(ExitStatus::bad_usage, "With --checks none, --sample has nothing to check.",
                    "Leave out one of them.");
}

ExitStatus emulate(const EmulateOptions& options)
try {
    if (options.supported) {
        if (options.json)
            print_json(supported_json());
        else
            fmt::print("{}", supported_text());
        return ExitStatus::done;
    }
    if (options.file.empty())
        throw Error(ExitStatus::bad_usage, "No file was given.", "Name a FILE.cu or FILE.ptx.");
    check_combination(options);
    return run(options);
} catch (const std::bad_alloc&) {
    throw Error(ExitStatus::bad_usage, "The buffers do not fit in this machine's memory.",
                "Choose smaller buffers.");
}

void add_read_back(CLI::App& command, EmulateOptions& options)
{
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* help) {
        command.add_option(name, values, help)->allow_extra_args(false);
    };
    add("--dump", options.dumps,
        "INDEX:PATH or NAME:PATH writes the bytes of that buffer or image to PATH after the run");
    add("--dump-var", options.variable_dumps,
        "NAME:PATH writes the variable NAME to PATH after the run");
    add("--print", options.prints,
        "INDEX[:COUNT][:TYPE] prints the first values after the run; in place of INDEX also a NAME "
        "of --let or a variable");
}

// Adds options for limits and checks.
void add_limits(CLI::App& command, EmulateOptions& options)
{
    command
        .add_option("--checks", options.checks,
                    "Checks that simt runs: all, none, or some of uninitialised,races,barriers")
        ->capture_default_str();
    command
        .add_option("--step-budget", options.step_budget,
                    "simt stops after this many warp instructions of one block")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
        ->capture_default_str();
    constexpr int max_faults = 1'000'000;
    command
        .add_option_function<int>(
            "--keep-going",
            [&options](int faults) { options.keep_going = faults > 0 ? faults : max_faults; },
            "simt continues after up to this many faults (default: all), each in its own block, "
            "and reports them all")
        ->expected(0, 1)
        ->check(CLI::Range(1, max_faults));
    CLI::Option* const sample = add_sample_options(command, options.sample);
    for (const char* other : {"--plain", "--compare", "--ncu", "--keep-going"})
        sample->excludes(command.get_option(other));
    command.add_option("--time-limit", options.time_limit_s, "Stop after this many seconds")
        ->check(number_between(0.001, 1e6));
}

// Adds the options that compare other orders, which print no counts and keep no memory.
void add_orders(CLI::App& command, Orders& chosen)
{
    CLI::Option* orders =
        command
            .add_option(
                "--orders", chosen.count,
                "Run the launch this many more times, each time with its blocks, warps and "
                "lanes in a different order that CUDA permits. Report whether the result is "
                "always the same, as a right kernel's is; status 1 if it is not")
            ->check(CLI::Range(1, 1'000'000));
    command
        .add_option("--order", chosen.first,
                    "Number of the first of these orders (default 1; the next ones follow). "
                    "--orders 1 --order N repeats order N alone")
        ->needs(orders)
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
    for (const char* other :
         {"--plain", "--compare", "--ncu", "--request", "--tree", "--sass", "--caches", "--time",
          "--print", "--dump", "--dump-var", "--ptx", "--sample"})
        orders->excludes(command.get_option(other));
}

} // namespace

void add_emulate(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "emulate",
        "Run your own kernel on the lockstep machine with every check, and print its trace");
    const auto options = std::make_shared<EmulateOptions>();
    add_launch_options(*command, *options);
    add_read_back(*command, *options);
    add_compiler_options(*command);
    command->add_flag("--param-sizes", options->parameter_sizes,
                      "Only print the kernel's parameters and the file's variables");
    command->add_flag(
        "--supported", options->supported,
        "List the PTX that the lockstep machine runs, and the PTX that it rejects, with reasons");
    add_device_option(*command, options->device);
    CLI::Option* plain = command->add_flag(
        "--plain", options->plain, "Launch the unmodified kernel on the GPU: no probes, no counts");
    CLI::Option* compare = command->add_flag("--compare", options->compare,
                                             "Count with simt, with probes and with the GPU's own "
                                             "counters, side by side, and compare the results");
    CLI::Option* ncu = command->add_option(
        "--ncu", options->ncu_csv,
        "Compare with a file written by `ncu --csv` instead of reading the counters here");
    compare->excludes(plain);
    ncu->excludes(plain);
    add_request_option(*command, options->request)->excludes(plain, compare, ncu);
    add_tree_options(*command, options->tree)->excludes(plain, compare, ncu);
    add_sass_options(*command, options->sass)->excludes(plain, compare, ncu);
    add_caches_option(*command, options->caches)->excludes(plain, compare, ncu);
    add_time_option(*command, options->caches)->excludes(plain, compare, ncu);
    add_limits(*command, *options);
    command->add_flag("--json", options->json, "Print JSON");
    command->add_flag("--ptx", options->ptx,
                      "Print a line for each PTX instruction instead of each source line");
    add_orders(*command, options->orders);
    command->callback([&chosen, options, command] {
        options->device_given = command->get_option("--device")->count() > 0;
        chosen = [options] { return emulate(*options); };
    });
}

} // namespace lanescope::app
