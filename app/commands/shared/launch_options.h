// Options that describe one launch of a kernel in a file: its grid, its block and its arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/kernel/kernel_run.h"
#include "compute/experiment/lab/lab.h"
#include "compute/ptx/text/module.h"

namespace CLI {
class App;
} // namespace CLI

namespace lanescope::app {

struct LaunchOptions {
    std::string file;
    std::string kernel;
    std::string grid;
    std::string cluster;
    std::string block;
    std::uint32_t shared_bytes = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> named;
    std::vector<std::string> variables;
    // True if an option describes the launch; otherwise it is guessed the way `run` does it.
    bool describe_launch() const
    {
        return !arguments.empty() || !grid.empty() || !block.empty() || !named.empty() ||
               !variables.empty() || shared_bytes > 0 || !cluster.empty();
    }
};

// Adds the file, --kernel, --grid, --block, --cluster, --shared, --arg, --let and --var.
void add_launch_options(CLI::App& command, LaunchOptions& options);

// Parses "X", "X,Y" or "X,Y,Z". Throws Error (bad_usage) that names the option.
Dim3 parse_dim3(const std::string& option, std::string_view text);

// The PTX of a .ptx file, or of a .cu file, compiled with compile_options() and these flags.
std::string read_ptx(const std::filesystem::path& file,
                     const std::vector<std::string>& more_flags = {});

// The launch that the options describe. `text` is the PTX that `parsed` was read from.
KernelLaunch described_launch(const LaunchOptions& options, std::string text,
                              const ptx::Module& parsed, const ptx::Function& kernel);

// The variant of the named kernel; an empty name means the only one.
const labs::Variant& kernel_variant(const labs::Lab& lab, const std::string& kernel);

} // namespace lanescope::app
