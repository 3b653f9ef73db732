// The list of labs, built in and from folders, with their files.
#include "compute/labs/lab.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assets/assets.h"
#include "compute/endings.h"
#include "compute/labs/files.h"
#include "compute/labs/record/experiment.h"
#include "compute/labs/record/read.h"
#include "compute/labs/texts.h"

namespace lanescope::labs {
namespace {

constexpr std::string_view embedded_folder = "compute/labs/";

// "compute/labs/heat/lab.json": the id is heat.
std::optional<std::string_view> embedded_lab(std::string_view path)
{
    if (!path.starts_with(embedded_folder) || !path.ends_with(record_file)) return std::nullopt;
    path.remove_prefix(embedded_folder.size());
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos || path.substr(slash + 1) != record_file)
        return std::nullopt;
    return path.substr(0, slash);
}

// Labs from folders never move in memory: experiments and sessions point to them.
struct Opened {
    std::mutex mutex;
    std::deque<Lab> labs;
    std::map<std::filesystem::path, const Lab*> folders;
};
Opened& opened()
{
    static Opened opened;
    return opened;
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

// Reads the lab in the folder; the list's lock must be held.
const Lab& read_folder(const std::filesystem::path& folder)
{
    const std::filesystem::path place = std::filesystem::weakly_canonical(folder);
    if (const auto found = opened().folders.find(place); found != opened().folders.end())
        return *found->second;
    const std::string id = place.filename().string();
    const std::string name = (folder / record_file).lexically_normal().string();
    if (by_id(all(), id) || by_id(opened().labs, id))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: there is another lab named '{}'.", name, id),
                    "Rename the folder; its name becomes the lab's id.");
    const Files files = folder_files(place);
    Lab lab = read_record(files(record_file), name, id);
    lab.place = place.string();
    lab.files = files;
    opened().labs.push_back(std::move(lab));
    opened().folders[place] = &opened().labs.back();
    return opened().labs.back();
}

} // namespace

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
        std::vector<Lab> labs;
        for (const assets::File& file : assets::files())
            if (const auto id = embedded_lab(file.path)) {
                labs.push_back(read_record(file.bytes, std::string(file.path), std::string(*id)));
                labs.back().place = labs.back().id;
                labs.back().files = embedded_files(std::string(*id));
            }
        std::ranges::sort(labs, [](const Lab& a, const Lab& b) {
            return std::tie(a.order, a.id) < std::tie(b.order, b.id);
        });
        return labs;
    }();
    return sorted;
}

std::vector<const Lab*> listed()
{
    std::vector<const Lab*> labs;
    for (const Lab& lab : all()) labs.push_back(&lab);
    const std::scoped_lock lock(opened().mutex);
    for (const Lab& lab : opened().labs) labs.push_back(&lab);
    return labs;
}

namespace {

// Describes the file or folder at a path that has no lab; empty if nothing is there.
std::string describe_path(const std::filesystem::path& path)
{
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (problem == std::errc::too_many_symbolic_link_levels) return "a link that leads to itself";
    using enum std::filesystem::file_type;
    switch (status.type()) {
    case none:
    case not_found: return {};
    case directory: return "a folder without a lab.json";
    case regular: return "a file";
    case fifo: return "a pipe";
    case character:
    case block: return "a device";
    default: return "no folder";
    }
}

} // namespace

bool is_lab_folder(const std::filesystem::path& folder)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(folder / record_file, ignored);
}

const Lab& find(std::string_view wanted)
{
    if (const Lab* lab = by_id(all(), wanted)) return *lab;
    if (const Lab* lab = opened_texts(wanted)) return *lab;
    const std::scoped_lock lock(opened().mutex);
    if (const Lab* lab = by_id(opened().labs, wanted)) return *lab;
    if (is_lab_folder(wanted)) return read_folder(wanted);
    if (const std::string what = describe_path(wanted); !what.empty())
        throw Error(ExitStatus::no_such_thing, fmt::format("{} is {}, not a lab.", wanted, what),
                    "Name a folder with a lab.json, or a .cu file.");
    throw Error(
        ExitStatus::no_such_thing, fmt::format("There is no lab '{}'.", wanted),
        fmt::format("The labs are: {}. A folder with a lab.json is a lab, too.", ids(all())));
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

std::unique_ptr<Experiment> Lab::start(const Setup& setup) const
{
    return std::make_unique<RecordedExperiment>(setup);
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
