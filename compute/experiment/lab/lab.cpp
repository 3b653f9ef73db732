// Queries of a lab's record, and its files by name.
#include "compute/experiment/lab/lab.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/endings.h"
#include "compute/experiment/lab/ids.h"

namespace lanescope::labs {
trace::Footprint Experiment::Result::footprint() const
{
    trace::Footprint asked;
    asked.element_bytes = element_bytes;
    asked.bytes = static_cast<std::uint64_t>(element_bytes) * width * height;
    if (image) {
        asked.surface = image->surface();
        asked.row_bytes = static_cast<std::uint64_t>(element_bytes) * width;
    } else {
        asked.address = buffer->address() + offset_bytes;
    }
    return asked;
}

const Variant& find_variant(const Lab& lab, std::string_view id)
{
    if (const Variant* variant = lab.find_variant(id)) return *variant;
    throw Error(ExitStatus::no_such_thing,
                fmt::format("The lab {} has no variant '{}'.", lab.id, id),
                fmt::format("Its variants are: {}.", ids(lab.variants)));
}

bool Sweep::covers(std::string_view variant) const
{
    return variants.empty() || std::ranges::find(variants, variant) != variants.end();
}

const Variant& Lab::opening_variant() const
{
    const Variant* const named = find_variant(opens.variant);
    return named ? *named : variants.front();
}

namespace {

// Current name of a renamed variant: sessions, lectures and measurements keep old names.
std::string current_name(std::string_view old)
{
    std::string name(old);
    const auto replace = [&](std::string_view was, std::string_view is) {
        if (const std::size_t at = name.find(was); at != std::string::npos)
            name.replace(at, was.size(), is);
    };
    replace("told_late", "reported_late");
    replace("_mended", "_fixed");
    return name;
}

} // namespace

const Variant* Lab::find_variant(std::string_view wanted) const
{
    if (const Variant* variant = by_id(variants, wanted)) return variant;
    return by_id(variants, current_name(wanted));
}

std::optional<ViewKind> Lab::kind_of_view(std::string_view id) const
{
    if (!record) return {};
    for (const Plan& plan : record->plans)
        for (const ViewPlan& view : plan.views)
            if (view.id == id) return view.kind;
    return {};
}

std::string_view Lab::view_of_kind(const Variant& variant, ViewKind kind) const
{
    if (!record) return {};
    const auto& own = record->plans.at(variant.index).views;
    const auto found = std::ranges::find(own, kind, &ViewPlan::kind);
    return found == own.end() ? std::string_view() : found->id;
}

const Parameter* Lab::find_parameter(std::string_view wanted) const
{
    return by_id(parameters, wanted);
}

std::vector<const Variant*> Lab::rungs() const
{
    std::vector<const Variant*> numbered;
    for (const Variant& variant : variants)
        if (variant.index == 0 || variants[variant.index - 1].fixed != variant.id)
            numbered.push_back(&variant);
    return numbered;
}

const Variant* Lab::counterpart(const Variant& variant) const
{
    if (!variant.fixed.empty()) return find_variant(variant.fixed);
    const auto mistake = std::ranges::find(variants, variant.id, &Variant::fixed);
    return mistake == variants.end() ? nullptr : &*mistake;
}

bool Variant::runs_on(device::Engine engine) const
{
    return engines.empty() || std::ranges::find(engines, device::name(engine)) != engines.end();
}

bool Parameter::concerns(std::string_view variant) const
{
    return variants.empty() || std::ranges::find(variants, variant) != variants.end();
}

const std::string& Lab::origin() const
{
    return texts && !texts->base.empty() ? texts->base : place;
}

std::string_view Lab::file(std::string_view name) const
{
    return files(name);
}

std::string_view Lab::lesson() const
{
    return file("lesson.md");
}

std::string_view Lab::source(const Variant& variant) const
{
    return file(variant.source);
}

std::string_view Lab::ptx(const Variant& variant) const
{
    return file(std::filesystem::path(variant.source).replace_extension(ending::ptx).string());
}

std::string_view Lab::compiler_log(const Variant& variant) const
{
    return file(
        std::filesystem::path(variant.source).replace_extension(ending::compiler_log).string());
}

} // namespace lanescope::labs
