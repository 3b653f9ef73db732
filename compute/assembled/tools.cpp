// The tools run on files in a temporary folder.
#include "compute/assembled/tools.h"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "compute/counting/gpus.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/error.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "compute/process/temporary_folder.h"
#include "compute/process/walls.h"

namespace lanescope::assembled {
namespace fs = std::filesystem;
namespace {

// Enough for a kernel that ptxas takes minutes to assemble.
constexpr std::uint64_t max_memory_bytes = std::uint64_t{16} << 30,
                        max_file_bytes = std::uint64_t{1} << 30;
constexpr unsigned max_processor_s = 600;

fs::path find_tool(const std::string& name)
{
    std::vector<fs::path> folders;
    for (const fs::path& root : cuda::toolkit_roots()) folders.push_back(root / "bin");
    folders.push_back(cuda::program_folder() / ".." / ".deps" / "nvdisasm" / "bin");
    for (fs::path& folder : absolute_folders("PATH")) folders.push_back(std::move(folder));
    for (const fs::path& folder : folders)
        if (is_executable(folder / name)) return folder / name;
    return {};
}

// Returns the first line with an error message; if there is none, the first line of the output.
std::string complaint(const std::string& output)
{
    std::istringstream lines(output);
    std::string first;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        if (first.empty()) first = line;
        if (line.find("error") != line.npos || line.find("fatal") != line.npos) return line;
    }
    return first.empty() ? "no reason given" : first;
}

// Runs a tool with access to `folder` and the CUDA toolkits only, because its input may be
// untrusted.
std::string run_tool(const std::vector<std::string>& command, const fs::path& folder,
                     std::string_view what)
{
    Walls walls = walls_for_program(command.front());
    for (const fs::path& root : cuda::toolkit_roots())
        for (const char* part : {"bin", "lib", "lib64", "nvvm"})
            walls.runnable.push_back(root / part);
    walls.writable.push_back(folder);
    walls.limits = {.memory_bytes = max_memory_bytes,
                    .file_bytes = max_file_bytes,
                    .processor_s = max_processor_s};
    Finished finished =
        run_to_end(command, {.walls = &walls, .changes = {"TMPDIR=" + folder.string()}});
    if (finished.status != 0)
        throw Error(ExitStatus::bad_usage, fmt::format("{}: {}.", what, complaint(finished.output)),
                    "Counts of the PTX need no assembler: leave out --sass.");
    return std::move(finished.output);
}

// A text with .target sm_90a is refused for sm_90, though it is meant for that GPU.
std::string exact_architecture(std::string_view ptx, std::string_view architecture)
{
    constexpr std::string_view directive = "\n.target ";
    const std::size_t at = ptx.find(directive);
    if (at == ptx.npos) return std::string(architecture);
    const std::string_view rest = ptx.substr(at + directive.size());
    const std::string_view target = rest.substr(0, rest.find_first_of(", \t\r\n"));
    const bool same = target.size() == architecture.size() + 1 &&
                      target.starts_with(architecture) &&
                      (target.back() == 'a' || target.back() == 'f');
    return std::string(same ? target : architecture);
}

Sass reassemble(std::string_view ptx, std::string_view architecture)
{
    const Tools tools = find_tools();
    if (!tools.complete())
        throw Error(ExitStatus::device_unavailable, tools.missing,
                    "Install a CUDA toolkit, or pip install nvidia-cuda-nvcc "
                    "nvidia-cuda-nvdisasm.");
    const TemporaryFolder folder;
    const fs::path text = folder / "kernel.ptx", binary = folder / "kernel.cubin";
    std::ofstream(text, std::ios::binary)
        .write(ptx.data(), static_cast<std::streamsize>(ptx.size()));
    run_tool({tools.ptxas.string(), fmt::format("-arch={}", exact_architecture(ptx, architecture)),
              "-lineinfo", text.string(), "-o", binary.string()},
             folder.path(), fmt::format("The assembler rejects this PTX for {}", architecture));
    Sass sass =
        parse_sass(run_tool({tools.nvdisasm.string(), "-c", "-gp", binary.string()}, folder.path(),
                            "The disassembler cannot read the assembled code"));
    if (sass.architecture.empty()) sass.architecture = std::string(architecture);
    return sass;
}

} // namespace

std::string default_architecture()
{
    return counting::simulated_gpu().architecture();
}

Tools find_tools()
{
    Tools tools{find_tool("ptxas"), find_tool("nvdisasm"), {}};
    if (const char* chosen = std::getenv("LANESCOPE_NVDISASM"))
        tools.nvdisasm = is_executable(chosen) ? fs::path(chosen) : fs::path{};
    if (tools.ptxas.empty())
        tools.missing = "NVIDIA's assembler (ptxas) was not found.";
    else if (tools.nvdisasm.empty())
        tools.missing = "NVIDIA's disassembler (nvdisasm) was not found.";
    return tools;
}

std::shared_ptr<const Sass> assemble(std::string_view ptx, std::string_view architecture)
{
    struct Known {
        std::string architecture, ptx;
        std::shared_ptr<const Sass> sass;
    };
    constexpr std::size_t max_known = 16;
    static std::mutex mutex;
    static std::deque<Known> known;
    const std::lock_guard lock(mutex);
    for (const Known& each : known)
        if (each.architecture == architecture && each.ptx == ptx) return each.sass;
    auto sass = std::make_shared<const Sass>(reassemble(ptx, architecture));
    known.push_front({std::string(architecture), std::string(ptx), sass});
    if (known.size() > max_known) known.pop_back();
    return sass;
}

} // namespace lanescope::assembled
