// The experiment's picture with a heatmap on top.
#include "app/draw/scene/maps.h"
#include "app/draw/subjects/subject_drawing.h"

namespace lanescope::app {
namespace {

constexpr double move_share = 0.05; // fraction of the picture per arrow key
constexpr float turn_px = 24;       // equivalent mouse drag on a picture of 720 rows

void count_picture(const Look& look, Counting& counting)
{
    counting.map = look.map != "off";
    if (counting.map && map_has_scope(look.map)) counting.map_of = look.map_of;
    counting.caches = caches_of_map(look.map);
}

bool picture_is_counted(const SideFrame&, const Look&)
{
    return true;
}

Scene::Placement draw_picture(SubjectDrawing drawing)
{
    auto& [scene, side, sheet, beside] = drawing;
    const Look& look = sheet.look;
    Caption& caption = sheet.caption;
    PictureShown shown{*side.picture};
    if (beside && beside->picture) shown.beside = &*beside->picture;
    if (look.map == "off") return scene.draw(shown, sheet);
    std::optional<trace::Totals> totals;
    if (!side.trace->sites.empty()) totals = side.trace->totals();
    shown.no_map = map_problem(side, look.map, totals ? &*totals : nullptr, look.map_of);
    if (!shown.no_map.empty()) {
        // Charts have no column for a scale.
        if (labs::traits(side.picture->shape).is_chart) {
            if (caption.question.empty())
                caption.detail += ". " + shown.no_map;
            else
                caption.question = shown.no_map;
        }
        return scene.draw(shown, sheet);
    }
    // A/B has no room for the values by kind of access; the panel's table has them.
    if (totals && !beside && !caption.hides_counts)
        if (const std::string parts = map_parts(side, *totals, look.map); !parts.empty()) {
            caption.detail += ", " + parts;
            // The map's scale is shown in its place, unless the lab opens with this map.
            if (look.map != side.lab->opens.map) caption.question.clear();
        }
    const auto map = map_overlay(side, look, beside);
    shown.map = map ? &*map : nullptr;
    return scene.draw(shown, sheet);
}

// Arrows rotate a surface and pan a flat picture.
void move_picture(const SubjectView& view, const Move& by, Commands& out)
{
    if (by.request != 0) return;
    if (view.flat) {
        render::PanZoom to = view.look.pan_zoom;
        to.pan({by.right * move_share, by.up * move_share});
        out.push_back(Zoom{to});
    } else {
        render::Camera camera = view.look.camera;
        camera.orbit(static_cast<float>(-by.right) * turn_px, static_cast<float>(by.up) * turn_px,
                     720);
        out.push_back(Orbit{camera});
    }
}

// Kinds of access that the variant does not make are listed but disabled.
Control scope_list(const SubjectView& view)
{
    return {.kind = Control::Kind::list,
            .id = "map_of",
            .title = "access filter (Shift M)",
            .shown = std::string(trace::name(view.look.map_of)),
            .count = trace::all_scopes.size(),
            .option = [view](std::size_t i) {
                const trace::Scope of = trace::all_scopes[i];
                return Control::Option{
                    std::string(trace::name(of)), of == view.look.map_of, SetMapOf{of},
                    map_problem(view.side, view.look.map, view.totals, of).empty()};
            }};
}

void picture_controls(const SubjectView& view, Controls& out)
{
    const Look& look = view.look;
    out.push_back({.kind = Control::Kind::list,
                   .id = "map",
                   .title = "heatmap (H)",
                   .shown = map_title(look.map),
                   .count = map_names().size(),
                   .option = [view, names = map_names()](std::size_t i) {
                       return Control::Option{
                           map_title(names[i]), names[i] == view.look.map, SetMap{names[i]},
                           map_problem(view.side, names[i], view.totals, view.look.map_of).empty()};
                   }});
    if (look.map == "off") return;
    if (map_has_scope(look.map)) out.push_back(scope_list(view));
    std::string problem = map_problem(view.side, look.map, view.totals, look.map_of);
    if (!problem.empty()) return out.push_back(note(std::move(problem)));
    out.push_back({.kind = Control::Kind::slider,
                   .id = "blend",
                   .title = "opacity",
                   .value = static_cast<double>(look.map_blend),
                   .changed = [](double to) { return SetMapBlend{static_cast<float>(to)}; }});
    if (!caches_of_map(look.map)) out.push_back(automatic_scale_toggle(look));
}

} // namespace

const SubjectKind picture_subject{
    .title = "Result",
    .question = "What is the result?",
    .is_picture = true,
    .count = count_picture,
    .counted = picture_is_counted,
    .draw = draw_picture,
    .cost = [](const SideFrame& side, const Look& look) -> std::optional<Cost> {
        // Shows no cost beside a heatmap, which is about something else, unless the lab opens with
        // it.
        if (look.map != "off" && look.map != side.lab->opens.map) return {};
        if (const auto share = share_taken(side)) return share;
        if (caches_of_map(look.map)) {
            if (!side.served) return {}; // not followed yet
            if (const auto share = share_from_l1(*side.served)) return share;
        }
        return judged_cost(side);
    },
    .move = move_picture,
    .controls = picture_controls};

} // namespace lanescope::app
