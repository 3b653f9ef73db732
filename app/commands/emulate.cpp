// `lanescope emulate`: any kernel of the user's own, on the lockstep machine with all its checks
// (or on a GPU), with its trace.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/document/request.h"
#include "app/export/trace_output.h"
#include "app/run/engine.h"
#include "app/run/kernel_arguments.h"
#include "compute/cuda/compile/compile.h"
#include "compute/ptx/instructions/sites.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

struct EmulateOptions {
    std::string device = "simt";
    std::string file;
    std::string kernel;
    std::string grid = "1";
    std::string block = "1";
    std::uint32_t shared_bytes = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> dumps;
    bool parameter_sizes = false;
    bool json = false;
    std::string request;
};

// "X", "X,Y" or "X,Y,Z".
Dim3 parse_dim3(const std::string& option, std::string_view text)
{
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, sizes[i]);
        if (error != std::errc{} || sizes[i] == 0) break;
        if (next == end) return {sizes[0], sizes[1], sizes[2]};
        if (*next != ',') break;
        at = next + 1;
    }
    throw Error(ExitStatus::bad_usage, fmt::format("{} cannot be \"{}\".", option, text),
                "Write it as X, X,Y or X,Y,Z, each at least 1.");
}

std::string read_ptx(const std::filesystem::path& file)
{
    const std::string text = render::read_file(file);
    if (file.extension() == ".ptx") return text;
    if (file.extension() == ".cu") return cuda::compile_to_ptx(text, file);
    throw Error(ExitStatus::bad_usage,
                fmt::format("{} is neither CUDA C++ nor PTX by its name.", file.string()),
                "Name a file that ends in .cu or .ptx.");
}

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name)
{
    const std::vector<std::string> names = module.kernel_names();
    if (names.empty())
        throw Error(ExitStatus::no_such_thing, "The file holds no kernel.",
                    "A kernel is a function with __global__; extern \"C\" keeps its name short.");
    if (name.empty() && names.size() == 1) return *module.find_function(names.front());
    const ptx::Function* found = name.empty() ? nullptr : module.find_function(name);
    if (found && found->is_kernel) return *found;
    throw Error(name.empty() ? ExitStatus::bad_usage : ExitStatus::no_such_thing,
                name.empty() ? "The file holds several kernels."
                             : fmt::format("The file holds no kernel {}.", name),
                fmt::format("Choose one by --kernel: {}.", fmt::join(names, ", ")));
}

void print_parameters(const ptx::Function& kernel, bool json)
{
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const ptx::Variable& parameter = kernel.parameters[i];
        all.push_back({{"index", i},
                       {"name", parameter.name},
                       {"bytes", parameter.size_bytes()},
                       {"alignment", parameter.alignment}});
        if (!json)
            fmt::print("{}  {} bytes, aligned to {}  {}\n", i, parameter.size_bytes(),
                       parameter.alignment, parameter.name);
    }
    if (json)
        fmt::print("{}\n",
                   nlohmann::ordered_json{{"kernel", kernel.name}, {"parameters", all}}.dump(2));
}

void check_count(const ptx::Function& kernel, std::size_t given)
{
    if (given == kernel.parameters.size()) return;
    throw Error(ExitStatus::bad_usage,
                fmt::format("{} takes {} arguments, but {} were given.", kernel.name,
                            kernel.parameters.size(), given),
                "Give one --arg for each, in order; --param-sizes shows them.");
}

struct Dump {
    std::size_t argument = 0;
    std::filesystem::path path;
};

std::vector<Dump> parse_dumps(const std::vector<std::string>& texts,
                              const std::vector<ArgumentValue>& values)
{
    std::vector<Dump> dumps;
    for (const std::string& text : texts) {
        Dump dump;
        const std::size_t colon = text.find(':');
        const char* const end = text.data() + std::min(colon, text.size());
        const auto result = std::from_chars(text.data(), end, dump.argument);
        const bool valid =
            colon != std::string::npos && result.ec == std::errc{} && result.ptr == end;
        if (!valid || dump.argument >= values.size() || !values[dump.argument].is_buffer)
            throw Error(
                ExitStatus::bad_usage, fmt::format("--dump cannot be \"{}\".", text),
                "Write it as INDEX:PATH, where the argument with that index (from 0) is a buffer.");
        dump.path = text.substr(colon + 1);
        render::require_writable(dump.path);
        dumps.push_back(std::move(dump));
    }
    return dumps;
}

ExitStatus emulate(const EmulateOptions& options)
{
    const Dim3 grid = parse_dim3("--grid", options.grid);
    const Dim3 block = parse_dim3("--block", options.block);
    const std::string text = read_ptx(options.file);
    const ptx::Module parsed = ptx::parse(text);
    const ptx::Function& kernel = find_kernel(parsed, options.kernel);
    if (options.parameter_sizes) {
        print_parameters(kernel, options.json);
        return ExitStatus::done;
    }
    std::vector<ArgumentValue> values;
    for (const std::string& argument : options.arguments)
        values.push_back(parse_argument(argument));
    check_count(kernel, values.size());
    const std::vector<Dump> dumps = parse_dumps(options.dumps, values);

    simt::Options checked;
    checked.checks = simt::Checks::all();
    const OpenedEngine engine = open_engine(options.device, checked);
    device::Device& device = *engine.device;
    const auto module = device.load(text);
    std::vector<std::unique_ptr<device::Buffer>> buffers(values.size());
    device::Launch launch{grid, block, options.shared_bytes, {}, nullptr};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].is_buffer) {
            buffers[i] = device.allocate(values[i].bytes.size());
            device.upload(buffers[i]->address(), values[i].bytes);
            launch.arguments.emplace_back(*buffers[i]);
        } else {
            launch.arguments.emplace_back(values[i].bytes);
        }
    }
    trace::Trace trace;
    trace.per_warp = false;
    if (!options.request.empty())
        trace.request = parse_request(options.request, ptx::sites_of(parsed, kernel.name).sites);
    launch.trace = &trace;
    std::string fault;
    try {
        device.launch(module->kernel(kernel.name), launch);
        device.synchronize();
    } catch (const device::KernelFault& error) {
        fault = error.what();
        if (trace.faults.empty()) trace.faults.push_back(error.fault());
    }
    if (fault.empty() && !trace.faults.empty()) fault = trace.faults.front().message;
    if (fault.empty() && !options.request.empty())
        fmt::print("{}", options.json ? request_json(trace).dump(2) + "\n" : request_text(trace));
    else
        fmt::print("{}", options.json ? trace_json(trace).dump(2) + "\n" : trace_text(trace));
    if (!fault.empty()) throw Error(ExitStatus::kernel_fault, fault);
    for (const Dump& dump : dumps) {
        std::string bytes(values[dump.argument].bytes.size(), '\0');
        device.download(std::as_writable_bytes(std::span(bytes)),
                        buffers[dump.argument]->address());
        render::write_file(dump.path, bytes);
    }
    return ExitStatus::done;
}

} // namespace

void add_emulate(CLI::App& program, Command& chosen)
{
    CLI::App* command = program.add_subcommand(
        "emulate", "A kernel of your own, on the lockstep machine with every check, and its trace");
    const auto options = std::make_shared<EmulateOptions>();
    command->add_option("file", options->file, "FILE.cu or FILE.ptx")->required();
    command->add_option("--kernel", options->kernel,
                        "Its name; not needed when the file has one kernel");
    command->add_option("--grid", options->grid, "Blocks: X[,Y[,Z]]")->capture_default_str();
    command->add_option("--block", options->block, "Threads of a block: X[,Y[,Z]]")
        ->capture_default_str();
    command->add_option("--shared", options->shared_bytes, "Dynamic shared memory, in bytes");
    command
        ->add_option(
            "--arg", options->arguments,
            "One for each parameter, in order: i32:5, f32:0.2, or a buffer TYPE[COUNT]:FILL with "
            "FILL zero, ramp, const:V, random:SEED (floats in [0, 1)) or file:PATH")
        ->allow_extra_args(false);
    command
        ->add_option("--dump", options->dumps,
                     "INDEX:PATH writes that argument's buffer afterwards")
        ->allow_extra_args(false);
    command->add_flag("--param-sizes", options->parameter_sizes,
                      "Print the kernel's parameters only");
    add_request_option(*command, options->request);
    add_device_option(*command, options->device);
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([&chosen, options] { chosen = [options] { return emulate(*options); }; });
}

} // namespace lanescope::app
