// Every text of the window fits: at all sizes, in both themes, for all labs, variants and modes
// nothing is clipped or overlapping, and meaningful text has enough contrast.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/draw/scene/maps.h"
#include "app/lessons/talk.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/source_heat.h"
#include "tests/unit/window/places.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

struct Screen {
    const char* name;
    ImVec2 size;
    float text = 1;
};
constexpr Screen screens[] = {
    {"640 × 480", {640, 480}},     {"1024 × 768", {1024, 768}},
    {"400 × 900", {400, 900}},     {"1280 × 720, text 150 %", {1280, 720}, 1.5F},
    {"1920 × 1080", {1920, 1080}}, {"3840 × 2160", {3840, 2160}}};
constexpr Screen room_screen{"1280 × 720", {1280, 720}};

// Returns required texts that are not visible.
std::vector<std::string> missing_in(const Seen& seen, const WindowFixture& room)
{
    std::vector<std::string> missing;
    const auto want = [&](const std::string& words, const char* what) {
        if (!words.empty() && !seen.says(words))
            missing.push_back(fmt::format("no {}: \"{}\"", what, words));
    };
    const Document& document = room.document();
    if (seen.layout.picture.empty() || document.help || document.log_open) return missing;
    // A change is drawn as its two values and the arrow between them.
    const std::string number = headline_of(document, room.frame()).number;
    const std::size_t arrow = number.find(" → ");
    want(number.substr(0, arrow), "number");
    if (arrow != std::string::npos) {
        const std::string to = number.substr(arrow + std::string(" → ").size());
        want(to.substr(0, to.find(' ')), "second number");
    }
    if (document.look.compare.empty())
        want(room.frame().a.variant->title.substr(0, 5), "name of the variant");
    want(document.paused ? "PAUSED" : "", "mark of the pause");
    if (document.look.subject == Subject::picture && room.frame().a.warp_map &&
        document.look.map != "off") {
        const auto& totals = room.frame().of(document.variant).totals;
        const std::string problem =
            map_problem(room.frame().a, document.look.map, totals ? &*totals : nullptr);
        const std::string scale = caches_of_map(document.look.map) ? "DRAM" : "range";
        want(problem.empty() ? scale : problem.substr(0, problem.find(' ')), "legend");
    }
    return missing;
}

struct Mode {
    std::string name;
    std::vector<Command> begin;
    std::vector<Command> end;
};

// Modes in order of visiting; each one starts from the plain window and is left again.
std::vector<Mode> modes_of(const labs::Lab& lab)
{
    std::vector<Mode> modes{{"the picture", {}, {}}};
    for (std::size_t i = 1; i < lab.views.size(); ++i)
        modes.push_back({"view " + lab.views[i], {SetView{lab.views[i]}}, {SetView{lab.views[0]}}});
    for (const std::string& map : map_names())
        if (map != "off") modes.push_back({"map " + map, {SetMap{map}}, {SetMap{"off"}}});
    modes.push_back({"memory", {ShowSubject{Subject::memory}}, {ShowSubject{Subject::picture}}});
    modes.push_back({"request", {ShowSubject{Subject::request}}, {ShowSubject{Subject::picture}}});
    modes.push_back({"tree", {ShowSubject{Subject::tree}}, {ShowSubject{Subject::picture}}});
    if (lab.variants.size() > 1 && lab.variants[1].fault.empty())
        modes.push_back({"A/B", {Compare{lab.variants[1].id}}, {Compare{}}});
    for (const char* tab : {"timings", "history", "roofline", "source", "lesson"}) {
        modes.push_back({std::string("strip ") + tab, {ShowTab{tab}}, {ShowTab{}}});
        modes.push_back(
            {std::string("whole strip ") + tab, {ShowTab{tab}, WholeStrip{true}}, {ShowTab{}}});
    }
    const auto code = [](CodePlace place) { return PlaceCode{{.place = place}}; };
    modes.push_back({"code at the right", {code(CodePlace::right)}, {code(CodePlace::strip)}});
    modes.push_back({"code at the left, over the strip",
                     {code(CodePlace::left), ShowTab{"timings"}},
                     {ShowTab{}, code(CodePlace::strip)}});
    modes.push_back({"code in the lecture",
                     {code(CodePlace::right), Lecture{true}},
                     {Lecture{false}, code(CodePlace::strip)}});
    modes.push_back({"lecture", {Lecture{true}}, {Lecture{false}}});
    modes.push_back({"help", {ShowHelp{true}}, {ShowHelp{false}}});
    modes.push_back({"log", {ShowLog{true}}, {ShowLog{false}}});
    return modes;
}

void expect_places(const labs::Lab& lab)
{
    WindowFixture& room = window_fixture();
    std::set<std::string> reported;
    const auto check = [&](const std::string& mode) {
        const auto at = [&](const Screen& screen) {
            room.document().look.text_zoom = screen.text;
            const Seen seen = room.look(screen.size);
            auto faults = faults_of(seen, screen.size);
            for (std::string& one : missing_in(seen, room)) faults.push_back(std::move(one));
            for (const std::string& fault : faults)
                if (reported.insert(std::string(screen.name) + fault).second)
                    ADD_FAILURE() << lab.id << "/" << room.document().variant << ", " << mode
                                  << ", " << screen.name << ": " << fault;
        };
        for (const Screen& screen : screens) at(screen);
        at(room_screen);
    };
    bool first = true;
    for (const labs::Variant& variant : lab.variants) {
        if (!variant.fault.empty() || !variant.runs_on(device::Engine::simt)) continue;
        room.open(lab.id, variant.id);
        if (!first) {
            check("the picture");
            room.apply(ShowSubject{Subject::request});
            check("request");
            continue;
        }
        first = false;
        for (const Mode& mode : modes_of(lab)) {
            for (const Command& command : mode.begin) room.apply(command);
            check(mode.name);
            for (const Command& command : mode.end) room.apply(command);
        }
    }
}

TEST(Layout, EveryTextFits)
{
    for (const labs::Lab& lab : labs::all()) expect_places(lab);
}

double luminance(const std::uint8_t* rgb)
{
    const auto linear = [](double byte) {
        const double value = byte / 255;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}

double contrast(double a, double b)
{
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

// Contrast of a drawn text between its most frequent colour and the colour that differs most from
// it, which is that of the strokes if they are wider than a pixel.
double contrast_of(const SeenText& text, const render::Pixels& pixels)
{
    const int left = std::max(0, static_cast<int>(text.ink.x) - 1);
    const int top = std::max(0, static_cast<int>(text.ink.y) - 1);
    const int right = std::min(pixels.width, static_cast<int>(std::ceil(text.ink.right())) + 1);
    const int bottom = std::min(pixels.height, static_cast<int>(std::ceil(text.ink.bottom())) + 1);
    std::map<int, int> colours;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const std::uint8_t* const p =
                &pixels.rgb[3 * (static_cast<std::size_t>(y) * pixels.width + x)];
            ++colours[p[0] << 16 | p[1] << 8 | p[2]];
        }
    if (colours.empty()) return 21;
    const auto light = [](int colour) {
        const std::uint8_t rgb[] = {static_cast<std::uint8_t>(colour >> 16),
                                    static_cast<std::uint8_t>(colour >> 8),
                                    static_cast<std::uint8_t>(colour)};
        return luminance(rgb);
    };
    const double ground =
        light(std::ranges::max_element(colours, {}, &std::pair<const int, int>::second)->first);
    double best = 1;
    for (const auto& [colour, times] : colours)
        best = std::max(best, contrast(light(colour), ground));
    return best;
}

// WCAG contrast ratio for text, measured on pixels.
void expect_contrast(const labs::Lab& lab)
{
    constexpr double min_contrast = 4.5;
    WindowFixture& room = window_fixture();
    room.open(lab.id, lab.variants.front().id);
    std::set<std::string> reported;
    for (const Mode& mode : modes_of(lab)) {
        if (mode.name.starts_with("whole") || mode.name == "help" || mode.name == "log") continue;
        for (const Command& command : mode.begin) room.apply(command);
        for (const Theme theme : {Theme::dark, Theme::light}) {
            room.document().look.theme = theme;
            const Seen seen = room.look(room_screen.size);
            const render::Pixels pixels = room.draw(room_screen.size);
            for (const SeenText& text : seen.texts) {
                if (text.hidden || text.partly || !text.cut.empty()) continue;
                const double found = contrast_of(text, pixels);
                if (found < min_contrast && reported.insert(text.words).second)
                    ADD_FAILURE() << lab.id << ", " << mode.name
                                  << (theme == Theme::dark ? ", dark: " : ", light: ")
                                  << describe(text) << " has a contrast of " << found;
            }
        }
        room.document().look.theme = Theme::dark;
        for (const Command& command : mode.end) room.apply(command);
    }
}

TEST(Layout, TextHasContrastInBothThemes)
{
    for (const labs::Lab& lab : labs::all()) expect_contrast(lab);
}

// At 1280 × 720 all meaningful text is at least 18 pixels high.
void expect_sizes(const labs::Lab& lab)
{
    WindowFixture& room = window_fixture();
    room.open(lab.id, lab.variants.front().id);
    std::set<std::string> reported;
    for (const Mode& mode : modes_of(lab)) {
        for (const Command& command : mode.begin) room.apply(command);
        for (const SeenText& text : room.look(room_screen.size).texts)
            if (!text.hidden && std::lround(text.size) < 18 && reported.insert(text.words).second)
                ADD_FAILURE() << lab.id << ", " << mode.name << ": " << describe(text);
        for (const Command& command : mode.end) room.apply(command);
    }
}

TEST(Layout, TextIsReadableFromBackOfHall)
{
    for (const labs::Lab& lab : labs::all()) expect_sizes(lab);
}

// A program's report: launches on several streams, one of them with a fault, and a copy.
std::shared_ptr<const ProgramFrame> finished_program()
{
    ProgramFrame frame{.job = {.file = "/home/me/blur.cu", .edits = {}},
                       .state = ProgramFrame::State::done};
    ProgramReport& report = frame.result.report;
    const auto launch = [&](const char* kernel, const char* stream, int order) {
        ProgramLaunch made;
        made.index = static_cast<int>(report.launches.size());
        made.kernel = kernel;
        made.grid = {20, 13, 1};
        made.block = {16, 16, 1};
        made.stream = stream;
        made.order = order;
        made.place = order;
        made.machine_ms = 12.3;
        made.counts.emplace().warp_instructions = 197'360;
        report.launches.push_back(made);
    };
    report.each_copy.push_back({.call = "cudaMemcpy",
                                .direction = "host to device",
                                .bytes = 256'000,
                                .stream = "default",
                                .machine_ms = 0.1});
    launch("blur", "pictures", 1);
    launch("sum", "sums", 2);
    ProgramFinding fault;
    fault.kind = "out_of_bounds";
    fault.message = "Thread (231, 0, 0) of block (3, 0, 0) reads past the end of a buffer.";
    fault.file = "/home/me/blur.cu";
    fault.line = 8;
    fault.launch = 1;
    report.findings.push_back(fault);
    frame.result.end.output = "64000 pixels\n";
    return std::make_shared<const ProgramFrame>(std::move(frame));
}

// The same on a GPU: a measured launch, an unmeasured one, and a failed call.
std::shared_ptr<const ProgramFrame> finished_gpu_program()
{
    ProgramFrame frame = *finished_program();
    ProgramReport& report = frame.result.report;
    report.on_gpu = true;
    report.findings.clear();
    report.launches[0].gpu_ms = 0.0123;
    for (ProgramLaunch& launch : report.launches) launch.counts = {};
    report.errors.push_back({.call = "cudaMalloc",
                             .error = "cudaErrorMemoryAllocation",
                             .text = "out of memory",
                             .kernel = {},
                             .host = {"/home/me/blur.cu", 31}});
    return std::make_shared<const ProgramFrame>(std::move(frame));
}

TEST(Layout, ProgramViewOnGpuFits)
{
    constexpr double min_contrast = 4.5;
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    room.ui().program.offered = "/home/me/blur.cu";
    room.ui().program.frame = finished_gpu_program();
    room.apply(ShowTab{tabs::program});
    for (const bool whole : {false, true}) {
        room.apply(WholeStrip{whole});
        Frame frame = room.frame();
        frame.engine.engine = device::Engine::cuda;
        room.show(std::move(frame));
        room.look(room_screen.size); // The first frame makes the strip appear.
        const Seen seen = room.look(room_screen.size);
        const render::Pixels pixels = room.draw(room_screen.size);
        for (const std::string& fault : faults_of(seen, room_screen.size))
            ADD_FAILURE() << whole << ": " << fault;
        for (const SeenText& text : seen.texts) {
            if (text.hidden || text.partly || !text.cut.empty()) continue;
            EXPECT_GE(contrast_of(text, pixels), min_contrast) << describe(text);
        }
        EXPECT_TRUE(seen.says("2 launches, 1 copy"));
        EXPECT_TRUE(seen.says("on the GPU"));
        EXPECT_TRUE(seen.says("Run on the GPU"));
        EXPECT_TRUE(seen.says("GPU took"));
        EXPECT_FALSE(seen.says("warp instr."));
        EXPECT_TRUE(seen.says("Nothing was counted or checked"));
        EXPECT_TRUE(seen.says("blur.cu:31: cudaMalloc returned cudaErrorMemoryAllocation"));
    }
    room.ui().program = {};
    room.apply(WholeStrip{false});
    room.apply(ShowTab{});
}

TEST(Layout, ProgramViewFits)
{
    constexpr double min_contrast = 4.5;
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    room.ui().program.offered = "/home/me/blur.cu";
    room.apply(ShowTab{tabs::program});
    std::set<std::string> reported;
    for (const bool ran : {false, true}) {
        room.ui().program.frame = ran ? finished_program() : nullptr;
        for (const bool whole : {false, true}) {
            room.apply(WholeStrip{whole});
            for (const Theme theme : {Theme::dark, Theme::light}) {
                room.document().look.theme = theme;
                room.look(room_screen.size); // The first frame makes the strip appear.
                const Seen seen = room.look(room_screen.size);
                const render::Pixels pixels = room.draw(room_screen.size);
                const std::string mode =
                    fmt::format("{}{}", ran ? "ran" : "offered", whole ? ", whole" : "");
                for (const std::string& fault : faults_of(seen, room_screen.size))
                    if (reported.insert(fault).second) ADD_FAILURE() << mode << ": " << fault;
                for (const SeenText& text : seen.texts) {
                    if (text.hidden || text.partly || !text.cut.empty()) continue;
                    EXPECT_GE(std::lround(text.size), 18) << mode << ": " << describe(text);
                    EXPECT_GE(contrast_of(text, pixels), min_contrast)
                        << mode << ": " << describe(text);
                }
                EXPECT_TRUE(seen.says(ran ? "blur.cu: 2 launches, 1 copy, 1 fault"
                                          : "blur.cu is a whole program."))
                    << mode;
                EXPECT_EQ(seen.says("out of bounds"), ran) << mode;
                EXPECT_EQ(seen.says("pictures"), ran) << mode;
            }
        }
    }
    room.document().look.theme = Theme::dark;
    room.ui().program = {};
    room.apply(WholeStrip{false});
    room.apply(ShowTab{});
}

// A larger window shows more, not the same at a larger size; a projected picture grows with it.
TEST(Layout, LargerWindowShowsMore)
{
    Look look;
    const float small = text_height({1280, 720}, look) / 720;
    const float large = text_height({1920, 1080}, look) / 1080;
    EXPECT_LT(large, 0.85F * small);
    EXPECT_GT(text_height({1920, 1080}, look), text_height({1280, 720}, look));
    look.lecture = true;
    EXPECT_FLOAT_EQ(text_height({1920, 1080}, look) / 1080, text_height({1280, 720}, look) / 720);
}

// At the largest text size little fits, and some computed sizes become zero or negative: the window
// omits what does not fit and keeps running.
TEST(Layout, SurvivesExtremeTextSizes)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        room.open(lab.id, lab.variants.front().id);
        std::vector<Mode> modes = modes_of(lab);
        const PanelSizes usual;
        modes.push_back({"narrow panels",
                         {SizePanel{"left", 0}, SizePanel{"right", 0}},
                         {SizePanel{"left", usual.left}, SizePanel{"right", usual.right}}});
        for (const Mode& mode : modes) {
            for (const Command& command : mode.begin) room.apply(command);
            room.ui().drawer = mode.name == "narrow panels";
            for (const float zoom : {0.5F, 1.0F, 3.0F}) {
                SCOPED_TRACE(lab.id + ", " + mode.name + ", text " + std::to_string(zoom));
                room.apply(SetTextZoom{zoom});
                for (const ImVec2 size : {ImVec2{640, 480}, ImVec2{400, 900}, ImVec2{1280, 720}})
                    EXPECT_FALSE(room.look(size).texts.empty());
            }
            room.apply(SetTextZoom{1});
            room.ui().drawer = false;
            for (const Command& command : mode.end) room.apply(command);
        }
    }
}

// An open question replaces the picture. There must be no divider between it and the labs, since a
// divider without height would crash the program.
TEST(Layout, NoDividerBesideHiddenPanel)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    room.document().presentation.talk = std::make_shared<const app::Talk>(
        app::read_talk("lecture: One\nbeat: A\nshow: heat/naive\nask: How many?\n"
                       "reveal: sectors_over_ideal(heat/naive)\n",
                       "one"));
    const ImVec2 size{1920, 1080};
    room.apply(SetTextZoom{0.5F});
    const float em = app::text_height(size, room.document().look);
    room.look(size);
    app::Layout layout = app::layout_of(room.document().look, size);
    EXPECT_FALSE(layout.left.empty());
    app::leave_room_for_beat(room.document(), room.ui(), em, layout);
    EXPECT_TRUE(layout.picture.empty());
    ImGui::NewFrame();
    app::Commands commands;
    app::splitters(room.document().look, layout, size, em, commands);
    ImGui::EndFrame();
    room.document().presentation = {};
    room.apply(SetTextZoom{1});
}

// With frame and panels, the picture without caption and legend has nearly half of a 1280 × 720
// window, and in lecture mode nearly all of its height; overlays do not move it.
TEST(Picture, FillsSpaceAndStaysInPlace)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const auto place = [&] { return room.look({1280, 720}).place; };
    const render::Box plain = place();
    EXPECT_GE(plain.width * plain.height, 0.48F * 1280 * 720);
    for (const std::string& map : map_names()) {
        room.apply(SetMap{map});
        const render::Box under = place();
        EXPECT_EQ(under.x, plain.x) << map;
        EXPECT_EQ(under.y, plain.y) << map;
        EXPECT_EQ(under.width, plain.width) << map;
        EXPECT_EQ(under.height, plain.height) << map;
    }
    room.apply(SetMap{"off"});
    room.apply(Lecture{true});
    EXPECT_GE(place().height, 0.85F * 720);
    room.apply(Lecture{false});
    room.apply(WholeStrip{true});
    EXPECT_TRUE(room.look({1280, 720}).layout.picture.empty());
    EXPECT_EQ(room.look({1280, 720}).layout.bottom.size.y, 720);
}

// The device's copy bandwidth is measured a few seconds after the start on a GPU. Content below the
// timings must not shift under the mouse at that moment.
TEST(Timings, KeepHeightWhenCopyIsMeasured)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    Frame frame = room.frame();
    frame.engine.has_clock = true;
    frame.engine.engine = device::Engine::cuda;
    constexpr double copy = 2987; // GB/s; the step reaches it, which gives the longest text
    frame.variants["naive"].step_ms = std::make_shared<const Recent>(
        Recent{spread_of({frame.a.facts.work.bytes / (copy * 1e6)}), {}});
    const auto below = [&](double copy_gb_per_s, ImVec2 size) {
        frame.engine.roofs.copy_gb_per_s = copy_gb_per_s;
        room.show(frame);
        const Seen seen = room.look(size);
        EXPECT_TRUE(seen.says(copy_gb_per_s > 0 ? "100% of the 2987 GB/s of a copy"
                                                : "measuring the bandwidth"));
        for (const SeenText& text : seen.texts)
            if (text.words.find("frames/s") != std::string::npos) return text.ink.y;
        ADD_FAILURE() << "no frames/s";
        return 0.0F;
    };
    for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}})
        EXPECT_EQ(below(0, size), below(copy, size)) << size.x;
}

// 1-based number of the line that contains these words.
int line_with(const WindowFixture& room, const std::string& words)
{
    const auto lines = source_lines(room.frame());
    const auto holds = [&](const SourceLine& line) {
        return line.text.find(words) != std::string::npos;
    };
    return static_cast<int>(std::ranges::find_if(lines, holds) - lines.begin()) + 1;
}

// Beside the picture the code takes half of the window at any size; a line's PTX is shown below it,
// and in a lecture no code text is smaller than 1/36 of the window's height.
TEST(Code, FitsBesidePicture)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "tile");
    for (const CodePlace place : {CodePlace::left, CodePlace::right}) {
        room.apply(PlaceCode{{.place = place}});
        for (const bool lecture : {false, true})
            for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
                room.apply(Lecture{lecture});
                const Seen seen = room.look(size);
                const Layout& layout = seen.layout;
                EXPECT_EQ(layout.code.size.x, size.x / 2);
                EXPECT_EQ(layout.picture.size.x, size.x / 2);
                EXPECT_EQ(layout.code.at.x < layout.picture.at.x, place == CodePlace::left);
                EXPECT_TRUE(seen.says("__shared__")) << size.x;
                for (const SeenText& text : seen.texts) {
                    if (!lecture || !text.window.starts_with("code")) continue;
                    EXPECT_GE(std::lround(text.size), std::lround(size.y / 36)) << describe(text);
                }
            }
    }
    room.apply(Lecture{false});
    EXPECT_FALSE(room.look({1280, 720}).says("ld.global"));
    room.apply(OpenLine{line_with(room, "= from[")});
    EXPECT_TRUE(room.look({1280, 720}).says("ld.global"));
    room.apply(OpenLine{0});
    room.apply(PlaceCode{{}});
    EXPECT_TRUE(room.look({1280, 720}).layout.code.empty());
}

// Only the few lines that stored the element under the mouse are highlighted.
TEST(Code, HighlightsWriterOfElement)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "tile");
    room.apply(PlaceCode{{.place = CodePlace::right}});
    room.look({1280, 720});
    const SideFrame& side = room.frame().a;
    ASSERT_FALSE(side.trace->footprint.owners.empty());
    room.ui().code.warp = side.trace->footprint.owners.front() - 1;
    room.look({1280, 720});
    ASSERT_EQ(room.ui().code.highlighted.size(), 1u);
    const auto line = static_cast<std::size_t>(room.ui().code.highlighted.front()) - 1;
    EXPECT_NE(source_lines(room.frame())[line].text.find("to["), std::string::npos);
    room.ui().code.warp.reset();
    room.look({1280, 720});
    EXPECT_TRUE(room.ui().code.highlighted.empty());
    room.apply(PlaceCode{{}});
}

} // namespace
} // namespace lanescope::test
