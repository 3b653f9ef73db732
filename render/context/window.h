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

// One at a time. Its context is current on the thread that made it. Throws Error
// (device_unavailable) that says what is missing (a display, OpenGL 4.5) and what to do.
class Window {
public:
    explicit Window(const WindowOptions& options = {});
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    GLFWwindow* handle() const { return window_; }
    const ContextInfo& info() const { return info_; }
    gl::DebugLog* debug_log() const { return debug_.get(); } // null without WindowOptions::debug

    // Sizes and scale are asked for anew when an event has changed them: asking an X server takes
    // longer than most panels do.
    int width_px() const { return sizes().width_px; } // of the framebuffer; 0 while minimised
    int height_px() const { return sizes().height_px; }
    // GLFW's screen coordinates in one point of a layout: 1 where the window system scales, else
    // what the desktop asks for (1.25, 1.5, 2), because there a screen coordinate is a pixel.
    double coordinates_per_point() const { return sizes().coordinates_per_point; }
    bool should_close() const;
    void close();
    void stay_open(); // although the user wanted to close it
    void hide();
    void set_title(const std::string& title);

    void set_fullscreen(bool fullscreen); // on the screen that holds most of the window
    bool fullscreen() const { return windowed_.has_value(); }

    static void poll_events();
    // For a paused program: returns at the next event or after the timeout.
    static void wait_events(double timeout_s);
    // From any thread: whoever waits for events returns.
    static void wake_up();
    // Binds the window's framebuffer and sets the viewport to all of it.
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
    struct Library { // GLFW, for as long as the window lives
        Library();
        ~Library();
    };

    Library library_;
    GLFWwindow* window_ = nullptr;
    ContextInfo info_;
    mutable std::optional<Sizes> sizes_; // none: they may have changed
    static inline Window* open_ = nullptr;
    std::unique_ptr<gl::DebugLog> debug_;
    std::optional<Placement> windowed_; // where to go back to from full screen
};

} // namespace lanescope::render
