// `lanescope record`: a video or numbered PNG files with a fixed timestep; the same command gives
// the same frames.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/scene_options.h"
#include "app/commands/shared/validation.h"
#include "app/draw/studio.h"
#include "app/measure/per_step.h"
#include "compute/endings.h"
#include "compute/numbers.h"
#include "compute/process/end_request.h"
#include "render/capture/video.h"

namespace lanescope::app {
namespace {

struct RecordOptions {
    SceneOptions scene;
    std::string output;
    double seconds = 5;
    int frames_per_second = 30;
    std::int64_t max_steps = default_most_steps;
    std::string through; // films a stepped launch, one "line" or "instruction" per move
    double moves_per_second = 2;
};

// Films a launch: each move stays on screen, and the last picture shows the end.
class Through {
public:
    Through(Studio& studio, const RecordOptions& options)
        : studio_(studio), move_{.kind = options.through == "line" ? StepMove::Kind::line
                                                                   : StepMove::Kind::instruction},
          frames_per_move_(std::max(1.0, options.frames_per_second / options.moves_per_second))
    {
    }
    // Moves to the state shown in that frame.
    void advance(std::int64_t frame)
    {
        const auto due = static_cast<std::int64_t>(static_cast<double>(frame) / frames_per_move_);
        for (; moves < due && !ended; ++moves) ended = !studio_.step(move_);
    }
    std::int64_t moves = 0;
    bool ended = false;

private:
    Studio& studio_;
    StepMove move_;
    double frames_per_move_;
};

ExitStatus record(RecordOptions options)
{
    // The target may be a session file instead of LAB/VARIANT.
    constexpr std::string_view sessions[] = {ending::session, ending::png};
    if (ending::is_one_of(options.scene.target, sessions))
        options.scene.session = std::exchange(options.scene.target, "");
    if (!options.through.empty() && !options.scene.instruction && options.scene.session.empty())
        options.scene.instruction = 0;
    const Session session = session_from(options.scene);
    if (!options.through.empty() && !session.look.step.on)
        throw Error(ExitStatus::bad_usage, "--step needs a launch to step through.",
                    "Add --instruction 0, or use a session that was saved in stepping mode.");
    require_valid(options.scene.common, session);
    require_few_steps(session.journal.steps, options.max_steps);
    const PictureFormat format = picture_format(options.scene, session);
    render::VideoWriter video(options.output,
                              {format.size.width, format.size.height, options.frames_per_second});

    Studio studio(session, format,
                  options.scene.common.launch_limit_s(labs::find(session.journal.start.lab)));
    require_choices(options.scene, studio.frame());
    const std::int64_t first = studio.frame().a.facts.steps;
    const auto frames = static_cast<std::int64_t>(
        std::max(1.0, std::round(options.seconds * options.frames_per_second)));
    const std::int64_t per_frame =
        options.scene.common.steps
            ? launches_for(*studio.frame().a.variant, *options.scene.common.steps)
            : studio.frame().a.facts.steps_per_frame;
    std::optional<Through> through;
    if (!options.through.empty()) through.emplace(studio, options);
    note_end_requests();
    for (std::int64_t frame = 0; frame < frames && end_request() == 0; ++frame) {
        if (through)
            through->advance(frame);
        else if (frame > 0)
            studio.advance(per_frame);
        video.add(studio.draw());
    }
    if (video.frames() > 0) video.finish();
    if (video.frames() < frames)
        fmt::print(stderr,
                   "lanescope: Interrupted by a signal; the video ends after frame {} of {}.\n",
                   video.frames(), frames);
    if (through) {
        fmt::print("{}: {}, {} at {} per second, {}{}\n", options.output,
                   describe_frame(studio.frame(), session.look, format.size),
                   counted(static_cast<std::size_t>(video.frames()), "frame"),
                   options.frames_per_second,
                   counted(static_cast<std::size_t>(through->moves), options.through),
                   through->ended ? " to the end of the launch" : "");
        return ExitStatus::done;
    }
    fmt::print("{}: {}, {} at {} per second, steps {} to {}\n", options.output,
               describe_frame(studio.frame(), session.look, format.size),
               counted(static_cast<std::size_t>(video.frames()), "frame"),
               options.frames_per_second, grouped(static_cast<std::uint64_t>(first)),
               grouped(static_cast<std::uint64_t>(studio.frame().a.facts.steps)));
    return ExitStatus::done;
}

} // namespace

void add_record(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command =
        program.add_subcommand("record", "Record a video or PNG sequence without a window");
    const auto options = std::make_shared<RecordOptions>();
    add_scene_options(*command, options->scene);
    command
        ->add_option("-o,--output", options->output,
                     "The file to write: .mp4, .gif, or numbered PNG files as in frames/%05d.png")
        ->required();
    command->add_option("--seconds", options->seconds, "Length")
        ->check(number_between(0.001, 36000.0))
        ->capture_default_str();
    command->add_option("--fps", options->frames_per_second, "Frames per second")
        ->check(CLI::Range(1, 240))
        ->capture_default_str();
    command
        ->add_option("--step", options->through,
                     "Step through a launch of the next step, starting at --instruction, by this "
                     "unit per move")
        ->check(CLI::IsMember({"line", "instruction"}));
    command->add_option("--moves", options->moves_per_second, "With --step: moves per second")
        ->needs("--step")
        ->check(number_between(0.1, 240.0))
        ->capture_default_str();
    add_most_steps_option(*command, options->max_steps);
    command->get_option("--steps")->description("Steps per frame (default: the lab's own)");
    command->callback([&chosen, options] { chosen = [options] { return record(*options); }; });
}

} // namespace lanescope::app
