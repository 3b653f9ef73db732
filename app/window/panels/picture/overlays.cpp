// Overlays over the picture.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/document/editing.h"
#include "app/draw/scene/margins.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

constexpr double soon = 0.5; // seconds before a progress bar appears

// All messages with their time, newest first.
void log(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const ImVec2 box{std::min(area.size.x, style.em * 46), std::min(area.size.y, style.em * 24)};
    const ImVec2 at{area.at.x + (area.size.x - box.x) / 2, area.at.y + (area.size.y - box.y) / 2};
    const PanelScope panel("log", at, box, ImGuiWindowFlags_NoFocusOnAppearing, true);
    heading(style, "Messages (Ctrl L, Esc)");
    const auto& messages = view.document.log.all();
    if (messages.empty()) quiet_text(style, "No messages yet.");
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        const TextScope text(style.fonts.plain, style.em,
                             message->is_error ? style.palette.warning : style.palette.text);
        const std::time_t when = Message::Clock::to_time_t(message->when);
        const std::string times = message->times > 1 ? fmt::format(" (×{})", message->times) : "";
        plain_text(fmt::format("{:%H:%M:%S}  {}{}", fmt::localtime(when), message->text, times));
    }
}

// The text can be selected and copied.
void error_strip(const PanelStyle& style, const std::string& error, const Area& area, Commands& out)
{
    const TextScope warning(style.fonts.plain, style.em, style.palette.warning);
    const float button = style.em * 6.5F;
    // The widget with selectable text does not wrap lines.
    std::string text =
        broken_into_lines(style.fonts.plain, style.em, error, area.size.x - button - style.em * 4);
    const auto lines = static_cast<float>(1 + std::ranges::count(text, '\n'));
    const float height = std::min(area.size.y, style.em * (2.4F + 1.25F * std::max(lines, 2.0F)));
    const PanelScope panel("error", {area.at.x, area.at.y + area.size.y - height},
                           {area.size.x, height}, ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::InputTextMultiline("##error", text.data(), text.size() + 1,
                              {ImGui::GetContentRegionAvail().x - button - style.em, -FLT_MIN},
                              ImGuiInputTextFlags_ReadOnly);
    ImGui::SameLine();
    if (ImGui::Button("Close (Esc)", {button, -FLT_MIN})) out.push_back(Dismiss{});
}

// A notice at the lower edge.
void notice_strip(const PanelStyle& style, const std::string& text, const Area& area)
{
    ImDrawList& draw = *ImGui::GetForegroundDrawList();
    const float room = area.size.x - 2 * style.em;
    const float words = style.fonts.plain->CalcTextSizeA(style.em, FLT_MAX, room, text.c_str()).y;
    const ImVec2 end{area.at.x + area.size.x, area.at.y + area.size.y};
    const ImVec2 corner{area.at.x, end.y - words - 0.8F * style.em};
    draw.AddRectFilled(corner, end, ImGui::GetColorU32(style.palette.panel));
    draw.AddText(style.fonts.plain, style.em, {corner.x + style.em, corner.y + style.em * 0.4F},
                 ImGui::GetColorU32(style.palette.text), text.c_str(), nullptr, room);
}

// Elapsed time, for work without a known progress.
void busy(const PanelStyle& style, const std::string& what, double seconds, const Area& area)
{
    // A negative share makes the bar run back and forth.
    progress_overlay(style, fmt::format("{}: {:.0f} s", what, seconds), -ImGui::GetTime(), area);
}

void in_progress(const View& view, const Area& area)
{
    const Frame& frame = view.frame;
    if (frame.opening) {
        const std::chrono::duration<double> passed =
            std::chrono::steady_clock::now() - frame.opening->since;
        if (passed.count() > soon)
            busy(view.style, "Opening " + frame.opening->what, passed.count(), area);
    } else if (frame.a.replay.in_progress) {
        progress_overlay(view.style, "Replaying the session", frame.a.replay.share(), area);
    } else if (frame.b && frame.b->replay.in_progress) {
        progress_overlay(view.style,
                         fmt::format("Bringing {} to the same step. Home restarts both.",
                                     frame.b->variant->title),
                         frame.b->replay.share(), area);
    } else if (view.busy_s > soon) {
        busy(view.style, "A step is running", view.busy_s, area);
    }
}

// Progress of files being written, and notices of finished ones.
void files(const View& view, const Area& area)
{
    constexpr auto notice_time = 6s;
    const CaptureStatus& video = view.ui.captures;
    if (video.recording) {
        // The mark over the picture already shows it.
    } else if (video.finishing) {
        progress_overlay(view.style,
                         fmt::format("Writing the video: {} of {} frames. Shift Esc cancels.",
                                     video.written, video.frames),
                         static_cast<double>(video.written) / video.frames, area);
    } else if (video.saving_s > soon) {
        busy(view.style, "Writing the picture", video.saving_s, area);
    } else if (const Message* notice = view.document.log.notice();
               notice && Message::Clock::now() - notice->when < notice_time) {
        notice_strip(view.style, notice->text, area);
    }
}

void closing(const View& view, const Area& area)
{
    std::vector<std::string> what = unsaved_words(view.document);
    if (view.ui.captures.recording)
        what.insert(what.begin(), "A video is being recorded. Closing stops it.");
    constexpr std::size_t max_lines = 4;
    if (what.size() > max_lines) {
        what[max_lines - 1] = fmt::format("… and {} more.", what.size() - max_lines + 1);
        what.resize(max_lines);
    }
    const PanelStyle& style = view.style;
    const float lines = static_cast<float>(std::max<std::size_t>(what.size(), 1));
    const ImVec2 box{std::min(area.size.x, style.em * 30), style.em * (3.4F + 1.6F * lines)};
    const ImVec2 at{area.at.x + (area.size.x - box.x) / 2, area.at.y + area.size.y / 3};
    const PanelScope panel("closing", at, box,
                           ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs, true);
    for (const std::string& line : what) heading(style, line);
    plain_text("Enter or Ctrl Q quits, Esc cancels.");
}

} // namespace

void progress_overlay(const PanelStyle& style, const std::string& what, double share,
                      const Area& area)
{
    const ImVec2 box{std::min(area.size.x, style.em * 24), style.em * 4.4F};
    const PanelScope panel("progress",
                           {area.at.x + (area.size.x - box.x) / 2, area.at.y + style.em * 2}, box,
                           ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs);
    plain_text(what);
    ImGui::ProgressBar(static_cast<float>(share), {-FLT_MIN, style.em * 1.2F});
}

// Large enough for the back of a hall. A paused picture must not look like a hang, and the user
// must see that a recording continues.
void marks(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const CaptureStatus& video = view.ui.captures;
    std::string words;
    if (video.recording)
        words = fmt::format("● {:.1f} s, {} frames", video.frames / video.frames_per_second,
                            video.frames);
    else if (shows_pause(view.document))
        words = "PAUSED";
    if (words.empty()) return;
    const float em = picture_text(view.document.look, style.em);
    const float room = (video.recording ? recording_mark_em : pause_mark_em) * em;
    const float size = fitting(style.fonts.bold, 1.3F * em, words, room);
    // Not the colour of costs: a pause would look like a cost.
    const auto colour = video.recording ? style.palette.warning : style.palette.text;
    draw_words(*ImGui::GetBackgroundDrawList(), {style.fonts.bold, size, colour},
               {area.at.x + area.size.x - width_of(style.fonts.bold, size, words) - margin_em * em,
                area.at.y + margin_em * em + em - 0.95F * size},
               words);
}

bool shows_pause(const Document& document)
{
    return document.paused && document.look.lecture && !covers_picture(document.look.step);
}

void overlays(const View& view, const Area& area, Commands& out)
{
    if (view.document.log_open) log(view, area);
    if (const auto file = view.ui.files.draw(view.style, area.at, area.size))
        out.push_back(OpenFile{file->string()});
    if (auto save = view.ui.save_as.draw(view.style, area.at, area.size))
        out.push_back(std::move(*save));
    view.ui.go_to.draw(view.style, area, view.document.look.step, out);
    in_progress(view, area);
    files(view, area);
    // A fault already replaces the picture.
    const auto is_shown = [&](const Message& error) {
        return is_fault_overlay(view.document, view.frame, error.text) &&
               !view.document.look.panels.whole;
    };
    if (const Message* error = view.document.log.error(); error && !is_shown(*error))
        error_strip(view.style, error->text, area, out);
    if (view.document.presentation.blank)
        ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, ImGui::GetIO().DisplaySize,
                                                      IM_COL32_BLACK);
    if (view.ui.close_question_open) closing(view, area);
}

} // namespace lanescope::app
