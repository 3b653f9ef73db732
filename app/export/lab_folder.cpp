// The files of a lab follow from its record: the kernels, pictures and data that it names, and the
// lesson.
#include "app/export/lab_folder.h"

#include <functional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/record/record.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view template_folder = "assets/new_lab/";

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
