// Reads the embedded JSON once. at() throws if it uses a name without an explanation, which is a
// bug.
#include "app/measure/hardware_marks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "assets/assets.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using Key = std::pair<std::string, std::string>; // lab, variant

struct Known {
    std::string device;
    std::set<Key> compared;
    std::map<Key, std::vector<HardwareMark>> marks;
};

Known read()
{
    const auto json = nlohmann::json::parse(assets::find("assets/hardware_counts.json").value());
    const auto& reasons = json.at("reasons");
    const auto reason_of = [&](const nlohmann::json& one) -> std::string {
        return reasons.at(one.at("reason").get<std::string>());
    };
    Known known;
    known.device = json.at("device");
    for (const auto& [lab, variants] : json.at("compared").items())
        for (const auto& variant : variants) known.compared.insert({lab, variant});
    for (const auto& one : json.at("differences"))
        known.marks[{one.at("lab"), one.at("variant")}].push_back(
            {one.at("count"), one.at("ours"), one.at("hardware"), reason_of(one)});
    return known;
}

const Known& known()
{
    static const Known all = read();
    return all;
}

} // namespace

std::string HardwareMark::sentence() const
{
    std::string words = count;
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    return fmt::format("{}: {} at the lab's initial values, {} by the counters of an {}. {}", words,
                       grouped(ours), hardware, hardware_compared_on(), reason);
}

std::vector<std::string_view> global_sector_counts()
{
    return {"global load sectors", "global store sectors", "global atomic sectors"};
}

std::vector<std::string_view> shared_wavefront_counts()
{
    return {"shared load wavefronts", "shared store wavefronts", "shared atomic wavefronts"};
}

std::vector<std::string_view> counts_in(trace::Ratio ratio)
{
    using enum trace::Ratio;
    switch (ratio) {
    case sectors_per_load:
    case load_sectors_over_ideal: return {global_sector_counts()[0]};
    case sectors_per_store:
    case store_sectors_over_ideal: return {global_sector_counts()[1]};
    case atomic_sectors_over_ideal: return {global_sector_counts()[2]};
    case bytes_per_item:
    case sectors_over_ideal: return global_sector_counts();
    case load_wavefronts_over_ideal: return {shared_wavefront_counts()[0]};
    case store_wavefronts_over_ideal: return {shared_wavefront_counts()[1]};
    case atomic_wavefronts_over_ideal: return {shared_wavefront_counts()[2]};
    case wavefronts_over_ideal: return shared_wavefront_counts();
    case lanes_per_instruction:
    case instructions_per_item: break;
    }
    return {};
}

std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant)
{
    const auto own = known().marks.find({std::string(lab), std::string(variant)});
    return own == known().marks.end() ? std::vector<HardwareMark>{} : own->second;
}

std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant,
                                         const std::vector<std::string_view>& counts)
{
    auto marks = hardware_marks(lab, variant);
    std::erase_if(marks, [&](const HardwareMark& mark) {
        return std::ranges::find(counts, mark.count) == counts.end();
    });
    return marks;
}

bool compared_with_hardware(std::string_view lab, std::string_view variant)
{
    return known().compared.contains({std::string(lab), std::string(variant)});
}

const std::string& hardware_compared_on()
{
    return known().device;
}

} // namespace lanescope::app
