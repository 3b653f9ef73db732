// Changes of what the workbench shows: by key, by a session, by a widget. See workbench.h.
#include <imgui.h>

#include <algorithm>

#include "app/draw/maps.h"
#include "app/window/workbench.h"

namespace lanescope::app {

// In order, and none before what an earlier one opens is there; leaving is always possible.
void Workbench::handle_keys()
{
    const auto quits = [](const Pressed& pressed) { return pressed.action == Action::quit; };
    if (std::ranges::any_of(actions_of(input_.waiting_keys()), quits)) window_.close();
    while (!opens_something()) {
        const auto key = input_.take_key();
        if (!key) break;
        for (const Pressed& pressed : actions_of({&*key, 1}))
            if (!widgets_take(pressed)) guarded([&] { act(pressed); });
    }
    if (opens_something()) return;
    if (const auto file = input_.take_drop()) open_file(*file);
}

void Workbench::act(const Pressed& pressed)
{
    constexpr float zoom_step = 1.1F;
    const std::size_t presets = lab().presets.size();
    switch (pressed.action) {
    case Action::variant:
        if (pressed.number <= static_cast<int>(lab().variants.size()))
            choose_variant(lab().variants[static_cast<std::size_t>(pressed.number) - 1].id);
        break;
    case Action::next_lab: next_lab(1); break;
    case Action::previous_lab: next_lab(-1); break;
    case Action::next_preset:
        if (presets > 0)
            choose_preset(preset_ == SIZE_MAX ? 0 : std::min(preset_ + 1, presets - 1));
        break;
    case Action::previous_preset:
        if (presets > 0) choose_preset(preset_ == SIZE_MAX || preset_ == 0 ? 0 : preset_ - 1);
        break;
    case Action::pause: paused_ = !paused_; break;
    case Action::step:
        paused_ = true;
        ++steps_wanted_;
        break;
    case Action::restart: restart_wanted_ = true; break;
    case Action::view: next_view(); break;
    case Action::map: next_map(); break;
    case Action::subject: next_subject(); break;
    case Action::left: move_by_arrow(-1, 0); break;
    case Action::right: move_by_arrow(1, 0); break;
    case Action::up: move_by_arrow(0, 1); break;
    case Action::down: move_by_arrow(0, -1); break;
    case Action::nearer: zoom_picture(zoom_step); break;
    case Action::farther: zoom_picture(1 / zoom_step); break;
    case Action::paint: paint_in_the_middle(false); break;
    case Action::erase: paint_in_the_middle(true); break;
    case Action::divider_left: move_divider(-0.02F); break;
    case Action::divider_right: move_divider(0.02F); break;
    case Action::next_panel: go_to_panel(1); break;
    case Action::previous_panel: go_to_panel(-1); break;
    case Action::narrower: resize_panel(look_.panels.right, -1); break;
    case Action::wider: resize_panel(look_.panels.right, 1); break;
    case Action::left_narrower: resize_panel(look_.panels.left, -1); break;
    case Action::left_wider: resize_panel(look_.panels.left, 1); break;
    case Action::lower: resize_panel(look_.panels.bottom, -1); break;
    case Action::higher: resize_panel(look_.panels.bottom, 1); break;
    case Action::open:
        help_ = false;
        files_.begin(folder_);
        break;
    case Action::previous_request: move_in_subject(0, 0, -1); break;
    case Action::next_request: move_in_subject(0, 0, 1); break;
    case Action::compare: toggle_rival(); break;
    case Action::difference: look_.difference = !look_.difference; break;
    case Action::rival:
        if (pressed.number <= static_cast<int>(lab().variants.size()))
            choose_rival(lab().variants[static_cast<std::size_t>(pressed.number) - 1].id);
        break;
    case Action::timings: toggle_bottom("timings"); break;
    case Action::history: toggle_bottom("history"); break;
    case Action::sweep: toggle_bottom("sweep"); break;
    case Action::roofline: toggle_bottom("roofline"); break;
    case Action::source: toggle_bottom("source"); break;
    case Action::lesson: toggle_bottom("lesson"); break;
    case Action::exports: export_wanted_ = true; break;
    case Action::screenshot: picture_wanted_ = true; break;
    case Action::window_screenshot: window_shot_wanted_ = true; break;
    case Action::record: toggle_recording(CaptureUse::frame); break;
    case Action::window_record: toggle_recording(CaptureUse::window); break;
    case Action::save: save_session_file(); break;
    case Action::lecture:
        look_.lecture = !look_.lecture;
        window_.set_fullscreen(look_.lecture);
        break;
    case Action::theme:
        look_.theme = look_.theme == Theme::dark ? Theme::light : Theme::dark;
        break;
    case Action::text_larger: look_.text_zoom = std::min(look_.text_zoom * zoom_step, 3.0F); break;
    case Action::text_smaller: look_.text_zoom = std::max(look_.text_zoom / zoom_step, 0.5F); break;
    case Action::text_plain: look_.text_zoom = 1; break;
    case Action::help: help_ = !help_; break;
    case Action::close: leave(); break;
    case Action::quit: window_.close(); break;
    }
}

void Workbench::choose_variant(const std::string& variant)
{
    if (variant == variant_) return;
    variant_ = variant;
    look_.request.site = -1; // a site is one of its kernel
    look_.request.request = 0;
    if (stage_ && !restart_wanted_) stage_->apply(VariantChange{variant});
}

void Workbench::change_values(const labs::Values& values)
{
    for (const labs::Parameter& parameter : lab().parameters) {
        if (values.real(parameter.id) == values_->real(parameter.id)) continue;
        if (parameter.restarts)
            restart_wanted_ = true;
        else if (stage_ && !restart_wanted_)
            apply(ParameterChange{parameter.id, values.text(parameter.id)});
        totals_.clear(); // they are of other values
        counted_.clear();
    }
    values_ = values;
}

// To both sides of A/B.
void Workbench::apply(const decltype(Event::what)& what)
{
    stage_->apply(what);
    if (rival_) rival_->apply(what);
}

void Workbench::choose_preset(std::size_t index)
{
    const labs::Preset& preset = lab().presets[index];
    labs::Values values(lab());
    for (const auto& [id, text] : preset.values) values.set(id, text);
    change_values(values);
    if (!preset.variant.empty()) choose_variant(preset.variant);
    preset_ = index;
}

void Workbench::next_view()
{
    const auto& views = lab().views;
    const auto now = std::ranges::find(views, look_.view);
    look_.view = now == views.end() || now + 1 == views.end() ? views.front() : *(now + 1);
}

void Workbench::next_map()
{
    const std::vector<std::string> names = map_names();
    const auto now = std::ranges::find(names, look_.map);
    look_.map = now == names.end() || now + 1 == names.end() ? names.front() : *(now + 1);
}

void Workbench::toggle_bottom(const std::string& tab)
{
    const bool is_text = tab == "timings" || tab == "source" || tab == "lesson";
    const float usual = is_text ? 15 : 19; // plots need height
    PanelSizes& panels = look_.panels;
    const bool closes = panels.bottom > 0 && panels.bottom_tab == tab;
    panels.bottom = closes ? 0 : std::max(panels.bottom, usual);
    panels.bottom_tab = tab;
}

void Workbench::complain(const std::string& what)
{
    error_ = what;
}

} // namespace lanescope::app
