// The program's window with its OpenGL 4.5 core context, through GLFW.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "render/context/context_info.h"
#include "render/gl/error.h"

struct GLFWwindow;

namespace lanescope::render {

struct WindowOptions {
    std::string title = "Lanescope";
    int width = 1280; // in points
    int height = 720;
    bool visible = true;
    bool debug = false; // a debug context, whose messages debug_log() collects
    bool vertical_sync = true;
};

// At most one window exists. Its context is current on the constructing thread. The constructor
// throws Error (device_unavailable) that says what is missing (a display, OpenGL 4.5) and how to
// get it.
class Window {
public:
    explicit Window(const WindowOptions& options = {});
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    GLFWwindow* handle() const { return window_; }
    const ContextInfo& info() const { return info_; }
    gl::DebugLog* debug_log() const { return debug_.get(); } // null without WindowOptions::debug

    // Sizes and scale are cached until an event changes them, because asking the X server takes
    // longer than drawing most panels.
    int width_px() const { return sizes().width_px; } // size of the framebuffer; 0 while minimised
    int height_px() const { return sizes().height_px; }
    // GLFW screen coordinates per layout point: 1 if the window system scales, else the desktop's
    // scale (1.25, 1.5, 2), because a screen coordinate is a pixel there.
    double coordinates_per_point() const { return sizes().coordinates_per_point; }
    bool should_close() const;
    void close();
    void stay_open(); // withdraws the user's request to close
    void hide();
    void set_title(const std::string& title);

    void set_fullscreen(bool fullscreen); // on the monitor that shows most of the window
    bool fullscreen() const { return windowed_.has_value(); }

    static void poll_events();
    // For use while paused: returns at the next event or after the timeout.
    static void wait_events(double timeout_s);
    // Ends wait_events(); callable from any thread.
    static void wake_up();
    // Binds the window's framebuffer and sets the viewport to its full size.
    void begin_frame() const;
    void swap();

private:
    struct Placement {
        int x, y, width, height;
    };
    struct Sizes {
        int width_px = 0;
        int height_px = 0;
        double coordinates_per_point = 1;
    };
    const Sizes& sizes() const;
    struct Library { // GLFW, for the window's lifetime
        Library();
        ~Library();
    };

    Library library_;
    GLFWwindow* window_ = nullptr;
    ContextInfo info_;
    mutable std::optional<Sizes> sizes_; // empty after an event that may have changed them
    static inline Window* open_ = nullptr;
    std::unique_ptr<gl::DebugLog> debug_;
    std::optional<Placement> windowed_; // placement before full screen, to restore
};

} // namespace lanescope::render
