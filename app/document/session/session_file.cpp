// Names are resolved by the file system before they are compared: "..", links and absolute paths
// are judged by their targets.
#include "app/document/session/session_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace fs = std::filesystem;

std::optional<fs::path> MayRead::own(const std::string& name) const
{
    std::error_code none;
    const fs::path top = fs::canonical(folder.empty() ? fs::path(".") : folder, none);
    if (none || name.empty()) return {};
    for (const fs::path& one : {top / name, top / fs::path(name).filename()}) {
        const fs::path found = fs::canonical(one, none);
        if (!none && found != top && holds(found)) return found;
    }
    return {};
}

bool MayRead::holds(const fs::path& path) const
{
    std::error_code none;
    const fs::path top = fs::canonical(folder.empty() ? fs::path(".") : folder, none);
    if (none) return false;
    const fs::path found = fs::canonical(path, none);
    if (none) return false;
    return std::mismatch(top.begin(), top.end(), found.begin(), found.end()).first == top.end();
}

std::string MayRead::picture(const std::string& name) const
{
    if (name.empty() || name == image) return name;
    if (const auto found = own(name)) return found->string();
    throw Error(ExitStatus::bad_usage,
                fmt::format("The picture {} is not in the session's own folder.", name),
                "Copy it beside the session, or open the picture first.");
}

std::string MayRead::lab(const std::string& name) const
{
    for (const labs::Lab* const known : labs::listed())
        if (known->id == name || known->place == name) return name;
    if (const auto found = own(name); found && labs::is_lab_folder(*found)) return found->string();
    std::error_code none;
    if (name.find('/') == std::string::npos && !fs::exists(name, none))
        return name; // not a folder: the caller reports it with a list of labs
    throw Error(ExitStatus::bad_usage,
                fmt::format("The lab {} is not in the session's own folder.", name),
                "Copy the lab's folder beside the session, or open the lab first.");
}

fs::path save_session_with_lab(Session session, const fs::path& file)
{
    labs::Texts texts = labs::texts_of(labs::find(session.journal.start.lab));
    const fs::path lab = texts.base; // the edits over it are in the session
    const fs::path copy = fs::absolute(file).parent_path() /
                          fmt::format("{}_{}", file.stem().string(), lab.filename().string());
    std::error_code problem;
    if (fs::exists(copy, problem))
        throw Error(ExitStatus::bad_usage, fmt::format("{} already exists.", copy.string()),
                    "Choose another name.");
    fs::copy(lab, copy, fs::copy_options::recursive, problem);
    if (problem)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} cannot be copied to {}: {}.", lab.string(), copy.string(),
                                problem.message()),
                    "Choose a folder you can write to.");
    texts.base = copy.string();
    session.journal.start.lab = labs::open_texts(texts).place;
    save_session(session, file);
    return copy;
}

} // namespace lanescope::app
