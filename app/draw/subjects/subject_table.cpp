// Table of all subjects, and which one a look shows.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/document/look/subject.h"
#include "app/draw/subjects/subject_drawing.h"
#include "render/views/paint/words.h"

namespace lanescope::app {
namespace {

// Indexed by Subject.
constexpr std::array chosen{&picture_subject, &memory_subject, &request_subject, &tree_subject,
                            &lines_subject};
// Views of the picture that are subjects.
constexpr std::array views{&tiles_subject};

} // namespace

std::span<const SubjectKind* const> subjects()
{
    return chosen;
}

const SubjectKind& shown_subject(const Look& look, const labs::Lab& lab)
{
    if (look.subject == Subject::picture) {
        const auto kind = lab.kind_of_view(look.view);
        const auto found =
            std::ranges::find(views, kind, [](const SubjectKind* one) { return one->view_kind; });
        if (kind && found != views.end()) return **found;
    }
    return *chosen.at(static_cast<std::size_t>(look.subject));
}

bool hides_cost(const Look& look, const SideFrame& side)
{
    return &shown_subject(look, *side.lab) == &picture_subject && !share_taken(side);
}

bool opens_on(const labs::Lab& lab, const SubjectKind& kind)
{
    Look opened;
    open_on_subject(opened, lab);
    return &shown_subject(opened, lab) == &kind;
}

Subject subject_after(Subject subject)
{
    return static_cast<Subject>((static_cast<std::size_t>(subject) + 1) % chosen.size());
}

void SubjectPaper::say(const std::string& words) const
{
    render::draw_words(painter, inside, words, {text_px, theme.text});
}

std::string code_line(const SideFrame& side, int line)
{
    std::string_view rest = side.lab->source(*side.variant);
    for (int at = 1; at < line && !rest.empty(); ++at)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    std::string_view text = rest.substr(0, rest.find('\n'));
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return line < 1 || text.empty() ? "" : fmt::format("{}  {}", line, text);
}

std::string recorded_step_note(const SideFrame& side)
{
    return side.recorded_step == 0 ? "" : fmt::format(", recorded in step {}", side.recorded_step);
}

bool shows_cost_header(const Look& look)
{
    return look.lecture || !look.compare.empty();
}

Counting counting_for(const Look& look, const labs::Lab& lab)
{
    Counting counting;
    shown_subject(look, lab).count(look, counting);
    counting.sites |= (counting.map || counting.memory) && look.map_automatic;
    return counting;
}

bool has_subject(const SideFrame& side, const Look& look)
{
    return shown_subject(look, *side.lab).counted(side, look);
}

Scene::Placement draw_subject(SubjectDrawing drawing)
{
    auto& [scene, side, sheet, beside] = drawing;
    const SubjectKind& kind = shown_subject(sheet.look, *side.lab);
    Caption& caption = sheet.caption;
    // The lab's question is shown above the opening subject and above its result.
    if (!caption.question.empty() && !kind.is_picture && !opens_on(*side.lab, kind))
        caption.question = kind.question;
    // The cost is shown in the panel, which lecture mode lacks.
    const bool result = hides_cost(sheet.look, side) && (!sheet.look.lecture || beside);
    const bool plain = result || caption.hides_counts;
    if (const auto cost = plain ? std::nullopt : cost_of(side, sheet.look)) {
        caption.number = cost->amount();
        caption.meaning.clear();
        caption.neutral = !cost->ideal.has_value();
        if (!caption.is_one_side) caption.meaning = cost->meaning;
        caption.ideal = cost->ideal_words();
        caption.good = cost->is_nearly_ideal();
    }
    if (kind.draw) return kind.draw(std::move(drawing));
    const std::string where = caption.is_one_side ? "" : kind.where(side, sheet.look);
    if (!kind.captions_itself) caption.place = where;
    return scene.paint(sheet, [&](const Scene::Paper& paper) {
        kind.paint({side, sheet.look, paper.painter, paper.inside, paper.theme, sheet.text_px,
                    where, sheet.before, sheet.moved});
    });
}

} // namespace lanescope::app
