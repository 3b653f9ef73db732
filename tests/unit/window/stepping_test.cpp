// Stepping mode in the window: its texts agree with the debugger's frame, and every text fits.
#include <gtest/gtest.h>

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "app/draw/stepping.h"
#include "app/lessons/talk.h"
#include "app/run/debug/actor.h"
#include "app/run/debug/debug_start.h"
#include "app/run/debug/debugger.h"
#include "app/run/debug/shared_declarations.h"
#include "app/run/debug/why.h"
#include "app/window/input/keys.h"
#include "app/window/interaction/stepping.h"
#include "tests/unit/window/places.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;
using Kind = StepMove::Kind;

DebugStart start_of(const std::string& lab, const std::string& variant, const char* parameter,
                    const char* value)
{
    const labs::Lab& found = labs::find(lab);
    labs::Values values(found);
    values.set(parameter, value);
    return {.lab = &found, .variant = &labs::find_variant(found, variant), .values = values};
}

std::shared_ptr<const DebugFrame> stepped(Debugger& debugger, const StepMove& move)
{
    debugger.move(move);
    return debugger.frame();
}

template <class Condition>
bool comes(const Condition& condition)
{
    const auto since = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - since > std::chrono::seconds(60)) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

TEST(Stepping, ShowsDebuggerFrame)
{
    Debugger debugger(start_of("reduction", "interleaved", "count", "4096"));
    StepChoice choice;
    choice.on = true;
    Look look;
    look.step = choice;
    while (debugger.explore(1 << 20)) continue;
    const auto frame = stepped(debugger, {.kind = Kind::to_line, .count = 13});
    const render::SteppingView view = stepping_view(*frame, look);
    EXPECT_NE(view.title.find(fmt::format("block 0, warp {}", frame->warp)), std::string::npos)
        << view.title;
    EXPECT_EQ(std::ranges::count(view.lanes, render::SteppedLane::runs), 32);
    const auto current = std::ranges::find_if(view.code, &render::SteppedLine::current);
    ASSERT_NE(current, view.code.end());
    EXPECT_EQ(current->number, 13);
    ASSERT_EQ(view.warps.size(), 8U);
    const auto warp = static_cast<std::size_t>(frame->warp);
    EXPECT_TRUE(view.warps[warp].next && view.warps[warp].shown);
    const auto t = std::ranges::find(view.rows, "t", &render::SteppedRow::name);
    ASSERT_NE(t, view.rows.end());
    for (std::size_t lane = 0; lane < 32; ++lane)
        EXPECT_EQ(t->lanes[lane], std::to_string(32 * warp + lane));
    ASSERT_EQ(view.arrays.size(), 1U) << "shared memory is a grid, and no variable";
    EXPECT_EQ(view.arrays[0].values.size(), 256U);
    EXPECT_EQ(std::ranges::find(view.rows, view.arrays[0].name, &render::SteppedRow::name),
              view.rows.end());
    EXPECT_GT(view.at, 0);
    EXPECT_LT(view.at, 0.5F);
    // Half of the lanes execute the addition while the others wait, and a text says so.
    std::shared_ptr<const DebugFrame> diverged = frame;
    debugger.move({.kind = Kind::position, .count = 0});
    const auto run = [&] {
        return std::ranges::count(diverged->warps[static_cast<std::size_t>(diverged->shown)].lanes,
                                  simt::LaneState::runs);
    };
    for (int i = 0; i < 3000 && run() != 16; ++i)
        diverged = stepped(debugger, {.kind = Kind::instruction});
    ASSERT_EQ(run(), 16);
    const render::SteppingView half = stepping_view(*diverged, look);
    EXPECT_EQ(std::ranges::count(half.lanes, render::SteppedLane::runs), 16);
    EXPECT_GE(half.words.size(), 2U);
}

// At the start of a line, the access that the line will make is shown: array, elements and cost.
TEST(Stepping, ShowsUpcomingAccess)
{
    Debugger debugger(start_of("transpose", "tile", "size", "64"));
    Look look;
    look.step.on = true;
    const auto row = stepped(debugger, {.kind = Kind::to_line, .count = 14});
    ASSERT_TRUE(row->line_access);
    EXPECT_EQ(row->line_access->memory, "from");
    EXPECT_EQ(row->line_access->site.line, 14);
    const render::SteppingView load = stepping_view(*row, look);
    EXPECT_FALSE(load.banks);
    EXPECT_EQ(load.access_cost, "4 sectors, ideal 4");
    const auto column = stepped(debugger, {.kind = Kind::to_line, .count = 23});
    const render::SteppingView view = stepping_view(*column, look);
    EXPECT_TRUE(view.banks);
    EXPECT_EQ(view.access_cost, "32 wavefronts, ideal 1");
    ASSERT_EQ(view.arrays.size(), 1U);
    EXPECT_EQ(view.arrays[0].columns, 32) << "as the source declares it";
    EXPECT_EQ(std::ranges::count(view.arrays[0].accessed, 1), 32);
    for (std::size_t i = 1; i < 32; ++i)
        EXPECT_EQ(view.arrays[0].accessed[32 * i], view.arrays[0].accessed[0]) << "a column";
    // Looking ahead for the access does not move the position.
    const auto again = stepped(
        debugger, {.kind = Kind::position, .count = static_cast<std::int64_t>(column->position)});
    EXPECT_EQ(again->position, column->position);
    EXPECT_EQ(again->place.line, 23);
    const auto head = stepped(debugger, {.kind = Kind::to_line, .back = true, .count = 22});
    EXPECT_FALSE(head->line_access) << "a comparison reaches no memory";
}

// The clicker advances the talk, the arrow keys the launch.
TEST(Stepping, BeatStartsAtItsLineAndClickerAdvances)
{
    const Talk talk = read_talk("lecture: Of a line\n\n"
                                "beat: A column\n"
                                "show: transpose/tile, size=64\n"
                                "step: line \"cells[threadIdx.x]\", warp 3\n"
                                "say: Every lane wants the same bank.\n\n"
                                "beat: The picture again\n"
                                "say: All of it.\n",
                                "talk.txt");
    const BeatState& scene = talk.beats[0].scene;
    EXPECT_EQ(scene.step_line, 23);
    EXPECT_EQ(scene.step_warp, 3);
    Look look;
    apply_scene(look, scene);
    ASSERT_TRUE(look.step.on);
    Debugger debugger(start_of("transpose", "tile", "size", "64"));
    const auto frame = stepped(debugger, first_of_line(look.step));
    EXPECT_EQ(frame->place.line, 23);
    EXPECT_EQ(frame->warp, 3);
    const auto action = [](int key, bool beat) {
        const auto rows = rows_of({.key = key}, {}, {.stepping = true, .beat = beat});
        return rows.empty() ? std::string() : std::string(rows[0].row->action);
    };
    EXPECT_EQ(action(GLFW_KEY_PAGE_DOWN, true), "next_beat");
    EXPECT_EQ(action(GLFW_KEY_PAGE_DOWN, false), "step_line");
    EXPECT_EQ(action(GLFW_KEY_RIGHT, true), "step_line");
    apply_scene(look, talk.beats[1].scene);
    for (const char* wrong :
         {"cells", "line \"cells[threadIdx.x]", "line \"no such text\"",
          "line \"cells[threadIdx.x]\", warp x", "line \"cells[threadIdx.x]\", warp 32"})
        EXPECT_THROW(read_talk(fmt::format("lecture: L\n\nbeat: B\nshow: transpose/tile\nstep: {}\n"
                                           "say: x\n",
                                           wrong),
                               "talk.txt"),
                     Error)
            << wrong;
}

TEST(Stepping, PositionsAreNamedAsShown)
{
    const auto named = [](const char* text, Kind kind, std::int64_t count) {
        const StepMove move = move_to(text, false);
        EXPECT_EQ(move.kind, kind) << text;
        EXPECT_EQ(move.count, count) << text;
    };
    named("block 12", Kind::to_block, 12);
    named(" warp 3 ", Kind::to_warp, 3);
    named("line 14", Kind::to_line, 14);
    named("instruction 1,204", Kind::position, 1204);
    named("1204", Kind::position, 1204);
    named("launch 1", Kind::launch, 1);
    for (const char* text : {"tile[3][4] == 0", "line > 3", "block", "i == 5"}) {
        EXPECT_EQ(move_to(text, true).kind, Kind::condition) << text;
        EXPECT_EQ(move_to(text, true).text, text);
        EXPECT_TRUE(move_to(text, true).back);
    }
    Debugger debugger(start_of("reduction", "interleaved", "count", "4096"));
    const auto found = stepped(debugger, move_to("t == 40", false));
    EXPECT_EQ(found->stop, Stop::moved);
    EXPECT_EQ(found->warp, 1);
    EXPECT_EQ(stepped(debugger, move_to("no_such_name == 0", false))->stop, Stop::refused);
}

TEST(Stepping, PtxIsShownOnRequest)
{
    Debugger debugger(start_of("heat", "naive", "size", "64"));
    Look look;
    look.step.on = true;
    const auto frame = stepped(debugger, {.kind = Kind::to_line, .count = 17});
    EXPECT_TRUE(stepping_view(*frame, look).ptx.empty());
    look.step.ptx = true;
    const render::SteppingView view = stepping_view(*frame, look);
    const auto current = std::ranges::find_if(view.ptx, &render::SteppedLine::current);
    ASSERT_NE(current, view.ptx.end());
    EXPECT_EQ(current->number, frame->place.ptx_line);
    EXPECT_EQ(std::ranges::count_if(view.ptx, &render::SteppedLine::current), 1);
    EXPECT_FALSE(std::ranges::any_of(
        view.ptx, [](const render::SteppedLine& line) { return line.text.starts_with(".loc"); }));
}

TEST(Stepping, SharedArraysUseDeclaredExtents)
{
    const auto all = shared_declarations("constexpr int side = 16;\n"
                                         "// __shared__ int none[4];\n"
                                         "__global__ void k() {\n"
                                         "    __shared__ float tile[side + 2][side];\n"
                                         "    __shared__ unsigned int counts[4 * side];\n"
                                         "    extern __shared__ int open[];\n"
                                         "    __shared__ Cell cells[3];\n"
                                         "}\n");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "tile");
    EXPECT_EQ(all[0].type->extents, (std::vector<std::uint64_t>{18, 16}));
    EXPECT_EQ(all[0].type->bytes, 4U * 18 * 16);
    EXPECT_EQ(all[0].type->name, "float [18][16]");
    EXPECT_EQ(all[1].name, "counts");
    EXPECT_EQ(all[1].type->bytes, 256U);
    EXPECT_FALSE(all[1].type->element->is_signed);
}

TEST(Stepping, LineForwardsAndBackReturns)
{
    Debugger debugger(start_of("heat", "shared_tile", "size", "64"));
    std::vector<std::uint64_t> begins;
    std::vector<int> lines;
    for (int i = 0; i < 14; ++i) {
        const auto frame = stepped(debugger, {.kind = Kind::line});
        ASSERT_EQ(frame->stop, Stop::moved);
        EXPECT_GT(frame->place.line, 0) << "a step by line ends in a line of the source";
        begins.push_back(frame->position);
        lines.push_back(frame->place.line);
    }
    for (std::size_t i = begins.size() - 1; i > 0; --i) {
        const auto frame = stepped(debugger, {.kind = Kind::line, .back = true});
        EXPECT_EQ(frame->position, begins[i - 1]) << "line " << lines[i - 1];
    }
}

// If there is no room for all variables, only those that the line uses are shown.
TEST(Stepping, ShowsVariablesOfLine)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "shared_tile");
    room.apply(StepMode{true});
    Debugger debugger(start_of("heat", "shared_tile", "size", "64"));
    room.ui().stepped.frame = stepped(debugger, {.kind = Kind::to_line, .count = 34});
    ASSERT_EQ(room.ui().stepped.frame->place.line, 34);
    const Seen seen = room.look({1280, 720});
    const auto has = [&](const char* name) {
        return std::ranges::any_of(seen.texts,
                                   [&](const SeenText& text) { return text.words == name; });
    };
    for (const char* name : {"rim", "here", "later"}) EXPECT_TRUE(has(name)) << name;
    EXPECT_TRUE(seen.says("more"));
    room.ui().stepped = {};
    room.apply(StepMode{false});
}

TEST(Stepping, EveryTextFits)
{
    struct Case {
        const char *lab, *variant, *parameter, *value;
        std::int64_t position;
    };
    WindowFixture& room = window_fixture();
    for (const Case& one : {Case{"reduction", "interleaved", "count", "4096", 900},
                            Case{"heat", "shared_tile", "size", "64", 700},
                            Case{"matmul", "tile_16", "size", "64", 1500}}) {
        room.open(one.lab, one.variant);
        room.apply(StepMode{true});
        Debugger debugger(start_of(one.lab, one.variant, one.parameter, one.value));
        while (debugger.explore(1 << 20)) continue;
        room.ui().stepped.frame =
            stepped(debugger, {.kind = Kind::position, .count = one.position});
        for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}, ImVec2{1024, 768}})
            for (const bool beside : {false, true}) {
                room.apply(PlaceCode{{beside ? CodePlace::right : CodePlace::strip}});
                const Seen seen = room.look(size);
                for (const std::string& fault : faults_of(seen, size))
                    ADD_FAILURE() << one.lab << ", " << size.x << " × " << size.y
                                  << (beside ? ", code beside: " : ": ") << fault;
                EXPECT_TRUE(seen.says("lanes"));
                EXPECT_TRUE(seen.says("warps of the block"));
                EXPECT_TRUE(seen.says("instruction"));
            }
        room.apply(PlaceCode{});
        room.ui().stepped = {};
        room.apply(StepMode{false});
    }
}

TEST(Stepping, ActorDropsPreviousLaunch)
{
    DebugActor actor;
    actor.open(start_of("reduction", "interleaved", "count", "4096"));
    ASSERT_TRUE(comes([&] { return actor.frame() != nullptr; }));
    EXPECT_EQ(actor.frame()->lab, "Reduction");
    actor.move({.kind = Kind::position, .count = 500});
    ASSERT_TRUE(comes([&] { return actor.frame()->position == 500; }));
    actor.open(start_of("heat", "naive", "size", "64"));
    const auto next = actor.frame();
    EXPECT_TRUE(!next || next->lab != "Reduction");
    ASSERT_TRUE(comes([&] { return actor.frame() != nullptr; }));
    EXPECT_EQ(actor.frame()->position, 0U);
    actor.explain_at(0.5, 0.5);
    ASSERT_TRUE(comes([&] { return actor.answer() != nullptr; }));
    EXPECT_EQ(actor.answer()->problem, "");
    EXPECT_EQ(actor.answer()->place, "column 32, row 32");
    EXPECT_EQ(actor.answer()->step, actor.frame()->step) << "the step that is shown";
    ASSERT_FALSE(actor.answer()->nodes.empty());
    EXPECT_TRUE(actor.answer()->nodes[0].can_go);
    EXPECT_EQ(nodes_in_order(*actor.answer()).front(), 0);
    actor.close();
    EXPECT_EQ(actor.frame(), nullptr);
    EXPECT_EQ(actor.answer(), nullptr);
}

// The debugger shows step 1 if the step on screen is too far away. A question is never answered for
// another step than that on screen.
TEST(Stepping, NothingIsExplainedForAnotherStep)
{
    DebugActor actor;
    DebugStart far = start_of("heat", "naive", "size", "64");
    far.launches_before = 100'000'000;
    far.max_replay_s = 1;
    actor.open(far);
    ASSERT_TRUE(comes([&] { return actor.frame() != nullptr; }));
    EXPECT_EQ(actor.frame()->step, 1);
    actor.explain_at(0.5, 0.5);
    ASSERT_TRUE(comes([&] { return actor.answer() != nullptr; }));
    EXPECT_TRUE(actor.answer()->problem.starts_with("Repeating 100000000 steps would take over"))
        << actor.answer()->problem;
    EXPECT_TRUE(actor.answer()->nodes.empty());
}

// Earlier steps and strokes are replayed first, so memory holds the same values as in the window.
TEST(Stepping, ReplaysEarlierStepsAndStrokes)
{
    DebugStart plain = start_of("heat", "naive", "size", "64");
    plain.launches_before = 2;
    DebugStart painted = plain;
    painted.events.push_back({1, labs::Stroke{0.5, 0.5, 0.3, false}});
    Explainer without(plain);
    Explainer with(painted);
    EXPECT_NE(without.result_bytes(), with.result_bytes());
    DebugStart late = plain;
    late.events.push_back({9, labs::Stroke{0.5, 0.5, 0.3, false}});
    EXPECT_EQ(Explainer(late).result_bytes(), without.result_bytes());
}

TEST(Stepping, SelectingWarpMovesToIt)
{
    Debugger debugger(start_of("reduction", "interleaved", "count", "4096"));
    Interaction ui;
    ui.stepped.frame = debugger.frame();
    Document document;
    document.look.step.on = true;
    Commands out;
    move_stepped(document, ui, {.kind = Kind::line}, out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].get_if<StepLaunch>()->move.kind, Kind::line);
    document.look.step.warp = 3;
    out.clear();
    move_stepped(document, ui, {.kind = Kind::line}, out);
    EXPECT_EQ(out[0].get_if<StepLaunch>()->move.kind, Kind::to_warp);
    EXPECT_EQ(out[0].get_if<StepLaunch>()->move.count, 3);
}

} // namespace
} // namespace lanescope::test
