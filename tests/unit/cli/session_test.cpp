// Sessions: what is wrong in one is named with its line, whatever is done to it, and a good one
// gives its picture.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "app/json_reader.h"
#include "app/rival.h"
#include "app/session.h"
#include "app/source_heat.h"
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

TEST(Session, SurvivesItsFile)
{
    const std::string text = to_json(example());
    const app::Session read = app::session_from_json(text, "example");
    EXPECT_EQ(to_json(read), text);
    EXPECT_EQ(read.journal.start, example().journal.start);
    EXPECT_EQ(read.journal.events.size(), 3u);
    EXPECT_EQ(read.look, example().look);
}

struct Flaw {
    std::string from;
    std::string to;
    std::string named;
};

TEST(Session, FlawsAreNamedWithTheirLine)
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

TEST(Session, TheLineIsThatOfTheFlaw)
{
    try {
        app::session_from_json(
            "{\n  \"lanescope_session\": 1,\n  \"lab\": \"heat\",\n  \"sead\": 3\n}\n", "x");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("x, line 4: \"sead\"")) << error.what();
    }
}

TEST(Session, FiftyMalformedOnesAreRefusedInWords)
{
    const auto all = malformed_sessions(to_json(example()));
    ASSERT_EQ(all.size(), 50u);
    for (const Malformed& one : all) {
        try {
            app::session_inside(one.bytes, "damaged.json");
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
    std::mt19937 random(2);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
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
    EXPECT_GT(refused, 1000);
}

TEST(Session, AFileThatIsNoneIsRefusedByTheProgram)
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

TEST(Session, TheSameSessionGivesTheSamePicture)
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

TEST(Rival, LivesThroughTheSameAtTheSameSteps)
{
    // Naive to step 6, then temporal with 4 steps a launch: 3 launches more are 12 steps.
    const app::Journal rival = app::rival_journal(example().journal, "shared_tile");
    EXPECT_EQ(rival.start.variant, "shared_tile");
    EXPECT_EQ(rival.steps, 6 + 3 * 4);
    ASSERT_EQ(rival.events.size(), 2u);
    EXPECT_EQ(rival.events[0].step, 3);
    EXPECT_EQ(rival.events[1].step, 5);
    EXPECT_EQ(app::rival_journal(example().journal, "temporal").steps, (18 + 3) / 4);
}

TEST(SourceHeat, SumsTheSitesOfALine)
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
    site(9, trace::Op::load, trace::Space::global, load); // beyond the text
    const auto lines = app::source_heat("one\ntwo\nthree", "kernel.cu", trace);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_FALSE(lines[0].counted());
    EXPECT_EQ(lines[1].global.sectors, 32u);
    EXPECT_DOUBLE_EQ(lines[1].excess(), 4);
    EXPECT_DOUBLE_EQ(lines[1].active_lanes(), 24);
    EXPECT_FALSE(lines[2].counted());
}

} // namespace
} // namespace lanescope::test
