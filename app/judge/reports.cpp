// Pages are single files without scripts: they open anywhere, including a course's web system.
#include "app/judge/reports.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "app/export/table.h"
#include "compute/text.h"
#include "render/capture/markup.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

std::string string_of(const Json& object, const char* key)
{
    return object.at(key).get<std::string>();
}

// For HTML and XML. Control characters, which XML does not have, are shown escaped.
std::string markup(std::string_view text)
{
    return render::escape(printable(text));
}

std::string points_text(const Json& points)
{
    return fmt::format("{:g}", points.get<double>());
}

// Requirements with their findings; hidden ones only on request.
struct Row {
    const Json* requirement;
    const Json* finding;
    bool is_hidden() const { return requirement->at("visibility") == "hidden"; }
};

std::vector<Row> rows_of(const Json& assignment, const Json& submission, bool hidden)
{
    std::vector<Row> rows;
    const Json& requirements = assignment.at("requirements");
    const Json& findings = submission.at("requirements");
    for (std::size_t i = 0; i < requirements.size() && i < findings.size(); ++i) {
        const Row row{&requirements[i], &findings[i]};
        if (hidden || !row.is_hidden()) rows.push_back(row);
    }
    return rows;
}

constexpr std::string_view style = R"(
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.met{color:#0a6640}.missed{color:#a3122a}.undecided{color:#7a5a00}
table.source td{border:0;padding:0 .6rem;font:14px/1.5 ui-monospace,monospace}
table.source td.code{white-space:pre;width:99%}
tr.bad td{background:#fbe3e6}tr.bad td.code{border-left:4px solid #a3122a}tr.note td{background:#fdf3d6}
p.message{margin:.2rem 0;font:15px/1.4 system-ui,sans-serif;white-space:normal}
.bar{display:inline-block;height:.7rem;background:#c35a00}.ideal{background:#1f6fb2}
@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#16181c}td,th{border-color:#444}
.met{color:#5fd09b}.missed{color:#ff8b9b}.undecided{color:#e6c15a}tr.bad td{background:#4a1c25}tr.note td{background:#463a15}}
)";

std::string page(const std::string& title, const std::string& body)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width\">"
                       "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n{2}"
                       "</body></html>\n",
                       markup(title), style, body);
}

// A message at a line of the source.
struct Mark {
    bool fault = false;
    std::string message{};
};

std::multimap<int, Mark> marks_of(const Json& submission, const std::vector<Row>& rows, bool hidden)
{
    // Hides faults that occur only at sizes of hidden requirements: no visible finding names them.
    const auto is_shown = [&](const std::string& message) {
        return hidden || std::ranges::any_of(rows, [&](const Row& row) {
                   return string_of(*row.finding, "message").find(message) != std::string::npos;
               });
    };
    std::multimap<int, Mark> marks;
    const auto add = [&](int line, bool fault, const std::string& message) {
        const auto [begin, end] = marks.equal_range(line);
        if (line > 0 && is_shown(message) && std::none_of(begin, end, [&](const auto& one) {
                return one.second.message == message;
            }))
            marks.emplace(line, Mark{fault, message});
    };
    if (const Json& compiled = submission.at("compiled");
        compiled.is_object() && !compiled.at("ok").get<bool>())
        add(compiled.at("line"), true, string_of(compiled, "message"));
    for (const Json& run : submission.at("runs")) {
        if (run.at("fault").is_object())
            add(run.at("fault").at("line"), true, string_of(run, "message"));
        for (const Json& warning : run.at("warnings"))
            add(warning.at("line"), false, string_of(warning, "message"));
    }
    return marks;
}

// Two bars each for global and shared memory: the line's traffic, and the minimum it needs.
std::string cost_cells(const Json* counts, double largest)
{
    std::string words, bars;
    for (const auto& [moved, ideal, unit] :
         {std::tuple{"sectors", "ideal_sectors", "sectors"},
          std::tuple{"wavefronts", "ideal_wavefronts", "shared wavefronts"}}) {
        const double count = counts ? counts->at(moved).get<double>() : 0;
        if (count == 0) continue;
        const double needed = counts->at(ideal).get<double>();
        const auto width = [&](double value) { return largest > 0 ? 8 * value / largest : 0; };
        words += fmt::format("{}{:.0f} {}", words.empty() ? "" : "<br>", count, unit);
        bars += fmt::format("{}<span class=\"bar\" style=\"width:{:.2f}rem\"></span><br>"
                            "<span class=\"bar ideal\" style=\"width:{:.2f}rem\" "
                            "title=\"{:.0f} needed\"></span>",
                            bars.empty() ? "" : "<br>", width(count), width(needed), needed);
    }
    return fmt::format("<td class=\"n\" style=\"white-space:nowrap\">{}</td>"
                       "<td style=\"min-width:9rem\">{}</td>",
                       words, bars);
}

std::string source_table(const Json& submission, std::string_view source,
                         const std::multimap<int, Mark>& marks)
{
    std::map<int, const Json*> counts;
    double largest = 0;
    for (const Json& line : submission.at("lines")) {
        counts[line.at("line").get<int>()] = &line;
        largest = std::max(
            {largest, line.at("sectors").get<double>(), line.at("wavefronts").get<double>()});
    }
    std::string rows;
    int number = 0;
    while (!source.empty()) {
        ++number;
        const std::size_t end = std::min(source.find('\n'), source.size());
        const auto [begin, last] = marks.equal_range(number);
        std::string messages;
        bool fault = false;
        for (auto one = begin; one != last; ++one) {
            fault |= one->second.fault;
            messages += fmt::format("<p class=\"message\">{}</p>", markup(one->second.message));
        }
        const auto count = counts.find(number);
        rows += fmt::format(
            "<tr id=\"L{0}\"{1}><td class=\"n\">{0}</td><td class=\"code\">{2}{3}</td>{4}</tr>\n",
            number,
            messages.empty() ? ""
            : fault          ? " class=\"bad\""
                             : " class=\"note\"",
            markup(source.substr(0, end)), messages,
            cost_cells(count == counts.end() ? nullptr : count->second, largest));
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    return fmt::format("<h2>Source</h2><p>Bars: <span class=\"bar\" style=\"width:1rem\"></span> "
                       "memory traffic of the line, <span class=\"bar ideal\" style=\"width:1rem\">"
                       "</span> the minimum that its lanes need.</p>\n"
                       "<table class=\"source\">{}</table>\n",
                       rows);
}

} // namespace

std::string verdict_words(std::string_view verdict)
{
    std::string words(verdict);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string submission_page(const Json& assignment, const Json& submission, std::string_view source,
                            bool hidden)
{
    const std::vector<Row> rows = rows_of(assignment, submission, hidden);
    double points = 0, max_points = 0;
    std::string table;
    for (const Row& row : rows) {
        const std::string status = string_of(*row.finding, "status");
        points += row.finding->at("points").get<double>();
        max_points += row.requirement->at("points").get<double>();
        table += fmt::format(
            "<tr><td class=\"{0}\">{0}</td><td>{1}{2}</td><td>{3}</td>"
            "<td class=\"n\">{4} of {5}</td></tr>\n",
            status, markup(string_of(*row.requirement, "title")),
            row.is_hidden() ? " (hidden)" : "", markup(string_of(*row.finding, "message")),
            points_text(row.finding->at("points")), points_text(row.requirement->at("points")));
    }
    std::string body = fmt::format("<p>{}: <strong>{:g} of {:g} points</strong></p>\n",
                                   markup(string_of(assignment, "title")), points, max_points);
    if (const std::string problem = string_of(submission, "problem"); !problem.empty())
        body += fmt::format("<p class=\"missed\">{}</p>\n", markup(problem));
    if (rows.size() < assignment.at("requirements").size())
        body += "<p>Other requirements are hidden.</p>\n";
    body += fmt::format("<table><tr><th>status</th><th>requirement</th><th></th>"
                        "<th class=\"n\">points</th></tr>\n{}</table>\n",
                        table);
    if (!source.empty())
        body += source_table(submission, source, marks_of(submission, rows, hidden));
    return page(string_of(submission, "name"), body);
}

std::string class_page(const Json& document)
{
    const Json& assignment = document.at("assignment");
    std::string head = "<tr><th>submission</th><th>verdict</th><th class=\"n\">points</th>";
    for (const Json& one : assignment.at("requirements"))
        head += fmt::format("<th>{}{}</th>", markup(string_of(one, "title")),
                            one.at("visibility") == "hidden" ? " (hidden)" : "");
    std::string rows;
    for (const Json& one : document.at("submissions")) {
        const std::string name = markup(string_of(one, "name"));
        rows += fmt::format("<tr><td><a href=\"pages/{0}.html\">{0}</a></td><td>{1}</td>"
                            "<td class=\"n\">{2}</td>",
                            name, verdict_words(string_of(one, "verdict")),
                            points_text(one.at("points")));
        for (const Json& finding : one.at("requirements"))
            rows +=
                fmt::format("<td class=\"{0}\" title=\"{1}\">{0}</td>",
                            string_of(finding, "status"), markup(string_of(finding, "message")));
        rows += "</tr>\n";
    }
    return page(
        string_of(assignment, "title"),
        fmt::format("<p>{} submissions, at most {} points.</p>\n<table>{}</tr>\n{}</table>\n",
                    document.at("submissions").size(), points_text(assignment.at("max_points")),
                    head, rows));
}

std::string class_csv(const Json& document)
{
    std::vector<Table::Column> columns{{"submission"}, {"verdict"}, {"points", true}};
    for (const Json& one : document.at("assignment").at("requirements"))
        columns.push_back({string_of(one, "id"), true});
    Table table(std::move(columns));
    for (const Json& one : document.at("submissions")) {
        std::vector<std::string> row{string_of(one, "name"), string_of(one, "verdict"),
                                     points_text(one.at("points"))};
        for (const Json& finding : one.at("requirements"))
            row.push_back(points_text(finding.at("points")));
        table.add(std::move(row));
    }
    return table.csv();
}

std::string class_text(const Json& document)
{
    Table table({{"submission"}, {"verdict"}, {"points", true}, {"first requirement missed"}});
    for (const Json& one : document.at("submissions")) {
        std::string missed = string_of(one, "problem");
        if (missed.empty())
            for (const Row& row : rows_of(document.at("assignment"), one, true))
                if (row.finding->at("status") != "met") {
                    missed = string_of(*row.finding, "message");
                    break;
                }
        std::ranges::replace(missed, '\n', ' ');
        table.add({printable(string_of(one, "name")), verdict_words(string_of(one, "verdict")),
                   points_text(one.at("points")), shortened(printable(missed), 90)});
    }
    return table.text();
}

std::string junit_xml(const Json& document, bool hidden)
{
    std::string suites;
    std::size_t all = 0, failures = 0, skipped = 0;
    for (const Json& one : document.at("submissions")) {
        const std::string name = markup(string_of(one, "name"));
        std::string cases;
        std::size_t failed = 0, open = 0;
        const auto rows = rows_of(document.at("assignment"), one, hidden);
        for (const Row& row : rows) {
            const std::string status = string_of(*row.finding, "status");
            const std::string message = markup(string_of(*row.finding, "message"));
            cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\">", name,
                                 markup(string_of(*row.requirement, "title")));
            if (status == "missed") cases += fmt::format("<failure message=\"{}\"/>", message);
            if (status == "undecided") cases += fmt::format("<skipped message=\"{}\"/>", message);
            cases += "</testcase>\n";
            failed += status == "missed" ? 1 : 0;
            open += status == "undecided" ? 1 : 0;
        }
        suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
                              "skipped=\"{}\">\n{}  </testsuite>\n",
                              name, rows.size(), failed, open, cases);
        all += rows.size();
        failures += failed;
        skipped += open;
    }
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
                       "skipped=\"{}\">\n{}</testsuites>\n",
                       markup(string_of(document.at("assignment"), "title")), all, failures,
                       skipped, suites);
}

Json gradescope_json(const Json& document)
{
    const Json& submission = document.at("submissions").at(0);
    Json tests = Json::array();
    for (const Row& row : rows_of(document.at("assignment"), submission, true)) {
        const std::string message = string_of(*row.finding, "message");
        tests.push_back({{"name", row.requirement->at("title")},
                         {"score", row.finding->at("points")},
                         {"max_score", row.requirement->at("points")},
                         {"status", row.finding->at("status") == "met" ? "passed" : "failed"},
                         {"output", message},
                         {"visibility", row.is_hidden() ? "hidden" : "visible"}});
    }
    return {{"score", submission.at("points")},
            {"output", string_of(submission, "problem")},
            {"tests", tests}};
}

} // namespace lanescope::app
