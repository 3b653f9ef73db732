// The folder is like those that `lanescope program` keeps of a program's launches.
#include "app/run/doubt/reproduction.h"

#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/guess/launch.h"
#include "compute/simt/debug/launches.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* second_text = "second.ptx";

// Halves one dimension of both launches while the versions differ.
void reduce(DoubtQuestion& question, std::uint32_t Dim3::*dimension, Dim3 KernelLaunch::*of)
{
    const auto set = [&](std::uint32_t size) {
        question.first.*of.*dimension = size;
        question.second.*of.*dimension = size;
    };
    std::uint32_t differs = question.first.*of.*dimension;
    std::uint32_t equal = 0; // the largest size known not to differ
    while (differs - equal > 1) {
        const std::uint32_t middle = equal + (differs - equal) / 2;
        set(middle);
        bool remains = false;
        try {
            remains = still_differs(question);
        } catch (const Error&) {
            // A launch of this size is refused or does not end.
        }
        (remains ? differs : equal) = middle;
    }
    set(differs);
}

std::string bytes_of(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The launch as `program` keeps launches, with the files of its memory.
struct Kept {
    labs::KeptLaunch launch;
    std::map<std::string, std::string> files;
};

Kept kept_launch(VersionRun& run, const std::string& name)
{
    const KernelLaunch& launch = run.launch();
    const simt::NotedLaunch& noted = *run.device().launches().front();
    Kept kept;
    kept.launch.symbol = launch.kernel;
    kept.launch.index = 1;
    kept.launch.program = name;
    kept.launch.grid = launch.grid;
    kept.launch.block = launch.block;
    kept.launch.shared_bytes = launch.shared_bytes;
    kept.launch.parameter_names = launch.parameter_names;
    for (const device::Argument& argument : noted.launch.arguments)
        kept.launch.arguments.emplace_back(argument.bytes().begin(), argument.bytes().end());
    const auto add = [&](const std::string& id, const Value& value) {
        if (value.is_image())
            throw Error(ExitStatus::unsupported,
                        "A launch with textures or surfaces cannot be written as a folder.",
                        "Leave -o out.");
        if (value.kind != Value::Kind::buffer) return;
        labs::KeptLaunch::Memory memory;
        memory.address = run.location(id);
        memory.bytes = value.bytes.size();
        memory.file = fmt::format("memory_{}.bin", id);
        Bytes before(value.bytes.size());
        simt::PagedMemory::read(noted.before, memory.address, before);
        for (const ResultMemory& result : run.memory())
            if (result.id == id && !result.is_variable) memory.written = result.bytes != before;
        kept.files[memory.file] = bytes_of(before);
        kept.launch.memory.push_back(std::move(memory));
    };
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        add(std::to_string(i), launch.arguments[i]);
    for (const auto& [id, value] : launch.named) add(id, value);
    const ptx::Module module = ptx::parse(launch.ptx);
    for (const auto& [id, value] : launch.variables) {
        labs::KeptLaunch::Variable variable;
        variable.name = id;
        variable.bytes = value.bytes.size();
        variable.file = fmt::format("variable_{}.bin", kept.launch.variables.size());
        for (const ptx::Variable& one : module.variables)
            if (one.name == id) variable.constant = one.space == ptx::Space::constant;
        kept.files[variable.file] = bytes_of(value.bytes);
        kept.launch.variables.push_back(std::move(variable));
    }
    return kept;
}

} // namespace

DoubtQuestion reduced(const DoubtQuestion& question)
{
    DoubtQuestion smaller = question;
    if (!still_differs(question)) return smaller;
    for (const auto of : {&KernelLaunch::grid, &KernelLaunch::block})
        for (const auto dimension : {&Dim3::z, &Dim3::y, &Dim3::x}) reduce(smaller, dimension, of);
    return smaller;
}

void write_reproduction(const DoubtQuestion& question, const std::string& name,
                        const fs::path& folder)
{
    std::error_code none;
    if (fs::exists(folder, none) && !fs::is_empty(folder, none))
        throw Error(ExitStatus::bad_usage, fmt::format("{} is not empty.", folder.string()),
                    "Name a new folder.");
    // The optimised text of a source is the one that the folder runs.
    const bool compiled = question.kind == DoubtKind::compilations;
    VersionRun run(compiled ? question.second : question.first, question.limits);
    Kept kept = kept_launch(run, name);
    const std::string& ptx = run.launch().ptx;
    std::string source;
    for (const std::string& line : question.source) source += line + "\n";
    kept.files[labs::record_file] = labs::record_of_launch(source, ptx, name, kept.launch);
    if (compiled) kept.files[name] = source;
    kept.files[fs::path(name).replace_extension(ending::ptx).string()] = ptx;
    if (question.kind == DoubtKind::texts) kept.files[second_text] = question.second.ptx;
    fs::create_directories(folder);
    for (const auto& [file, contents] : kept.files) render::write_file(folder / file, contents);
}

std::string repeat_command(const DoubtQuestion& question, const fs::path& folder)
{
    std::string command = fmt::format("lanescope doubt {}", folder.string());
    if (question.kind == DoubtKind::texts)
        command += fmt::format(" --against {}", (folder / second_text).string());
    if (question.gpu) command += " --device cuda";
    if (question.tolerance > 0) command += fmt::format(" --tolerance {}", question.tolerance);
    return command;
}

} // namespace lanescope::app
