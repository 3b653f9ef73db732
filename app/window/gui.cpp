// Dear ImGui started, fed and drawn.
#include "app/window/gui.h"

#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

namespace lanescope::app {

Gui::Context::Context()
{
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // sessions keep the layout
    ImGui::GetIO().ConfigNavCursorVisibleAuto = true;
}

Gui::Context::~Context()
{
    ImGui::DestroyContext();
}

Gui::Gui(GLFWwindow* window) : fonts_(load_fonts())
{
    ImGui_ImplGlfw_InitForOpenGL(window, false);
    ImGui_ImplOpenGL3_Init("#version 450 core");
}

Gui::~Gui()
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
}

void Gui::begin(Theme theme, float text_zoom, float points)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize.x /= points;
    io.DisplaySize.y /= points;
    io.DisplayFramebufferScale.x *= points;
    io.DisplayFramebufferScale.y *= points;
    apply_theme(theme, text_height(io.DisplaySize.y, text_zoom));
    ImGui::NewFrame();
}

void Gui::draw()
{
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace lanescope::app
