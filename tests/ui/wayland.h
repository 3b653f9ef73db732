// A Wayland compositor for a test: weston nested on an X display, so that an X client can read the
// screen and send input.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/program.h"

namespace lanescope::test {

// Describes what is missing for a Wayland window; empty if nothing is.
std::string wayland_is_missing();

class Compositor {
public:
    // Fills the X display `display` with one screen of width × height points, each of `scale`
    // pixels.
    Compositor(const std::string& display, int width, int height, int scale, const Folder& folder);
    ~Compositor();
    Compositor(const Compositor&) = delete;
    Compositor& operator=(const Compositor&) = delete;

    // Environment for programs that must use this compositor and no other display.
    const Environment& environment() const { return environment_; }
    pid_t server() const { return server_; }

private:
    pid_t server_ = -1;
    Environment environment_;
};

} // namespace lanescope::test
