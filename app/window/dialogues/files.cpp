// Lists a folder, filters by typed text, and enters folders.
#include "app/window/dialogues/files.h"

#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "compute/endings.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

bool can_be_opened(const fs::path& path)
{
    constexpr std::string_view endings[] = {ending::session, ending::png,     ".jpg",
                                            ".jpeg",         ending::lecture, ending::cuda_source,
                                            ending::ptx};
    if (ending::is_one_of(path, endings)) return true;
    std::error_code none; // programs have no extension
    return !path.has_extension() &&
           (fs::status(path, none).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

} // namespace

void FileChooser::begin(const fs::path& folder)
{
    folder_ = folder;
    open_ = just_opened_ = true;
    list();
}

// Folders first, by name; then files, newest first. Unreadable entries are left out.
void FileChooser::list()
{
    typed_.clear();
    entries_.clear();
    if (folder_.has_parent_path() && folder_ != folder_.root_path())
        entries_.push_back({folder_.parent_path(), "../"});
    struct File {
        fs::file_time_type time;
        fs::path path;
    };
    std::vector<File> files;
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
        if (entry.path().filename().string().starts_with('.')) continue;
        if (entry.is_directory(ignored))
            folders.push_back(entry.path());
        else if (can_be_opened(entry.path()))
            files.push_back({entry.last_write_time(ignored), entry.path()});
    }
    std::ranges::sort(folders);
    std::ranges::sort(files, std::ranges::greater(), &File::time);
    for (const auto& path : folders) entries_.push_back({path, path.filename().string() + "/"});
    for (const auto& file : files) entries_.push_back({file.path, file.path.filename().string()});
}

// Enters a folder; anything else is chosen, so that opening it reports what is wrong.
std::optional<fs::path> FileChooser::enter(const fs::path& path)
{
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        open_ = false;
        return path;
    }
    folder_ = fs::absolute(path).lexically_normal();
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
    just_opened_ = true;
    list();
    return {};
}

std::optional<fs::path> FileChooser::draw(const PanelStyle& style, ImVec2 at, ImVec2 size)
{
    if (!open_) return {};
    const ImVec2 box{std::min(size.x, style.em * 34), std::min(size.y, style.em * 24)};
    const PanelScope panel("open", {at.x + (size.x - box.x) / 2, at.y + (size.y - box.y) / 2}, box,
                           0, true);
    heading(style, "Open a kernel, a program, a session, a lecture or a picture");
    quiet_text(style, folder_.string());
    if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-FLT_MIN);
    const bool entered = ImGui::InputTextWithHint("##name", "a part of the name, or a path",
                                                  &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
    std::vector<const Entry*> shown;
    for (const Entry& entry : entries_)
        if (typed_.empty() || entry.title.find(typed_) != std::string::npos)
            shown.push_back(&entry);
    std::error_code ignored; // for example, the name is too long
    if (entered && !typed_.empty())
        return enter(shown.empty() || fs::exists(folder_ / typed_, ignored) ? folder_ / typed_
                                                                            : shown.front()->path);
    std::optional<fs::path> chosen;
    for (const Entry* entry : shown)
        if (ImGui::Selectable(entry->title.c_str())) chosen = entry->path;
    if (chosen) return enter(*chosen);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) open_ = false;
    return {};
}

} // namespace lanescope::app
