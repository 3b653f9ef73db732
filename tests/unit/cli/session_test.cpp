// Sessions: errors are reported with their line, whatever the damage, and a valid session gives its
// picture.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/document/last_session.h"
#include "app/document/look/subject.h"
#include "app/document/session/json_reader.h"
#include "app/document/session/session.h"
#include "app/document/session/session_file.h"
#include "app/draw/scene/maps.h"
#include "app/run/side/comparison.h"
#include "app/window/plots/source_heat.h"
#include "tests/support/fuzz.h"
#include "tests/support/malformed.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

app::Session example()
{
    app::Session session;
    session.device = "simt";
    session.journal.start = {"heat", "naive", {{"size", "40"}, {"diffusion", "0.1"}}, 7, ""};
    session.journal.events = {{3, labs::Stroke{0.25, 0.75, 0.1, false}},
                              {5, app::ParameterChange{"diffusion", "0.2"}},
                              {6, app::VariantChange{"temporal"}}};
    session.journal.steps = 9;
    session.look.view = "field";
    session.look.theme = app::Theme::light;
    return session;
}

// The picture contains the edited kernel: opening it again gives the same text and the same
// bytes.
TEST(Session, PictureContainsEditedKernel)
{
    const Folder folder;
    const labs::Lab& heat = labs::find("heat");
    std::string text(heat.source(labs::find_variant(heat, "naive")));
    const std::size_t at = text.find("-4.0f");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 5, "-3.5f");
    const labs::Edited edited = labs::with_edited_variant(heat, "naive", text);
    app::Session session = example();
    session.journal.events.clear();
    session.journal.start.lab = labs::open_texts(edited.texts).place;
    session.journal.start.variant = edited.variant;
    app::save_session(session, folder / "a.json");
    const auto shot = [&](const char* from, const char* to) {
        const Outcome outcome = run_program(
            {"shot", "--session", folder / from, "--size", "320x240", "-o", folder / to});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return read_file(folder / to);
    };
    const std::string first = shot("a.json", "a.png");
    EXPECT_EQ(shot("a.png", "b.png"), first);
    const app::Session read = app::load_session(folder / "b.png");
    EXPECT_EQ(labs::texts_of(labs::find(read.journal.start.lab)), edited.texts);
    session.journal.start.lab = "heat";
    session.journal.start.variant = "naive";
    app::save_session(session, folder / "plain.json");
    EXPECT_NE(shot("plain.json", "plain.png"), first) << "the edit is seen";
}

TEST(Session, RoundTripsThroughFile)
{
    const std::string text = to_json(example());
    const app::Session read = app::session_from_json(text, "example");
    EXPECT_EQ(to_json(read), text);
    EXPECT_EQ(read.journal.start, example().journal.start);
    EXPECT_EQ(read.journal.events.size(), 3u);
    EXPECT_EQ(read.look, example().look);
}

// A look with random values in all fields. The structured bindings name every field, so that adding
// a field is a compile error until it is added here, too.
app::Look any_look(std::mt19937& random)
{
    const auto share = [&] { return static_cast<float>(random() % 1001) / 1000; };
    const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
    const labs::Lab& heat = labs::find("heat");
    app::Look look;
    auto& [view, map, map_of, map_blend, map_automatic, subject, memory, memory_warps, request,
           tree_block, compare, difference, swipe, camera, pan_zoom, theme, text_zoom, lecture,
           panels, code, capture, step] = look;
    view = heat.views[random() % heat.views.size()];
    const auto maps = app::map_names();
    map = maps[random() % maps.size()];
    map_of = trace::all_scopes[random() % trace::all_scopes.size()];
    map_blend = share();
    map_automatic = random() % 2;
    subject = static_cast<app::Subject>(random() % app::subject_names().size());
    memory = random() % 2 ? "now" : "next";
    memory_warps = random() % 2;
    auto& [site, warp, occurrence, of] = request;
    site = below(9) - 1;
    warp = below(1000);
    occurrence = below(7);
    of = site < 0 ? "" : heat.variants[random() % heat.variants.size()].id;
    tree_block = random() % 2;
    compare = heat.variants[random() % heat.variants.size()].id;
    difference = random() % 2;
    swipe = share();
    camera.azimuth_degrees = 360 * share();
    camera.elevation_degrees = 89 * share();
    camera.distance = 1.2F + share();
    pan_zoom.zoom = 1 + 9.0 * share();
    pan_zoom.centre = {share(), share()};
    theme = random() % 2 ? app::Theme::light : app::Theme::dark;
    text_zoom = 0.5F + share();
    lecture = random() % 2;
    auto& [left, right, bottom, whole, tab] = panels;
    left = 4 + share();
    right = 4 + share();
    bottom = 30 * share();
    whole = random() % 2;
    tab = std::vector<std::string>{"timings", "source", "lesson"}[random() % 3];
    auto& [place, code_share, metric] = code;
    place = static_cast<app::CodePlace>(random() % 3);
    code_share = 0.25F + share() / 2;
    metric = std::vector<std::string>{"lanes", "sectors", "wavefronts", "share"}[random() % 4];
    auto& [scale, format, rate, seconds] = capture;
    scale = 1 + below(4);
    format = std::vector<std::string>{"mp4", "gif", "png"}[random() % 3];
    rate = random() % 2 ? 30 : 60;
    seconds = below(31);
    auto& [on, ptx, optimised, to_line, launch, position, stepped_warp, lane, page, node,
           breakpoints] = step;
    on = random() % 2;
    ptx = random() % 2;
    to_line = below(40);
    optimised = random() % 2;
    launch = below(5);
    position = below(100000);
    stepped_warp = below(33) - 1;
    lane = below(32);
    page = app::StepChoice::Page::launch; // the slice of "why" is not stored, but …
    node = 0;                             // … computed again on opening
    breakpoints = {1 + below(9), 10 + below(9)};
    return look;
}

app::Journal any_journal(std::mt19937& random)
{
    const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
    app::Journal journal;
    auto& [start, events, steps] = journal;
    auto& [lab, variant, parameters, seed, image] = start;
    lab = "heat";
    variant = "float4";
    parameters = {{"size", std::to_string(8 + random() % 100)}};
    seed = random();
    image = random() % 2 ? "" : "/a \"quoted\" name\n.png";
    for (unsigned i = 0; i < random() % 5; ++i) {
        const auto step = static_cast<std::int64_t>(i * 3);
        events.push_back({step, labs::Stroke{share(), share(), share(), random() % 2 == 0}});
        events.push_back({step, app::ParameterChange{"diffusion", std::to_string(share() / 4)}});
        events.push_back({step + 1, app::VariantChange{"temporal"}});
    }
    steps = static_cast<std::int64_t>(random());
    return journal;
}

TEST(Session, RoundTripKeepsEveryField)
{
    std::mt19937 random(8);
    for (int i = 0; i < 200; ++i) {
        app::Session session;
        auto& [device, journal, look, draft, folder, kernel_file, include_folders, picture, gpu] =
            session;
        device = std::vector<std::string>{"auto", "cuda", "simt"}[random() % 3];
        gpu = std::vector<std::string>{"", "T4", "H100"}[random() % 3];
        journal = any_journal(random);
        look = any_look(random);
        if (random() % 2)
            draft = {labs::Texts{"heat", {}, {{"a.cu", "of \"a\"\n"}}},
                     {"naive_edited", "a.cu", ""}};
        folder = random() % 2 ? "" : "/somewhere";
        kernel_file = random() % 2 ? "" : "/somewhere/a.cu";
        include_folders = random() % 2 ? "" : "/somewhere/include:/other";
        if (random() % 2) picture = app::PictureFormat{{640, 1 + i}, 12.34F};
        const std::string text = to_json(session);
        const app::Session read = app::session_from_json(text, "any");
        EXPECT_EQ(read.look, look) << text;
        EXPECT_EQ(read.journal.start, journal.start) << text;
        EXPECT_EQ(read.journal.steps, journal.steps);
        EXPECT_EQ(read.device, device);
        EXPECT_EQ(read.folder, folder);
        EXPECT_EQ(read.kernel_file, kernel_file);
        EXPECT_EQ(read.include_folders, include_folders);
        const auto elsewhere =
            app::embedded_session(text, "any", app::MayRead{".", journal.start.image});
        EXPECT_EQ(elsewhere->kernel_file, "") << "a session names no file that is written";
        EXPECT_EQ(read.picture, picture);
        EXPECT_EQ(read.draft, draft);
        EXPECT_EQ(to_json(read), text);
    }
}

struct Flaw {
    std::string from;
    std::string to;
    std::string named;
};

TEST(Session, ErrorsNameLine)
{
    const std::string good = to_json(example());
    const std::vector<Flaw> flaws{
        {"\"lab\": \"heat\"", "\"lab\": \"ice\"", "ice"},
        {"\"lab\": \"heat\"", "\"lav\": \"heat\"", "lab"},
        {"\"variant\": \"naive\"", "\"variant\": \"best\"", "best"},
        {"\"size\": \"40\"", "\"size\": \"-1\"", "size"},
        {"\"size\": \"40\"", "\"seize\": \"40\"", "seize"},
        {"\"seed\": 7", "\"seed\": -7", "seed"},
        {"\"step\": 9", "\"step\": \"nine\"", "step"},
        {"\"view\": \"field\"", "\"view\": \"map\"", "view"},
        {"\"theme\": \"light\"", "\"theme\": \"pink\"", "theme"},
        {"\"device\": \"simt\"", "\"device\": 4", "device"},
        {"\"distance\": ", "\"distanse\": ", "distanse"},
        {"\"step\": 5", "\"step\": 2", "order"},
        {"\"u\": 0.25", "\"u\": 25", "\"u\""},
    };
    for (const Flaw& flaw : flaws) {
        std::string text = good;
        const std::size_t at = text.find(flaw.from);
        ASSERT_NE(at, std::string::npos) << flaw.from;
        text.replace(at, flaw.from.size(), flaw.to);
        try {
            app::session_from_json(text, "file.json");
            ADD_FAILURE() << flaw.to << " was accepted";
        } catch (const Error& error) {
            const std::string what = error.what();
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            EXPECT_TRUE(what.starts_with("file.json, line ")) << what;
            EXPECT_NE(what.find(flaw.named), std::string::npos) << what;
        }
    }
}

TEST(Session, ErrorLineIsCorrect)
{
    try {
        app::session_from_json(
            "{\n  \"lanescope_session\": 1,\n  \"lab\": \"heat\",\n  \"sead\": 3\n}\n", "x");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("x, line 4: Unknown key \"sead\""))
            << error.what();
    }
}

TEST(Session, FiftyMalformedFilesAreRefusedWithMessage)
{
    const auto all = malformed_sessions(to_json(example()));
    ASSERT_EQ(all.size(), 50u);
    for (const Malformed& one : all) {
        try {
            app::embedded_session(one.bytes, "damaged.json");
            ADD_FAILURE() << one.name << " was accepted";
        } catch (const Error& error) {
            const std::string what = error.what();
            EXPECT_EQ(error.status(), ExitStatus::bad_usage) << one.name;
            EXPECT_TRUE(what.starts_with("damaged.json")) << one.name << ": " << what;
            EXPECT_LT(what.size(), 400u) << one.name << ": " << what;
            EXPECT_NE(what.find(one.key), std::string::npos) << one.name << ": " << what;
            const std::string line = "line " + std::to_string(one.line) + ":";
            EXPECT_TRUE(one.line == 0 || what.find(line) != std::string::npos)
                << one.name << ": " << what;
        }
    }
}

TEST(Session, DamagedTextsNeverCrash)
{
    const std::string good = to_json(example());
    std::mt19937 random(test::fuzz_seed(2));
    std::int64_t refused = 0;
    const std::int64_t inputs = test::fuzz_inputs(2000);
    for (std::int64_t i = 0; i < inputs; ++i) {
        std::string text = good;
        for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
            case 0: text[at] = static_cast<char>(random() % 256); break;
            case 1: text.erase(at, random() % 40); break;
            default:
                text.insert(at, std::string(1 + random() % 3, "{}[]\",:0-e"[random() % 10]));
                break;
            }
            if (text.empty()) text = " ";
        }
        try {
            app::session_from_json(text, "damaged");
        } catch (const Error& error) {
            ++refused;
            EXPECT_TRUE(std::string(error.what()).starts_with("damaged")) << error.what();
        }
    }
    EXPECT_GT(refused, inputs / 2);
}

// Reading, writing and reading again gives the same session.
TEST(Session, ChangedValuesAreRefusedOrKept)
{
    using Json = nlohmann::ordered_json;
    const Json good = Json::parse(to_json(example()));
    std::mt19937 random(test::fuzz_seed(3));
    const auto value = [&]() -> Json {
        switch (random() % 12) {
        case 0: return nullptr;
        case 1: return true;
        case 2: return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
        case 3: return std::numeric_limits<std::uint64_t>::max();
        case 4: return 1e300;
        case 5: return -0.0;
        case 6: return std::string(random() % 300, 'x');
        case 7: return "\xf0\x9f\x98\x80\n\\\"";
        case 8: return Json::array({1, "two", nullptr});
        case 9: return Json::object({{"lab", "heat"}});
        case 10: return static_cast<int>(random() % 10);
        default: return "naive";
        }
    };
    std::int64_t refused = 0;
    const std::int64_t inputs = test::fuzz_inputs(1500);
    for (std::int64_t i = 0; i < inputs; ++i) {
        SCOPED_TRACE(i);
        Json changed = good;
        for (unsigned changes = 1 + random() % 2; changes > 0; --changes) {
            Json* place = &changed;
            while (place->is_structured() && !place->empty() &&
                   (place == &changed || random() % 3 != 0)) {
                auto inner = place->begin();
                std::advance(inner, static_cast<std::ptrdiff_t>(random() % place->size()));
                if (place->is_object() && random() % 8 == 0) {
                    const std::string key = inner.key();
                    place->erase(key);
                    break;
                }
                place = &*inner;
            }
            *place = value();
        }
        try {
            const app::Session read = app::session_from_json(changed.dump(), "changed");
            const std::string again = to_json(read);
            EXPECT_EQ(to_json(app::session_from_json(again, "again")), again) << changed.dump();
        } catch (const Error& error) {
            ++refused;
            EXPECT_TRUE(std::string(error.what()).starts_with("changed")) << error.what() << "\n"
                                                                          << changed.dump();
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(refused, inputs / 3);
    EXPECT_LT(refused, inputs);
}

TEST(Session, ProgramRefusesOtherFiles)
{
    const Folder folder;
    const std::vector<std::string> texts{"",         "null",     "[]", "{}", "\x89PNG\r\n\x1a\n",
                                         "\xff\xfe", "{\"lab\":"};
    for (const std::string& text : texts) {
        const auto file = folder / "session.json";
        std::ofstream(file, std::ios::binary) << text;
        const Outcome outcome =
            run_program({"shot", "--session", file.string(), "-o", (folder / "x.png").string()});
        EXPECT_TRUE(outcome.status == 2 || outcome.status == 3) << outcome.status << outcome.errors;
        EXPECT_EQ(outcome.errors.rfind("lanescope: ", 0), 0u) << outcome.errors;
        EXPECT_FALSE(std::filesystem::exists(folder / "x.png"));
    }
}

// Sessions as the first version of the program wrote them, one per line; golden tests draw them.
TEST(Session, FirstVersionOpensCompletely)
{
    std::istringstream lines(
        read_file(LANESCOPE_SOURCE_DIR "/tests/unit/cli/first_version_sessions.jsonl"));
    int read = 0;
    for (std::string line; std::getline(lines, line); ++read) {
        const auto before = nlohmann::json::parse(line).flatten();
        const std::string written = to_json(app::session_from_json(line, "first.json"));
        const auto after = nlohmann::json::parse(written).flatten();
        for (const auto& [key, value] : before.items()) {
            ASSERT_TRUE(after.contains(key)) << key << " of " << line;
            EXPECT_EQ(after.at(key), value) << key << " of " << line;
        }
    }
    EXPECT_EQ(read, 12);
}

TEST(Session, LongReplaysNeedOptionMostSteps)
{
    const Folder folder;
    const auto file = folder / "long.json";
    std::ofstream(file) << R"({"lanescope_session": 1, "lab": "heat", "device": "simt",)"
                        << R"( "step": 1000000000000})";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"shot", "--session"}, {"record"}}) {
        auto words = command;
        words.insert(words.end(), {file.string(), "-o", (folder / "%d.png").string()});
        const Outcome outcome = run_program(words);
        EXPECT_EQ(outcome.status, 2) << outcome.errors;
        EXPECT_NE(outcome.errors.find("--most-steps 1000000000000"), std::string::npos)
            << outcome.errors;
    }
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Session, PipesAndDevicesAreRefused)
{
    const Folder folder;
    const auto pipe = folder / "pipe.json";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& file : {pipe.string(), std::string("/dev/zero")}) {
        const Outcome outcome =
            run_program({"shot", "--session", file, "-o", (folder / "x.png").string()});
        EXPECT_EQ(outcome.status, 2) << outcome.errors;
        EXPECT_NE(outcome.errors.find("is a pipe or a device, not a file"), std::string::npos)
            << outcome.errors;
    }
}

std::string refusal(const std::string& text)
{
    try {
        app::session_from_json(text, "x");
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

// A session with half an hour of strokes, 60 per second.
TEST(Session, LongPaintingReopens)
{
    app::Session session;
    session.journal.start = {"heat", "naive", {}, 1, {}};
    for (int i = 0; i < 108'000; ++i)
        session.journal.events.push_back(
            {i, labs::Stroke{0.5 + 0.4 * std::sin(i), 0.5 + 0.4 * std::cos(i), 0.03, i % 7 == 0}});
    session.journal.events.insert(session.journal.events.begin() + 5000,
                                  {5000, app::ParameterChange{"diffusion", "0.125"}});
    session.journal.steps = 108'000;
    const auto same = [](const app::Event& a, const app::Event& b) {
        return a.step == b.step && a.what == b.what;
    };
    const app::Session again = app::session_from_json(app::to_json(session), "x");
    EXPECT_TRUE(std::ranges::equal(again.journal.events, session.journal.events, same));
    EXPECT_TRUE(refusal(R"({"lanescope_session": 1, "lab": "heat", "events": [
        {"strokes": "0 0.5 0.5 0.1\n5 0.5 1.5 0.1"}]})")
                    .find("is not a stroke") != std::string::npos);
}

// A folder's name may contain any bytes, and the session is stored nevertheless.
TEST(Session, WorksInFolderWithInvalidUtf8Name)
{
    const Folder state;
    setenv("XDG_STATE_HOME", state.path().c_str(), 1);
    app::Session session;
    session.journal.start = {"heat", "naive", {}, 1, {}};
    session.folder = "/tmp/\xff\xfe";
    {
        app::SessionKeeper keeper;
        keeper.keep({session});
    }
    const auto kept = app::last_session();
    unsetenv("XDG_STATE_HOME");
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->journal.start.lab, "heat");
}

TEST(Session, OversizedFilesAreRefused)
{
    EXPECT_TRUE(
        refusal(std::string(65 << 20, ' ')).starts_with("x is larger than the limit of 64 MB"));
    std::string many = "[";
    for (int i = 0; i < 1'000'000; ++i) many += "0,";
    EXPECT_TRUE(refusal(many + "0]").starts_with("x, line 1: There are more than 1000000 values"));
}

// If each value stored its path, a long key would multiply the memory.
TEST(Session, MemoryUseIsNotQuadratic)
{
    std::string text = "{\"" + std::string(1 << 20, 'k') + "\": [";
    for (int i = 0; i < 2000; ++i) text += "0,";
    const auto peak_mb = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss >> 10;
    };
    const long before = peak_mb();
    EXPECT_TRUE(refusal(text + "0]}").starts_with("x, line 1: This is not a session"));
    EXPECT_LT(peak_mb() - before, 200);
}

TEST(Session, DuplicateKeyIsRefused)
{
    EXPECT_EQ(refusal("{\"lanescope_session\": 1,\n\"lab\": \"heat\",\n\"lab\": \"rod\"}"),
              "x, line 3: Duplicate key \"lab\". Correct the text there, or save the session "
              "again.");
}

TEST(Session, SameSessionGivesSamePicture)
{
    const Folder folder;
    const auto session = folder / "s.json";
    app::save_session(example(), session);
    const auto shot = [&](const std::string& from, const std::string& name) {
        const auto file = folder / name;
        const Outcome outcome =
            run_program({"shot", "--session", from, "--size", "160x120", "-o", file.string()});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return file;
    };
    const auto a = shot(session.string(), "a.png");
    const auto b = shot(a.string(), "b.png");
    EXPECT_TRUE(read_file(a) == read_file(b));
}

TEST(Comparison, ReplaysSameEventsAtSameSteps)
{
    // Six steps of the naive variant, then three launches of `temporal` with 4 steps each.
    const app::Journal comparison = app::comparison_journal(example().journal, "shared_tile");
    EXPECT_EQ(comparison.start.variant, "shared_tile");
    EXPECT_EQ(comparison.steps, 6 + 3 * 4);
    ASSERT_EQ(comparison.events.size(), 2u);
    EXPECT_EQ(comparison.events[0].step, 3);
    EXPECT_EQ(comparison.events[1].step, 5);
    EXPECT_EQ(app::comparison_journal(example().journal, "temporal").steps, (18 + 3) / 4);
}

TEST(SourceHeat, SumsSitesPerLine)
{
    trace::Trace trace;
    const auto site = [&](int line, trace::Op op, trace::Space space, trace::Counts counts) {
        trace::Site one;
        one.file = "/somewhere/kernel.cu";
        one.line = line;
        one.op = op;
        one.space = space;
        trace.sites.push_back(one);
        trace.counts.push_back(counts);
    };
    trace::Counts load;
    load.executions = load.requests = 2;
    load.lanes = 48;
    load.sectors = 16;
    load.ideal_sectors = 4;
    site(2, trace::Op::load, trace::Space::global, load);
    site(2, trace::Op::load, trace::Space::global, load);
    site(9, trace::Op::load, trace::Space::global, load); // a line that the text does not have
    const auto lines = app::source_heat("one\ntwo\nthree", "kernel.cu", trace);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_FALSE(lines[0].counted());
    EXPECT_EQ(lines[1].global.sectors, 32u);
    EXPECT_DOUBLE_EQ(lines[1].excess(), 4);
    EXPECT_DOUBLE_EQ(lines[1].active_lanes(), 24);
    EXPECT_FALSE(lines[2].counted());
    // 4 of 6 executions: the third site's are in another place but count in the total.
    EXPECT_DOUBLE_EQ(lines[1].share, 4.0 / 6.0);
    EXPECT_EQ(app::line_metric("share").words(lines[1]), "66.7%");
    EXPECT_EQ(app::line_metric("share").words(lines[0]), "");
}

} // namespace
} // namespace lanescope::test
