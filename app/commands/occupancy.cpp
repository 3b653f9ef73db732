// `lanescope occupancy`: how many blocks a multiprocessor holds, for one architecture or all, and
// which resource limits it. Needs no GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/export/table.h"
#include "compute/counting/gpus.h"
#include "compute/counting/occupancy.h"

namespace lanescope::app {
namespace {

using counting::MultiprocessorLimits;
using nlohmann::ordered_json;

struct OccupancyOptions {
    std::string architecture; // empty: all
    int threads = 256;
    int registers = 32;
    int shared_bytes = 0;
    bool json = false;
};

std::string capability(const MultiprocessorLimits& limits)
{
    return fmt::format("{}.{}", limits.compute_major, limits.compute_minor);
}

// Matches id, title or compute capability.
std::vector<MultiprocessorLimits> chosen_multiprocessors(const std::string& wanted)
{
    const auto known = counting::multiprocessors();
    std::vector<MultiprocessorLimits> found;
    std::vector<std::string> names;
    for (const MultiprocessorLimits& one : known) {
        names.push_back(fmt::format("{} ({})", one.id, capability(one)));
        if (wanted.empty() || one.id == wanted || one.title == wanted || capability(one) == wanted)
            found.push_back(one);
    }
    if (found.empty())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no architecture '{}'.", wanted),
                    fmt::format("Known ones: {}.", fmt::join(names, ", ")));
    return found;
}

ordered_json as_json(const MultiprocessorLimits& limits, const counting::Occupancy& fits)
{
    return {{"architecture", limits.id},
            {"title", limits.title},
            {"compute_capability", capability(limits)},
            {"blocks", fits.blocks},
            {"warps", fits.warps},
            {"maximum_warps", fits.maximum_warps},
            {"occupancy", fits.fraction()},
            {"limited_by", counting::name(fits.limit)},
            {"blocks_by",
             {{"warps", fits.warp_limit},
              {"blocks", fits.block_limit},
              {"registers", fits.register_limit},
              {"shared_memory", fits.shared_memory_limit}}},
            {"of_a_block",
             {{"warps", fits.warps_per_block},
              {"registers", fits.registers_per_block},
              {"shared_bytes", fits.shared_bytes_per_block}}}};
}

ExitStatus occupancy(const OccupancyOptions& options)
{
    std::vector<MultiprocessorLimits> chosen;
    if (const counting::Gpu* const gpu = counting::chosen_gpu())
        chosen = {gpu->limits()};
    else
        chosen = chosen_multiprocessors(options.architecture);

    Table table({{"architecture"},
                 {"capability", true},
                 {"blocks", true},
                 {"warps", true},
                 {"occupancy", true},
                 {"by warps", true},
                 {"by blocks", true},
                 {"by registers", true},
                 {"by shared memory", true},
                 {"limited by"}});
    ordered_json all = ordered_json::array();
    for (const MultiprocessorLimits& limits : chosen) {
        const counting::Occupancy fits =
            counting::occupancy(limits, options.threads, options.registers, options.shared_bytes);
        all.push_back(as_json(limits, fits));
        table.add({std::string(limits.title), capability(limits), std::to_string(fits.blocks),
                   fmt::format("{} of {}", fits.warps, fits.maximum_warps),
                   fmt::format("{:g}%", std::round(1000 * fits.fraction()) / 10),
                   std::to_string(fits.warp_limit), std::to_string(fits.block_limit),
                   std::to_string(fits.register_limit), std::to_string(fits.shared_memory_limit),
                   fits.blocks == 0 ? fmt::format("{}: it cannot run", counting::name(fits.limit))
                                    : std::string(counting::name(fits.limit))});
    }
    if (options.json)
        print_json(ordered_json{{"threads", options.threads},
                                {"registers", options.registers},
                                {"shared_bytes", options.shared_bytes},
                                {"multiprocessors", std::move(all)}});
    else
        fmt::print(
            "{}Per multiprocessor; a block has {} threads with {} registers each and {} bytes of "
            "shared memory.\n",
            table.text(), options.threads, options.registers, options.shared_bytes);
    return ExitStatus::done;
}

} // namespace

void add_occupancy(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "occupancy", "Show how many blocks fit on a multiprocessor, and what limits their number");
    const auto options = std::make_shared<OccupancyOptions>();
    CLI::Option* const architecture =
        command->add_option("--arch", options->architecture,
                            "Architecture (hopper) or compute capability (9.0); default: all");
    command
        ->add_option_function<std::string>(
            "--gpu",
            [](const std::string& name) { counting::choose_gpu(counting::gpu_named(name)); },
            "A GPU, such as T4, instead of an architecture")
        ->type_name("NAME")
        ->excludes(architecture);
    command->add_option("--block", options->threads, "Threads per block")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--registers", options->registers, "Registers per thread")
        ->check(CLI::Range(0, 255))
        ->capture_default_str();
    command
        ->add_option("--shared", options->shared_bytes,
                     "Shared memory per block in bytes, static and dynamic together")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([&chosen, options] { chosen = [options] { return occupancy(*options); }; });
}

} // namespace lanescope::app
