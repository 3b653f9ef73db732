// The dialogue: three kinds of file, each with a suggested name that is not in use.
#include "app/window/dialogues/save_as.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "app/document/editing.h"
#include "app/export/lab_folder.h"

namespace lanescope::app {
namespace {

constexpr const char* titles[] = {"Kernel (.cu)", "Session (.json)", "Lab (folder)"};
constexpr const char* explanations[] = {
    "The text in the editor, as a file.",
    "Everything on screen, with its history; opens exactly as it is now.",
    "All kernels and the record, as a folder that others can open."};

} // namespace

void SaveAs::begin(const Document& document)
{
    open_ = just_opened_ = true;
    folder_ = document.folder.string();
    const labs::Texts& texts = *document.texts;
    kind_ = !document.kernel_file.empty() ? kernel : texts.files.empty() ? session : lab;
    names_[kernel] = edited_text(document).file;
    names_[session] =
        fmt::format("lanescope-{:%Y%m%d-%H%M%S}.json", fmt::localtime(std::time(nullptr)));
    names_[lab] = free_lab_folder(document.folder, document.lab().id).filename().string();
}

std::optional<Command> SaveAs::draw(const PanelStyle& style, ImVec2 at, ImVec2 size)
{
    if (!open_) return {};
    const ImVec2 box{std::min(size.x, style.em * 34), std::min(size.y, style.em * 11)};
    const PanelScope panel("save as", {at.x + (size.x - box.x) / 2, at.y + (size.y - box.y) / 3},
                           box, 0, true);
    heading(style, "Save as");
    for (int kind : {kernel, session, lab}) {
        if (kind > 0) ImGui::SameLine();
        if (ImGui::RadioButton(titles[kind], kind_ == kind)) {
            kind_ = kind;
            just_opened_ = true;
        }
    }
    quiet_text(style, explanations[kind_]);
    if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-FLT_MIN);
    std::string& name = names_[kind_];
    const bool entered = ImGui::InputText("##name", &name, ImGuiInputTextFlags_EnterReturnsTrue);
    quiet_text(style, fmt::format("in {}. Enter saves, Esc cancels.", folder_));
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) open_ = false;
    if (!entered || name.empty()) return {};
    open_ = false;
    if (kind_ == kernel) return SaveText{name};
    if (kind_ == lab) return SaveLab{name};
    return SaveSession{name};
}

} // namespace lanescope::app
