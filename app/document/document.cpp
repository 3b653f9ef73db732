// Converts between sessions and documents.
#include "app/document/document.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/document/look/subject.h"
#include "app/lessons/talk.h"
#include "compute/error.h"

namespace lanescope::app {

const Beat* Presentation::now() const
{
    return talk ? &talk->beats[beat] : nullptr;
}

bool Presentation::asks() const
{
    const Beat* const one = now();
    return one && !one->question.empty() && !revealed && !blank && !card;
}

bool Presentation::can_vote() const
{
    return asks() && !now()->choices.empty();
}

bool Presentation::withholds_time(const std::string& lab, const std::string& variant) const
{
    if (!talk) return false;
    const auto gives_time = [&](const Beat& one) {
        return std::ranges::any_of(one.reveal.quantities(), [&](const Quantity& of) {
            return of.recorded() && of.lab && of.variant && of.lab->id == lab &&
                   of.variant->id == variant;
        });
    };
    const auto first = std::ranges::find_if(talk->beats, gives_time);
    if (first == talk->beats.end()) return false;
    const auto place = static_cast<std::size_t>(first - talk->beats.begin());
    return place > beat || (place == beat && !revealed);
}

std::vector<int> Presentation::current_votes() const
{
    const auto found = votes.find(beat);
    std::vector<int> counts = found == votes.end() ? std::vector<int>{} : found->second;
    counts.resize(now()->choices.size());
    return counts;
}

Document document_of(const Session& session)
{
    Document document;
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    document.device = session.device;
    document.start = session.journal.start;
    document.texts = labs::texts_of(lab);
    if (session.draft) {
        document.texts = session.draft->texts;
        document.following = session.draft->following;
    }
    document.variant = document.start.variant;
    document.look = session.look;
    document.paused = session.journal.steps > 0 || session.look.step.on;
    document.folder = session.folder;
    document.kernel_file = session.kernel_file;
    document.include_folders = session.include_folders;
    labs::Values values = start_values(lab, document.start);
    for (const Event& event : session.journal.events) {
        if (const auto* change = std::get_if<VariantChange>(&event.what))
            document.variant = change->id;
        else if (const auto* set = std::get_if<ParameterChange>(&event.what))
            values.set(set->id, set->text);
        else
            ++document.strokes_before;
    }
    document.values = as_texts(lab, values);
    if (std::ranges::find(lab.views, document.look.view) == lab.views.end())
        document.look.view = lab.views.front();
    document.sweep.begun = document.sweep_is_open();
    return document;
}

void open_on_subject(Look& look, const labs::Lab& lab, const std::string& variant)
{
    const labs::Opening& opens = lab.opens;
    const auto names = subject_names();
    const std::string& show = opens.show.empty() ? names.front() : opens.show;
    if (std::ranges::find(names, show) == names.end())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The lab {} opens with the subject '{}', which does not exist.",
                                lab.title, show),
                    fmt::format("Available: {}.", fmt::join(names, ", ")));
    // the editor shows the code that the user has to fix
    if (lab.placeholder && !look.code.beside()) look.code.place = CodePlace::right;
    look.subject = subject_named(show);
    look.view = opens.view.empty() ? lab.views.front() : opens.view;
    look.map = opens.map.empty() ? "off" : opens.map;
    look.map_of = trace::Scope::all;
    look.map_automatic = false;
    look.memory.clear();
    look.memory_warps = false;
    look.request = {};
    look.tree_block = opens.tree_block;
    const bool is_opening = variant.empty() || variant == lab.opening_variant().id;
    look.compare = opens.compare && is_opening ? opens.against : "";
    look.difference = false;
    look.pan_zoom = {};
}

namespace {

Session with_draft(const Arrangement& document, Session session)
{
    if (labs::texts_of(labs::find(session.journal.start.lab)) != *document.texts)
        session.draft = {document.texts, document.following};
    session.kernel_file = document.kernel_file;
    session.include_folders = document.include_folders;
    return session;
}

} // namespace

Session fresh_session(const Arrangement& document)
{
    Session session{document.device, {document.start, {}, 0}, document.look};
    session.journal.start.variant = document.variant;
    session.journal.start.parameters = document.values;
    return with_draft(document, std::move(session));
}

Session session_of(const Arrangement& document, const Journal& past_journal)
{
    return with_draft(document, {document.device, past_journal, document.look});
}

bool same_experiment(const Arrangement& now, const Arrangement& then)
{
    return now.device == then.device && now.start == then.start && now.strokes == then.strokes &&
           now.strokes_before == then.strokes_before;
}

} // namespace lanescope::app
