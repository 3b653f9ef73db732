// `lanescope shot`: one picture, drawn offscreen; the same command gives the same bytes. The
// session is embedded in the PNG; in SVG and PDF, caption and legend are vectors.
#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/scene_options.h"
#include "app/commands/shared/validation.h"
#include "app/draw/studio.h"
#include "app/measure/per_step.h"
#include "compute/endings.h"
#include "compute/numbers.h"
#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

struct ShotOptions {
    SceneOptions scene;
    std::string output;
    std::optional<std::int64_t> frame;
    std::int64_t max_steps = default_most_steps;
};

ExitStatus shot(const ShotOptions& options)
{
    constexpr std::int64_t default_frame = 60;
    const Session session = session_from(options.scene);
    require_valid(options.scene.common, session);
    const PictureFormat format = picture_format(options.scene, session);
    render::require_allowed_name(options.output);
    const bool figure = ending::is_one_of(options.output, render::figure_endings);
    if (!figure && !options.output.ends_with(ending::png))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has no PNG or figure extension.", options.output),
                    fmt::format("Choose a name that ends in {}, {}.", ending::png,
                                ending::listed(render::figure_endings)));
    require_few_steps(session.journal.steps, options.max_steps);
    render::require_writable(options.output);

    Studio studio(session, format,
                  options.scene.common.launch_limit_s(labs::find(session.journal.start.lab)));
    require_choices(options.scene, studio.frame());
    const std::int64_t per_frame = studio.frame().a.facts.steps_per_frame;
    // A session's journal already contains its steps, so no frames are added by default.
    const std::int64_t frames =
        options.frame.value_or(options.scene.session.empty() ? default_frame : 0);
    const auto& wanted = options.scene.common.steps;
    const std::int64_t launches =
        wanted ? launches_for(*studio.frame().a.variant, *wanted) : frames * per_frame;
    if (launches > 0) studio.advance(launches);
    if (figure) {
        studio.save_figure(options.output);
    } else {
        const render::Pixels pixels = studio.draw();
        render::write_png(options.output, pixels, as_png_text(studio.session()));
    }
    const Frame& shown = studio.frame();
    fmt::print("{}: {}, step {}\n", options.output,
               describe_frame(shown, session.look, format.size),
               grouped(static_cast<std::uint64_t>(shown.a.facts.steps)));
    return ExitStatus::done;
}

} // namespace

void add_shot(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand("shot", "Save one picture without a window");
    const auto options = std::make_shared<ShotOptions>();
    add_scene_options(*command, options->scene);
    command
        ->add_option("-o,--output", options->output,
                     "The file to write: a PNG, which contains the session, or an SVG or PDF "
                     "figure, in which words stay text or become outlines")
        ->required();
    command
        ->add_option(
            "--frame", options->frame,
            "Frame to draw (default 60; for a session, its own; a frame is steps_per_frame steps; "
            "--steps counts steps instead)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
    add_most_steps_option(*command, options->max_steps);
    command->callback([&chosen, options] { chosen = [options] { return shot(*options); }; });
}

} // namespace lanescope::app
