// A fault destroys a GPU's context, and only a machine with checks can locate it. A variant that
// would fault therefore runs on simt.
#include "app/run/actors/placement.h"

#include <fmt/format.h>

#include "compute/simt/machine/state/options.h"

namespace lanescope::app {
namespace {

bool needs_own_simt(const labs::Variant& variant, device::Engine engine)
{
    return !variant.fault.empty() ||
           (!variant.runs_on(engine) && variant.runs_on(device::Engine::simt));
}

} // namespace

OpenedEngine Placement::open(const std::string& choice) const
{
    return options_.open_engine ? options_.open_engine(choice)
                                : open_engine(choice, {.time_limit_s = options_.launch_limit_s});
}

void Placement::validate_first(const Start& start, const std::string& validated)
{
    const labs::Lab& lab = labs::find(start.lab);
    const labs::Variant& variant = labs::find_variant(lab, start.variant);
    if (!is_foreign(lab)) return;
    if (validated == variant.id)
        first_runs_.note(lab, variant, start);
    else if (!options_.waits)
        first_runs_.retry(lab, variant, start);
}

std::shared_ptr<SharedDevice> Placement::share(OpenedEngine engine, std::string choice) const
{
    return std::make_shared<SharedDevice>(std::move(engine), std::move(choice), tasks_);
}

// A lab opened as a folder may run long on simt: the author of its record intended that.
std::string Placement::refusal(const labs::Variant& variant, device::Engine engine,
                               const Start& start, bool careful)
{
    const labs::Lab& lab = labs::find(start.lab);
    const bool on_simt = engine == device::Engine::simt;
    if (!is_foreign(lab) || !careful || (on_simt && options_.waits)) return {};
    const TrialResult tried = first_runs_.result(lab, variant, start);
    const bool stops = tried.kind == TextOutcome::Kind::stopped && (!on_simt || lab.texts);
    const bool fails = tried.kind == TextOutcome::Kind::fault ||
                       (tried.kind == TextOutcome::Kind::refused && variant.is_guessed());
    return fails || stops ? tried.sentence : std::string();
}

bool Placement::runs_off_engine(const labs::Variant& variant, device::Engine engine,
                                const Start& start, bool careful)
{
    return needs_own_simt(variant, engine) || !refusal(variant, engine, start, careful).empty();
}

std::shared_ptr<SharedDevice> Placement::device_for(const std::shared_ptr<SharedDevice>& chosen,
                                                    const Journal& journal, bool careful)
{
    const labs::Lab& lab = labs::find(journal.start.lab);
    const device::Engine engine = chosen->device().engine();
    const labs::Variant* separate = nullptr;
    std::string why;
    const auto look_at = [&](const std::string& id) {
        const labs::Variant& variant = labs::find_variant(lab, id);
        if (separate) return;
        if (!needs_own_simt(variant, engine))
            why = refusal(variant, engine, journal.start, careful);
        if (needs_own_simt(variant, engine) || !why.empty()) separate = &variant;
    };
    look_at(journal.start.variant);
    for (const Event& event : journal.events)
        if (const auto* change = std::get_if<VariantChange>(&event.what)) look_at(change->id);
    if (!separate) return chosen;
    const bool foreign = is_foreign(lab);
    simt::Options options = foreign ? Trials::careful_options(Trials::shown_budget)
                                    : simt::Options{.checks = simt::Checks::all()};
    if (options.time_limit_s == 0) options.time_limit_s = options_.launch_limit_s;
    OpenedEngine simt =
        options_.open_engine ? options_.open_engine("simt") : open_engine("simt", options);
    simt.tolerates_first_run_warnings = foreign;
    if (!why.empty())
        simt.reason = fmt::format("{} failed its first run on the lockstep machine, and does not "
                                  "run on the GPU until it is fixed.",
                                  separate->title);
    else if (engine == device::Engine::simt)
        simt.reason =
            "This variant ends in a fault; simt also finds races and uninitialised memory.";
    else
        simt.reason = fmt::format(
            "{} runs on simt: {} would destroy the CUDA context. Other variants run on {} again.",
            separate->title, separate->fault.empty() ? "it" : "its fault",
            chosen->device().properties().name);
    return share(std::move(simt), chosen->choice());
}

} // namespace lanescope::app
