// Runs one trial per variant and start, and formats the result for a terminal.
#include "app/commands/shared/validation.h"

#include <fmt/format.h>

#include "app/document/experiment/journal.h"
#include "app/run/editing/first_run.h"
#include "app/run/engine/engine.h"
#include "compute/error.h"

namespace lanescope::app {

Validation::Validation(const CommonOptions& options) : options_(options) {}

Validation::~Validation() = default;

Refusal Validation::problem(const labs::Lab& lab, const labs::Variant& variant,
                            const TrialStart& start, device::Engine engine)
{
    if (!is_foreign(lab) || !variant.fault.empty() || !variant.runs_on(device::Engine::simt))
        return {};
    if (!options_.validates) {
        fmt::print(
            stderr,
            "{}: not checked for races, uninitialised memory and bounds (--no-validation).\n",
            variant.title);
        return {};
    }
    if (!trials_)
        trials_ = std::make_unique<Trials>(std::chrono::milliseconds(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(1000 * options_.validation_limit_s()))));
    const TrialResult tried = trials_->run(lab, variant, start);
    // "Nothing was written" is only reported at the assumed sizes. At sizes that the user chose it
    // may be correct: a stencil over three elements, for instance, has no interior.
    const bool assumed_sizes = start.values == as_texts(lab, labs::Values(lab));
    for (const Complaint& one : tried.complaints)
        if (one.warning && (assumed_sizes || one.detail != "nothing_written"))
            fmt::print(stderr, "lanescope: warning: {}\n", one.sentence);
    if (tried.cost && !tried.cost->reduced.empty())
        fmt::print(stderr, "{} was validated at a smaller size: {}.\n", variant.title,
                   tried.cost->reduced);
    // A lab that comes with its own record may run long: the record states its author's intent.
    const bool own_record = engine == device::Engine::simt && !lab.texts;
    switch (tried.kind) {
    case TextOutcome::Kind::validated:
    case TextOutcome::Kind::no_compiler: return {};
    case TextOutcome::Kind::refused:
        if (!variant.is_guessed()) return {};
        return {tried.sentence, ExitStatus::bad_usage, tried.assumed};
    case TextOutcome::Kind::stopped:
        if (own_record) return {};
        return {fmt::format("{} To allow more time, pass --time-limit SECONDS.",
                            tried.complaints.empty() ? tried.sentence
                                                     : tried.complaints.front().sentence),
                ExitStatus::kernel_fault, tried.assumed};
    case TextOutcome::Kind::fault: break;
    }
    return {tried.sentence, ExitStatus::kernel_fault, tried.assumed};
}

void Validation::require(const labs::Lab& lab, const labs::Variant& variant,
                         const TrialStart& start, device::Engine engine)
{
    if (const Refusal why = problem(lab, variant, start, engine))
        throw Error(why.status, why.sentence, why.assumed.empty() ? "" : why.assumed + ".");
}

TrialStart start_of(const labs::Lab& lab, const CommonOptions& options)
{
    return {as_texts(lab, values_from(lab, options.assignments)), options.seed, options.image};
}

void require_valid(const CommonOptions& options, const Session& session)
{
    const Start& start = session.journal.start;
    const labs::Lab& lab = labs::find(start.lab);
    if (!is_foreign(lab)) return;
    const OpenedEngine engine = open_engine(session.device);
    Validation(options).require(lab, labs::find_variant(lab, start.variant),
                                {as_texts(lab, start_values(lab, start)), start.seed, start.image},
                                engine.device->engine());
}

} // namespace lanescope::app
