// Starts GLFW, opens one window and turns GLFW's errors into sentences.
#include "render/context/window.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/context/advice.h"

namespace lanescope::render {
namespace {

std::string last_glfw_error()
{
    const char* text = nullptr;
#ifndef __EMSCRIPTEN__ // Emscripten's GLFW lacks this function
    glfwGetError(&text);
#endif
    return text == nullptr ? "no reason given" : text;
}

[[noreturn]] void fail_no_display()
{
    throw Error(
        ExitStatus::device_unavailable, no_display(last_glfw_error()),
        "Draw without a window (lanescope shot, lanescope record), or start a display first.");
}

[[noreturn]] void fail_no_context()
{
#ifdef __EMSCRIPTEN__
    throw Error(ExitStatus::device_unavailable, "This browser has no WebGL 2.",
                "Use a newer browser, or enable hardware acceleration or software rendering in its "
                "settings.");
#endif
    throw Error(ExitStatus::device_unavailable,
                fmt::format("This display has no OpenGL 4.5 core context: {}.", last_glfw_error()),
                opengl_advice());
}

GLFWmonitor* monitor_of(GLFWwindow* window)
{
    int x = 0, y = 0, width = 0, height = 0;
    glfwGetWindowPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* best = glfwGetPrimaryMonitor();
    int best_overlap = 0;
    for (int i = 0; i < count; ++i) {
        int left = 0, top = 0;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        const int across = std::max(0, std::min(x + width, left + mode->width) - std::max(x, left));
        const int down = std::max(0, std::min(y + height, top + mode->height) - std::max(y, top));
        if (across * down > best_overlap) {
            best_overlap = across * down;
            best = monitors[i];
        }
    }
    return best;
}

} // namespace

Window::Library::Library()
{
    if (glfwInit() != GLFW_TRUE) fail_no_display();
}

Window::Library::~Library()
{
    glfwTerminate();
}

Window::Window(const WindowOptions& options)
{
    glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, options.debug ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    // The window needs no depth buffer, since surfaces are drawn in offscreen targets. Without one,
    // software compositors can skip everything that an opaque window covers.
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    window_ =
        glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) fail_no_context();
    glfwMakeContextCurrent(window_);
    if (gladLoadGL(glfwGetProcAddress) == 0 || glCreateBuffers == nullptr) {
        glfwDestroyWindow(window_);
        fail_no_context();
    }
    info_ = describe_context("window");
    if (options.debug) debug_ = std::make_unique<gl::DebugLog>();
    glfwSwapInterval(options.vertical_sync ? 1 : 0);
    open_ = this;
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow*, int, int) { open_->sizes_.reset(); });
    glfwSetWindowSizeCallback(window_, [](GLFWwindow*, int, int) { open_->sizes_.reset(); });
    glfwSetWindowContentScaleCallback(window_,
                                      [](GLFWwindow*, float, float) { open_->sizes_.reset(); });
}

Window::~Window()
{
    debug_.reset();
    glfwDestroyWindow(window_);
}

const Window::Sizes& Window::sizes() const
{
    if (sizes_) return *sizes_;
    Sizes now;
    glfwGetFramebufferSize(window_, &now.width_px, &now.height_px);
    int width = 0;
    glfwGetWindowSize(window_, &width, nullptr);
    float scale = 1;
    glfwGetWindowContentScale(window_, &scale, nullptr);
    if (now.width_px <= width && scale > 0) now.coordinates_per_point = scale;
    return sizes_.emplace(now);
}

bool Window::should_close() const
{
    return glfwWindowShouldClose(window_) == GLFW_TRUE;
}
void Window::close()
{
    glfwSetWindowShouldClose(window_, GLFW_TRUE);
}
void Window::stay_open()
{
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
}
void Window::hide()
{
    glfwHideWindow(window_);
}
void Window::set_title(const std::string& title)
{
    glfwSetWindowTitle(window_, title.c_str());
}

void Window::set_fullscreen(bool wanted)
{
#ifdef __EMSCRIPTEN__ // browsers have their own full-screen key
    return;
#endif
    if (wanted == fullscreen()) return;
    if (wanted) {
        GLFWmonitor* monitor = monitor_of(window_);
        if (monitor == nullptr) return;
        Placement place{};
        glfwGetWindowPos(window_, &place.x, &place.y);
        glfwGetWindowSize(window_, &place.width, &place.height);
        windowed_ = place;
        const GLFWvidmode* mode = glfwGetVideoMode(monitor);
        glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else {
        glfwSetWindowMonitor(window_, nullptr, windowed_->x, windowed_->y, windowed_->width,
                             windowed_->height, GLFW_DONT_CARE);
        windowed_.reset();
    }
}

void Window::poll_events()
{
#ifdef __EMSCRIPTEN__ // on a web page, the canvas takes the size of its element
    const int width = EM_ASM_INT({ return Module.stage ? Module.stage.clientWidth : 0; });
    const int height = EM_ASM_INT({ return Module.stage ? Module.stage.clientHeight : 0; });
    int now_width = 0, now_height = 0;
    glfwGetWindowSize(open_->window_, &now_width, &now_height);
    if (width > 0 && height > 0 && (width != now_width || height != now_height))
        glfwSetWindowSize(open_->window_, width, height);
#endif
    glfwPollEvents();
}
void Window::wake_up()
{
    glfwPostEmptyEvent();
}

void Window::wait_events(double timeout_s)
{
    glfwWaitEventsTimeout(timeout_s);
}

void Window::begin_frame() const
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width_px(), height_px());
}

void Window::swap()
{
    glfwSwapBuffers(window_);
}

} // namespace lanescope::render
