// Compares versions: matches lines of two sources and computes the changes of their costs.
#include "app/document/editing/workbench.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>
#include <unordered_map>

#include "app/document/values/text_lines.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

// The differing part between the common prefix and suffix of two sources.
struct Middle {
    std::size_t begin = 0; // start of the difference, the same in both
    std::size_t old_end = 0;
    std::size_t new_end = 0;
};

// Longest common subsequence of the differing parts. Kernels have a few hundred lines; longer parts
// count as all new.
void match_middle(const std::vector<std::string_view>& was, const std::vector<std::string_view>& is,
                  const Middle& middle, std::vector<int>& matches)
{
    const auto& [begin, old_end, new_end] = middle;
    constexpr std::size_t max_cells = std::size_t{1} << 24;
    const std::size_t rows = old_end - begin;
    const std::size_t columns = new_end - begin;
    if (rows * columns > max_cells) return;
    std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t k) -> std::uint32_t& {
        return longest[i * (columns + 1) + k];
    };
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t k = columns; k-- > 0;)
            at(i, k) = was[begin + i] == is[begin + k] ? at(i + 1, k + 1) + 1
                                                       : std::max(at(i + 1, k), at(i, k + 1));
    for (std::size_t i = 0, k = 0; i < rows && k < columns;) {
        if (was[begin + i] == is[begin + k])
            matches[begin + k++] = static_cast<int>(begin + i++) + 1;
        else if (at(i + 1, k) >= at(i, k + 1))
            ++i;
        else
            ++k;
    }
}

// Costs of a line's sites.
struct LineCost {
    std::array<double, 4> values{}; // in the order of LineDifference
    bool any() const
    {
        return std::ranges::any_of(values, [](double value) { return value != 0; });
    }
};

std::map<int, LineCost> costs_by_line(const Version& version)
{
    std::map<int, LineCost> lines;
    const trace::Trace& trace = *version.cost->trace;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (site.line <= 0 || std::filesystem::path(site.file).filename() != version.file) continue;
        const trace::Counts& counts = trace.counts[i];
        const bool global = !trace::costs_passes(site.space);
        LineCost& line = lines[site.line];
        const double more[] = {static_cast<double>(counts.executions),
                               static_cast<double>(counts.sectors),
                               global ? 0 : static_cast<double>(counts.wavefronts),
                               static_cast<double>(counts.divergent)};
        for (std::size_t k = 0; k < line.values.size(); ++k) line.values[k] += more[k];
    }
    return lines;
}

bool comparable(const Version& was, const Version& is)
{
    return was.cost && is.cost && was.cost->values == is.cost->values;
}

LineDifference line_difference(int line, int old_line, bool gone, const LineCost& was,
                               const LineCost& is)
{
    const auto change = [&](std::size_t k) { return CostChange{was.values[k], is.values[k]}; };
    return {line, old_line, gone, change(0), change(1), change(2), change(3)};
}

} // namespace

std::optional<double> CostChange::share() const
{
    if (was == is) return 0;
    if (was == 0) return {};
    return is / was - 1;
}

bool CostDifference::any() const
{
    return warp_instructions.changed() || sectors.changed() || wavefronts.changed() ||
           divergent.changed() || step_ms.changed();
}

std::optional<CostDifference> difference(const Version& was, const Version& is)
{
    if (!comparable(was, is)) return {};
    const trace::Totals& a = was.cost->totals;
    const trace::Totals& b = is.cost->totals;
    const auto change = [](std::uint64_t before, std::uint64_t after) {
        return CostChange{static_cast<double>(before), static_cast<double>(after)};
    };
    const auto sectors = [](const trace::Totals& all) {
        return all.global_load.sectors + all.global_store.sectors + all.global_atomic.sectors;
    };
    const auto wavefronts = [](const trace::Totals& all) {
        return all.shared_load.wavefronts + all.shared_store.wavefronts +
               all.shared_atomic.wavefronts;
    };
    const bool timed = was.step_ms.count > 0 && is.step_ms.count > 0;
    return CostDifference{change(a.warp_instructions, b.warp_instructions),
                          change(sectors(a), sectors(b)), change(wavefronts(a), wavefronts(b)),
                          change(a.divergent_branches, b.divergent_branches),
                          timed ? CostChange{was.step_ms.median, is.step_ms.median} : CostChange{}};
}

std::vector<LineDifference> line_differences(const Version& was, const Version& is)
{
    if (!comparable(was, is)) return {};
    const std::vector<int> matches = matching_lines(*was.text, *is.text);
    std::map<int, LineCost> before = costs_by_line(was);
    const std::map<int, LineCost> after = costs_by_line(is);
    std::vector<LineDifference> all;
    std::map<int, int> new_line_of; // line in `is` by line in `was`
    for (int line = 1; line <= static_cast<int>(matches.size()); ++line) {
        const int old_line = matches[static_cast<std::size_t>(line) - 1];
        if (old_line > 0) new_line_of[old_line] = line;
        const auto found = after.find(line);
        const LineCost now = found == after.end() ? LineCost{} : found->second;
        const auto old = before.find(old_line);
        const LineCost then = old_line == 0 || old == before.end() ? LineCost{} : old->second;
        if (now.values != then.values)
            all.push_back(line_difference(line, old_line, false, then, now));
    }
    for (const auto& [line, cost] : before) {
        if (new_line_of.contains(line) || !cost.any()) continue;
        const auto next = new_line_of.upper_bound(line);
        const int where =
            next == new_line_of.end() ? static_cast<int>(matches.size()) : next->second;
        all.push_back(line_difference(where, line, true, cost, {}));
    }
    std::ranges::stable_sort(all, {}, &LineDifference::line);
    return all;
}

std::vector<int> matching_lines(std::string_view was_text, std::string_view is_text)
{
    const auto was = lines_of(was_text);
    const auto is = lines_of(is_text);
    std::vector<int> matches(is.size(), 0);
    const std::size_t shorter = std::min(was.size(), is.size());
    std::size_t begin = 0;
    for (; begin < shorter && was[begin] == is[begin]; ++begin)
        matches[begin] = static_cast<int>(begin) + 1;
    std::size_t tail = 0;
    for (; tail < shorter - begin && was[was.size() - 1 - tail] == is[is.size() - 1 - tail]; ++tail)
        matches[is.size() - 1 - tail] = static_cast<int>(was.size() - tail);
    match_middle(was, is, {begin, was.size() - tail, is.size() - tail}, matches);
    return matches;
}

const Version* Workbench::find(std::string_view variant, int number) const
{
    const Version* const latest = newest(variant);
    for (const auto& one : versions) {
        if (one->number != number) continue;
        if (one->variant == variant) return one.get();
        if (number == 0 && latest && one->variant == latest->origin) return one.get();
    }
    return nullptr;
}

const Version* Workbench::newest(std::string_view variant) const
{
    for (const auto& one : versions | std::views::reverse)
        if (one->variant == variant) return one.get();
    return nullptr;
}

const Version* Workbench::original(const Version& version) const
{
    for (const auto& one : versions)
        if (one->number == 0 && one->variant == version.origin) return one.get();
    return nullptr;
}

const Version* Workbench::before(const Version& version) const
{
    const Version* found = nullptr;
    for (const auto& one : versions)
        if (one->variant == version.variant && one->number < version.number && one->number > 0)
            found = one.get();
    return found ? found : version.number > 0 ? original(version) : nullptr;
}

const Version* Workbench::with_text(std::string_view variant, std::string_view text) const
{
    for (const auto& one : versions)
        if (one->variant == variant && *one->text == text) return one.get();
    return nullptr;
}

} // namespace lanescope::app
