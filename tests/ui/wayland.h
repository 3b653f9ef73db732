// A Wayland compositor for a test: weston, drawn on an X display, so that what reaches the screen
// can be seen there and the hands of an X client reach it.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/program.h"

namespace lanescope::test {

// What is missing for a window under Wayland, in a sentence; empty when nothing is.
std::string wayland_is_missing();

class Compositor {
public:
    // Fills the X display `display` with one screen of so many points, each of `scale` pixels.
    Compositor(const std::string& display, int width, int height, int scale, const Folder& folder);
    ~Compositor();
    Compositor(const Compositor&) = delete;
    Compositor& operator=(const Compositor&) = delete;

    // How a program is started that shall find this compositor and no other display.
    const Environment& environment() const { return environment_; }
    pid_t server() const { return server_; }

private:
    pid_t server_ = -1;
    Environment environment_;
};

} // namespace lanescope::test
