// One row per part of an arrangement.
#include "app/document/undo_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "app/document/look/subject.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

std::string title_of(const Arrangement& one, const std::string& variant)
{
    const labs::Variant* const found = labs::find(one.start.lab).find_variant(variant);
    return found ? found->title : variant;
}

class Differences {
public:
    void add(std::string words) { words_.push_back(std::move(words)); }
    void changed(std::string_view what, const std::string& from, const std::string& to)
    {
        if (from != to) add(fmt::format("{} {} → {}", what, from, to));
    }
    // Only names the part, for values that would mean nothing to a reader.
    void moved(std::string_view what, bool differs)
    {
        if (differs) add(std::string(what));
    }
    std::string words() const
    {
        constexpr std::size_t max_shown = 3;
        if (words_.size() <= max_shown) return fmt::format("{}", fmt::join(words_, ", "));
        return fmt::format("{} and {} more",
                           fmt::join(words_.begin(), words_.begin() + max_shown, ", "),
                           words_.size() - max_shown);
    }

private:
    std::vector<std::string> words_;
};

std::string shown(const std::string& text)
{
    return text.empty() ? "none" : text;
}

std::string spaced(std::string name)
{
    std::ranges::replace(name, '_', ' ');
    return name;
}

void add_experiment_differences(const Arrangement& from, const Arrangement& to, Differences& all)
{
    const bool same_lab = labs::find(from.start.lab).origin() == labs::find(to.start.lab).origin();
    if (!same_lab)
        return all.changed("lab", labs::find(from.start.lab).title, labs::find(to.start.lab).title);
    all.changed("variant", title_of(from, from.variant), title_of(to, to.variant));
    for (const auto& [id, text] : to.values) {
        const auto before = from.values.find(id);
        const labs::Parameter* const parameter = labs::find(to.start.lab).find_parameter(id);
        if (before != from.values.end())
            all.changed(parameter ? parameter->title : id, before->second, text);
    }
    const std::size_t strokes = from.strokes_before + from.strokes.size();
    const std::size_t then = to.strokes_before + to.strokes.size();
    if (strokes != then)
        all.add(fmt::format("{} painted",
                            counted(strokes > then ? strokes - then : then - strokes, "stroke")));
    all.moved("the kernel source", from.texts != to.texts);
    all.changed("engine", from.device, to.device);
    all.moved("the input", from.start.image != to.start.image || from.start.seed != to.start.seed);
}

auto shown_parts(const StepChoice& step)
{
    return std::tuple(step.optimised, step.ptx, step.warp, step.lane, step.page, step.node);
}

void add_look_differences(const Arrangement& was, const Arrangement& is, Differences& all)
{
    const Look& from = was.look;
    const Look& to = is.look;
    all.changed("view", shown(from.view), shown(to.view));
    all.changed("heatmap", spaced(from.map), spaced(to.map));
    all.changed("accesses", std::string(trace::name(from.map_of)),
                std::string(trace::name(to.map_of)));
    all.changed("subject", name(from.subject), name(to.subject));
    all.changed("A/B with", shown(title_of(was, from.compare)), shown(title_of(is, to.compare)));
    all.moved("the A/B difference", from.difference != to.difference);
    all.changed("memory", shown(from.memory), shown(to.memory));
    all.moved("the request", from.request != to.request);
    all.moved("the tree's extent", from.tree_block != to.tree_block);
    all.moved("heatmap opacity or scale", from.map_blend != to.map_blend ||
                                              from.map_automatic != to.map_automatic ||
                                              from.memory_warps != to.memory_warps);
    all.moved("the A/B divider", from.swipe != to.swipe);
    all.moved("zoom or rotation", from.camera != to.camera || from.pan_zoom != to.pan_zoom);
    all.moved("the theme", from.theme != to.theme);
    all.moved("the text size", from.text_zoom != to.text_zoom);
    all.moved("lecture mode", from.lecture != to.lecture);
    all.moved("the panels", from.panels != to.panels);
    all.moved("the source's position", from.code != to.code);
    all.moved("stepping mode", from.step.on != to.step.on);
    all.moved("breakpoints", from.step.breakpoints != to.step.breakpoints);
    all.moved("the stepping view", shown_parts(from.step) != shown_parts(to.step));
    all.moved("picture and video settings", from.capture != to.capture);
}

} // namespace

std::string difference_in_words(const Arrangement& from, const Arrangement& to)
{
    Differences all;
    add_experiment_differences(from, to, all);
    add_look_differences(from, to, all);
    all.moved("the sweep", from.sweep != to.sweep);
    all.moved("the source line", from.opened_line != to.opened_line);
    all.moved("the preset", from.preset != to.preset);
    all.moved("the include folders", from.include_folders != to.include_folders);
    return all.words();
}

} // namespace lanescope::app
