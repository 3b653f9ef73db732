// Starts, feeds and draws Dear ImGui.
#include "app/window/gui/gui.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include "app/window/gui/backgrounds.h"
#include "render/context/window.h"
#include "render/gl/program.h"

namespace lanescope::app {

Gui::Context::Context()
{
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // sessions store the layout
    ImGui::GetIO().ConfigNavCursorVisibleAuto = true;
}

Gui::Context::~Context()
{
    ImGui::DestroyContext();
}

Gui::Gui(const render::Window& window) : window_(window), fonts_(load_fonts())
{
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), false);
    ImGui_ImplOpenGL3_Init(render::gl::glsl_version);
}

Gui::~Gui()
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
}

void Gui::begin(const Look& look)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    const auto points = static_cast<float>(window_.coordinates_per_point());
    io.DisplaySize.x /= points;
    io.DisplaySize.y /= points;
    io.DisplayFramebufferScale.x *= points;
    io.DisplayFramebufferScale.y *= points;
    if (points != 1 && glfwGetWindowAttrib(window_.handle(), GLFW_FOCUSED) == GLFW_TRUE) {
        // Until the mouse enters the window, the backend polls its position in screen coordinates.
        double x = 0, y = 0;
        glfwGetCursorPos(window_.handle(), &x, &y);
        io.AddMousePosEvent(static_cast<float>(x) / points, static_cast<float>(y) / points);
    }
    apply_theme(look.theme, text_height(io.DisplaySize, look));
    ImGui::NewFrame();
}

void Gui::draw()
{
    ImGui::Render();
    clear_backgrounds(*ImGui::GetDrawData());
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace lanescope::app
