// The strip below the picture: bars, history, sweep, roofline, source and lesson; and what of it is
// exported. See workbench.h.
#include <imgui.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "app/document/subject.h"
#include "app/draw/picture_figure.h"
#include "app/export/exhibit_files.h"
#include "app/measure/ratios.h"
#include "app/window/panels/exhibit.h"
#include "app/window/panels/source.h"
#include "app/window/panels/tabs.h"
#include "app/window/plots/history.h"
#include "app/window/plots/roofline.h"
#include "app/window/plots/source.h"
#include "app/window/plots/sweep.h"
#include "app/window/workbench.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

constexpr Tab tabs[] = {{"timings", "Variants", "B"}, {"history", "History", "Y"},
                        {"sweep", "Sweep", "W"},      {"roofline", "Roofline", "O"},
                        {"source", "Source", "C"},    {"lesson", "Lesson", "L"}};

} // namespace

bool Workbench::shows_tab(std::string_view tab) const
{
    return look_.panels.bottom > 0 && !look_.lecture && look_.panels.bottom_tab == tab;
}

// simt counts what it cannot time. On a GPU, where that costs time, the sides of A/B are counted
// once.
Counting Workbench::counting() const
{
    Counting wanted = counting_for(look_);
    const bool compares = rival_ || shows_tab("timings") || shows_tab("history");
    const bool unknown = rival_ && !(totals_.contains(variant_) && totals_.contains(look_.compare));
    wanted.sites |= shows_tab("source") || unknown || (!readings_.has_clock && compares);
    return wanted;
}

void Workbench::note_counts(const Stage& stage)
{
    const std::string& variant = stage.variant().id;
    works_[variant] = stage.facts().work;
    if (stage.trace().sites.empty()) return;
    const trace::Totals totals = stage.trace().totals();
    totals_[variant] = totals;
    CountHistory& history = counted_[variant];
    history.warp_instructions.add(static_cast<double>(totals.warp_instructions));
    history.sectors.add(static_cast<double>(global_sectors(totals)));
}

std::vector<VariantReading> Workbench::variant_readings() const
{
    std::vector<VariantReading> all;
    for (const labs::Variant& variant : lab().variants) {
        VariantReading one{.id = variant.id,
                           .title = variant.title,
                           .place = static_cast<int>(all.size()),
                           .shown = variant.id == variant_,
                           .step_ms = {},
                           .work = {},
                           .totals = {}};
        if (const auto work = works_.find(variant.id); work != works_.end())
            one.work = work->second;
        if (const auto totals = totals_.find(variant.id); totals != totals_.end())
            one.totals = totals->second;
        if (const auto counts = counted_.find(variant.id); counts != counted_.end()) {
            one.warp_instructions = &counts->second.warp_instructions;
            one.sectors = &counts->second.sectors;
        }
        const bool is_rival = rival_ && variant.id == look_.compare;
        if (const Stage* const stage = is_rival ? rival_.get() : stage_.get()) {
            one.step_ms = stage->step_ms(variant.id);
            const auto times = stage->timings().find(variant.id);
            if (times != stage->timings().end()) one.times_ms = &times->second;
        }
        all.push_back(std::move(one));
    }
    return all;
}

KernelNeeds Workbench::kernel_needs() const
{
    if (!stage_ || !stage_->facts().shape.kernel) return {};
    const auto& shape = stage_->facts().shape;
    const device::KernelAttributes attributes = shape.kernel->attributes();
    KernelNeeds needs;
    needs.name = shape.kernel->name();
    needs.registers = attributes.registers;
    needs.shared_bytes = static_cast<int>(attributes.static_shared_bytes) +
                         static_cast<int>(shape.dynamic_shared_bytes);
    needs.threads = static_cast<int>(shape.block.count());
    needs.compiled = readings_.has_clock;
    const device::Properties& device = engine_.device->properties();
    const auto limits = counting::multiprocessor_limits(device.compute_major, device.compute_minor);
    if (limits && readings_.has_clock)
        needs.occupancy =
            counting::occupancy(*limits, needs.threads, needs.registers, needs.shared_bytes);
    return needs;
}

// Nothing for a tab that is no exhibit, or has nothing to show yet.
std::optional<Exhibit> Workbench::shown_exhibit() const
{
    const bool has_clock = readings_.has_clock;
    if (shows_tab("timings")) {
        const auto variants = variant_readings();
        Exhibit exhibit =
            variants_exhibit(lab(), variants, kernel_needs(), has_clock, readings_.roofs);
        if (!strip_is_wide_) return exhibit;
        for (Exhibit::Part& part : history_exhibit(lab(), variants, has_clock).parts)
            exhibit.parts.push_back({std::move(part.what), 2});
        return exhibit;
    }
    if (shows_tab("history")) return history_exhibit(lab(), variant_readings(), has_clock);
    if (shows_tab("roofline"))
        return roofline_exhibit(lab(), variant_readings(), has_clock, readings_.roofs);
    if (shows_tab("sweep") && sweep_.run()) {
        const SweepResult result{sweep_.run()->plan(), sweep_.points()};
        return sweep_exhibit({&result, 1}, readings_.roofs, variant_);
    }
    if (shows_tab("source") && !source_.empty() && stage_)
        return source_exhibit(lab().title + ": " + stage_->variant().source, source_);
    return {};
}

void Workbench::draw_bottom(const PanelStyle& style, const Area& area)
{
    const PanelScope panel("bottom", area.at, area.size);
    strip_is_wide_ = area.size.x > 66 * style.em;
    std::string& tab = look_.panels.bottom_tab;
    const TabsClick click = tabs_panel(style, tabs, tab != "lesson", tab);
    if (tab == "sweep") draw_sweep_controls(style);
    const auto exhibit = tab == "source" ? std::nullopt : shown_exhibit();
    if (exhibit)
        exhibit_panel(style, view_theme(look_.theme), *exhibit);
    else if (tab == "source" && !source_.empty())
        source_panel(style, source_, opened_line_);
    else if (tab == "source")
        quiet_text(style, "The next step is being counted.");
    else if (tab == "lesson")
        lesson_panel(style, lesson_);
    if (click == TabsClick::exports) export_wanted_ = true;
    if (click == TabsClick::folds) look_.panels.bottom = 0;
}

bool Workbench::sweep_measures() const
{
    const SweepRun* const run = sweep_.run();
    return readings_.has_clock && shows_tab("sweep") && run && !run->finished();
}

// Which sweep, of which variants, and how far it is.
void Workbench::draw_sweep_controls(const PanelStyle& style)
{
    if (stage_ && !opens_something() && !ImGui::IsAnyItemActive())
        sweep_.follow(*engine_.device, {&lab(), variant_, *values_, start_.seed, start_.image});
    const SweepRun* const run = sweep_.run();
    const labs::Sweep* const chosen = sweep_.chosen();
    if (!run || !chosen) {
        quiet_text(style, "The sweep begins when the point under way is done.");
        return;
    }
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * style.em, 0.08F * style.em});
    ImGui::SetNextItemWidth(0.42F * width);
    if (ImGui::BeginCombo("##sweep", chosen->title.c_str())) {
        for (const labs::Sweep& sweep : lab().sweeps)
            if (ImGui::Selectable(sweep.title.c_str(), &sweep == chosen)) sweep_.choose(sweep);
        ImGui::EndCombo();
    }
    ImGui::SameLine();
    if (chosen->is_about(variant_) && chosen->variants.size() != 1) {
        ImGui::Checkbox("all variants", &sweep_.all_variants);
        ImGui::SameLine();
    }
    const std::size_t done = sweep_.points().size();
    const std::size_t all = run->plan().points();
    if (run->finished()) {
        quiet_text(style, run->error().empty() ? fmt::format("{} points", done) : run->error());
    } else {
        const std::string text = fmt::format("{} of {} points{}", done, all,
                                             sweep_measures() ? "; the picture waits" : "");
        const float bar =
            ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x - style.em;
        ImGui::ProgressBar(all ? static_cast<float>(done) / static_cast<float>(all) : 0, {bar, 0},
                           "");
        ImGui::SameLine();
        quiet_text(style, text);
    }
    ImGui::PopStyleVar();
}

// The shown tab, or the picture where no tab shows anything.
void Workbench::begin_export()
{
    auto exhibit = shown_exhibit();
    if (!exhibit) {
        figure_wanted_ = true;
        return;
    }
    exported_ = std::make_shared<const Exhibit>(std::move(*exhibit));
    export_theme_ = view_theme(look_.theme);
    capture_use_ = CaptureUse::exhibit;
    const ExhibitPicture picture = picture_of(exported_, export_theme_);
    strips_.begin(picture.size, picture.samples, picture.strip);
}

// In every form it has; only its picture had to be drawn here.
void Workbench::save_export(render::Pixels pixels)
{
    const auto exhibit = std::exchange(exported_, nullptr);
    const auto endings = endings_of(*exhibit);
    const auto picture = std::make_shared<const render::Pixels>(std::move(pixels));
    const auto write = [exhibit, picture, endings,
                        theme = export_theme_](std::filesystem::path path) {
        for (const std::string& ending : endings) {
            path.replace_extension(ending);
            if (ending == ".png")
                render::write_png(path, *picture);
            else
                save_exhibit(*exhibit, path, theme);
        }
    };
    const std::vector<std::string> others(endings.begin() + 1, endings.end());
    saver_.start(saver_.new_name(folder_, "-" + exhibit->name + endings.front()), write,
                 fmt::format(" and {}", fmt::join(others, ", ")));
}

void Workbench::save_picture_figure(render::Pixels wordless)
{
    const auto held = std::make_shared<const render::Pixels>(std::move(wordless));
    const auto words = words_of(scene_, shown(capture_format_.text_px), capture_format_.size);
    const auto write = [held, words, theme = view_theme(look_.theme)](std::filesystem::path path) {
        for (const char* ending : {".svg", ".pdf"})
            save_figure(path.replace_extension(ending), *held, *words, theme);
    };
    saver_.start(saver_.new_name(folder_, "-picture.svg"), write, " and .pdf");
}

} // namespace lanescope::app
