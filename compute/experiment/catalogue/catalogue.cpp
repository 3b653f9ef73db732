// The list of labs, built in and from folders, with their files.
#include "compute/experiment/lab/lab.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/endings.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/ids.h"
#include "compute/experiment/record/experiment.h"
#include "compute/experiment/record/read.h"

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
    return !folder.empty() && std::filesystem::is_regular_file(folder / record_file, ignored);
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

std::unique_ptr<Experiment> Lab::start(const Setup& setup) const
{
    return std::make_unique<RecordedExperiment>(setup);
}

} // namespace lanescope::labs
