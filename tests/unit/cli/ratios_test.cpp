// A ratio has the same value in five places: `run`, `trace`, sweeps, the window's readings and
// figures agree for every variant of every lab.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "app/measure/hardware_marks.h"
#include "app/measure/ratios.h"
#include "app/run/worker.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/sweep.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/hardware.h"
#include "render/context/offscreen.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

using Settings = std::map<std::string, std::string>;

std::vector<std::string> with_settings(std::vector<std::string> words, const Settings& settings)
{
    for (const auto& [id, text] : settings)
        words.insert(words.end(), {"--set", fmt::format("{}={}", id, text)});
    words.insert(words.end(), {"--device", "simt", "--steps", "0", "--json"});
    return words;
}

json printed(const std::vector<std::string>& words)
{
    const Outcome outcome = run_program(words);
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.errors;
    return json::parse(outcome.output);
}

// A table in CSV: a cell is found by the first cell of its row and by the title of its column.
// Cells may be quoted.
class Csv {
public:
    explicit Csv(const std::string& text)
    {
        std::istringstream lines(text);
        std::string line;
        std::getline(lines, line);
        const auto titles = cells(line);
        while (std::getline(lines, line)) {
            const auto row = cells(line);
            for (std::size_t i = 1; i < row.size(); ++i) all_[row[0]][titles.at(i)] = row[i];
        }
    }
    const std::string& at(const std::string& row, const std::string& title) const
    {
        return all_.at(row).at(title);
    }

private:
    // Cells with commas are quoted; a quote inside is doubled.
    static std::vector<std::string> cells(const std::string& line)
    {
        std::vector<std::string> found(1);
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
                found.back() += line[++i];
            else if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                found.emplace_back();
            else
                found.back() += c;
        }
        return found;
    }
    std::map<std::string, std::map<std::string, std::string>> all_;
};

bool counts_on_simt(const labs::Variant& variant)
{
    return variant.fault.empty() && variant.runs_on(device::Engine::simt);
}

class RatiosOf : public testing::TestWithParam<std::string> {
protected:
    RatiosOf() : lab_(labs::find(GetParam())), plan_(plan_of(lab_))
    {
        for (const labs::Parameter& parameter : lab_.parameters)
            settings_[parameter.id] = plan_.base.text(parameter.id);
        settings_[plan_.sweep->parameter] = plan_.values.front();
    }

    // A plan for only the first point of the lab's first sweep.
    static app::SweepPlan plan_of(const labs::Lab& lab)
    {
        auto plan =
            app::plan_sweep(lab, lab.sweeps.front(), {}, labs::Values(lab), device::Engine::simt);
        plan.values.resize(1);
        std::erase_if(plan.variants, [](const auto* one) { return !counts_on_simt(*one); });
        return plan;
    }

    // The reading that the window derives from its frame.
    app::VariantReading reading_of(const labs::Variant& variant)
    {
        app::Session session;
        session.device = "simt";
        session.journal.start = {lab_.place, variant.id, settings_, 1, ""};
        const auto opened = worker_.open({lab_.id,
                                          [session] {
                                              return app::Found{app::Arrival::session, session};
                                          },
                                          {}});
        app::Plan plan;
        plan.opened = opened;
        plan.running = false;
        plan.counting.sites = true;
        worker_.tell(plan);
        const auto frame = worker_.settle();
        const auto all = app::variant_readings(app::document_of(session), *frame);
        return all.at(variant.index);
    }

    const labs::Lab& lab_;
    app::SweepPlan plan_;
    Settings settings_;
    render::Offscreen context_;
    app::Worker worker_{{.waits = true}};
};

TEST_P(RatiosOf, AgreeInFivePlaces)
{
    const json runs = printed(with_settings({"run", lab_.place}, settings_)).at("runs");
    const auto device = simt::make_device();
    app::SweepResult swept{plan_, {}};
    app::run_sweep(*device, plan_, [&](app::SweepPoint point) {
        swept.points.push_back(std::move(point));
        return true;
    });
    const json points = json(app::sweep_json(swept)).at("points");
    std::size_t compared = 0;
    std::size_t in_sweep = 0;
    for (const labs::Variant& variant : lab_.variants) {
        if (!counts_on_simt(variant)) continue;
        SCOPED_TRACE(variant.id);
        const json run = *std::ranges::find_if(
            runs, [&](const json& one) { return one.at("variant") == variant.id; });
        const json& expected = run.at("ratios");

        const json trace =
            printed(with_settings({"trace", lab_.place + "/" + variant.id}, settings_));
        for (const auto& [id, value] : trace.at("ratios").items())
            EXPECT_EQ(value, expected.at(id)) << "trace, " << id;

        for (const json& point : points) {
            if (point.at("variant") != variant.id) continue;
            for (const auto& [id, value] : expected.items())
                EXPECT_EQ(point.at(id), value) << "sweep, " << id;
            ++in_sweep;
        }

        app::VariantReading reading = reading_of(variant);
        ASSERT_TRUE(reading.totals);
        const auto exhibit = app::variants_exhibit(lab_, {&reading, 1}, {}, {});
        const Csv figure(exhibit.table.csv());
        for (const app::CountedQuantity& quantity : app::counted_quantities()) {
            SCOPED_TRACE(quantity.name);
            const std::string words = app::count_text(quantity, lab_.id, reading).text;
            const std::string& cell = figure.at(reading.title, quantity.axis);
            // The bars show the quantity of the selected map.
            if (!quantity.map.empty()) {
                const auto bars = app::variants_exhibit(lab_, {&reading, 1}, {}, {},
                                                        {quantity.map, quantity.scope});
                const auto& chart = std::get<render::BarChart>(bars.parts.back().what);
                EXPECT_TRUE(chart.axis.starts_with(quantity.axis)) << chart.axis;
                EXPECT_TRUE(chart.rows.at(0).text.starts_with(words)) << chart.rows.at(0).text;
            }
            if (!quantity.ratio) continue;
            const json& value = expected.at(std::string(app::text(*quantity.ratio).id));
            ++compared;
            if (value.is_null()) {
                EXPECT_EQ(words, "–");
                EXPECT_EQ(cell, "");
                continue;
            }
            const std::string wanted = app::ratio_text(*quantity.ratio, value.get<double>());
            EXPECT_TRUE(words == wanted || words == wanted + std::string(app::mark_sign))
                << "window: " << words << ", run: " << wanted;
            EXPECT_EQ(std::stod(cell), value.get<double>()) << "figure";
        }
        // `run` states totals per step.
        const auto sum = [&](const char* name) {
            const auto& all = app::counted_quantities();
            return *std::ranges::find(all, name, &app::CountedQuantity::name)->of(reading);
        };
        EXPECT_EQ(sum("PTX instructions"), run.at("warp_instructions_per_step"));
        EXPECT_EQ(sum("global sectors"), run.at("sectors_per_step"));
        EXPECT_EQ(sum("shared wavefronts"), run.at("wavefronts_per_step"));
        EXPECT_EQ(run.at("warp_instructions_per_step").get<double>() * variant.steps,
                  trace.at("totals").at("warp_instructions"))
            << "trace counts a launch";
    }
    EXPECT_GT(compared, 0u);
    EXPECT_EQ(in_sweep, plan_.variants.size());
}

std::vector<std::string> lab_ids()
{
    std::vector<std::string> ids;
    for (const labs::Lab& lab : labs::all()) ids.push_back(lab.id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(Labs, RatiosOf, testing::ValuesIn(lab_ids()),
                         [](const auto& lab) { return lab.param; });

trace::Totals example()
{
    trace::Totals totals;
    totals.global_load = {.requests = 10, .sectors = 40, .ideal_sectors = 40};
    totals.global_store = {.requests = 10, .sectors = 320, .ideal_sectors = 40};
    totals.shared_atomic = {.requests = 5, .wavefronts = 50, .ideal_wavefronts = 10};
    return totals;
}

TEST(Ratios, NamesStateCoverage)
{
    using enum trace::Ratio;
    const trace::Totals totals = example();
    EXPECT_EQ(value(load_sectors_over_ideal, totals), 1.0);
    EXPECT_EQ(value(store_sectors_over_ideal, totals), 8.0);
    EXPECT_EQ(value(atomic_sectors_over_ideal, totals), std::nullopt);
    EXPECT_EQ(value(sectors_over_ideal, totals), 4.5) << "sums first, then one division";
    EXPECT_EQ(value(load_wavefronts_over_ideal, totals), std::nullopt);
    EXPECT_EQ(value(wavefronts_over_ideal, totals), 5.0);
    for (const trace::Ratio ratio : trace::all_ratios)
        for (const trace::Ratio other : trace::all_ratios)
            if (ratio != other) {
                EXPECT_NE(app::text(ratio).id, app::text(other).id);
                EXPECT_NE(app::text(ratio).name, app::text(other).name);
            }
}

TEST(HardwareMarks, NameExistingVariantsAndCounts)
{
    std::size_t marks = 0;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants)
            for (const app::HardwareMark& mark : app::hardware_marks(lab.id, variant.id)) {
                ++marks;
                const auto counts = trace::compared_counts();
                EXPECT_NE(std::ranges::find(counts, mark.count, &trace::ComparedCount::title),
                          counts.end())
                    << mark.count;
                EXPECT_TRUE(app::compared_with_hardware(lab.id, variant.id)) << variant.id;
                EXPECT_THAT(mark.sentence(), HasSubstr("H100"));
            }
    EXPECT_EQ(marks, 12u) << "a name in assets/hardware_counts.json that no variant has";
    EXPECT_FALSE(app::compared_with_hardware("heat", "temporal_deep"));
}

// The "ours" column of the marks must contain the counts of this build.
TEST(HardwareMarks, ContainCurrentCounts)
{
    const auto device = simt::make_device();
    device::PlainAllocator plain(*device);
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            const auto marks = app::hardware_marks(lab.id, variant.id);
            if (marks.empty()) continue;
            const auto experiment =
                lab.start({*device, plain, lab, variant, labs::Values(lab), 1, {}});
            trace::Trace trace;
            trace.per_warp = false;
            experiment->step(&trace);
            const trace::Totals totals = trace.totals();
            for (const app::HardwareMark& mark : marks) {
                const auto counts = trace::compared_counts();
                const auto count =
                    std::ranges::find(counts, mark.count, &trace::ComparedCount::title);
                EXPECT_EQ(count->ours(totals), mark.ours) << lab.id << '/' << variant.id;
            }
        }
}

TEST(HardwareMarks, LinkToReason)
{
    const Outcome run = run_program({"run", "histogram/shared", "--steps", "1"});
    EXPECT_THAT(run.output, HasSubstr("5.12×*"));
    EXPECT_THAT(run.output, HasSubstr("ATOMS.POPC.INC"));
    const Outcome trace = run_program({"trace", "histogram/shared"});
    EXPECT_THAT(trace.output, HasSubstr("ATOMS.POPC.INC"));
    const Outcome other = run_program({"run", "histogram/per_lane", "--steps", "1"});
    EXPECT_THAT(other.output, testing::Not(HasSubstr("*")));
}

TEST(PerStep, IsOneSimulationStep)
{
    const auto run = printed({"run", "heat/temporal", "--set", "size=64", "--steps", "8", "--json"})
                         .at("runs")
                         .at(0);
    const auto trace = printed({"trace", "heat/temporal", "--set", "size=64", "--json"});
    EXPECT_EQ(run.at("steps"), 8) << "two launches";
    EXPECT_EQ(run.at("steps_per_launch"), 4);
    EXPECT_EQ(run.at("warp_instructions_per_step").get<double>() * 4,
              trace.at("totals").at("warp_instructions"));
    const Outcome words = run_program({"trace", "heat/temporal", "--set", "size=64"});
    EXPECT_THAT(words.output, HasSubstr("one launch, which computes 4 steps"));
}

} // namespace
} // namespace lanescope::test
