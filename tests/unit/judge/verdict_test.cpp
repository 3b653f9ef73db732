// Verdicts are derived from facts and requirements. Their documents are valid, and no text from a
// submission is interpreted as markup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

#include "app/judge/reports.h"
#include "app/judge/schema.h"
#include "app/judge/verdict.h"
#include "compute/error.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using Json = nlohmann::ordered_json;
using app::Assignment;
using app::Requirement;
using testing::HasSubstr;
using testing::Not;

Assignment assignment()
{
    Assignment made{.title = "Sums <1>", .sizes = {{{"size", "33"}}, {{"size", "64"}}}};
    made.requirements = {{.kind = Requirement::Kind::compiles, .id = "compiles"},
                         {.kind = Requirement::Kind::result, .id = "result", .points = 4},
                         {.kind = Requirement::Kind::no_faults, .id = "no_faults"},
                         {.kind = Requirement::Kind::coverage, .id = "coverage"},
                         {.kind = Requirement::Kind::deterministic, .id = "deterministic"},
                         {.kind = Requirement::Kind::count,
                          .id = "bytes",
                          .count = "bytes",
                          .at_most = 2,
                          .relative_to_reference = true},
                         {.kind = Requirement::Kind::count,
                          .id = "loads",
                          .hidden = true,
                          .sizes = {{{"size", "64"}}},
                          .count = "sectors_per_load",
                          .at_most = 4}};
    made.fingerprint = app::fingerprint_of({"assignment"});
    return made;
}

Json run_facts(const std::string& size)
{
    return {{"size", size},
            {"outcome", "finished"},
            {"message", ""},
            {"fault", nullptr},
            {"warnings", Json::array()},
            {"correct", true},
            {"max_error", 0.0},
            {"tolerance", 0.5},
            {"elements", 10},
            {"unwritten", 0},
            {"order", Json::array()},
            {"counts", {{"bytes", 200.0}, {"sectors_per_load", 4.0}}},
            {"reference_counts", {{"bytes", 100.0}}}};
}

Json correct_facts()
{
    return {{"compiled", {{"ok", true}, {"message", ""}, {"line", 0}}},
            {"runs", {run_facts("size=33"), run_facts("size=64")}},
            {"lines", Json::array()}};
}

Json judged(const Json& facts, const std::string& problem = "", bool timed_out = false)
{
    return app::submission_json(assignment(), {"ada", app::fingerprint_of({"text"}), ""}, facts,
                                problem, timed_out, "walls");
}

std::string status(const Json& submission, const std::string& id)
{
    for (const Json& one : submission.at("requirements"))
        if (one.at("id") == id) return one.at("status");
    return "none";
}

Json document(const Json& submission)
{
    return app::class_json(app::assignment_json(assignment()), Json::array({submission}));
}

TEST(Verdicts, CorrectSubmissionGetsAllPoints)
{
    const Json one = judged(correct_facts());
    EXPECT_EQ(one["verdict"], "meets_all");
    EXPECT_EQ(one["points"], 10);
    EXPECT_EQ(app::schema_problem(app::judge_schema(), document(one)), "");
}

TEST(Verdicts, WorstSizeCounts)
{
    Json facts = correct_facts();
    facts["runs"][1]["correct"] = false;
    facts["runs"][1]["message"] = "Element 3 is 7.";
    const Json one = judged(facts);
    EXPECT_EQ(one["verdict"], "wrong_result");
    EXPECT_EQ(status(one, "result"), "missed");
    EXPECT_EQ(status(one, "coverage"), "met");
    EXPECT_EQ(status(one, "bytes"), "missed"); // although cheap: the result is wrong
    EXPECT_EQ(one["points"], 3);
    EXPECT_EQ(one["requirements"][1]["message"], "At size=64: Element 3 is 7.");
}

TEST(Verdicts, FaultFailsRequirementsThatNeedARun)
{
    Json facts = correct_facts();
    facts["runs"][0]["outcome"] = "fault";
    facts["runs"][0]["message"] = "Out of bounds.";
    facts["runs"][0]["fault"] = {{"kind", "out_of_bounds"}, {"file", "a.cu"}, {"line", 3}};
    const Json one = judged(facts);
    EXPECT_EQ(one["verdict"], "fault");
    EXPECT_EQ(status(one, "compiles"), "met");
    for (const char* id : {"result", "no_faults", "coverage", "deterministic", "bytes"})
        EXPECT_EQ(status(one, id), "missed") << id;
    EXPECT_EQ(status(one, "loads"), "met"); // its run at another size did not fault
}

TEST(Verdicts, LimitsOfCounts)
{
    Json facts = correct_facts();
    facts["runs"][0]["counts"]["bytes"] = 200.1;
    EXPECT_EQ(status(judged(facts), "bytes"), "missed");
    facts["runs"][0]["counts"].erase("bytes"); // no count means 0, which is below the limit of 200
    EXPECT_EQ(status(judged(facts), "bytes"), "met");
    facts = correct_facts();
    facts["runs"][0]["reference_counts"] = Json::object();
    EXPECT_EQ(status(judged(facts), "bytes"), "undecided");
    facts = correct_facts();
    facts["runs"][1]["counts"]["sectors_per_load"] = 4.5;
    EXPECT_EQ(judged(facts)["verdict"], "misses_requirements");
}

TEST(Verdicts, IncompleteOrInventedFactsAreNotJudged)
{
    for (const char* key : {"compiled", "runs", "lines"}) {
        Json facts = correct_facts();
        facts.erase(key);
        EXPECT_EQ(judged(facts)["verdict"], "not_judged") << key;
    }
    Json facts = correct_facts();
    facts["runs"][0]["outcome"] = "splendid";
    EXPECT_EQ(judged(facts)["verdict"], "not_judged");
    facts = correct_facts();
    facts["runs"][0]["grade"] = 1;
    EXPECT_EQ(judged(facts)["points"], 0);
    facts = correct_facts();
    facts["runs"].erase(1); // the run at one of the sizes is missing
    EXPECT_EQ(status(judged(facts), "result"), "undecided");
    EXPECT_EQ(judged(nullptr, "It crashed.")["verdict"], "not_judged");
    EXPECT_EQ(judged(nullptr, "It was stopped.", true)["verdict"], "stopped");
    EXPECT_EQ(app::schema_problem(app::judge_schema(), document(judged(nullptr, "It crashed."))),
              "");
}

TEST(Verdicts, PagesEscapeTextAndOmitHiddenRequirements)
{
    Json facts = correct_facts();
    facts["runs"][1]["counts"]["sectors_per_load"] = 31.5;
    const Json one = judged(facts);
    const Json about = app::assignment_json(assignment());
    const std::string source = "int a; // <script>alert(\"&\")</script>\n";
    const std::string page = app::submission_page(about, one, source, false);
    EXPECT_THAT(page, Not(HasSubstr("<script>")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("31.5")));
    EXPECT_THAT(page, HasSubstr("9 of 9 points"));
    EXPECT_THAT(app::submission_page(about, one, source, true), HasSubstr("31.5"));
    EXPECT_THAT(app::junit_xml(document(one), false), Not(HasSubstr("31.5")));
    EXPECT_THAT(app::junit_xml(document(one), true), HasSubstr("failures=\"1\""));
    EXPECT_THAT(app::class_csv(document(one)), HasSubstr("ada,misses_requirements,9"));
    const Json scope = app::gradescope_json(document(one));
    EXPECT_EQ(scope["score"], 9);
    EXPECT_EQ(scope["tests"][6]["visibility"], "hidden");
}

TEST(JudgeSchema, FirstInvalidValueIsNamed)
{
    Json broken = document(judged(correct_facts()));
    broken["submissions"][0]["runs"][1]["elements"] = -1;
    EXPECT_THAT(app::schema_problem(app::judge_schema(), broken),
                HasSubstr("at /submissions/0/runs/1/elements"));
    EXPECT_THROW(app::schema_problem({{"oneOf", Json::array()}}, 1), std::logic_error);
}

TEST(JudgeDocuments, ContradictionsAreRefused)
{
    const Folder folder;
    const auto path = folder / "ada.json";
    const auto refusal = [&](const Json& changed) -> std::string {
        std::ofstream(path) << changed.dump();
        try {
            app::read_judge_document(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    const Json right = document(judged(correct_facts()));
    EXPECT_EQ(refusal(right), "accepted");
    Json changed = right;
    changed["submissions"][0]["points"] = 1000;
    EXPECT_THAT(refusal(changed), HasSubstr("not the sum"));
    changed = right;
    changed["submissions"][0]["requirements"][1]["points"] = 100;
    changed["submissions"][0]["points"] = 106;
    EXPECT_THAT(refusal(changed), HasSubstr("points and status"));
    changed = right;
    changed["submissions"].push_back(changed["submissions"][0]);
    EXPECT_THAT(refusal(changed), HasSubstr("two submissions ada"));
}

} // namespace
} // namespace lanescope::test
