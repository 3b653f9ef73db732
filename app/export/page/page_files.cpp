// Every page gets all files except those that a rule below excludes.
#include "app/export/page/page_files.h"

#include <deque>
#include <filesystem>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/export/page/thin_font.h"
#include "assets/package.h"
#include "compute/endings.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

constexpr std::string_view labs_folder = "compute/labs/";

// True for files that a page does not need: its own template, and kernels that measure a GPU.
bool is_desktop_only(std::string_view path)
{
    return path.starts_with("app/browser/") || path.starts_with("compute/cuda/measure/");
}

// Lab of a file; empty if it belongs to none.
std::string lab_of(std::string_view path)
{
    if (!path.starts_with(labs_folder)) return {};
    path.remove_prefix(labs_folder.size());
    return std::string(path.substr(0, path.find('/')));
}

// Notices of the components that the browser build contains.
std::string notices_of_page(std::string_view all)
{
    constexpr std::string_view heading = "======== ";
    const std::set<std::string_view> parts{
        "cli11",    "dear-imgui",    "fmtlib",         "fonts-inter", "fonts-jetbrains-mono",
        "freetype", "glm",           "libspng",        "libstb",      "md4c",
        "muparser", "nlohmann-json", "nlohmann-json3", "zlib"};
    const std::size_t first = all.find(heading);
    std::string notices(all.substr(0, first));
    for (std::size_t at = first; at != all.npos;) {
        const std::size_t next = all.find(std::string("\n") + std::string(heading), at);
        const std::string_view part = all.substr(at, next == all.npos ? next : next + 1 - at);
        const std::string_view name = part.substr(heading.size());
        if (parts.contains(name.substr(0, name.find(' ')))) notices += part;
        at = next == all.npos ? next : next + 1;
    }
    return notices;
}

std::string measurements_of(std::string_view text, const std::set<std::string>& labs)
{
    auto json = nlohmann::ordered_json::parse(text);
    for (const char* list : {"results", "timelines"}) {
        auto kept = nlohmann::ordered_json::array();
        for (auto& one : json[list])
            if (labs.contains(one["lab"])) kept.push_back(std::move(one));
        json[list] = std::move(kept);
    }
    return json.dump();
}

} // namespace

std::string site_files()
{
    std::vector<assets::File> files;
    for (const assets::File& file : assets::files())
        if (!is_desktop_only(file.path)) files.push_back(file);
    return assets::pack(files);
}

std::string page_files(const std::set<std::string>& labs)
{
    std::vector<assets::File> files;
    std::deque<std::string> new_texts; // owns the text that `files` refers to
    for (assets::File file : assets::files()) {
        const std::string_view path = file.path;
        const std::string lab = lab_of(path);
        // Leaves out cards and lectures: they cover all labs, and a page has its own lecture.
        if (is_desktop_only(path) || path.starts_with("assets/cards/") ||
            path.starts_with("assets/lectures/") || path.starts_with("assets/new_") ||
            (!lab.empty() && !labs.contains(lab)))
            continue;
        const auto replace = [&](std::string by) {
            file.bytes = new_texts.emplace_back(std::move(by));
        };
        if (path.starts_with("fonts/")) replace(thin_font(file.bytes));
        if (path == "NOTICES.txt") replace(notices_of_page(file.bytes));
        if (path == "assets/measurements.json") replace(measurements_of(file.bytes, labs));
        files.push_back(file);
    }
    return assets::pack(files);
}

std::set<std::string> labs_named_in(const std::string& text)
{
    std::set<std::string> named;
    std::vector<std::string> texts{text};
    while (!texts.empty()) {
        const std::string looked = std::move(texts.back());
        texts.pop_back();
        for (const labs::Lab& lab : labs::all()) {
            const bool is_named = looked.find(lab.id + '/') != looked.npos ||
                                  looked.find(lab.id + " |") != looked.npos;
            if (!is_named || !named.insert(lab.id).second) continue;
            const auto lesson = assets::find(std::string(labs_folder) + lab.id + "/beats.txt");
            if (lesson) texts.emplace_back(*lesson);
        }
    }
    return named;
}

Session with_ptx(Session session)
{
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    if (!lab.texts) return session;
    labs::Texts texts = *lab.texts;
    for (const labs::Variant& variant : lab.variants) {
        if (!texts.files.contains(variant.source)) continue;
        const std::string ptx =
            std::filesystem::path(variant.source).replace_extension(ending::ptx).string();
        texts.files[ptx] = lab.file(ptx);
    }
    session.journal.start.lab = labs::open_texts(texts).place;
    return session;
}

} // namespace lanescope::app
