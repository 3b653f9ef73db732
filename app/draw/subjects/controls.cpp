// Widgets shared by several subjects.
#include <cmath>

#include "app/draw/subjects/subject_kind.h"

namespace lanescope::app {

Control note(std::string words)
{
    return {.title = std::move(words)};
}

Control number(std::string id, std::string title, std::int64_t value, std::int64_t max,
               std::function<Command(std::int64_t)> changed)
{
    return {
        .kind = Control::Kind::number,
        .id = std::move(id),
        .title = std::move(title),
        .value = static_cast<double>(value),
        .max = static_cast<double>(max),
        .changed = [changed = std::move(changed)](double to) { return changed(std::llround(to)); }};
}

Control toggle(std::string title, bool on, std::function<Command(bool)> changed)
{
    return {.kind = Control::Kind::toggle,
            .title = std::move(title),
            .value = on ? 1.0 : 0.0,
            .changed = [changed = std::move(changed)](double to) { return changed(to != 0); }};
}

Control automatic_scale_toggle(const Look& look)
{
    return toggle("auto range", look.map_automatic, [](bool on) { return SetMapScale{on}; });
}

} // namespace lanescope::app
