// Documents from sessions, and sessions from documents.
#include "app/document/document.h"

#include <algorithm>

namespace lanescope::app {

Document document_of(const Session& session)
{
    Document document;
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    document.device = session.device;
    document.start = session.journal.start;
    document.variant = document.start.variant;
    document.look = session.look;
    document.paused = session.journal.steps > 0;
    document.folder = session.folder;
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

Session fresh_session(const Arrangement& document)
{
    Session session{document.device, {document.start, {}, 0}, document.look};
    session.journal.start.variant = document.variant;
    session.journal.start.parameters = document.values;
    return session;
}

Session session_of(const Arrangement& document, const Journal& lived)
{
    return {document.device, lived, document.look};
}

bool same_experiment(const Arrangement& now, const Arrangement& then)
{
    return now.device == then.device && now.start == then.start && now.strokes == then.strokes &&
           now.strokes_before == then.strokes_before;
}

} // namespace lanescope::app
