// A dialogue that opens during fast typing does not receive characters typed before it opened.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/window/input/events/input_events.h"

namespace lanescope::app {
namespace {

void type(char letter)
{
    const auto key = static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'a'));
    ImGui::GetIO().AddKeyEvent(key, true);
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    ImGui::GetIO().AddKeyEvent(key, false);
}

// Text that a text field receives within `frames` frames.
std::string typed_in(int frames)
{
    std::string all;
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < frames; ++i) {
        ImGui::NewFrame();
        for (const ImWchar one : io.InputQueueCharacters) all += static_cast<char>(one);
        ImGui::EndFrame();
    }
    return all;
}

TEST(TypedBefore, DropsOnlyEarlierCharacters)
{
    ImGuiContext* const others = ImGui::GetCurrentContext();
    ImGuiContext* const own = ImGui::CreateContext();
    ImGui::SetCurrentContext(own);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {640, 360};
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    for (const char letter : std::string("before")) type(letter);
    io.AddMousePosEvent(120, 80);
    EXPECT_EQ(typed_in(2), "be") << "a letter a frame";
    KeyEvent opens;
    opens.gui_event = ImGui::GetCurrentContext()->InputEventsNextEventId;
    for (const char letter : std::string("name")) type(letter);
    forget_typed_before(opens);
    EXPECT_EQ(typed_in(8), "name");
    EXPECT_EQ(io.MousePos.x, 120) << "the mouse is where it is";
    EXPECT_FALSE(ImGui::IsKeyDown(ImGuiKey_F));
    ImGui::DestroyContext(own);
    ImGui::SetCurrentContext(others);
}

} // namespace
} // namespace lanescope::app
