// Writes sources side by side, as a table and as JSON.
#include "app/export/output/comparison_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/export/table.h"
#include "compute/numbers.h"

namespace lanescope::app {

std::string comparison_text(const Comparison& comparison)
{
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? grouped(*value) : std::string("-");
    };
    Table table({{"count"},
                 {"simt", true},
                 {"as assembled", true},
                 {"probes", true},
                 {"hardware", true},
                 {"difference", true},
                 {"known reason"}});
    for (const trace::Comparison& line : comparison.lines) {
        const auto difference = line.hardware ? static_cast<std::int64_t>(*line.hardware) -
                                                    static_cast<std::int64_t>(line.expected())
                                              : 0;
        table.add({std::string(line.title), grouped(line.simt), number(line.assembled),
                   number(line.probes), number(line.hardware),
                   difference ? fmt::format("{:+}", difference) : "", std::string(line.reason)});
    }
    std::string text = comparison.kernel + "\n\n" + table.text();
    if (!comparison.assembled_for.empty())
        text +=
            fmt::format("simt and probes count the PTX's accesses; as assembled: those that the "
                        "GPU executes ({}).\n",
                        comparison.assembled_for);
    if (!comparison.sites_equal) text += "simt and probes differ at individual sites.\n";
    for (const ComparedResult& result : comparison.results) {
        const auto verdict = [&](const std::optional<std::size_t>& differing) {
            if (!differing) return std::string("not launched");
            return *differing == 0 ? std::string("equal")
                                   : fmt::format("{} of {} bytes differ", *differing, result.bytes);
        };
        text += fmt::format("result {}: probed {}, plain {}\n", result.name, verdict(result.probed),
                            verdict(result.plain));
    }
    for (const std::string& note : comparison.notes) text += note + "\n";
    return text;
}

nlohmann::ordered_json comparison_json(const Comparison& comparison)
{
    using nlohmann::ordered_json;
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    ordered_json lines = ordered_json::array();
    for (const trace::Comparison& line : comparison.lines)
        lines.push_back({{"count", line.title},
                         {"simt", line.simt},
                         {"assembled", number(line.assembled)},
                         {"probes", number(line.probes)},
                         {"hardware", number(line.hardware)},
                         {"reason", line.reason}});
    ordered_json results = ordered_json::array();
    const auto differing = [](const std::optional<std::size_t>& bytes) {
        return bytes ? ordered_json(*bytes) : ordered_json(nullptr);
    };
    for (const ComparedResult& result : comparison.results)
        results.push_back({{"of", result.name},
                           {"bytes", result.bytes},
                           {"probed_differ", differing(result.probed)},
                           {"plain_differ", differing(result.plain)}});
    return {{"kernel", comparison.kernel},           {"agrees", comparison.agrees()},
            {"sites_equal", comparison.sites_equal}, {"counts", std::move(lines)},
            {"results", std::move(results)},         {"notes", comparison.notes}};
}

} // namespace lanescope::app
