// The strip's tab of a whole program. Its actions are listed in the order requested; choosing a
// launch opens it with the memory it had.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <map>
#include <variant>

#include "app/draw/scene/maps.h"
#include "app/window/gui/painter.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"
#include "compute/python_source.h"
#include "compute/text.h"
#include "render/views/plot/timeline.h"

namespace lanescope::app {
namespace {

using State = ProgramFrame::State;
using Entry = std::variant<const ProgramLaunch*, const ProgramCopy*>;

constexpr std::size_t max_bars = 400; // more would be narrower than a pixel

// Launches and copies in the order requested.
std::vector<Entry> entries_of(const ProgramReport& report)
{
    std::vector<Entry> all;
    for (const ProgramLaunch& launch : report.launches) all.emplace_back(&launch);
    for (const ProgramCopy& copy : report.each_copy) all.emplace_back(&copy);
    std::ranges::stable_sort(all, {}, [](const Entry& one) {
        return std::visit([](const auto* of) { return of->order; }, one);
    });
    return all;
}

std::string size_text(const Dim3& size)
{
    if (size.z > 1) return fmt::format("{}×{}×{}", size.x, size.y, size.z);
    return size.y > 1 ? fmt::format("{}×{}", size.x, size.y) : fmt::format("{}", size.x);
}

// The fault or warning of the launch; null if none.
const ProgramFinding* finding_of(const ProgramReport& report, const ProgramLaunch& launch)
{
    const ProgramFinding* found = nullptr;
    for (const ProgramFinding& one : report.findings)
        if (one.launch == launch.index && (found == nullptr || one.fault)) found = &one;
    return found;
}

std::string spaced(std::string name)
{
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string stream_words(const std::string& name)
{
    const bool number =
        !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    return number ? "stream " + name : name;
}

std::string arrow(const std::string& direction)
{
    if (direction == "host to device") return "host → device";
    if (direction == "device to host") return "device → host";
    if (direction == "device to device") return "device → device";
    return direction;
}

// Colours of kernels and copies, shared by list and timeline.
class Series {
public:
    int of(const ProgramLaunch& launch)
    {
        return 3 +
               kernels_.try_emplace(launch.kernel, static_cast<int>(kernels_.size())).first->second;
    }
    static int of(const ProgramCopy& copy) { return copy.direction == "host to device" ? 0 : 2; }

private:
    std::map<std::string, int> kernels_;
};

render::TimelineData timeline_of(const std::vector<Entry>& entries)
{
    render::TimelineData data;
    Series series;
    const auto row_of = [&](const std::string& stream, int device) {
        std::string words = stream_words(stream);
        if (device > 0 && stream.find("device") == std::string::npos)
            words = fmt::format("{}, device {}", words, device);
        const auto found = std::ranges::find(data.rows, words);
        if (found != data.rows.end()) return static_cast<int>(found - data.rows.begin());
        data.rows.push_back(words);
        return static_cast<int>(data.rows.size()) - 1;
    };
    std::size_t children = 0;
    for (const Entry& entry : entries) {
        if (data.bars.size() == max_bars) break;
        if (const auto* const launch = std::get_if<const ProgramLaunch*>(&entry)) {
            if ((*launch)->parent >= 0) {
                ++children;
                continue;
            }
            data.bars.push_back({row_of((*launch)->stream, (*launch)->device), series.of(**launch),
                                 static_cast<double>((*launch)->place),
                                 static_cast<double>((*launch)->place) + 1, (*launch)->kernel});
        } else {
            const ProgramCopy& copy = *std::get<const ProgramCopy*>(entry);
            data.bars.push_back({row_of(copy.stream, copy.device), Series::of(copy),
                                 static_cast<double>(copy.place),
                                 static_cast<double>(copy.place) + 1,
                                 copy.direction == "host to device"   ? "copy in"
                                 : copy.direction == "device to host" ? "copy out"
                                                                      : "copy"});
        }
    }
    data.words.emplace_back("In order, not to scale: a bar begins after everything it waits for.");
    if (data.bars.size() + children < entries.size())
        data.words.push_back(fmt::format("The first {} of {}.", data.bars.size(), entries.size()));
    return data;
}

std::string several(std::size_t count, const char* one, const char* more)
{
    return fmt::format("{} {}", grouped(count), count == 1 ? one : more);
}

std::string summary(const ProgramFrame& frame)
{
    const ProgramReport& report = frame.result.report;
    const auto faults =
        static_cast<std::size_t>(std::ranges::count_if(report.findings, &ProgramFinding::fault));
    std::string text =
        fmt::format("{}: {}, {}, {}, {}", frame.job.name(),
                    several(report.launches.size(), "launch", "launches"),
                    several(report.each_copy.size(), "copy", "copies"), counted(faults, "fault"),
                    counted(report.findings.size() - faults, "warning"));
    if (report.on_gpu) // where few findings are possible
        text = fmt::format("{}: {}, {}, on the GPU{}", frame.job.name(),
                           several(report.launches.size(), "launch", "launches"),
                           several(report.each_copy.size(), "copy", "copies"),
                           faults > 0 ? fmt::format(", {}", counted(faults, "fault")) : "");
    if (!frame.job.edits.empty()) text += ", with your edit";
    const ProcessEnd& end = frame.result.end;
    if (end.out_of_time)
        text += ". It took longer than five minutes and was ended";
    else if (end.signal != 0)
        text += fmt::format(". It was ended by signal {}", end.signal);
    else if (end.status != 0)
        text += fmt::format(". It returned {}", end.status);
    return text + ".";
}

bool run_button(const View& view, const char* words)
{
    const bool pressed = ImGui::Button(words);
    view.ui.places["run_program"] = item_centre();
    return pressed;
}

// Runs on the lockstep machine or, if there is one, on the GPU.
void run_buttons(const View& view, const char* words, Commands& out)
{
    if (run_button(view, words)) out.push_back(RunProgram{});
    if (view.frame.engine.engine != device::Engine::cuda) return;
    ImGui::SameLine();
    if (ImGui::Button("Run on the GPU")) out.push_back(RunProgramOnGpu{});
    view.ui.places["run_program_on_gpu"] = item_centre();
    ImGui::SetItemTooltip(
        "NVIDIA's runtime does the work: real times, but nothing is counted or checked.");
}

// Explains what running the program does, before it runs.
void offer(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const std::string name = view.ui.program.offered.filename().string();
    heading(style, fmt::format("{} is a whole program.", printable(name)));
    plain_text("Run it on the lockstep machine to see every launch with its memory, every copy, "
               "and every fault.");
    quiet_text(style, "Its host code is not sandboxed: it runs with your permissions, for up to "
                      "five minutes and with files of up to 1 GiB.");
    if (is_python_source(view.ui.program.offered))
        quiet_text(style, "It runs again each time you save it, until you close it.");
    run_buttons(view, "Run the whole program (Ctrl R)", out);
}

// The columns that fit.
struct Columns {
    bool time = false;
    bool counts = false, sectors = false;
    int count() const { return 4 + (time ? 1 : 0) + (counts ? 1 : 0) + (sectors ? 1 : 0); }
};

void cell(const std::string& words)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(words.c_str());
}

// Empty if not measured.
template <class Work>
std::string time_of(const Work& work, const ProgramReport& report)
{
    if (!report.on_gpu) return format_time(work.machine_ms);
    return work.gpu_ms ? format_time(*work.gpu_ms) : std::string();
}

// Draws a small square in the colour of the bars, before the text that follows.
void swatch(const View& view, int series)
{
    const auto& colours = view_theme(view.document.look.theme).series;
    const float px = 0.62F * view.style.em;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + 0.5F * (ImGui::GetTextLineHeight() - px);
    PanelPainter painter(view.style.fonts);
    painter.fill({at.x, top, px, px}, colours[static_cast<std::size_t>(series) % colours.size()]);
    ImGui::Dummy({px, px});
    ImGui::SameLine(0, 0.4F * view.style.em);
}

struct LaunchRow {
    const ProgramReport& report;
    const ProgramLaunch& launch;
    int series; // index of its colour
    const Columns& columns;
};

void launch_row(const View& view, const LaunchRow& row, Commands& out)
{
    const auto& [report, launch, series, columns] = row;
    const PanelStyle& style = view.style;
    const ProgramFinding* const finding = finding_of(report, launch);
    const std::string& shown = view.document.lab().origin();
    const bool chosen = !launch.lab.empty() && launch.lab.string() == shown;
    const IdScope id(fmt::format("launch {}", launch.index));
    ImGui::TableNextColumn();
    const ImVec4 colour = finding && finding->fault ? style.palette.fault
                          : chosen                  ? style.palette.accent
                                                    : style.palette.text;
    const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em, colour);
    swatch(view, series);
    const std::string name = fmt::format("{}{}: {}", launch.parent >= 0 ? "↳ " : "", launch.index,
                                         printable(launch.kernel));
    if (ImGui::Selectable(name.c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns))
        out.push_back(OpenLaunch{launch.index});
    view.ui.places[fmt::format("launch {}", launch.index)] = item_centre();
    if (finding)
        ImGui::SetItemTooltip("%s", finding->message.c_str());
    else if (!launch.not_kept.empty())
        ImGui::SetItemTooltip("The program runs again when you open this launch: %s",
                              launch.not_kept.c_str());
    cell(size_text(launch.grid) + " × " + size_text(launch.block));
    cell(launch.parent >= 0 ? fmt::format("from launch {}", launch.parent)
                            : stream_words(launch.stream));
    if (columns.counts) cell(grouped(launch.counts ? launch.counts->warp_instructions : 0));
    if (columns.sectors) cell(grouped(launch.sectors()));
    if (columns.time) cell(time_of(launch, report));
    cell(finding ? spaced(finding->kind) : std::string());
}

void copy_row(const View& view, const ProgramReport& report, const ProgramCopy& copy,
              const Columns& columns)
{
    const TextScope text(view.style.fonts.plain, view.style.em, view.style.palette.quiet);
    ImGui::TableNextColumn();
    swatch(view, Series::of(copy));
    ImGui::TextUnformatted(arrow(copy.direction).c_str());
    cell(counted(copy.bytes, "byte"));
    cell(stream_words(copy.stream));
    if (columns.counts) cell("");
    if (columns.sectors) cell("");
    if (columns.time) cell(time_of(copy, report));
    cell("");
}

void table(const View& view, const ProgramReport& report, const std::vector<Entry>& entries,
           ImVec2 size, Commands& out)
{
    const Columns columns{.time = report.on_gpu || size.x > 36 * view.style.em,
                          .counts = !report.on_gpu,
                          .sectors = !report.on_gpu && size.x > 44 * view.style.em};
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY;
    if (!ImGui::BeginTable("launches", columns.count(), flags, size)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("launch or copy", 0, 1.5F);
    ImGui::TableSetupColumn("grid × block", 0, 1.4F);
    ImGui::TableSetupColumn("stream", 0, 1);
    if (columns.counts) ImGui::TableSetupColumn("warp instr.", 0, 1.1F);
    if (columns.sectors) ImGui::TableSetupColumn("sectors", 0, 0.8F);
    if (columns.time) ImGui::TableSetupColumn(report.on_gpu ? "GPU took" : "simt took", 0, 0.8F);
    ImGui::TableSetupColumn("found", 0, 1.4F);
    ImGui::TableHeadersRow();
    Series series;
    std::vector<int> colours; // assigned in list order, independent of the visible part
    std::size_t first = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto* const launch = std::get_if<const ProgramLaunch*>(&entries[i]);
        colours.push_back(launch ? series.of(**launch) : 0);
        if (launch) first = std::min(first, i);
    }
    // Scrolls past actions before the first launch.
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    if (ImGui::IsWindowAppearing() && first < entries.size())
        ImGui::SetScrollY(static_cast<float>(first) * row);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(entries.size()));
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            ImGui::TableNextRow();
            const Entry& entry = entries[static_cast<std::size_t>(i)];
            if (const auto* const launch = std::get_if<const ProgramLaunch*>(&entry))
                launch_row(view, {report, **launch, colours[static_cast<std::size_t>(i)], columns},
                           out);
            else
                copy_row(view, report, *std::get<const ProgramCopy*>(entry), columns);
        }
    ImGui::EndTable();
}

std::ptrdiff_t lines_printed(const ProgramFrame& frame)
{
    return std::ranges::count(frame.result.end.output, '\n') +
           std::ranges::count(frame.result.end.error_output, '\n');
}

std::string file_and_line(const HostPlace& place)
{
    const std::string file = std::filesystem::path(place.file).filename().string();
    return place.line > 0 ? fmt::format("{}:{}", file, place.line) : file;
}

void findings(const View& view, const ProgramFrame& frame)
{
    const PanelStyle& style = view.style;
    const ProgramReport& report = frame.result.report;
    for (const ProgramFinding& one : report.findings) {
        const TextScope text(style.fonts.plain, style.em,
                             one.fault ? style.palette.fault : style.palette.text);
        const std::string file = std::filesystem::path(one.file).filename().string();
        const std::string where = fmt::format("{}:{}", file, one.line);
        const bool message_has_place =
            one.line <= 0 || one.message.find(where) != std::string::npos;
        plain_text(message_has_place ? one.message : fmt::format("{}: {}", where, one.message));
    }
    for (const std::string& sentence : report.missing) plain_text(sentence);
    if (report.on_gpu) quiet_text(style, not_checked_sentence);
    for (const ProgramError& one : report.errors)
        plain_text(fmt::format("{}{} returned {}: {}",
                               one.host.file.empty() ? "" : file_and_line(one.host) + ": ",
                               one.call, one.error, one.text));
    const std::string& printed = frame.result.end.output;
    const std::string& errors = frame.result.end.error_output;
    if (printed.empty() && errors.empty()) return;
    constexpr std::size_t max_bytes = 20'000; // only the end is shown
    quiet_text(style, "The program printed:");
    if (lines_printed(frame) == 1) ImGui::SameLine();
    const TextScope code(style.fonts.code, style.em, style.palette.text);
    for (const std::string* const one : {&printed, &errors})
        if (!one->empty())
            plain_text(
                printable(one->size() > max_bytes ? one->substr(one->size() - max_bytes) : *one));
}

void timeline(const View& view, const std::vector<Entry>& entries, ImVec2 size)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    PanelPainter painter(view.style.fonts);
    const render::TimelineData data = timeline_of(entries);
    render::draw_timeline(painter, {at.x, at.y, size.x, size.y}, data,
                          view_theme(view.document.look.theme), view.style.em);
    ImGui::Dummy(size);
}

void report_panel(const View& view, const ProgramFrame& frame, Commands& out)
{
    const PanelStyle& style = view.style;
    const ProgramReport& report = frame.result.report;
    heading(style, summary(frame));
    ImGui::SameLine();
    run_buttons(view, report.on_gpu ? "Run with checks (Ctrl R)" : "Run again (Ctrl R)", out);
    const std::vector<Entry> entries = entries_of(report);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x > 40 * style.em;
    const bool finds = !report.findings.empty() || !report.missing.empty() || report.on_gpu;
    const auto printed = static_cast<float>(lines_printed(frame));
    const bool has_text = finds || printed > 0;
    const float words = !has_text ? 0
                        : !finds && printed == 1
                            ? 1.6F * style.em
                            : std::clamp(0.32F * room.y, 2.8F * style.em, 12 * style.em);
    if (!entries.empty()) {
        const ImVec2 left{beside ? 0.64F * room.x : room.x,
                          std::max(room.y - words - 0.4F * style.em, 5 * style.em)};
        table(view, report, entries, left, out);
        if (beside) {
            ImGui::SameLine(0, style.em);
            timeline(view, entries, {room.x - left.x - 1.4F * style.em, left.y});
        }
    } else {
        plain_text("It launched no kernel and copied nothing.");
    }
    if (!has_text) return;
    ImGui::BeginChild("findings");
    findings(view, frame);
    ImGui::EndChild();
}

} // namespace

void program_button(const View& view, Commands& out)
{
    const ProgramShown& program = view.ui.program;
    if (program.offered.empty() || view.document.lab().placeholder) return;
    const bool runs = program.frame && program.frame->state == State::running;
    if (runs) return;
    const std::string name = printable(program.offered.filename().string());
    if (ImGui::Button(fmt::format("Run {} (Ctrl R)###run", name).c_str()))
        out.push_back(RunProgram{});
    ImGui::SetItemTooltip("The whole program, with its main(). Its host code is not sandboxed.");
    ImGui::Separator();
}

void program_panel(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const ProgramShown& program = view.ui.program;
    const ProgramFrame* const frame = program.frame.get();
    // The results belong to a program that was open earlier.
    const bool other = frame && !program.offered.empty() && frame->job.file != program.offered &&
                       frame->state != State::running;
    if (!frame || other) {
        if (!program.offered.empty()) return offer(view, out);
        return quiet_text(
            style, "Open a .cu file with a main() that launches kernels, a Python script, or "
                   "a program that nvcc has built.");
    }
    switch (frame->state) {
    case State::running: {
        const std::chrono::duration<double> passed =
            std::chrono::steady_clock::now() - frame->since;
        heading(style,
                fmt::format("{} is being {}run: {:.0f} s", printable(frame->job.name()),
                            is_python_source(frame->job.file) ? "" : "built and ", passed.count()));
        ImGui::ProgressBar(static_cast<float>(-ImGui::GetTime()), {-FLT_MIN, style.em * 1.2F}, "");
        if (ImGui::Button("Stop")) out.push_back(StopProgram{});
        return;
    }
    case State::failed:
    case State::stopped: {
        heading(style, fmt::format("{} did not run.", printable(frame->job.name())));
        ImGui::SameLine();
        run_buttons(view, "Run again (Ctrl R)", out);
        ImGui::BeginChild("problem");
        {
            const TextScope code(style.fonts.code, style.em, style.palette.text);
            plain_text(printable(frame->problem));
        }
        ImGui::EndChild();
        return;
    }
    case State::done: return report_panel(view, *frame, out);
    }
}

} // namespace lanescope::app
