// The files of a lab follow from its record: the kernels, pictures and data that it names, and the
// lesson.
#include "app/export/lab_folder.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assets/assets.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/record/record.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view template_folder = "assets/new_lab/";
constexpr std::string_view build_template = "assets/new_program/CMakeLists.txt.in";
constexpr std::string_view lab_placeholder = "LAB"; // in the template
constexpr const char* host_program_file = "program.cu";

void collect(const std::vector<labs::Action>& actions, std::set<std::string>& names)
{
    for (const labs::Action& action : actions) {
        if (action.kind == labs::Action::Kind::launch) names.insert(action.launch.file);
        collect(action.body, names);
    }
}

// Files named by the record, and optional ones.
std::set<std::string> named_files(const labs::Lab& lab)
{
    std::set<std::string> names;
    for (const labs::Plan& plan : lab.record->plans) {
        collect(plan.before, names);
        collect(plan.step, names);
        for (const labs::ViewPlan& view : plan.views)
            if (view.draw) names.insert(view.draw->file);
        if (plan.paint) names.insert(plan.paint->launch.file);
        for (const labs::BufferPlan& buffer : plan.buffers)
            if (!buffer.fill.file.empty()) names.insert(buffer.fill.file);
        for (const labs::ImagePlan& image : plan.images)
            if (!image.fill.file.empty()) names.insert(image.fill.file);
    }
    return names;
}

// The file's text; empty if the lab does not have it.
std::string optional_file(const labs::Lab& lab, const std::string& name)
{
    try {
        return std::string(lab.file(name));
    } catch (const Error& error) {
        if (error.status() != ExitStatus::no_such_thing) throw;
        return {};
    }
}

// Names in lines such as #include "one_store.cu".
std::set<std::string> included_files(const std::string& text)
{
    static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
        names.insert((*at)[1]);
    return names;
}

void add_with_includes(const labs::Lab& lab, const std::string& name, LabFiles& files)
{
    if (files.contains(name)) return;
    const std::string& text = files[name] = std::string(lab.file(name));
    for (const std::string& included : included_files(text))
        add_with_includes(lab, included, files);
}

// A name that CMake accepts for a target.
std::string target_name(std::string id)
{
    std::ranges::replace_if(
        id, [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
    return id;
}

// Ids of the listed labs that have a host program.
std::string labs_with_program()
{
    std::vector<std::string> ids;
    for (const labs::Lab* lab : labs::listed())
        if (!optional_file(*lab, host_program_file).empty()) ids.push_back(lab->id);
    return fmt::to_string(fmt::join(ids, ", "));
}

} // namespace

LabFiles files_of(const labs::Lab& lab)
{
    LabFiles files;
    if (lab.texts) files = lab.texts->files;
    const auto add = [&](const std::string& name, bool needed) {
        if (files.contains(name)) return;
        try {
            const std::string_view text = lab.file(name);
            if (!text.empty()) files[name] = std::string(text);
        } catch (const Error& error) {
            if (needed || error.status() != ExitStatus::no_such_thing) throw;
        }
    };
    add("lab.json", true);
    for (const std::string& name : named_files(lab)) add(name, true);
    add("lesson.md", false);
    add("beats.txt", false);
    add(host_program_file, false);
    return files;
}

LabFiles host_program(const labs::Lab& lab)
{
    if (optional_file(lab, host_program_file).empty())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The lab {} has no host program.", lab.id),
                    fmt::format("Labs that have one: {}.", labs_with_program()));
    LabFiles files;
    add_with_includes(lab, host_program_file, files);
    std::string text(assets::find(build_template).value());
    const std::string target = target_name(lab.id);
    for (std::size_t at = text.find(lab_placeholder); at != text.npos;
         at = text.find(lab_placeholder, at + target.size()))
        text.replace(at, lab_placeholder.size(), target);
    files["CMakeLists.txt"] = text;
    return files;
}

void write_lab_folder(const LabFiles& files, const fs::path& folder)
{
    std::error_code problem;
    if (fs::exists(folder, problem) &&
        !(fs::is_directory(folder, problem) && fs::is_empty(folder, problem)))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} already exists, and nothing is overwritten.", folder.string()),
                    "Choose another name, or move it away first.");
    fs::create_directories(folder, problem);
    if (problem)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("The folder {} cannot be created: {}.", folder.string(), problem.message()),
            "Choose a folder that you can write to.");
    for (const auto& [name, text] : files) render::write_file(folder / name, text);
}

fs::path free_lab_folder(const fs::path& folder, const std::string& lab)
{
    const std::string name = fs::path(lab).filename().string() + "_lab";
    fs::path path = folder / name;
    std::error_code ignored;
    for (int i = 2; fs::exists(path, ignored); ++i) path = folder / fmt::format("{}_{}", name, i);
    return path;
}

LabFiles first_lab()
{
    LabFiles files;
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(template_folder))
            files[std::string(file.path.substr(template_folder.size()))] = std::string(file.bytes);
    return files;
}

} // namespace lanescope::app
