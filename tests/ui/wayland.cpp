// See wayland.h. GLFW 3.3 is built for one window system only: its Wayland build then takes the
// place of the one that the program was linked with.
#include "tests/ui/wayland.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace lanescope::test {
namespace {

const std::string other_glfw = LANESCOPE_WAYLAND_GLFW;

} // namespace

std::string wayland_is_missing()
{
    if (!is_installed("weston")) return "There is no weston.";
    if (!other_glfw.empty() && !std::filesystem::exists(other_glfw))
        return "There is no GLFW for Wayland. Run app/setup.sh.";
    return {};
}

Compositor::Compositor(const std::string& display, int width, int height, int scale,
                       const Folder& folder)
{
    // Nothing but the program's window. It is as large as the screen, so that weston puts its upper
    // left, without the frame that GLFW draws around it, into the upper left of the screen.
    const std::string settings = (folder / "weston.ini").string();
    std::ofstream(settings) << "[core]\nidle-time=0\n"
                               "[shell]\npanel-position=none\nlocking=false\nanimation=none\n"
                               "startup-animation=none\nclose-animation=none\n";
    const std::string socket = "lanescope-test";
    environment_ = {
        {"DISPLAY", "-"}, {"XDG_RUNTIME_DIR", folder.path().string()}, {"WAYLAND_DISPLAY", socket}};
    if (!other_glfw.empty()) environment_["LD_PRELOAD"] = other_glfw;
    server_ = fork();
    if (server_ == 0) {
        setenv("DISPLAY", display.c_str(), 1);
        setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
        const int log = open((folder / "weston.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        execlp("weston", "weston", "--backend=x11-backend.so", "--use-pixman",
               ("--config=" + settings).c_str(), ("--socket=" + socket).c_str(),
               ("--width=" + std::to_string(width)).c_str(),
               ("--height=" + std::to_string(height)).c_str(),
               ("--scale=" + std::to_string(scale)).c_str(), nullptr);
        _exit(127);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(folder / socket)) {
        if (waitpid(server_, nullptr, WNOHANG) == server_ ||
            std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("weston does not start: " + read_file(folder / "weston.log"));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

Compositor::~Compositor()
{
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
}

} // namespace lanescope::test
