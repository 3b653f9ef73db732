// Initial memory contents, and changes between steps: arrays that are swapped, rounds of a sort,
// memory that persists or is reset.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/kernel_names.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::labs::guessing {

// Fills each array, and decides what is swapped, kept or reset between steps.
void Kernel::arrange()
{
    const bool on = continues(base_) && !is_bitonic();
    bool first = true;
    for (Parameter& one : parameters_) {
        if (!one.pointer) continue;
        Json extent = Json::array();
        for (const std::string& size : one.extents) extent.push_back(size);
        Json buffer{{"type", one.elements.type}, {"extent", extent}};
        const bool reads = one.use->read || one.use->updated;
        if (is_counted(one)) {
            made_.before.push_back({{"clear", one.id}});
        } else if (one.use->read || !one.writes()) {
            const Json fill = fill_of(one, first);
            assumed_.push_back(fmt::format("{}: {}", one.name, describe_fill(fill)));
            if (!is_mask(one)) first = false;
            if (!one.writes()) {
                buffer["fill"] = fill;
            } else if (on) {
                buffer["fill"] = fill;
                made_.changes.push_back(one.id);
            } else if (reads) {
                // Reset before every step, so that each step gives the same result.
                const std::string start = one.id + "_before";
                made_.buffers[start] = buffer;
                made_.buffers[start]["fill"] = fill;
                made_.before.push_back({{"copy", start}, {"to", one.id}});
            }
        }
        if (one.use->depends_on_data) doubtful_.push_back(one.id);
        made_.buffers[one.id] = buffer;
        made_.memory.push_back(one.id);
    }
    if (assumed_.empty()) assumed_.emplace_back("no inputs");
    exchange(on);
    if (is_bitonic()) {
        const std::string n = shape_.over.at(0).get<std::string>();
        made_.passes =
            Json::array({{{"for", "k"},
                          {"from", 2},
                          {"while", fmt::format("k <= {}", n)},
                          {"next", "2 * k"},
                          {"do", Json::array({{{"for", "j"},
                                               {"from", "k / 2"},
                                               {"while", "j >= 1"},
                                               {"next", "j / 2"},
                                               {"do", Json::array({Json::object()})}}})}}});
    }
}

// A bitonic sorting network, whose rounds are launches with different j and k.
bool Kernel::is_bitonic() const
{
    const auto whole_named = [&](const char* name) {
        return std::ranges::any_of(
            parameters_, [&](const Parameter& one) { return one.name == name && is_whole(one); });
    };
    return !shape_.two_dimensional && has("^j") && whole_named("j") && whole_named("k");
}

bool Kernel::is_bitonic_stage(const Parameter& one) const
{
    return is_bitonic() && (one.name == "j" || one.name == "k");
}

// Two or three arrays that are swapped, because the next step reads the array that this one wrote.
void Kernel::exchange(bool on)
{
    std::vector<Parameter*> from;
    Parameter* to = nullptr;
    for (Parameter& one : parameters_) {
        if (!one.pointer || is_mask(one)) continue;
        if (one.use->written && !one.use->read)
            to = to ? to : &one;
        else if (one.use->read && !one.writes())
            from.push_back(&one);
    }
    if (!to) return;
    std::erase_if(from, [&](const Parameter* one) {
        return one->extents != to->extents || one->elements.type != to->elements.type;
    });
    if (from.empty()) return;
    const bool names =
        named(to->name, "new next after") && named(from.back()->name, "old cur now prev before u");
    if (!on && !names) return;
    Parameter* now = from.front();
    Parameter* before = nullptr;
    for (Parameter* one : from) {
        if (named(one->name, "prev old last"))
            before = one;
        else
            now = one;
    }
    if (before && before != now && from.size() > 1) made_.swap.push_back({before->id, now->id});
    if (from.size() == 1) now = from.front();
    made_.swap.push_back({now->id, to->id});
    made_.buffers[to->id]["fill"] = made_.buffers[now->id]["fill"];
    swapped_ = now->id;
    if (made_.swap.size() == 1) made_.swap = made_.swap.front();
}

Json Kernel::fill_of(const Parameter& one, bool first)
{
    const std::string& type = one.elements.type;
    const bool flat = one.extents.size() < 2;
    const bool at_rest =
        named(one.name, "vel acc force") || is_one_of(one.name, "v vx vy vz ax ay az");
    if (!rows_.empty() && one.name == rows_) return {{"each", "4 * i"}};
    if (!rows_.empty() && !is_real(type) && has(one.name + "[" + walker_ + "]"))
        return {{"each", fmt::format("mod(7 * i + 3 * floor(i / 4), {})", shape_.x)}};
    if (one.structure) {
        std::string zero; // indices of its integers
        const std::vector<bool> real = real_words(*one.structure);
        for (std::size_t i = 0; i < real.size(); ++i)
            if (!real[i])
                zero +=
                    fmt::format("{}mod(i, {}) == {}", zero.empty() ? "" : " || ", real.size(), i);
        const std::string wave = "sin(i * 0.37)";
        return {{"each", zero.empty() ? wave : fmt::format("({}) ? 0 : {}", zero, wave)}};
    }
    if (is_mask(one)) {
        const std::string count =
            one.extents.size() > 1 ? fmt::format("({}) ^ 2", one.extents[0]) : one.extents[0];
        return {{"each", is_real(type) ? fmt::format("1 / ({})", count) : "1"}};
    }
    if (one.elements.pixel || one.channels > 1) {
        takes_image_ = true;
        if (one.elements.type == "bytes4") return "image";
        return {{"generator", "image"},
                {"channels", one.elements.pixel ? 3 : one.channels},
                {"columns", shape_.y.empty() ? "256" : shape_.x}};
    }
    if (named(base_, "life automaton conway") && !is_real(type))
        return {{"generator", "random"}, {"high", 1.5}};
    if (type == "u8" && !flat) {
        takes_image_ = true;
        return "image";
    }
    if (is_real(type) && !flat && one.elements.each == 1)
        return first ? Json("test_card") : Json{{"generator", "test_card"}, {"seed", 1}};
    if (named(base_, "hist")) {
        if (type == "u8") return {{"generator", "image"}, {"columns", 64}};
        const auto top = bins();
        if (!is_real(type) && top)
            return {{"each", fmt::format("floor({} * clamp(0.5 + 0.16 * (sin(i * 12.9898) + "
                                         "sin(i * 78.233) + sin(i * 37.719)), 0, 0.999))",
                                         *top)}};
    }
    if (!is_real(type)) {
        const bool indexes = has("[" + one.name + "[");
        if ((indexes || named(one.name, "idx index perm order map")) && type == "i32")
            return "permutation";
        if (flat && named(base_, "scan sum reduc")) return {{"generator", "random"}, {"high", 10}};
        if (flat && first && !named(base_, "sort max min"))
            return {{"generator", "ramp"}, {"high", 100}};
        if (flat && named(base_, "sort max min")) return {{"generator", "random"}, {"high", 100}};
        if (flat) return {{"generator", "wave"}, {"high", 50}};
        return {{"generator", "test_card"}, {"scale", 100}};
    }
    if (one.elements.each > 1)
        return at_rest ? Json(0) : Json{{"generator", "random"}, {"low", -1}, {"high", 1}};
    if (at_rest) return 0;
    if (named(base_, "sort reduc sum scan max min hist body"))
        return first ? Json("random") : Json{{"generator", "random"}, {"seed", 1}};
    const bool alone = std::ranges::count_if(parameters_, [](const Parameter& other) {
                           return other.pointer && other.use->read && !is_mask(other);
                       }) == 1;
    if (alone || !first) return "wave";
    return "ramp";
}

} // namespace lanescope::labs::guessing
