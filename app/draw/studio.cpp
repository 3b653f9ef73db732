// See studio.h.
#include "app/draw/studio.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/draw/picture_figure.h"
#include "compute/cuda/availability.h"

namespace lanescope::app {
namespace {

// The GPU that will compute draws too, so that memory can be shared.
std::unique_ptr<render::Offscreen> context_for(const std::string& engine)
{
    render::OffscreenOptions options;
    if (engine != "simt" && cuda::availability().available) options.cuda_ordinal = 0;
    return std::make_unique<render::Offscreen>(options);
}

} // namespace

Studio::Studio(const Session& session, const PictureFormat& format)
    : start_(session), format_(format), context_(context_for(session.device))
{
    const auto find = [session] { return Found{Arrival::session, session}; };
    const std::uint64_t opened = worker_.open({"the session", find, session.device});
    worker_.tell({.opened = opened,
                  .running = false,
                  .view = session.look.view,
                  .counting = counting_for(session.look),
                  .compare = session.look.compare,
                  .difference = true,
                  .sweep = {}});
    frame_ = worker_.settle();
}

void Studio::advance(std::int64_t steps)
{
    worker_.step(steps);
    frame_ = worker_.settle();
}

render::Pixels Studio::draw_strips(const Strips::Strip& strip)
{
    strips_.begin(format_.size, samples_for(start_.look), strip);
    return strips_.rest();
}

render::Pixels Studio::draw()
{
    return draw_strips(strip_of(scene_, shown()));
}

void Studio::save_figure(const std::filesystem::path& path)
{
    const Shown all = shown();
    const render::Pixels wordless = draw_strips(wordless_strip_of(scene_, all));
    app::save_figure(path, wordless, *words_of(scene_, all, format_.size),
                     view_theme(start_.look.theme));
}

Session Studio::session() const
{
    Session session{start_.device, frame_->a.journal(), start_.look};
    session.picture = format_;
    return session;
}

void add_scene_options(CLI::App& command, SceneOptions& options)
{
    command.add_option("target", options.target, "LAB/VARIANT (LAB alone: its first variant)");
    add_common_options(command, options.common);
    command.add_option("--session", options.session, "A session: JSON, or a PNG that holds one");
    command.add_option("--view", options.view, "How to draw it, such as field or surface");
    command.add_option("--size", options.size,
                       "Size of the picture in pixels, WIDTHxHEIGHT (default 1280x720, of a "
                       "picture's session the picture's)");
    command.add_option("--map", options.map, "Heatmap over the picture")
        ->check(CLI::IsMember(map_names()));
    command
        .add_option("--show", options.show,
                    "What to draw: the picture, its memory sector by sector, or one request")
        ->check(CLI::IsMember(subject_names()));
    command.add_option("--memory", options.memory, "Whose sectors --show memory draws, such as to");
    command.add_option("--site", options.request.site,
                       "Which of the trace's sites --show request draws, from 0 (-1: the worst)");
    command.add_option("--warp", options.request.warp, "Which warp of the launch, from 0")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--request", options.request.request, "Which of its requests there, from 0")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--theme", options.theme, "Colours")
        ->check(CLI::IsMember({"dark", "light"}))
        ->capture_default_str();
}

Session session_from(const SceneOptions& options)
{
    if (options.target.empty() == options.session.empty())
        throw Error(ExitStatus::bad_usage, "The target is missing: what should be drawn?",
                    "Name either LAB/VARIANT or --session FILE.");
    Session session;
    if (!options.session.empty()) {
        session = load_session(options.session);
    } else {
        const Target target = find_target(options.target);
        const labs::Variant& variant =
            target.variant ? *target.variant : target.lab->variants.front();
        const labs::Values values = values_from(*target.lab, options.common.assignments);
        session.journal.start = {target.lab->place, variant.id, as_texts(*target.lab, values),
                                 options.common.seed, options.common.image};
        session.device = options.common.device;
        session.look.theme = options.theme == "light" ? Theme::light : Theme::dark;
    }
    if (!options.map.empty()) session.look.map = options.map;
    if (!options.show.empty()) session.look.subject = subject_named(options.show);
    if (!options.memory.empty()) session.look.memory = options.memory;
    if (options.request != RequestChoice{}) session.look.request = options.request;
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    if (!options.view.empty()) session.look.view = options.view;
    if (session.look.view.empty()) session.look.view = lab.views.front();
    if (std::ranges::find(lab.views, session.look.view) == lab.views.end())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The lab {} has no view {}.", lab.id, session.look.view),
                    fmt::format("Its views are: {}.", fmt::join(lab.views, ", ")));
    return session;
}

PictureFormat picture_format(const SceneOptions& options, const Session& session)
{
    if (options.size.empty() && session.picture) return *session.picture;
    const Size size = parse_size(options.size.empty() ? "1280x720" : options.size);
    return {size, std::max(9.0F, static_cast<float>(size.height) / 36)};
}

} // namespace lanescope::app
