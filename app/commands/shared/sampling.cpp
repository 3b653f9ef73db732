// This line comes first in a report, because a sample that finds nothing proves less than a check
// of all blocks.
#include "app/commands/shared/sampling.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/shared/options.h"
#include "compute/numbers.h"

namespace lanescope::app {

CLI::Option* add_sample_options(CLI::App& command, SampleChoice& choice)
{
    CLI::Option* const option = command.add_flag(
        "--sample", choice.wanted,
        "simt checks some blocks fully (first, last, edges, others at random) and all blocks for "
        "bounds and alignment; results and counts cover all blocks. Races with a block that is "
        "not checked go unnoticed");
    command
        .add_option("--sample-seed", choice.sample->seed,
                    "Chooses which other blocks are checked: another seed checks different ones")
        ->check(unsigned_number())
        ->capture_default_str()
        ->needs(option);
    return option;
}

std::string sample_line(const trace::Sample& sample, std::size_t launches)
{
    const std::string of =
        launches == 1 ? std::string() : fmt::format(" in {} launches", grouped(launches));
    if (sample.checked == sample.blocks)
        return fmt::format("checked: all {}{}{}", counted(sample.blocks, "block"), of,
                           sample.reason_for_all.empty() || launches != 1
                               ? ""
                               : ", because " + sample.reason_for_all);
    return fmt::format("checked: {} of {} blocks{} (first, last, edges, others by seed {}); {}",
                       grouped(sample.checked), grouped(sample.blocks), of, sample.seed,
                       sample.stopped ? "not all blocks have run" : "bounds in all");
}

nlohmann::ordered_json sample_json(const trace::Sample& sample)
{
    nlohmann::ordered_json json{{"blocks", sample.checked},
                                {"of", sample.blocks},
                                {"seed", sample.seed},
                                {"stopped", sample.stopped}};
    if (!sample.reason_for_all.empty()) json["reason"] = sample.reason_for_all;
    return json;
}

} // namespace lanescope::app
