// Declares the options of --tree, records the selected block, and writes the figure.
#include "app/commands/shared/tree.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/document/look/subject.h"
#include "compute/numbers.h"
#include "render/capture/figure.h"
#include "render/views/tree.h"

namespace lanescope::app {

CLI::Option* add_tree_options(CLI::App& command, TreeChoice& choice)
{
    CLI::Option* tree =
        command.add_option("--tree", choice.file,
                           "Draw the data exchange in a block, by shuffles and through memory, as "
                           "simt executed it: FILE.svg or FILE.pdf");
    command
        .add_option("--tree-warp", choice.warp,
                    "The warp that --tree draws, counted from 0 over the whole launch")
        ->check(CLI::NonNegativeNumber)
        ->needs(tree);
    command.add_flag("--tree-block", choice.block, "--tree draws all threads of that warp's block")
        ->needs(tree);
    return tree;
}

std::string device_of(const TreeChoice& choice, const std::string& device)
{
    if (!choice.wanted()) return device;
    if (device == "cuda")
        throw Error(ExitStatus::bad_usage,
                    "--tree is recorded while the lockstep machine runs the kernel.",
                    "Leave out --device cuda.");
    return "simt";
}

trace::LaneRecording recording_of(const TreeChoice& choice, const Dim3& grid, const Dim3& block)
{
    const std::uint64_t warps = (block.count() + 31) / 32;
    trace::LaneRecording recording{.block = static_cast<std::uint64_t>(choice.warp) / warps,
                                   .max_events = trace::default_max_events};
    if (recording.block >= grid.count())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no warp {} in this launch.", choice.warp),
                    fmt::format("It has {} of {}.", counted(grid.count(), "block"),
                                counted(warps, "warp")));
    return recording;
}

void save_tree(const TreeChoice& choice, const trace::LaneRecording& recording,
               const std::string& kernel, const Dim3& grid, const Dim3& block)
{
    constexpr float width = 1280;
    constexpr float height = 720;
    constexpr float text_px = 20;
    constexpr float pad = 14;
    const render::Theme& theme = render::light_theme; // for paper
    const trace::Exchange exchange = trace::exchange_of(recording);
    const auto figure = render::make_figure(choice.file, width, height, theme.background);
    figure->text({pad, pad + 1.1F * text_px},
                 kernel + ": " + warp_title(static_cast<std::uint64_t>(choice.warp), grid, block),
                 {1.3F * text_px, theme.text, true});
    const render::Box box{pad, pad + 1.9F * text_px, width - 2 * pad,
                          height - 2 * pad - 1.9F * text_px};
    const auto warp = static_cast<int>(choice.warp % std::max(exchange.warps(), 1));
    if (exchange.rows.empty())
        figure->text({pad, height / 2}, "No thread of this block received data from another.",
                     {text_px, theme.text});
    else
        draw_tree(*figure, box, {exchange, choice.block ? -1 : warp}, theme, text_px);
    figure->save(choice.file);
}

} // namespace lanescope::app
