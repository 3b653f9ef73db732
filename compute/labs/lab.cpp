// The list of labs, and how a lab finds its own files among those that the program carries.
#include "compute/labs/lab.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assets/assets.h"

namespace lanescope::labs {
namespace {

// Filled before main by the Registrations, in no particular order.
std::vector<Lab>& registered()
{
    static std::vector<Lab> labs;
    return labs;
}

template <class Range>
std::string ids(const Range& range)
{
    std::vector<std::string_view> names;
    for (const auto& item : range) names.push_back(item.id);
    return fmt::format("{}", fmt::join(names, ", "));
}

template <class Range>
auto by_id(const Range& range, std::string_view id) -> decltype(&*range.begin())
{
    const auto found =
        std::ranges::find(range, id, [](const auto& item) -> std::string_view { return item.id; });
    return found == range.end() ? nullptr : &*found;
}

} // namespace

Registration::Registration(Lab lab)
{
    registered().push_back(std::move(lab));
}

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

std::span<const Lab> all()
{
    static const std::vector<Lab> sorted = [] {
        std::vector<Lab> labs = std::move(registered());
        std::ranges::sort(labs, [](const Lab& a, const Lab& b) {
            return std::tie(a.order, a.id) < std::tie(b.order, b.id);
        });
        return labs;
    }();
    return sorted;
}

const Lab& find(std::string_view id)
{
    if (const Lab* lab = by_id(all(), id)) return *lab;
    throw Error(ExitStatus::no_such_thing, fmt::format("There is no lab '{}'.", id),
                fmt::format("The labs are: {}.", ids(all())));
}

const Variant& find_variant(const Lab& lab, std::string_view id)
{
    if (const Variant* variant = lab.find_variant(id)) return *variant;
    throw Error(ExitStatus::no_such_thing,
                fmt::format("The lab {} has no variant '{}'.", lab.id, id),
                fmt::format("Its variants are: {}.", ids(lab.variants)));
}

bool Sweep::is_about(std::string_view variant) const
{
    return variants.empty() || std::ranges::find(variants, variant) != variants.end();
}

const Variant* Lab::find_variant(std::string_view wanted) const
{
    return by_id(variants, wanted);
}

const Parameter* Lab::find_parameter(std::string_view wanted) const
{
    return by_id(parameters, wanted);
}

std::string_view Lab::file(std::string_view name) const
{
    const std::string path = fmt::format("compute/labs/{}/{}", id, name);
    if (const auto bytes = assets::find(path)) return *bytes;
    throw Error(ExitStatus::no_such_thing, fmt::format("The program carries no file {}.", path),
                "Build it again from a complete source tree.");
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
    return file(std::filesystem::path(variant.source).replace_extension(".ptx").string());
}

} // namespace lanescope::labs
