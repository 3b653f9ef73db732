// Chooses the displayed result and views of a kernel, its amount of work, and its title.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/kernel_names.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::labs::guessing {

Json Kernel::variant() const
{
    Json one{{"id", id_of(name_)}, {"title", title_of(name_)}, {"idea", signature()}};
    one["kernel"] = name_;
    one["buffers"] = made_.buffers;
    one["block"] = shape_.block;
    if (!shape_.tile.empty()) one["tile"] = shape_.tile;
    if (shape_.grid.empty())
        one["over"] = shape_.over;
    else
        one["grid"] = shape_.grid;
    if (!shared_.empty()) one["shared"] = shared_;
    one["arguments"] = made_.arguments;
    if (!made_.constants.empty()) one["constants"] = made_.constants;
    if (!made_.variables.empty()) one["variables"] = made_.variables;
    if (!made_.before.empty()) one["before"] = made_.before;
    if (!made_.passes.empty()) one["passes"] = made_.passes;
    if (!made_.swap.empty()) one["swap"] = made_.swap;
    if (!made_.changes.empty()) one["changes"] = made_.changes;
    one["result"] = result_;
    if (!made_.memory.empty()) one["memory"] = made_.memory;
    one["work"] = work();
    one["views"] = made_.views;
    one["assumed"] = assumed_;
    if (!doubtful_.empty()) one["doubtful"] = doubtful_;
    if (!guessed_sizes_.empty()) one["guessed_sizes"] = guessed_sizes_;
    return one;
}

void Kernel::choose_result()
{
    const Parameter* best = nullptr;
    for (const Parameter& one : parameters_)
        if (one.pointer && one.writes() &&
            !(best && named(one.name, "vel state rng seed error flag")))
            best = &one;
    if (!best)
        for (const Parameter& one : parameters_)
            if (one.pointer && !one.is_const) best = &one;
    if (!best)
        for (const Parameter& one : parameters_)
            if (one.pointer) best = &one;
    if (best) {
        result_ = best->id;
        drawn_ = best;
        if (!swapped_.empty()) result_ = swapped_;
    } else if (!made_.images.empty()) {
        result_ = made_.images.items().begin().key();
    } else {
        // A kernel that writes nothing needs something to display.
        made_.buffers["nothing"] = {{"type", "i32"}, {"extent", Json::array({64})}, {"fill", 0}};
        result_ = "nothing";
    }
}

void Kernel::draw()
{
    Json view = Json::object();
    const auto add = [&](const char* kind, const std::string& of) {
        Json one{{kind, of}, {"draw", "elements"}, {"quantity", of}};
        one.update(view);
        made_.views.push_back(std::move(one));
    };
    if (!drawn_) {
        if (made_.images.contains(result_))
            made_.views.push_back({{"image", result_}});
        else
            add("bars", result_);
        return;
    }
    const Parameter& one = *drawn_;
    const bool flat = one.extents.size() < 2;
    const bool real = is_real(one.elements.type);
    if (one.extents == std::vector<std::string>{"1"}) {
        // A single number makes no picture: display its input instead.
        for (const Parameter& other : parameters_)
            if (other.pointer && !other.writes() && other.extents.size() == 1)
                return add("curve", other.id);
    }
    const bool coloured = one.elements.pixel || one.channels > 1 ||
                          (one.elements.type == "u32" && !flat &&
                           named(one.name, "image img pixel rgba color colour bitmap out"));
    if (coloured && (!flat || !shape_.y.empty())) {
        view["extent"] = Json::array({shape_.x, shape_.y.empty() ? "1" : shape_.y});
        return add("image", result_);
    }
    if (flat) {
        if (!real && one.use->updated && one.elements.each == 1) return add("bars", result_);
        return add("curve", result_);
    }
    if (one.elements.type == "u8" && !named(base_, "life automaton conway"))
        view = {{"low", 0}, {"high", 255}};
    if (one.extents.size() == 3)
        view["extent"] =
            Json::array({one.extents[0], fmt::format("{} * {}", one.extents[1], one.extents[2])});
    add("field", result_);
    if (real) add("surface", result_);
}

Json Kernel::work() const
{
    std::string bytes;
    std::string items = "1";
    for (const Parameter& one : parameters_) {
        if (!one.pointer) continue;
        std::string count;
        for (const std::string& size : one.extents)
            count += (count.empty() ? "" : " * ") +
                     (size.find(' ') == std::string::npos ? size : "(" + size + ")");
        const int moved =
            bytes_of_type(one.elements.type) * ((one.use->read ? 1 : 0) + (one.writes() ? 1 : 0));
        if (moved > 0) bytes += fmt::format("{}{} * {}", bytes.empty() ? "" : " + ", moved, count);
    }
    std::string count;
    for (const Json& size : shape_.over) {
        const std::string text = size.get<std::string>();
        count += (count.empty() ? "" : " * ") +
                 (text.find(' ') == std::string::npos ? text : "(" + text + ")");
    }
    return {{"bytes", bytes.empty() ? "0" : bytes},
            {"flops", "0"},
            {"items", count},
            {"item", "elements"}};
}

std::string Kernel::signature() const
{
    std::string list;
    for (const Parameter& one : parameters_) {
        if (one.whole) continue;
        list += fmt::format("{}{}{}{} {}", list.empty() ? "" : ", ", one.is_const ? "const " : "",
                            one.type, one.pointer ? "*" : "", one.name);
    }
    return fmt::format("{}({})", name_, list);
}

} // namespace lanescope::labs::guessing
