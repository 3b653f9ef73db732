// Opening view of each lab and variant, and of A/B. It shows the subject with its cost, which falls
// from rung to rung unless the record explains why not; both sides are complete, and nothing is
// clipped. PICTURES=FOLDER saves the pictures.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/document/look/subject.h"
#include "app/draw/subjects/cost.h"
#include "render/capture/png.h"
#include "tests/unit/window/places.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

constexpr ImVec2 screen{1280, 720};

// Opens the variant as the window does after a key press.
void open_as_the_window(WindowFixture& room, const labs::Lab& lab, const labs::Variant& variant)
{
    room.document().look = {};
    open_on_subject(room.document().look, lab, variant.id);
    const Look look = room.document().look;
    room.open(lab.id, variant.id, lab.opens.values);
    room.document().look = look;
    room.apply(ShowSubject{look.subject}); // requests the counts that the subject needs
}

bool is_shown(const labs::Variant& variant)
{
    return variant.fault.empty() && !variant.wrong && variant.runs_on(device::Engine::simt);
}

void save(WindowFixture& room, const std::string& name)
{
    const char* const folder = std::getenv("PICTURES");
    if (!folder) return;
    std::filesystem::create_directories(folder);
    render::write_png(std::filesystem::path(folder) / (name + ".png"), room.draw(screen));
}

std::optional<Cost> cost_shown(const WindowFixture& room)
{
    return cost_of(room.frame().a, room.document().look);
}

// Cost divided by its ideal, so that costs in different units can be compared; higher is worse.
double paid(const Cost& cost)
{
    const double ideal = cost.ideal.value_or(1);
    return cost.higher_is_better ? ideal / std::max(cost.value, 1e-9)
                                 : cost.value / std::max(ideal, 1e-9);
}

// Shows the lab's question, the cost exactly once, and the ideal where there is one.
TEST(OpeningView, ShowsQuestionAndCostWithIdeal)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        const labs::Variant& variant = lab.opening_variant();
        if (!variant.fault.empty()) continue; // tested separately below
        open_as_the_window(room, lab, variant);
        const auto cost = cost_shown(room);
        ASSERT_TRUE(cost) << lab.id;
        for (const bool lecture : {false, true}) {
            room.apply(Lecture{lecture});
            const Seen seen = room.look(screen);
            const bool compares = lab.opens.compare; // shows the change instead
            // In lecture mode the change takes the question's room.
            EXPECT_TRUE((compares && lecture) || seen.says(lab.question))
                << lab.id << (lecture ? ", lecture" : "");
            if (compares)
                EXPECT_TRUE(seen.says("→")) << lab.id;
            else
                EXPECT_EQ(std::ranges::count(seen.texts, cost->amount(), &SeenText::words), 1)
                    << lab.id << (lecture ? ", lecture: " : ": ") << cost->amount();
            EXPECT_TRUE(compares || !cost->ideal || seen.says("ideal")) << lab.id;
            save(room, lab.id + (lecture ? "_lecture" : "_window"));
        }
        room.apply(Lecture{false});
    }
}

// The key's number is at the upper right in lecture mode too.
TEST(OpeningView, FaultShowsQuestionAndKeyAboveMessage)
{
    WindowFixture& room = window_fixture();
    const labs::Lab& lab = labs::find("faults");
    open_as_the_window(room, lab, lab.opening_variant());
    for (const bool lecture : {false, true}) {
        room.apply(Lecture{lecture});
        const Seen seen = room.look(screen);
        EXPECT_TRUE(seen.says(lab.question));
        const auto number = std::ranges::find(seen.texts, "1 fault", &SeenText::words);
        ASSERT_NE(number, seen.texts.end());
        EXPECT_LT(number->ink.y, 0.1F * screen.y);
        const Area picture = seen.layout.picture;
        EXPECT_GT(number->ink.right(), picture.at.x + picture.size.x - 2 * seen.em);
        EXPECT_TRUE(seen.says("ideal 0"));
        save(room, lecture ? "faults_lecture" : "faults_window");
    }
    room.apply(Lecture{false});
}

// Checks the rungs that have keys 1 to 9.
TEST(OpeningView, CostFallsPerRungOrRecordExplains)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        std::optional<Cost> last;
        std::string from;
        bool opened = false;
        for (const labs::Variant* rung : lab.rungs()) {
            if (!is_shown(*rung)) continue;
            if (!opened)
                open_as_the_window(room, lab, *rung);
            else
                room.apply(ChooseVariant{rung->id});
            opened = true;
            const auto cost = cost_shown(room);
            if (!cost) {
                EXPECT_FALSE(lab.opens.no_ladder.empty())
                    << lab.id << "/" << rung->id << " has none";
                continue;
            }
            const std::string now =
                fmt::format("{}/{}: {} ({})", lab.id, rung->id, cost->amount(), cost->explained());
            if (std::getenv("PICTURES")) fmt::print("{}\n", now);
            if (last && lab.opens.no_ladder.empty()) {
                const bool falls =
                    paid(*cost) < paid(*last) || (cost->is_ideal() && last->is_ideal());
                EXPECT_EQ(falls, rung->tradeoff.empty())
                    << from << "\n"
                    << now << "\n"
                    << (falls ? "falls, and the record excuses it"
                              : "does not fall, and the record does not say why");
            }
            last = cost;
            from = now;
        }
    }
}

// An ideal that no variant comes near teaches that every kernel is bad.
TEST(OpeningView, IdealOfCountsIsWithinReach)
{
    constexpr double near = 2;
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        if (!lab.opens.cost || !lab.opens.cost->ratio || !lab.opens.cost->leads) continue;
        double best = std::numeric_limits<double>::infinity();
        bool has_ideal = false;
        for (const labs::Variant* rung : lab.rungs()) {
            if (!is_shown(*rung)) continue;
            open_as_the_window(room, lab, *rung);
            const auto cost = cost_shown(room);
            if (!cost || !cost->ideal) continue;
            has_ideal = true;
            best = std::min(best, paid(*cost));
        }
        EXPECT_TRUE(!has_ideal || best <= near) << lab.id << ": " << best << "× its ideal";
    }
}

// Every variant draws the access to its table, and counts it in the unit of its memory.
TEST(OpeningView, MemorySpacesDrawAccessToTable)
{
    WindowFixture& room = window_fixture();
    const labs::Lab& lab = labs::find("memory_spaces");
    const auto shown = [&](const char* id) {
        open_as_the_window(room, lab, labs::find_variant(lab, id));
        const trace::Trace& trace = *room.frame().a.trace;
        const auto site = static_cast<std::size_t>(trace.request.site);
        EXPECT_LT(site, trace.sites.size()) << id;
        return std::pair(trace.sites.at(site).space, cost_shown(room).value());
    };
    const auto [uniform, one] = shown("constant_uniform");
    EXPECT_EQ(uniform, trace::Space::constant);
    EXPECT_EQ(one.amount(), "1 pass");
    const auto [constant, many] = shown("constant");
    EXPECT_EQ(constant, trace::Space::constant);
    EXPECT_EQ(many.unit, "pass");
    EXPECT_GT(many.value, 20);
    EXPECT_EQ(shown("texture").first, trace::Space::texture);
    const auto [local, sectors] = shown("local");
    EXPECT_EQ(local, trace::Space::local);
    EXPECT_GT(sectors.value, 20);
    EXPECT_EQ(shown("shared").first, trace::Space::shared);
}

// All rungs show the same access: one to shared memory if there is one, and a load is compared
// with a load.
TEST(OpeningView, AccessKeepsRole)
{
    WindowFixture& room = window_fixture();
    const auto scope = [](const trace::Trace& trace) {
        const trace::Op op = trace.sites.at(static_cast<std::size_t>(trace.request.site)).op;
        return op == trace::Op::reduction ? trace::Op::atomic : op;
    };
    for (const labs::Lab& lab : labs::all()) {
        if (lab.opens.show != "request" || lab.opens.request_of == trace::Scope::all) continue;
        bool opened = false;
        for (const labs::Variant* rung : lab.rungs()) {
            if (!is_shown(*rung)) continue;
            if (!opened)
                open_as_the_window(room, lab, *rung);
            else
                room.apply(ChooseVariant{rung->id});
            opened = true;
            const trace::Trace& trace = *room.frame().a.trace;
            ASSERT_GE(trace.request.site, 0) << lab.id << "/" << rung->id;
            EXPECT_TRUE(trace::covers(lab.opens.request_of, scope(trace)))
                << lab.id << "/" << rung->id << ": line "
                << trace.sites[static_cast<std::size_t>(trace.request.site)].line;
            // Texels have no addresses.
            const auto site = static_cast<std::size_t>(trace.request.site);
            if (trace.sites[site].space != trace::Space::texture) {
                EXPECT_NE(trace.request.active, 0u) << lab.id << "/" << rung->id;
            }
        }
    }
}

std::vector<std::pair<std::string, Command>> subjects_of(const labs::Lab& lab)
{
    std::vector<std::pair<std::string, Command>> all;
    for (const std::string& name : subject_names())
        if (name != "picture") all.emplace_back(name, ShowSubject{subject_named(name)});
    for (const std::string& view : lab.views) all.emplace_back(view, SetView{view});
    return all;
}

// First and best variant side by side.
TEST(ComparedSides, AreCompleteWithChange)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        const labs::Variant* first = nullptr;
        const labs::Variant* best = nullptr;
        for (const labs::Variant* rung : lab.rungs()) {
            if (!is_shown(*rung)) continue;
            if (!first) first = rung;
            best = rung;
        }
        if (!first || first == best) continue;
        open_as_the_window(room, lab, *first);
        const Look look = room.document().look;
        room.apply(Compare{best->id});
        ASSERT_TRUE(room.frame().together) << lab.id;
        const auto check = [&](const std::string& what) {
            for (const bool lecture : {false, true}) {
                room.apply(Lecture{lecture});
                const Seen seen = room.look(screen);
                for (const std::string& fault : faults_of(seen, screen))
                    ADD_FAILURE() << lab.id << ", " << what << (lecture ? ", lecture: " : ": ")
                                  << fault;
                for (const SeenText& text : seen.texts) {
                    if (text.window != "picture" || text.hidden) continue;
                    if (what == "lines" || what == "memory")
                        continue; // long names from the program's content
                    // Source code may also be shortened.
                    if (text.words.find_first_of("[;<(") != std::string::npos) continue;
                    EXPECT_EQ(text.words.find("…"), std::string::npos)
                        << lab.id << ", " << what << (lecture ? ", lecture: " : ": ") << text.words;
                }
                const auto a = cost_of(room.frame().a, room.document().look);
                const auto b = cost_of(*room.frame().b, room.document().look);
                EXPECT_TRUE(!(a && b) || seen.says("→")) << lab.id << ", " << what;
                save(room, fmt::format("ab_{}_{}{}", lab.id, what, lecture ? "_lecture" : ""));
            }
            room.apply(Lecture{false});
        };
        check("opening");
        for (const auto& [name, command] : subjects_of(lab)) {
            room.document().look.subject = Subject::picture;
            room.document().look.map = "off";
            room.apply(command);
            check(name);
        }
        room.apply(Compare{});
        room.document().look = look;
    }
    room.document().look = {};
}

// Opening another lab, or leaving a lecture, leaves A/B.
TEST(ComparedSides, EndWhenAnotherLabOpens)
{
    Look look;
    look.compare = "tile";
    look.difference = true;
    open_on_subject(look, labs::find("heat"));
    EXPECT_TRUE(look.compare.empty());
    EXPECT_FALSE(look.difference);
}

} // namespace
} // namespace lanescope::test
