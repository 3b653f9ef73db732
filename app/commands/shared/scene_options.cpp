// Starts from the target's lab or from a session, and applies the options to it.
#include "app/commands/shared/scene_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/document/look/subject.h"
#include "app/document/session/session_file.h"
#include "app/draw/scene/maps.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/export/table.h"
#include "app/measure/measurements.h"
#include "compute/error.h"
#include "compute/numbers.h"
#include "compute/ptx/sites/sites.h"

namespace lanescope::app {

void add_scene_options(CLI::App& command, SceneOptions& options)
{
    command.add_option("target", options.target,
                       "LAB/VARIANT (LAB alone: its first variant), or a lab's folder or your own "
                       ".cu file instead of LAB");
    add_common_options(command, options.common);
    command.add_option("--session", options.session, "A session: JSON, or a PNG that contains one");
    command.add_option("--view", options.view, "View, such as field or surface");
    command.add_option(
        "--size", options.size,
        "Size of the picture in pixels, WIDTHxHEIGHT (default 1280x720, or the size of the "
        "picture that the session is embedded in)");
    command.add_option("--map", options.map, "Heatmap over the picture")
        ->check(CLI::IsMember(map_names()));
    command
        .add_option("--map-of", options.map_of,
                    "The accesses that a heatmap of sectors or wavefronts covers")
        ->check(CLI::IsMember(scope_names()));
    command
        .add_option(
            "--show", options.show,
            "Subject to draw: the picture, its memory sector by sector, one request, or tree: "
            "the data exchange in a block, as simt executed it")
        ->check(CLI::IsMember(subject_names()));
    command.add_option("--memory", options.memory,
                       "The name of the buffer whose sectors --show memory draws");
    command.add_option("--site", options.request.site,
                       "Site of the trace that --show request draws, from 0 (-1: the worst)");
    command
        .add_option("--warp", options.request.warp,
                    "Warp of the launch, from 0 (default: a median one)")
        ->check(CLI::NonNegativeNumber);
    command
        .add_option("--request", options.request.request,
                    "Request of that warp at that site, from 0")
        ->check(CLI::NonNegativeNumber);
    command.add_flag("--tree-block", options.tree_block,
                     "--show tree draws all threads of that warp's block");
    command
        .add_option("--instruction", options.instruction,
                    "Draw the next step in stepping mode, after this many warp instructions of its "
                    "first launch")
        ->check(CLI::NonNegativeNumber);
    command
        .add_option(
            "--step-warp", options.step_warp,
            "With --instruction: the warp of the block to show (default: the one that runs next)")
        ->check(CLI::Range(0, 31));
    command.add_flag(
        "--step-optimised", options.step_optimised,
        "With --instruction: show the optimised code that a GPU runs, not the code as written");
    command.add_flag("--step-ptx", options.step_ptx,
                     "With --instruction: show the PTX beside the source");
    command.add_option("--theme", options.theme, "Colours")
        ->check(CLI::IsMember({"dark", "light"}))
        ->capture_default_str();
    command.add_option("--measurements", options.measurements,
                       "Recorded times to show, as written by bench --record");
}

Session session_from(const SceneOptions& options)
{
    if (options.target.empty() == options.session.empty())
        throw Error(ExitStatus::bad_usage, "There is nothing to draw.",
                    "Name either LAB/VARIANT or --session FILE.");
    if (!options.measurements.empty()) show_measurements(options.measurements);
    Session session;
    if (!options.session.empty()) {
        session = load_session(options.session, options.common.image);
    } else {
        const Target target = find_target(options.target);
        const labs::Variant& variant =
            target.variant ? *target.variant : target.lab->variants.front();
        const labs::Values values = values_from(*target.lab, options.common.assignments);
        session.journal.start = {target.lab->place, variant.id, as_texts(*target.lab, values),
                                 options.common.seed, options.common.image};
        session.device = options.common.device;
        session.look.theme = options.theme == "light" ? Theme::light : Theme::dark;
        // --view and --map apply to the picture, so they keep it as the subject.
        if (options.view.empty() && options.map.empty())
            open_on_subject(session.look, *target.lab, variant.id);
        session.look.compare.clear();
    }
    simulate_gpu_of(session);
    if (!options.map.empty()) session.look.map = options.map;
    if (!options.map_of.empty()) session.look.map_of = scope_named(options.map_of);
    if (!options.show.empty()) session.look.subject = subject_named(options.show);
    if (!options.memory.empty()) session.look.memory = options.memory;
    if (options.request != RequestChoice{}) session.look.request = options.request;
    if (options.tree_block) session.look.tree_block = true;
    if (options.instruction) {
        session.look.step.on = true;
        session.look.step.position = *options.instruction;
        session.look.step.warp = options.step_warp;
        session.look.step.optimised = options.step_optimised;
        session.look.step.ptx = options.step_ptx;
    }
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    if (!options.view.empty()) session.look.view = options.view;
    if (session.look.view.empty()) session.look.view = lab.views.front();
    // Only the lockstep machine records the data that these are drawn from.
    if (shown_subject(session.look, lab).needs_simt && session.device == "auto")
        session.device = "simt";
    if (std::ranges::find(lab.views, session.look.view) == lab.views.end())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The lab {} has no view {}.", lab.id, session.look.view),
                    fmt::format("Its views are: {}.", fmt::join(lab.views, ", ")));
    return session;
}

namespace {

// Sites of the shown kernel, numbered as in a trace.
std::vector<trace::Site> sites_of(const SideFrame& side)
{
    const ptx::Module module = ptx::parse(side.lab->ptx(*side.variant));
    return ptx::sites_of(module, side.facts.kernel.name).sites;
}

void require_memory(const std::string& name, const SideFrame& side)
{
    const auto& all = side.facts.memory;
    if (std::ranges::find(all, name) != all.end()) return;
    throw Error(ExitStatus::no_such_thing,
                fmt::format("{}/{} has no buffer {}.", side.lab->id, side.variant->id, name),
                all.empty() ? std::string("It keeps its data in CUDA arrays.")
                            : fmt::format("It has: {}.", fmt::join(all, ", ")));
}

void require_request(const RequestChoice& choice, const SideFrame& side)
{
    // Device-side launches add warps; their number is not known yet.
    const bool may_launch = ptx::launches_from_device(ptx::parse(side.lab->ptx(*side.variant)));
    if (choice.warp >= side.facts.warps() && !may_launch)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no warp {}: {}/{} has {}.", choice.warp, side.lab->id,
                                side.variant->id,
                                counted(static_cast<std::size_t>(side.facts.warps()), "warp")),
                    "They are numbered from 0.");
    if (choice.site == RequestChoice{}.site) return;
    const auto sites = sites_of(side);
    std::vector<std::string> accesses;
    for (std::size_t i = 0; i < sites.size(); ++i)
        if (trace::is_watchable(sites[i]))
            accesses.push_back(fmt::format("{} ({})", i, site_title(sites[i])));
    const std::string cure =
        fmt::format("-1 is the worst; the others are: {}.", fmt::join(accesses, "; "));
    if (choice.site < -1 || choice.site >= std::ssize(sites))
        throw Error(
            ExitStatus::no_such_thing,
            fmt::format("{}/{} has no site {}.", side.lab->id, side.variant->id, choice.site),
            cure);
    if (!trace::is_watchable(sites[static_cast<std::size_t>(choice.site)]))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Site {} is a branch, or accesses texels or local memory: it has "
                                "no requests to show.",
                                choice.site),
                    cure);
}

} // namespace

void require_choices(const SceneOptions& options, const Frame& opened)
{
    if (!options.memory.empty()) require_memory(options.memory, opened.a);
    if (options.request != RequestChoice{}) require_request(options.request, opened.a);
}

namespace {

// "sectors / ideal (loads 1.00×, stores 8.00×)", or why it is missing.
std::string map_in_words(const SideFrame& side, const std::string& map, trace::Scope of)
{
    std::optional<trace::Totals> totals;
    if (!side.trace->sites.empty()) totals = side.trace->totals();
    std::string problem = map_problem(side, map, totals ? &*totals : nullptr, of);
    if (!problem.empty()) return problem.substr(0, problem.size() - 1);
    const std::string parts = totals ? map_parts(side, *totals, map) : "";
    return map_title(map, of) + (parts.empty() ? "" : fmt::format(" ({})", parts));
}

} // namespace

std::string describe_frame(const Frame& frame, const Look& look, const Size& size)
{
    std::string words = fmt::format("{}/{}", frame.a.lab->id, frame.a.variant->id);
    if (frame.b) words += fmt::format(" beside {}", frame.b->variant->id);
    words += fmt::format(" on {}, {} × {} pixels", device::name(frame.engine.engine), size.width,
                         size.height);
    if (look.step.on)
        words += ", stepped through";
    else if (look.subject != Subject::picture)
        words += ", " + name(look.subject);
    else if (look.map != "off")
        words += ", " + map_in_words(frame.a, look.map, look.map_of);
    return words;
}

PictureFormat picture_format(const SceneOptions& options, const Session& session)
{
    if (options.size.empty() && session.picture) return *session.picture;
    const Size size = parse_size(options.size.empty() ? "1280x720" : options.size);
    return {size, std::max(9.0F, static_cast<float>(size.height) / 36)};
}

} // namespace lanescope::app
